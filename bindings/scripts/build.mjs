/**
 * Builds the npm package into dist/: generates types from the registry, takes the WebAssembly module from build/wasm,
 * compiles the TypeScript. Run scripts/build first time round; it makes what this needs.
 */
import { execFileSync } from 'node:child_process';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const root = new URL('../../', import.meta.url);
const path = (relative) => fileURLToPath(new URL(relative, root));
const run = (command, ...args) => execFileSync(command, args, { cwd: path('.'), encoding: 'utf8' });

async function generate() {
  await mkdir(path('bindings/src/generated'), { recursive: true });
  await writeFile(path('build/encodings.json'), run(path('build/native/src/tools/posenc-describe')));
  const script = path('bindings/scripts/generate_types.mjs');
  run(process.execPath, script, path('build/encodings.json'), path('bindings/src/generated'));
  await writeFile(path('bindings/src/generated/raw.d.ts'), RAW_TYPES);
}

/** Of the glue that Emscripten writes. */
const RAW_TYPES = `import type { RawModule } from '../raw_types.ts';

export default function createRaw(options: object): Promise<RawModule>;
`;

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
  await cp(path('build/wasm/bindings/posenc_raw.js'), path('dist/generated/raw.js'));
  await cp(path('bindings/src/generated/raw.d.ts'), path('dist/generated/raw.d.ts'));
  await cp(path('build/wasm/bindings/posenc_raw.wasm'), path('dist/posenc.wasm'));
  await rewriteDeclarations(path('dist'));
}

await generate();
try {
  await compile();
} catch (error) {
  process.stderr.write(`${error.stdout ?? ''}${error.stderr ?? ''}${error.message}\n`);
  process.exitCode = 1;
}
