import { load } from 'posenc';
import type { Encoding } from 'posenc';
import { afterAll, describe, expect, it } from 'vitest';

import { errorOf, JERRY, matrixOf, TOM } from './support.ts';

const here = await load();
const there = await load({ engine: 'worker' });
afterAll(() => there.dispose());
const rope = { kind: 'rope' } as const;
const LONG = Array.from({ length: 400 }, (_, i) => `word${i}`);

describe('the engine in a worker', () => {
  it('describes itself alike', () => {
    expect({ version: there.version, simd: there.simd }).toEqual({ version: here.version, simd: here.simd });
    expect(there.encodings).toEqual(here.encodings);
  });

  it.each(here.encodings.map(({ kind }) => ({ kind }) as Encoding))('$kind: the same bytes', async (encoding) => {
    const options = { encoding, a: TOM, b: JERRY };
    expect(await there.compare(options)).toEqual(here.compare(options));
    expect(await there.invariances({ encoding, tokens: TOM })).toEqual(here.invariances({ encoding, tokens: TOM }));
  });

  it('offers every method', async () => {
    const x = matrixOf([[1, 2]]);
    expect(await there.table({ kind: 'sinusoidal' }, { length: 2 })).toEqual(
      here.table({ kind: 'sinusoidal' }, { length: 2 }),
    );
    expect(await there.rotation(rope, { length: 2 })).toEqual(here.rotation(rope, { length: 2 }));
    expect(await there.frequencies(rope, { seqLen: 2 })).toEqual(here.frequencies(rope, { seqLen: 2 }));
    expect(await there.frequencies(rope)).toEqual(here.frequencies(rope));
    expect(await there.apply(rope, x)).toEqual(here.apply(rope, x));
    expect(await there.apply(rope, x, { positions: [3] })).toEqual(here.apply(rope, x, { positions: [3] }));
    const shape = { queries: 2, keys: 2 };
    expect(await there.bias({ kind: 'alibi' }, shape)).toEqual(here.bias({ kind: 'alibi' }, shape));
    expect(await there.attention({ encoding: rope, tokens: TOM })).toEqual(
      here.attention({ encoding: rope, tokens: TOM }),
    );
    const q = { data: x.data, shape: [1, 1, 2] } as const;
    expect(await there.attend({ encoding: rope, q, k: q })).toEqual(here.attend({ encoding: rope, q, k: q }));
    const options = { encoding: rope, q, k: q, v: q };
    expect(await there.attendOutput(options)).toEqual(here.attendOutput(options));
  });

  it('applies to several heads', async () => {
    const x = { data: Float32Array.of(1, 2, 3, 4), shape: [2, 1, 2] } as const;
    expect(await there.apply(rope, x, { positions: [3] })).toEqual(here.apply(rope, x, { positions: [3] }));
  });

  it('takes no array of the memory of this thread', async () => {
    const array = here.wasmArray(2);
    const x = { data: array as unknown as Float32Array, rows: 1, cols: 2 };
    const q = { data: x.data, shape: [1, 1, 2] } as const;
    const out = { out: array } as unknown as { length: number };
    const requests: readonly (readonly [string, () => unknown])[] = [
      ['x.data', () => there.apply(rope, x)],
      ['q.data', () => there.attend({ encoding: rope, q, k: q })],
      ['out', () => there.table({ kind: 'sinusoidal' }, { ...out, length: 1 })],
    ];
    for (const [field, request] of requests) {
      const error = await errorOf(request);
      expect({ code: error.code, field: error.field }).toEqual({ code: 'wrong_type', field });
      expect(error.message).toContain('a worker has memory of its own');
    }
    expect('wasmArray' in there).toBe(false);
    array.dispose();
  });

  it('passes errors on whole', async () => {
    const wrong = { kind: 'rope', rotaryDim: 7 } as const;
    const error = await errorOf(() => there.rotation(wrong, { length: 1 }));
    const same = await errorOf(() => here.rotation(wrong, { length: 1 }));
    expect(error.toData()).toEqual(same.toData());
  });

  it('refuses what cannot be sent, and works on', async () => {
    const tokens = [() => 'Tom'] as unknown as string[];
    expect((await errorOf(() => there.attention({ encoding: rope, tokens }))).code).toBe('wrong_type');
    expect((await there.attention({ encoding: rope, tokens: TOM })).weights.rows).toBe(3);
  });

  it('the newest request of a channel wins, other channels go on', async () => {
    const ask = (channel: string, tokens: readonly string[]) =>
      there.attention({ encoding: rope, tokens }, { channel });
    const older = errorOf(() => ask('a', LONG));
    const other = ask('b', TOM);
    const newest = ask('a', TOM);
    expect((await older).code).toBe('aborted');
    expect((await newest).weights.rows).toBe(3);
    expect((await other).weights.rows).toBe(3);
  });

  it('respects an AbortSignal, before and after sending', async () => {
    const request = { encoding: rope, tokens: LONG };
    expect((await errorOf(() => there.attention(request, { signal: AbortSignal.abort() }))).code).toBe('aborted');
    const controller = new AbortController();
    const running = errorOf(() => there.attention(request, { signal: controller.signal }));
    controller.abort();
    expect((await running).code).toBe('aborted');
  });

  it('settles everything when it is disposed, twice if you like', async () => {
    const worker = await load({ engine: 'worker' });
    const pending = errorOf(() => worker.attention({ encoding: rope, tokens: LONG }));
    worker.dispose();
    worker.dispose();
    expect((await pending).code).toBe('aborted');
    expect((await errorOf(() => worker.attention({ encoding: rope, tokens: TOM }))).code).toBe('aborted');
  });
});
