/**
 * Builds the npm package into dist/: generates types from the registry, takes the WebAssembly modules from build/wasm
 * and the trained readers from the page, compiles the TypeScript. Run scripts/build first time round; it makes what this needs.
 */
import { execFileSync } from 'node:child_process';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import { toCamelCase } from './names.mjs';

const root = new URL('../../', import.meta.url);
const path = (relative) => fileURLToPath(new URL(relative, root));
const run = (command, ...args) => execFileSync(command, args, { cwd: path('.'), encoding: 'utf8' });

/** WebAssembly modules, as CMake and as the package name them. */
const MODULES = [
  { raw: 'posenc_raw', glue: 'raw', wasm: 'posenc.wasm', types: 'raw_types.ts' },
  { raw: 'posenc_models_raw', glue: 'models_raw', wasm: 'posenc_models.wasm', types: 'reader/raw_types.ts' },
];
/** Where posenc-train leaves the trained readers. */
const WEIGHTS = 'web/public/reader';

async function generate() {
  await mkdir(path('bindings/src/generated'), { recursive: true });
  await writeFile(path('build/encodings.json'), run(path('build/native/src/tools/posenc-describe')));
  const script = path('bindings/scripts/generate_types.mjs');
  run(process.execPath, script, path('build/encodings.json'), path('bindings/src/generated'));
  for (const { glue, types } of MODULES) await writeFile(path(`bindings/src/generated/${glue}.d.ts`), glueTypes(types));
  await writeFile(path('bindings/src/generated/shipped_readers.ts'), await shippedReaders());
}

/** What is said of the trained readers, without the scores of single patterns. */
async function shippedReaders() {
  const index = JSON.parse(await readFile(path(`${WEIGHTS}/index.json`), 'utf8'));
  const readers = index.map(({ encoding, params, patterns: _, ...reader }) => {
    const named = Object.entries(params).map(([name, value]) => [toCamelCase(name), value]);
    return { ...reader, encoding: { kind: encoding, ...Object.fromEntries(named) } };
  });
  return [
    '// Made by bindings/scripts/build.mjs from the index that posenc-train writes.',
    "import type { ShippedReader } from '../reader/types.ts';",
    `/** The trained readers of the package, one for each encoding of text and mask. */\nexport const shippedReaders: readonly ShippedReader[] = ${JSON.stringify(readers)};`,
    '',
  ].join('\n\n');
}

/** Of the glue that Emscripten writes. */
function glueTypes(types) {
  return `import type { RawModule } from '../${types}';

export default function createRaw(options: object): Promise<RawModule>;
`;
}

/** Declarations keep the .ts of their imports; readers of the package have only .d.ts and .js. */
async function rewriteDeclarations(folder) {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const file = `${folder}/${entry.name}`;
    if (entry.isDirectory()) await rewriteDeclarations(file);
    else if (entry.name.endsWith('.d.ts')) {
      const text = await readFile(file, 'utf8');
      await writeFile(file, text.replace(/((?:from|import\()\s*['"]\.[^'"]*)\.ts(['"])/g, '$1.js$2'));
    }
  }
}

async function compile() {
  await rm(path('dist'), { recursive: true, force: true });
  run(process.execPath, path('node_modules/typescript/bin/tsc'), '-p', 'bindings/tsconfig.json');
  for (const { raw, glue, wasm } of MODULES) {
    await cp(path(`build/wasm/bindings/${raw}.js`), path(`dist/generated/${glue}.js`));
    await cp(path(`bindings/src/generated/${glue}.d.ts`), path(`dist/generated/${glue}.d.ts`));
    await cp(path(`build/wasm/bindings/${raw}.wasm`), path(`dist/${wasm}`));
  }
  await cp(path(WEIGHTS), path('dist/reader'), { recursive: true });
  await rewriteDeclarations(path('dist'));
}

await generate();
try {
  await compile();
} catch (error) {
  process.stderr.write(`${error.stdout ?? ''}${error.stderr ?? ''}${error.message}\n`);
  process.exitCode = 1;
}
