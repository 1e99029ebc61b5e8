import { createServer } from './worker/serve.ts';
import type { ToWorker } from './worker/protocol.ts';

// Entry of the browser's worker: `new Worker(new URL('./worker.js', import.meta.url), { type: 'module' })`.

const receive = createServer((message, transfer) => globalThis.postMessage(message, { transfer }));
globalThis.addEventListener('message', (event: MessageEvent<ToWorker>) => receive(event.data));
