/** Bundles libraries as those who use them do, with Vite: one folder each, with index.mjs and what it loads. */
import { existsSync, readFileSync } from 'node:fs';
import { build } from 'vite';

import { bundleFolder, PEERS_FOLDER, project } from '../paths.mjs';

const ENTRIES = {
  jax: '@jax-js/jax',
  ort: 'onnxruntime-web/wasm',
  tf: project(`${PEERS_FOLDER}/tfjs_entry.mjs`),
  posenc: project('dist/index.js'),
};

/** Bundled for Node, a CommonJS library still asks for these. */
const NODE_BANNER = `
import { createRequire as requireFrom } from 'node:module';
const require = requireFrom(import.meta.url);
const { dirname: __dirname, filename: __filename } = import.meta;`;

/** Makes the bundle of one library for 'node' or 'chromium', unless it is there already. */
export async function bundle(id, place) {
  const outDir = project(bundleFolder(id, place));
  const stamp = `${outDir}/versions.json`;
  const versions = readFileSync(project(`${PEERS_FOLDER}/package-lock.json`), 'utf8');
  if (id !== 'posenc' && existsSync(stamp) && readFileSync(stamp, 'utf8') === versions) return;
  const forNode = place === 'node';
  await build({
    root: project(PEERS_FOLDER),
    configFile: false,
    logLevel: 'error',
    base: './',
    publicDir: false,
    resolve: { mainFields: ['module', 'main'] },
    ssr: { noExternal: true },
    plugins: [{ name: 'stamp', generateBundle: emitStamp(versions) }],
    build: {
      ssr: forNode,
      outDir,
      emptyOutDir: true,
      target: 'esnext',
      minify: !forNode,
      assetsInlineLimit: 0,
      modulePreload: false,
      rolldownOptions: {
        input: ENTRIES[id],
        preserveEntrySignatures: 'strict',
        output: { entryFileNames: 'index.mjs', ...(forNode ? { banner: NODE_BANNER } : {}) },
      },
    },
  });
}

function emitStamp(source) {
  return function () {
    this.emitFile({ type: 'asset', fileName: 'versions.json', source });
  };
}
