import { readFile } from 'node:fs/promises';
import ts from 'typescript';

/** The functions of names.ts, so that names are translated by the same code here and in the package. */
async function importNames() {
  const source = await readFile(new URL('../src/names.ts', import.meta.url), 'utf8');
  const options = { compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 } };
  const { outputText } = ts.transpileModule(source, options);
  return import(`data:text/javascript,${encodeURIComponent(outputText)}`);
}

export const { toCamelCase } = await importNames();
