/**
 * posenc for browsers and bundlers. In Node the entry `node.ts` takes its place; both export the same.
 *
 * @packageDocumentation
 */
import { createLoad } from './load.ts';
import { download } from './wasm_source.ts';
import type { WorkerPort } from './worker/client.ts';
import type { FromWorker } from './worker/protocol.ts';

export * from './public.ts';

function startWorker(): WorkerPort | null {
  try {
    const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
    return {
      post: (message) => worker.postMessage(message),
      onMessage: (listener) =>
        worker.addEventListener('message', (event: MessageEvent<FromWorker>) => listener(event.data)),
      onError: (listener) => worker.addEventListener('error', (event) => listener(event.message)),
      setBusy: () => undefined,
      terminate: () => worker.terminate(),
    };
  } catch {
    return null;
  }
}

/** {@inheritDoc Load} */
export const load = createLoad((options) => download(new URL('./posenc.wasm', import.meta.url), options), startWorker);
