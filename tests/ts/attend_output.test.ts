import { load } from 'posenc';
import type { Encoding, Tensor3 } from 'posenc';
import { describe, expect, it } from 'vitest';

import { engineWithMemory, errorOf } from './support.ts';

const posenc = await load();

/** Numbers between -1 and 1. */
function tensor(seed: number, ...shape: [number, number, number]): Tensor3 {
  const [heads, rows, cols] = shape;
  return { data: Float32Array.from({ length: heads * rows * cols }, (_, i) => Math.sin((i + seed) * 12.9898)), shape };
}

/** Each head `times` times in a row. */
function repeated({ data, shape: [heads, rows, cols] }: Tensor3, times: number): Tensor3 {
  const size = rows * cols;
  const all = new Float32Array(data.length * times);
  for (let head = 0; head < heads * times; head++) {
    const from = Math.floor(head / times) * size;
    all.set(data.subarray(from, from + size), head * size);
  }
  return { data: all, shape: [heads * times, rows, cols] };
}

const largest = (a: Float32Array, b: Float32Array) =>
  a.reduce((most, value, i) => Math.max(most, Math.abs(value - (b[i] ?? NaN))), 0);

const q = tensor(1, 4, 5, 16);
const k = tensor(2, 4, 7, 16);
const v = tensor(3, 4, 7, 16);
const none = { kind: 'none' } as const;
const rope = { kind: 'rope' } as const;
const everyEncoding = posenc.encodings.map(({ kind, axes }) => ({ encoding: { kind } as Encoding, kind, axes }));

describe('attendOutput', () => {
  it.each(everyEncoding)('is the output of attend: $kind', ({ encoding, axes }) => {
    const places = (tokens: number) => Array.from({ length: tokens * axes }, (_, i) => (i * 3) % 7);
    for (const mask of [{ kind: 'none' }, { kind: 'causal' }, { kind: 'window', size: 3 }] as const) {
      const options = { encoding, q, k, v, mask, qPositions: places(5), kPositions: places(7) };
      const got = posenc.attendOutput(options);
      const { output } = posenc.attend(options);
      expect(got.shape).toEqual([4, 5, 16]);
      // Both sum in float, in another order.
      expect(largest(got.data, output?.data ?? new Float32Array(0))).toBeLessThan(2e-6);
    }
  });

  it('takes values of another width, another scale, and counts positions itself', () => {
    const options = { encoding: rope, q, k, v: tensor(4, 4, 7, 3), scale: 0.5 };
    const got = posenc.attendOutput(options);
    expect(got.shape).toEqual([4, 5, 3]);
    expect(largest(got.data, posenc.attend(options).output?.data ?? new Float32Array(0))).toBeLessThan(2e-6);
  });

  it.each([none, rope, { kind: 'alibi' }] as const)('shares heads of k and v among heads of q: $kind', (encoding) => {
    const [few, values] = [tensor(5, 2, 7, 16), tensor(6, 2, 7, 16)];
    const grouped = posenc.attendOutput({ encoding, q, k: few, v: values });
    expect(grouped).toEqual(posenc.attendOutput({ encoding, q, k: repeated(few, 2), v: repeated(values, 2) }));
  });

  it('reads and fills arrays in WebAssembly memory, to the same bytes', () => {
    const held = ({ data, shape }: Tensor3) => ({ data: posenc.wasmArray(data), shape });
    const arrays = { q: held(q), k: held(k), v: held(v) };
    const out = posenc.wasmArray(q.data.length);
    out.array.fill(NaN);
    const expected = posenc.attendOutput({ encoding: rope, q, k, v });
    const got = posenc.attendOutput({ encoding: rope, ...arrays, out });
    expect(got).toEqual({ data: out, shape: expected.shape });
    expect(out.array).toEqual(expected.data);
    expect(posenc.attendOutput({ encoding: rope, ...arrays })).toEqual(expected);
    for (const { data } of [...Object.values(arrays), { data: out }]) data.dispose();
  });

  it('takes memory for rows, not for pairs', async () => {
    const { posenc: engine, size } = await engineWithMemory();
    const x = tensor(7, 1, 8192, 8); // 256 KiB; all pairs would be 256 MiB
    engine.attendOutput({ encoding: { kind: 'alibi' }, q: x, k: x, v: x, mask: { kind: 'causal' } });
    expect(size()).toBeLessThan(32 * 2 ** 20);
  });

  const held = posenc.wasmArray(q.data);
  const inMemory = { data: held, shape: q.shape };
  const base = { encoding: none, q, k, v };
  const cases: readonly (readonly [string, () => unknown, string, string])[] = [
    ['no values', () => posenc.attendOutput({ encoding: none, q, k } as unknown as typeof base), 'wrong_type', 'v'],
    ['heads that do not divide evenly', () => posenc.attendOutput({ ...base, k: tensor(1, 3, 7, 16), v: tensor(1, 3, 7, 16) }), 'shape_mismatch', 'k'],
    ['more heads of k than of q', () => posenc.attendOutput({ ...base, k: tensor(1, 8, 7, 16), v: tensor(1, 8, 7, 16) }), 'shape_mismatch', 'k'],
    ['v with other heads than k', () => posenc.attendOutput({ ...base, v: tensor(1, 2, 7, 16) }), 'shape_mismatch', 'v'],
    ['v with other keys than k', () => posenc.attendOutput({ ...base, v: tensor(1, 4, 6, 16) }), 'shape_mismatch', 'v'],
    ['k of another width', () => posenc.attendOutput({ ...base, k: tensor(1, 4, 7, 8) }), 'shape_mismatch', 'k'],
    ['too few positions', () => posenc.attendOutput({ ...base, qPositions: [1] }), 'shape_mismatch', 'q_positions'],
    ['out of another length', () => posenc.attendOutput({ ...base, v: tensor(1, 4, 7, 3), out: held }), 'shape_mismatch', 'out'],
    ['out that is read as well', () => posenc.attendOutput({ ...base, q: inMemory, out: held }), 'out_of_range', 'out'],
    ['an unknown mask', () => posenc.attendOutput({ ...base, mask: { kind: 'x' } as unknown as { kind: 'none' } }), 'out_of_range', 'mask.kind'],
    ['a bare matrix', () => posenc.attendOutput({ ...base, q: { data: q.data, rows: 20, cols: 16 } as unknown as Tensor3 }), 'wrong_type', 'q.shape'],
    ['v without width', () => posenc.attendOutput({ ...base, v: { data: new Float32Array(0), shape: [4, 2 ** 30, 0] } }), 'out_of_memory', ''],
  ]; // prettier-ignore

  it.each(cases)('refuses %s', async (_name, run, code, field) => {
    const error = await errorOf(run);
    expect({ code: error.code, field: error.field }).toEqual({ code, field });
  });
});
