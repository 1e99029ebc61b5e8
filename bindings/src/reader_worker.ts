import type { ToTrainer } from './reader/protocol.ts';
import { createTrainer } from './reader/serve.ts';

// Entry of the browser's worker: `new Worker(new URL('./reader_worker.js', import.meta.url), { type: 'module' })`.

const receive = createTrainer((message, transfer) => globalThis.postMessage(message, { transfer }));
globalThis.addEventListener('message', (event: MessageEvent<ToTrainer>) => receive(event.data));
