import { nodePort, wasmFileAt } from './node_platform.ts';
import { createCompile, MODELS_FILE } from './reader/files.ts';
import { createLoadReaders } from './reader/load.ts';
import { createTrainInWorker } from './reader/train_in_worker.ts';

export * from './reader/public.ts';

const compile = createCompile(wasmFileAt(new URL('./posenc_models.wasm', import.meta.url), MODELS_FILE));

/** {@inheritDoc LoadReaders} */
export const loadReaders = createLoadReaders(compile);

/** {@inheritDoc TrainInWorker} */
export const trainInWorker = createTrainInWorker(compile, () =>
  nodePort(new URL('./node_reader_worker.js', import.meta.url)),
);
