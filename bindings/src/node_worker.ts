import { parentPort } from 'node:worker_threads';

import { createServer } from './worker/serve.ts';
import type { ToWorker } from './worker/protocol.ts';

// Entry of Node's worker thread.

const receive = createServer((message, transfer) => parentPort?.postMessage(message, transfer));
parentPort?.on('message', (message: ToWorker) => receive(message));
