/**
 * Readers: tiny trained transformers that answer "who?" and "whom?", and training of them. In Node the entry
 * `node_reader.ts` takes its place; both export the same.
 *
 * @packageDocumentation
 */
import { createCompile, MODELS_FILE } from './reader/files.ts';
import { createLoadReaders } from './reader/load.ts';
import { createTrainInWorker } from './reader/train_in_worker.ts';
import { download } from './wasm_source.ts';
import { browserPort } from './worker/port.ts';

export * from './reader/public.ts';

const compile = createCompile({
  ...MODELS_FILE,
  read: (options) => download(new URL('./posenc_models.wasm', import.meta.url), options, MODELS_FILE),
});

/** {@inheritDoc LoadReaders} */
export const loadReaders = createLoadReaders(compile);

/** {@inheritDoc TrainInWorker} */
export const trainInWorker = createTrainInWorker(compile, () =>
  browserPort(() => new Worker(new URL('./reader_worker.js', import.meta.url), { type: 'module' })),
);
