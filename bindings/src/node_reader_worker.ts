import { parentPort } from 'node:worker_threads';

import type { ToTrainer } from './reader/protocol.ts';
import { createTrainer } from './reader/serve.ts';

// Entry of Node's worker thread.

const receive = createTrainer((message, transfer) => parentPort?.postMessage(message, transfer));
parentPort?.on('message', (message: ToTrainer) => receive(message));
