// Must compile under --strict with every module resolution, and refuse what is wrong.
import { load, PosencError } from 'posenc';
import type {
  AttentionResult,
  Comparison,
  Encoding,
  EncodingInfo,
  Matrix,
  Posenc,
  PosencAsync,
  Tensor3,
  WasmArray,
} from 'posenc';
import { fromConfig, presets } from 'posenc/presets';
import type { ConfigNote, ModelEncoding } from 'posenc/presets';
import { loadReaders, shippedReaders, trainInWorker } from 'posenc/reader';
import type { Reader, ReaderAnswer, Readers, Training } from 'posenc/reader';
import { shippedWeights } from 'posenc/reader/shipped';
import { tokenizePair } from 'posenc/text';

const posenc: Posenc = await load({ timeout: 1000 });
const worker: PosencAsync = await load({ engine: 'worker' });
const rope: Encoding = { kind: 'rope', layout: 'half', rotaryDim: 8 };
const table: Matrix = posenc.table({ kind: 'sinusoidal', theta: 500000 }, { length: 4 });
const { a, b } = tokenizePair('Tom chased Jerry', 'Jerry chased Tom');
const comparison: Comparison = posenc.compare({ encoding: rope, a, b, mask: { kind: 'causal' } });
const later: Promise<AttentionResult> = worker.attention({ encoding: rope, tokens: a }, { channel: 'x' });
const infos: readonly EncodingInfo[] = posenc.encodings;
const model: ModelEncoding = fromConfig(presets[0]?.config);
const notes: readonly ConfigNote[] = model.notes;
export const models = [posenc.table(model.encoding, { length: 1, dims: model.dims }), notes];
export const all = [table, comparison, later, infos, new PosencError({ code: 'aborted', message: '' }).code];

const array: WasmArray = posenc.wasmArray(8);
const x: Matrix<WasmArray> = { data: array, rows: 1, cols: 8 };
const heads: Tensor3<WasmArray> = { data: array, shape: [2, 1, 4] };
const plain: Matrix = { data: new Float32Array(8), rows: 1, cols: 8 };
export const copied: Matrix = posenc.apply(rope, x);
export const inPlace: Matrix<WasmArray> = posenc.apply(rope, x, { positions: [3], out: array });
export const headsInPlace: Tensor3<WasmArray> = posenc.apply(rope, heads, { out: array });
export const headsCopied: Tensor3 = posenc.apply(rope, heads);
export const into: Tensor3<WasmArray> = posenc.bias({ kind: 'alibi' }, { queries: 1, keys: 2, out: array });
export const filled: Matrix<WasmArray> = posenc.table({ kind: 'sinusoidal' }, { length: 1, out: array });
export const cos: Matrix<WasmArray> = posenc.rotation(rope, { length: 1, out: { cos: array, sin: array } }).cos;
export const weights: Tensor3 = posenc.attend({ encoding: rope, q: heads, k: heads }).weights;
export const output: Tensor3 = posenc.attendOutput({ encoding: rope, q: heads, k: heads, v: heads });
export const sentOutput: Promise<Tensor3> = worker.attendOutput({ encoding: rope, q: output, k: output, v: output });
export const sent: Promise<Matrix> = worker.apply(rope, plain, {}, { channel: 'x' });
export const sentHeads: Promise<Tensor3> = worker.apply(rope, { data: plain.data, shape: [2, 1, 4] });

const readers: Readers = await loadReaders({ timeout: 1000 });
const reader: Reader = readers.loadWeights(await shippedWeights('rope', 'causal'));
export const answer: ReaderAnswer = reader.answer(['Tom', 'ran']);
export const head: AttentionResult = reader.attention(a, { layer: readers.layers - 1, head: 0 });
export const over: Comparison = reader.compare(a, b, { layer: 0, head: readers.dims.nHeads - 1 });
const training: Training = trainInWorker({ encoding: rope, mask: { kind: 'causal' }, weightsEvery: 50 });
export const trained: Reader = readers.loadWeights(await training.done);
export const accuracies: readonly number[] = shippedReaders.map(({ unseen }) => unseen.accuracy);

// @ts-expect-error there is no such mask among the shipped ones
void shippedWeights('rope', 'window');
// @ts-expect-error an encoding is an object
readers.reader({ encoding: 'rope' });
// @ts-expect-error the result is in WebAssembly memory
export const not: Matrix = posenc.table({ kind: 'sinusoidal' }, { length: 1, out: array });
// @ts-expect-error out is an array in WebAssembly memory
posenc.table({ kind: 'sinusoidal' }, { length: 1, out: plain.data });
// @ts-expect-error which result it is must be known
posenc.table({ kind: 'sinusoidal' }, { length: 1, out: array as WasmArray | undefined });
// @ts-expect-error there is no output without values
posenc.attendOutput({ encoding: rope, q: heads, k: heads });
// @ts-expect-error a worker has memory of its own
void worker.wasmArray;
// @ts-expect-error a worker has memory of its own
void worker.apply(rope, x);
// @ts-expect-error a worker has memory of its own
void worker.bias({ kind: 'alibi' }, { queries: 1, keys: 2, out: array });
// @ts-expect-error unknown encoding
posenc.table({ kind: 'ropee' }, { length: 1 });
// @ts-expect-error a parameter of another encoding
posenc.table({ kind: 'sinusoidal', layout: 'half' }, { length: 1 });
// @ts-expect-error an unknown choice
export const wrong: Encoding = { kind: 'rope', layout: 'other' };
// @ts-expect-error a number as text
posenc.rotation({ kind: 'rope', rotaryDim: '8' }, { length: 1 });
