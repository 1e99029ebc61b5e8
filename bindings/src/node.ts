import { readFile } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';

import { PosencError } from './errors.ts';
import { createLoad } from './load.ts';
import type { WorkerPort } from './worker/client.ts';
import type { FromWorker } from './worker/protocol.ts';

export * from './public.ts';

async function readDefault(): Promise<BufferSource> {
  const url = new URL('./posenc.wasm', import.meta.url);
  try {
    return await readFile(url);
  } catch (error) {
    const message = `posenc.wasm could not be read from ${url.href}: ${String(error)}`;
    const hint =
      'The file belongs to the package; a bundler for Node must copy it beside its output, or use load({ wasm }).';
    throw new PosencError({ code: 'wasm_not_found', field: 'wasm', value: url.href, message, hint });
  }
}

function startWorker(): WorkerPort {
  const worker = new Worker(new URL('./node_worker.js', import.meta.url));
  return {
    post: (message) => worker.postMessage(message),
    onMessage: (listener) => worker.on('message', (message: FromWorker) => listener(message)),
    onError: (listener) => worker.on('error', (error) => listener(String(error))),
    setBusy: (busy) => (busy ? worker.ref() : worker.unref()),
    terminate: () => void worker.terminate(),
  };
}

/** {@inheritDoc Load} */
export const load = createLoad(readDefault, startWorker);
