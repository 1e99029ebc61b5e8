/** W1: the table of "Attention is all you need". */
import { NO_WASM_ARRAY } from '../abilities.mjs';
import { freshArrays } from '../limits/limits.mjs';
import { sinusoidalTableInto, sinusoidalTableByAddition } from '../plain_js.mjs';
import { missing, peerContenders, withWasmArray } from './contenders.mjs';

export const sinusoidal = {
  id: 'W1',
  title: 'sinusoidal table',
  sizes: [
    { length: 4096, dModel: 512 },
    { length: 131072, dModel: 128, large: true },
  ],
  checkSizes: [{ length: 1024, dModel: 128 }],
  label: ({ length, dModel }) => `${length} x ${dModel}`,
  /** Peers form the angle in float32, which is off by 7.6e-3 at position 131071. */
  tolerance: 2e-2,

  contenders({ posenc, abilities, limits, peers }, size) {
    const { length, dModel } = size;
    const encoding = { kind: 'sinusoidal' };
    const options = { length, dims: { dModel, nHeads: 1 } };
    const count = length * dModel;
    const table = new Float32Array(count);
    const plain = (name, fill) => ({
      role: 'plain',
      name,
      run: () => fill(table, length, dModel),
      value: () => (fill(table, length, dModel), table),
    });
    return [
      { role: 'posenc', name: 'new array', ...newTable(posenc, encoding, options) },
      abilities.wasmArray
        ? { role: 'posenc', name: 'into a WasmArray', ...tableInto(posenc, encoding, options, count) }
        : missing('posenc', 'into a WasmArray', NO_WASM_ARRAY),
      { role: 'limit', name: 'fill', ...limits.fill(count) },
      freshArrays('new array', count),
      plain('Math.sin and Math.cos', sinusoidalTableInto),
      plain('angle addition', sinusoidalTableByAddition),
      ...peerContenders(peers, 'sinusoidal', size),
    ];
  },
};

function newTable(posenc, encoding, options) {
  const run = () => posenc.table(encoding, options);
  return { run, value: () => run().data };
}

function tableInto(posenc, encoding, options, count) {
  return withWasmArray(posenc, count, (out) => {
    const run = () => posenc.table(encoding, { ...options, out });
    return { run, value: () => (run(), out.array) };
  });
}
