import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import { loadReaders, trainInWorker } from 'posenc/reader';
import { shippedWeights } from 'posenc/reader/shipped';

const readers = await loadReaders();
const weights = await shippedWeights('rope', 'causal');
const reader = readers.loadWeights(weights);
assert.ok(reader.answer(['Tom', 'chased', 'Jerry']).who[0] > 0.95);
reader.dispose();

const file = fileURLToPath(import.meta.resolve('posenc/reader/rope.causal.safetensors'));
assert.deepEqual(new Uint8Array(await readFile(file)), weights);

const trained = readers.loadWeights(await trainInWorker({ encoding: { kind: 'alibi' }, steps: 2 }).done);
assert.equal(trained.steps, 2);
