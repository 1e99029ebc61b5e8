/**
 * posenc for browsers and bundlers. In Node the entry `node.ts` takes its place; both export the same.
 *
 * @packageDocumentation
 */
import { createLoad } from './load.ts';
import { download, ENGINE_FILE } from './wasm_source.ts';
import type { WasmFile } from './wasm_source.ts';
import { browserPort } from './worker/port.ts';

export * from './public.ts';

const file: WasmFile = {
  ...ENGINE_FILE,
  read: (options) => download(new URL('./posenc.wasm', import.meta.url), options, ENGINE_FILE),
};

/** {@inheritDoc Load} */
export const load = createLoad(file, () =>
  browserPort(() => new Worker(new URL('./worker.js', import.meta.url), { type: 'module' })),
);
