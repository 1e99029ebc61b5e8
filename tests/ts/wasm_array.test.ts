import { load } from 'posenc';
import type { Encoding, Floats, Matrix, Tensor3, WasmArray } from 'posenc';
import { afterEach, describe, expect, it } from 'vitest';

import { collect, engineWithMemory, errorOf, wasmBytes } from './support.ts';

const posenc = await load();
const elsewhere = (await load({ wasm: await wasmBytes() })).wasmArray(4);

const made: WasmArray[] = [];
afterEach(() => {
  for (const array of made.splice(0)) array.dispose();
});

/** An array that is disposed of after the test. */
function hold(from: number | Float32Array): WasmArray {
  const array = posenc.wasmArray(from);
  made.push(array);
  return array;
}

/** Numbers that no result has by accident, where a result belongs. */
function stale(length: number): WasmArray {
  const array = hold(length);
  array.array.fill(NaN);
  return array;
}

const numbers = (length: number) => Float32Array.from({ length }, (_, i) => Math.sin(i * 12.9898));
const bytesOf = (data: Floats) => new Uint8Array((data instanceof Float32Array ? data : data.array).slice().buffer);
const same = (got: { data: Floats }, expected: { data: Floats }) => expect(bytesOf(got.data)).toEqual(bytesOf(expected.data)); // prettier-ignore

/** Encodings that fill a seam, with default parameters and their number of axes. */
const filling = (seam: string) =>
  posenc.encodings.filter(({ seams }) => seams.some((name) => name === seam)).map(({ kind, axes }) => ({ encoding: { kind } as Encoding, kind, axes })); // prettier-ignore

/** So many tokens, each axis counting on its own. */
const places = (tokens: number, axes: number) => Array.from({ length: tokens * axes }, (_, i) => (i * 7) % 5);

const rope = { kind: 'rope' } as const;
const none = { kind: 'none' } as const;

describe('a WasmArray', () => {
  it.each([0, 1, 3, 5])('of length %i holds zeros at first, or what it is given', (length) => {
    const zeros = hold(length);
    expect(zeros.length).toBe(length);
    expect(zeros.array).toEqual(new Float32Array(length));
    expect(hold(numbers(length)).array).toEqual(numbers(length));
  });

  it('copies: the array that it is made from stays as it is', () => {
    const given = numbers(3);
    hold(given).array.fill(0);
    expect(given).toEqual(numbers(3));
  });

  it('has its numbers after memory has grown, in a new view', async () => {
    const { posenc: engine, size } = await engineWithMemory();
    const array = engine.wasmArray(numbers(1000));
    const before = array.array;
    expect(array.array).toBe(before);
    const held = size();
    engine.table({ kind: 'sinusoidal' }, { length: 100_000 });
    expect(size()).toBeGreaterThan(held);
    expect(before.length).toBe(0);
    expect(array.array).toEqual(numbers(1000));
    array.array[0] = 5;
    expect(engine.apply(rope, { data: array, rows: 500, cols: 2 }).data[0]).toBe(5);
  });

  it('keeps apart from others, also when memory is used again', () => {
    const [first, second] = [hold(numbers(100)), hold(numbers(50))];
    first.dispose();
    expect(hold(100).array).toEqual(new Float32Array(100));
    expect(second.array).toEqual(numbers(50));
  });

  it('takes no more memory over 10000 times made and disposed of', async () => {
    const { posenc: engine, size } = await engineWithMemory();
    const run = (times: number) => {
      for (let i = 0; i < times; i++) engine.wasmArray(1 + (i % 5000)).dispose();
    };
    run(5000);
    const before = size();
    run(10_000);
    expect(size()).toBe(before);
  });

  it('is disposed of twice without harm, by `using` too', () => {
    const array = posenc.wasmArray(4);
    const other = hold(numbers(4));
    array.dispose();
    array.dispose();
    array[Symbol.dispose]();
    expect(other.array).toEqual(numbers(4));
  });
});

describe('a WasmArray that is disposed of', () => {
  const gone = posenc.wasmArray(4);
  gone.dispose();
  const x: Matrix<WasmArray> = { data: gone, rows: 1, cols: 4 };
  const q: Tensor3<WasmArray> = { data: gone, shape: [1, 1, 4] };
  const cases: readonly (readonly [field: string, run: () => unknown])[] = [
    ['array', () => gone.array],
    ['x.data', () => posenc.apply(rope, x)],
    ['out', () => posenc.table({ kind: 'sinusoidal' }, { length: 1, dims: { dModel: 4, nHeads: 1 }, out: gone })],
    ['q.data', () => posenc.attend({ encoding: none, q, k: q })],
  ];

  it.each(cases)('is refused as %s', async (field, run) => {
    const error = await errorOf(run);
    expect({ code: error.code, field: error.field }).toEqual({ code: 'missing_value', field });
    expect(error.message).toBe(`${field} must not be disposed of, got a WasmArray without memory`);
  });

  it('still has its length', () => {
    expect(gone.length).toBe(4);
  });
});

describe('input that stays in WebAssembly memory', () => {
  it('gives what typed arrays give', () => {
    const data = numbers(2 * 3 * 4);
    const shape = [2, 3, 4] as const;
    const array = hold(data);
    same(posenc.apply(rope, { data: array, rows: 6, cols: 4 }), posenc.apply(rope, { data, rows: 6, cols: 4 }));
    const plain = { data, shape };
    const held = { data: array, shape };
    const options = { encoding: rope, mask: { kind: 'causal' } } as const;
    const got = posenc.attend({ ...options, q: held, k: held, v: held });
    expect(got).toEqual(posenc.attend({ ...options, q: plain, k: plain, v: plain }));
    expect(array.array).toEqual(data);
  });
});

describe('out', () => {
  it.each(filling('input'))('of a table: $kind', ({ encoding, axes }) => {
    for (const dModel of [4, 64]) {
      const options = { positions: places(5, axes), dims: { dModel, nHeads: 1 } };
      const out = stale(5 * dModel);
      const got = posenc.table(encoding, { ...options, out });
      expect(got.data).toBe(out);
      expect([got.rows, got.cols]).toEqual([5, dModel]);
      same(got, posenc.table(encoding, options));
    }
  });

  it.each(filling('rotary'))('of a rotation: $kind', ({ encoding, axes }) => {
    const options = { positions: places(5, axes) };
    const plain = posenc.rotation(encoding, options);
    const out = { cos: stale(plain.cos.data.length), sin: stale(plain.sin.data.length) };
    const got = posenc.rotation(encoding, { ...options, out });
    expect([got.cos.data, got.sin.data]).toEqual([out.cos, out.sin]);
    expect([got.cos.rows, got.cos.cols]).toEqual([plain.cos.rows, plain.cos.cols]);
    same(got.cos, plain.cos);
    same(got.sin, plain.sin);
  });

  it.each(filling('bias').filter(({ kind }) => kind !== 'cope'))('of a bias: $kind', ({ encoding, axes }) => {
    const options = { qPositions: places(3, axes), kPositions: places(5, axes), dims: { nHeads: 2 } };
    const out = stale(2 * 3 * 5);
    const got = posenc.bias(encoding, { ...options, out });
    expect(got.data).toBe(out);
    expect(got.shape).toEqual([2, 3, 5]);
    same(got, posenc.bias(encoding, options));
  });

  it.each([...filling('input'), ...filling('rotary')])('of what is applied, in place or not: $kind', (each) => {
    const { encoding, axes } = each;
    const data = numbers(5 * 16);
    const options = { positions: places(5, axes) };
    const expected = posenc.apply(encoding, { data, rows: 5, cols: 16 }, options);
    const x = { data: hold(data), rows: 5, cols: 16 };
    const out = stale(data.length);
    const got = posenc.apply(encoding, x, { ...options, out });
    expect(got.data).toBe(out);
    same(got, expected);
    same(posenc.apply(encoding, { ...x, data }, { ...options, out }), expected);
    expect(x.data.array).toEqual(data);
    const inPlace = posenc.apply(encoding, x, { ...options, out: x.data });
    expect(inPlace).toEqual(x);
    same(inPlace, expected);
  });

  const dims = { dModel: 4, nHeads: 1 };
  const four = posenc.wasmArray(4);
  const sine = { kind: 'sinusoidal' } as const;
  const wrong = (out: unknown) => out as WasmArray;
  const cases: readonly (readonly [string, () => unknown, string, string])[] = [
    ['too short', () => posenc.table(sine, { length: 2, dims, out: four }), 'shape_mismatch', 'out'],
    ['too long', () => posenc.bias({ kind: 'alibi' }, { queries: 1, keys: 3, dims, out: four }), 'shape_mismatch', 'out'],
    ['cos too short', () => posenc.rotation(rope, { length: 4, dims, out: { cos: four, sin: elsewhere } }), 'wrong_type', 'out.sin'],
    ['too long for sin', () => posenc.rotation(rope, { length: 1, dims, out: { cos: hold(2), sin: four } }), 'shape_mismatch', 'out.sin'],
    ['too long for cos', () => posenc.rotation(rope, { length: 1, dims, out: { cos: four, sin: hold(2) } }), 'shape_mismatch', 'out.cos'],
    ['one array for cos and sin', () => posenc.rotation(rope, { length: 2, dims, out: { cos: four, sin: four } }), 'out_of_range', 'out.sin'],
    ['one array of two', () => posenc.rotation(rope, { length: 2, dims, out: wrong(four) as unknown as { cos: WasmArray; sin: WasmArray } }), 'wrong_type', 'out.cos'],
    ['not of the size of x', () => posenc.apply(rope, { data: new Float32Array(8), rows: 2, cols: 4 }, { out: four }), 'shape_mismatch', 'out'],
    ['a typed array', () => posenc.table(sine, { length: 1, dims, out: wrong(new Float32Array(4)) }), 'wrong_type', 'out'],
    ['null', () => posenc.table(sine, { length: 1, dims, out: wrong(null) }), 'wrong_type', 'out'],
    ['of another engine', () => posenc.table(sine, { length: 1, dims, out: elsewhere }), 'wrong_type', 'out'],
    ['x of another engine', () => posenc.apply(rope, { data: elsewhere, rows: 1, cols: 4 }), 'wrong_type', 'x.data'],
    ['x whose shape lies', () => posenc.apply(rope, { data: four, rows: 3, cols: 4 }), 'shape_mismatch', 'x'],
    ['weights', () => posenc.table({ kind: 'learned', maxPosition: 1, weights: wrong(four) as unknown as number[] }, { length: 1, dims }), 'wrong_type', 'weights'],
  ]; // prettier-ignore

  it.each(cases)('is refused: %s', async (_name, run, code, field) => {
    const error = await errorOf(run);
    expect({ code: error.code, field: error.field }).toEqual({ code, field });
  });
});

describe('apply to several heads', () => {
  const turnAlike = filling('rotary').filter(({ kind }) => kind !== 'rope_mixed');
  it.each([...filling('input'), ...turnAlike])('$kind: each head as if it were alone', ({ encoding, axes }) => {
    const data = numbers(3 * 5 * 16);
    const options = { positions: places(5, axes) };
    const got = posenc.apply(encoding, { data, shape: [3, 5, 16] }, options);
    expect(got.shape).toEqual([3, 5, 16]);
    for (let head = 0; head < 3; head++) {
      const alone = { data: data.slice(head * 80, head * 80 + 80), rows: 5, cols: 16 };
      same({ data: got.data.slice(head * 80, head * 80 + 80) }, posenc.apply(encoding, alone, options));
    }
    const x = { data: hold(data), shape: [3, 5, 16] } as const;
    same(posenc.apply(encoding, x, { ...options, out: x.data }), got);
  });

  it('rope_mixed: the first head as if it were alone, the others in their own way', () => {
    const encoding = { kind: 'rope_mixed' } as const;
    const head = numbers(5 * 16);
    const data = new Float32Array([...head, ...head]);
    const options = { positions: places(5, 2) };
    const got = posenc.apply(encoding, { data, shape: [2, 5, 16] }, options);
    same({ data: got.data.slice(0, 80) }, posenc.apply(encoding, { data: head, rows: 5, cols: 16 }, options));
    expect(got.data.slice(80)).not.toEqual(got.data.slice(0, 80));
  });

  it.each([
    [undefined, 'wrong_type', 'x.rows'],
    [[1, 2], 'wrong_type', 'x.shape'],
    [[1, 2, '2'], 'wrong_type', 'x.shape'],
    [[1, -2, -2], 'out_of_range', 'x.shape'],
    [[1, 0.5, 8], 'out_of_range', 'x.shape'],
    [[1, NaN, 8], 'out_of_range', 'x.shape'],
    [[1, 3, 2], 'shape_mismatch', 'x'],
    [[0, 3, 2], 'shape_mismatch', 'x'],
  ])('refuses the shape %j', async (shape, code, field) => {
    const x = { data: numbers(4), shape } as unknown as Tensor3;
    const error = await errorOf(() => posenc.apply(rope, x));
    expect({ code: error.code, field: error.field }).toEqual({ code, field });
  });
});

describe('what does not fit', () => {
  const longer = (length: unknown) => () => posenc.wasmArray(length as number);
  const q = { data: new Float32Array(2 ** 17), shape: [1, 2 ** 16, 2] } as const;
  const cases: readonly (readonly [string, () => unknown, string, string])[] = [
    ['NaN', longer(NaN), 'out_of_range', 'length'],
    ['a negative length', longer(-1), 'out_of_range', 'length'],
    ['half a length', longer(1.5), 'out_of_range', 'length'],
    ['an infinite length', longer(Infinity), 'out_of_range', 'length'],
    ['text', longer('4'), 'wrong_type', 'length'],
    ['a plain array', longer([1, 2]), 'wrong_type', 'length'],
    ['nothing', longer(undefined), 'wrong_type', 'length'],
    ['2 GiB', longer(2 ** 29), 'out_of_memory', ''],
    ['just less than 2 GiB', longer(2 ** 29 - 2 ** 10), 'out_of_memory', ''],
    ['4 GiB', longer(2 ** 30), 'out_of_memory', ''],
    ['2^32 numbers', longer(2 ** 32), 'out_of_memory', ''],
    ['2^53 numbers', longer(2 ** 53), 'out_of_memory', ''],
    ['a table of 2^32 numbers', () => posenc.table({ kind: 'sinusoidal' }, { length: 2 ** 22, dims: { dModel: 1024, nHeads: 1 } }), 'out_of_memory', ''],
    ['a bias of 2^32 numbers', () => posenc.bias({ kind: 'alibi' }, { queries: 2 ** 16, keys: 2 ** 16, dims: { nHeads: 1 } }), 'out_of_memory', ''],
    ['2^32 logits', () => posenc.attend({ encoding: none, q, k: q }), 'out_of_memory', ''],
  ]; // prettier-ignore

  it.each(cases)('%s', async (_name, run, code, field) => {
    const error = await errorOf(run);
    expect({ code: error.code, field: error.field }).toEqual({ code, field });
    expect(hold(numbers(5)).array).toEqual(numbers(5));
    const options = { length: 1, dims: { dModel: 2, nHeads: 1 } };
    expect([...posenc.table({ kind: 'sinusoidal' }, options).data]).toEqual([0, 1]);
  });

  it('into the memory of JavaScript is an error like any other', async () => {
    const { Float32Array: Real } = globalThis;
    globalThis.Float32Array = class extends Real {
      constructor() {
        super(0);
        throw new RangeError('Array buffer allocation failed');
      }
    } as unknown as Float32ArrayConstructor;
    const failing = errorOf(() => posenc.table({ kind: 'sinusoidal' }, { length: 1 }));
    globalThis.Float32Array = Real;
    expect((await failing).code).toBe('out_of_memory');
    expect(posenc.table({ kind: 'sinusoidal' }, { length: 1 }).rows).toBe(1);
  });
});

describe('garbage collection', () => {
  it('takes back the memory of forgotten arrays', async () => {
    const { posenc: engine, size } = await engineWithMemory();
    const forgetSome = async () => {
      const last = Array.from({ length: 20 }, () => new WeakRef(engine.wasmArray(2 ** 18))).at(-1);
      await collect(() => last?.deref() === undefined);
    };
    await forgetSome();
    const held = size();
    for (let i = 0; i < 3; i++) await forgetSome();
    expect(size()).toBe(held);
  });

  it('spares an array as long as its view is there', async () => {
    const { posenc: engine } = await engineWithMemory();
    const view = engine.wasmArray(numbers(1000)).array;
    const other = new WeakRef(engine.wasmArray(1000));
    await collect(() => other.deref() === undefined);
    engine.wasmArray(1000).array.fill(7);
    engine.wasmArray(1000).array.fill(7);
    expect(view).toEqual(numbers(1000));
  });
});
