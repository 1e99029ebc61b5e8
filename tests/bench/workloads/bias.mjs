/** W3: what ALiBi and T5 add to the logits, [head][query][key]. */
import { NO_WASM_ARRAY } from '../abilities.mjs';
import { freshArrays } from '../limits/limits.mjs';
import { alibiBiasInto, t5BiasInto } from '../plain_js.mjs';
import { missing, noise, peerContenders, withWasmArray } from './contenders.mjs';

const T5_BUCKETS = 32;

export const bias = {
  id: 'W3',
  title: 'bias',
  sizes: [
    { kind: 'alibi', heads: 16, length: 1024 },
    { kind: 't5', heads: 16, length: 1024 },
  ],
  checkSizes: [
    { kind: 'alibi', heads: 4, length: 256 },
    { kind: 't5', heads: 4, length: 256 },
  ],
  label: ({ kind, heads, length }) => `${kind === 'alibi' ? 'ALiBi' : 'T5'}, ${heads} x ${length} x ${length}`,
  /** The farthest distance is 1023: float32 holds slope times distance to 6e-5. */
  tolerance: 1e-3,

  contenders({ posenc, abilities, limits, peers }, size) {
    const { kind, heads, length } = size;
    const weights = noise(T5_BUCKETS * heads); // [bucket][head]
    const encoding = kind === 'alibi' ? { kind: 'alibi' } : { kind: 't5_bias', weights };
    const options = { queries: length, keys: length, dims: { nHeads: heads, headDim: 64, dModel: heads * 64 } };
    const count = heads * length * length;
    const own = new Float32Array(count);
    const fill = kind === 'alibi' ? alibiBiasInto : (...sizes) => t5BiasInto(weights, ...sizes);
    const runPlain = () => fill(own, heads, length);
    return [
      { role: 'posenc', name: 'new array', ...newBias(posenc, encoding, options) },
      abilities.wasmArray
        ? { role: 'posenc', name: 'into a WasmArray', ...biasInto(posenc, encoding, options, count) }
        : missing('posenc', 'into a WasmArray', NO_WASM_ARRAY),
      { role: 'limit', name: 'fill', ...limits.fill(count) },
      freshArrays('new array', count),
      { role: 'plain', name: 'rows copied from one line', run: runPlain, value: () => (runPlain(), own) },
      ...peerContenders(peers, kind === 'alibi' ? 'alibi' : 't5', { ...size, weights }),
    ];
  },
};

function newBias(posenc, encoding, options) {
  const run = () => posenc.bias(encoding, options);
  return { run, value: () => run().data };
}

function biasInto(posenc, encoding, options, count) {
  return withWasmArray(posenc, count, (out) => {
    const run = () => posenc.bias(encoding, { ...options, out });
    return { run, value: () => (run(), out.array) };
  });
}
