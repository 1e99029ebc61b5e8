import { createLoad } from './load.ts';
import { nodePort, wasmFileAt } from './node_platform.ts';
import { ENGINE_FILE } from './wasm_source.ts';

export * from './public.ts';

/** {@inheritDoc Load} */
export const load = createLoad(wasmFileAt(new URL('./posenc.wasm', import.meta.url), ENGINE_FILE), () =>
  nodePort(new URL('./node_worker.js', import.meta.url)),
);
