// Must compile under --strict with every module resolution, and refuse what is wrong.
import { load, PosencError } from 'posenc';
import type { AttentionResult, Comparison, Encoding, EncodingInfo, Matrix, Posenc, PosencAsync } from 'posenc';
import { fromConfig, presets } from 'posenc/presets';
import type { ConfigNote, ModelEncoding } from 'posenc/presets';
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

// @ts-expect-error unknown encoding
posenc.table({ kind: 'ropee' }, { length: 1 });
// @ts-expect-error a parameter of another encoding
posenc.table({ kind: 'sinusoidal', layout: 'half' }, { length: 1 });
// @ts-expect-error an unknown choice
export const wrong: Encoding = { kind: 'rope', layout: 'other' };
// @ts-expect-error a number as text
posenc.rotation({ kind: 'rope', rotaryDim: '8' }, { length: 1 });
