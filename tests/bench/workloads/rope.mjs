/** W2: RoPE on q and k, [head][token][head_dim] each; and the table of cos and sin alone. */
import { NO_WASM_ARRAY } from '../abilities.mjs';
import { freshArrays } from '../limits/limits.mjs';
import { rotaryTable, rotate } from '../plain_js.mjs';
import { missing, noise, peerContenders } from './contenders.mjs';

export const rope = {
  id: 'W2',
  title: 'RoPE on q and k',
  sizes: [
    { layout: 'half', heads: 32, tokens: 4096, headDim: 128, large: true },
    { layout: 'interleaved', heads: 32, tokens: 4096, headDim: 128, large: true },
    { layout: 'half', heads: 32, tokens: 512, headDim: 128, quick: true },
  ],
  checkSizes: [
    { layout: 'half', heads: 4, tokens: 512, headDim: 64 },
    { layout: 'interleaved', heads: 4, tokens: 512, headDim: 64 },
  ],
  label: ({ layout, heads, tokens, headDim }) => `${layout}, 2 x ${heads} x ${tokens} x ${headDim}`,
  /** Angles of some peers are formed in float32. */
  tolerance: 1e-2,

  contenders({ posenc, abilities, limits, peers }, size) {
    const { heads, tokens, headDim, layout } = size;
    const count = heads * tokens * headDim;
    const q = noise(count, 1);
    const k = noise(count, 2);
    const encoding = { kind: 'rope', layout };
    return [
      abilities.wasmArray && abilities.manyHeads
        ? { role: 'posenc', name: 'in place, WasmArray', ...inPlace(posenc, encoding, size, q, k) }
        : missing('posenc', 'in place, WasmArray', NO_WASM_ARRAY),
      { role: 'posenc', name: 'plain arrays', ...plainArrays(posenc, abilities, encoding, size, q, k) },
      { role: 'limit', name: 'scale in place', ...limits.scale(2 * count) },
      freshArrays('plain arrays', count, count),
      { role: 'plain', name: 'loops, in place', ...plainJs(size, q, k) },
      ...peerContenders(peers, 'rope', { ...size, q, k }),
    ];
  },
};

export const rotaryAngles = {
  id: 'W2',
  title: 'RoPE',
  sizes: [{ tokens: 4096, headDim: 128 }],
  checkSizes: [],
  label: ({ tokens, headDim }) => `cos and sin only, ${tokens} x ${headDim}`,
  tolerance: 1e-6,

  contenders({ posenc, limits }, { tokens, headDim }) {
    const run = () => posenc.rotation({ kind: 'rope' }, { length: tokens, dims: { headDim } });
    const cos = new Float32Array((tokens * headDim) / 2);
    const sin = new Float32Array(cos.length);
    const runPlain = () => rotaryTable(cos, sin, tokens, headDim);
    return [
      { role: 'posenc', name: 'new arrays', run, value: () => run().cos.data },
      { role: 'limit', name: 'fill', ...limits.fill(tokens * headDim) },
      freshArrays('new arrays', cos.length, sin.length),
      { role: 'plain', name: 'Math.sin and Math.cos', run: runPlain, value: () => (runPlain(), cos) },
    ];
  },
};

const dimsOf = ({ heads, headDim }) => ({ nHeads: heads, headDim, dModel: heads * headDim });
const shapeOf = ({ heads, tokens, headDim }) => [heads, tokens, headDim];

function inPlace(posenc, encoding, size, q, k) {
  const arrays = [q, k].map((data) => posenc.wasmArray(data));
  const dims = dimsOf(size);
  const shape = shapeOf(size);
  const rotateOne = (data) => posenc.apply(encoding, { data, shape }, { dims, out: data });
  return {
    run: () => arrays.forEach(rotateOne),
    value() {
      rotateOne(arrays[0]);
      return arrays[0].array;
    },
    dispose: () => arrays.forEach((array) => array.dispose()),
  };
}

function plainArrays(posenc, abilities, encoding, size, q, k) {
  const dims = dimsOf(size);
  const shape = shapeOf(size);
  const length = size.tokens * size.headDim;
  const atOnce = (data) => [posenc.apply(encoding, { data, shape }, { dims }).data];
  const headByHead = (data) =>
    Array.from({ length: size.heads }, (_, head) => {
      const one = data.subarray(head * length, (head + 1) * length);
      return posenc.apply(encoding, { data: one, rows: size.tokens, cols: size.headDim }).data;
    });
  const rotateOne = abilities.manyHeads ? atOnce : headByHead;
  return {
    run() {
      rotateOne(q);
      rotateOne(k);
    },
    value() {
      const whole = new Float32Array(q.length);
      rotateOne(q).forEach((part, i) => whole.set(part, i * part.length));
      return whole;
    },
  };
}

function plainJs(size, q, k) {
  const { heads, tokens, headDim, layout } = size;
  const own = [q.slice(), k.slice()];
  const cos = new Float32Array((tokens * headDim) / 2);
  const sin = new Float32Array(cos.length);
  const run = () => {
    rotaryTable(cos, sin, tokens, headDim);
    for (const x of own) rotate[layout](x, cos, sin, heads, tokens, headDim);
  };
  return { run, value: () => (run(), own[0]) };
}
