import { load } from 'posenc';
import type { Encoding } from 'posenc';
import { describe, expect, it } from 'vitest';

import { JERRY, largestDifference, matrixOf, tensorOf, TOM, errorOf } from './support.ts';

const posenc = await load();

/** Every encoding with its default parameters. */
const ALL = posenc.encodings.map(({ kind }) => ({ kind }) as Encoding);

describe('description', () => {
  it('gives every encoding with camelCase names and snake_case ids', () => {
    const rope = posenc.encodings.find(({ kind }) => kind === 'rope');
    const width = rope?.fields.find(({ id }) => id === 'rotary_dim');
    expect(width).toMatchObject({
      name: 'rotaryDim',
      type: 'number',
      integer: true,
      multipleOf: 2,
      default: null,
      defaultFrom: 'headDim',
      maxFrom: 'headDim',
      unit: 'channels',
    });
    expect(rope?.seams).toEqual(['rotary']);
  });

  it('lists choices with a label and a sentence each', () => {
    const choices = posenc.encodings.flatMap(({ fields }) => fields).filter((field) => field.type === 'choice');
    expect(choices.length).toBeGreaterThan(0);
    for (const field of choices) {
      expect(field.choices.map(({ id }) => id)).toContain(field.default);
      for (const { label, doc } of field.choices) expect(label && doc).not.toBe('');
    }
  });

  it('has a version and says that it uses SIMD', () => {
    expect(posenc.version).toMatch(/^\d+\.\d+\.\d+/);
    expect(posenc.simd).toBe(true);
  });
});

describe('table', () => {
  it('gives the row of the paper', () => {
    const { data, rows, cols } = posenc.table(
      { kind: 'sinusoidal' },
      { positions: [3], dims: { dModel: 8, nHeads: 1 } },
    );
    expect([rows, cols]).toEqual([1, 8]);
    const expected = [0.14112, -0.989992, 0.29552, 0.955336, 0.029996, 0.99955, 0.003, 0.999996];
    expect(largestDifference(data, expected)).toBeLessThan(1e-6);
  });

  it('counts from an offset', () => {
    const dims = { dModel: 8, nHeads: 1 };
    const whole = posenc.table({ kind: 'sinusoidal' }, { length: 9, dims });
    const tail = posenc.table({ kind: 'sinusoidal' }, { length: 2, offset: 7, dims });
    expect(tail.data).toEqual(whole.data.slice(7 * 8));
  });

  it('takes a table of the caller, as any array of numbers', () => {
    const weights = [1, 2, 3, 4, 5, 6];
    const dims = { dModel: 2, nHeads: 1 };
    const { data } = posenc.table({ kind: 'learned', maxPosition: 3, weights }, { positions: [2, 0], dims });
    expect([...data]).toEqual([5, 6, 1, 2]);
  });

  it('takes fractional and negative positions where the encoding has them', () => {
    const { data } = posenc.table({ kind: 'sinusoidal' }, { positions: [-1.5], dims: { dModel: 2, nHeads: 1 } });
    expect(data[0]).toBeCloseTo(Math.sin(-1.5), 6);
  });

  it('of length 0 is empty', () => {
    expect(posenc.table({ kind: 'sinusoidal' }, { length: 0 })).toMatchObject({ rows: 0, cols: 64 });
  });
});

describe('rotation and apply', () => {
  it('rotates both layouts as their references do', () => {
    const x = matrixOf([[1, 0, 0, 0]]);
    const at = { positions: [1] };
    const interleaved = posenc.apply({ kind: 'rope', layout: 'interleaved' }, x, at);
    const half = posenc.apply({ kind: 'rope', layout: 'half' }, x, at);
    expect(largestDifference(interleaved.data, [0.540302, 0.841471, 0, 0])).toBeLessThan(1e-6);
    expect(largestDifference(half.data, [0.540302, 0, 0.841471, 0])).toBeLessThan(1e-6);
  });

  it('leaves the input as it was', () => {
    const x = matrixOf([[1, 2, 3, 4]]);
    posenc.apply({ kind: 'rope' }, x, { positions: [5] });
    expect([...x.data]).toEqual([1, 2, 3, 4]);
  });

  it('adds the table of an added encoding', () => {
    const x = matrixOf([[10, 20]]);
    const { data } = posenc.apply({ kind: 'sinusoidal' }, x, { positions: [0] });
    expect([...data]).toEqual([10, 21]);
  });

  it('gives cos and sin, one column for each pair', () => {
    const { cos, sin } = posenc.rotation({ kind: 'rope' }, { length: 3, dims: { headDim: 8 } });
    expect([cos.rows, cos.cols, sin.rows, sin.cols]).toEqual([3, 4, 3, 4]);
    expect(cos.data[4]).toBeCloseTo(Math.cos(1), 6);
  });
});

describe('scalings that depend on the length', () => {
  const dynamic = { kind: 'rope', scaling: 'dynamic', factor: 2, originalMaxPosition: 16 } as const;
  const dims = { headDim: 8 };

  it('gives frequencies for a length', () => {
    const plain = posenc.frequencies({ kind: 'rope' }, { dims });
    expect(plain.invFreq).toBeInstanceOf(Float64Array);
    expect(largestDifference(plain.invFreq, [1, 0.1, 0.01, 0.001])).toBeLessThan(1e-8);
    expect([plain.attentionFactor, plain.logitFactor]).toEqual([1, 1]);
    expect(posenc.frequencies(dynamic, { dims, seqLen: 16 })).toEqual(plain);
    const grown = posenc.frequencies(dynamic, { dims, seqLen: 32 });
    expect(largestDifference(grown.invFreq, [1, 0.0693361, 0.0048075, 0.00033333])).toBeLessThan(1e-7);
  });

  it('gives the magnitude, on cos and sin or on the logit', () => {
    const yarn = { kind: 'rope', scaling: 'yarn', factor: 40 } as const;
    expect(posenc.frequencies(yarn).attentionFactor).toBeCloseTo(1.3688879454113936, 12);
    expect(posenc.frequencies({ ...yarn, attentionFactor: 1.25 }).attentionFactor).toBe(1.25);
    const deepseek = posenc.frequencies({ ...yarn, scaling: 'yarn_deepseek' });
    expect([deepseek.attentionFactor, deepseek.logitFactor]).toEqual([1, expect.closeTo(1.87385, 5)]);
  });

  it('takes the length from the positions, or as it is given', () => {
    const at = { positions: [5], dims };
    const short = posenc.rotation({ kind: 'rope' }, at);
    expect(posenc.rotation(dynamic, at)).toEqual(short);
    expect(posenc.rotation(dynamic, { ...at, seqLen: 16 })).toEqual(short);
    const long = posenc.rotation(dynamic, { ...at, seqLen: 32 });
    expect(long).not.toEqual(short);
    expect([...long.cos.data]).toEqual([
      ...posenc.rotation(dynamic, { positions: [5, 31], dims }).cos.data.slice(0, 4),
    ]);
    const x = matrixOf([[1, 1, 1, 1, 0, 0, 0, 0]]);
    expect([...posenc.apply(dynamic, x, { ...at, seqLen: 32 }).data.slice(0, 4)]).toEqual([...long.cos.data]);
  });

  it('takes the lists of LongRoPE', () => {
    const phi = { kind: 'rope', scaling: 'longrope', originalMaxPosition: 16, longFactor: [1, 2, 4, 8] } as const;
    const { invFreq } = posenc.frequencies(phi, { dims, seqLen: 17 });
    expect(largestDifference(invFreq, [1, 0.05, 0.0025, 0.000125])).toBeLessThan(1e-8);
  });

  it('has no default for a number that is computed', () => {
    const field = posenc.encodings
      .find(({ kind }) => kind === 'rope')
      ?.fields.find(({ id }) => id === 'attention_factor');
    expect(field).toMatchObject({ name: 'attentionFactor', default: null, defaultFrom: null });
    expect(field?.onlyWith?.field).toBe('scaling');
  });
});

describe('bias', () => {
  it('is one matrix for each head; offset is the position of the first query', () => {
    const { data, shape } = posenc.bias({ kind: 'alibi' }, { queries: 1, keys: 3, offset: 2, dims: { nHeads: 2 } });
    expect(shape).toEqual([2, 1, 3]);
    expect([...data]).toEqual([-2 / 16, -1 / 16, 0, -2 / 256, -1 / 256, 0]);
  });

  it('takes positions instead of counts, on either side', () => {
    const dims = { nHeads: 1 };
    const there = { qPositions: [5], kPositions: [1, 9], dims };
    expect([...posenc.bias({ kind: 'alibi', form: 'symmetric' }, there).data]).toEqual([-4 / 256, -4 / 256]);
    const counted = { queries: 1, offset: 5, kPositions: [1, 9], dims };
    expect(posenc.bias({ kind: 'alibi' }, counted)).toEqual(posenc.bias({ kind: 'alibi' }, there));
    const keys = { qPositions: [2], keys: 3, dims };
    expect(posenc.bias({ kind: 'alibi' }, keys)).toEqual(posenc.bias({ kind: 'alibi' }, { queries: 1, offset: 2, keys: 3, dims })); // prettier-ignore
  });

  const swin = { kind: 'swin_bias', windowHeight: 2, windowWidth: 2, weights: [0, 1, 2, 3, 4, 5, 6, 7, 8] } as const;

  it('reads as many numbers for each token as the encoding has axes', () => {
    const options = { qPositions: [0, 0], kPositions: [0, 0, 0, 1, 1, 0, 1, 1], dims: { nHeads: 1 } };
    const { data, shape } = posenc.bias(swin, options);
    expect(shape).toEqual([1, 1, 4]);
    expect([...data]).toEqual([4, 3, 1, 0]); // Swin's own index
  });

  it('does not take positions that end within a token, or that are no numbers', async () => {
    const dims = { nHeads: 1 };
    const half = await errorOf(() => posenc.bias(swin, { qPositions: [0, 0, 1], kPositions: [0, 0], dims }));
    expect(half).toMatchObject({ code: 'shape_mismatch', field: 'positions' });
    const words = ['a'] as unknown as number[];
    const text = await errorOf(() => posenc.bias(swin, { qPositions: [0, 0], kPositions: words, dims }));
    expect(text).toMatchObject({ code: 'wrong_type', field: 'positions' });
  });
});

describe('attend', () => {
  const q = tensorOf([[[1, 0], [0, 1]]]); // prettier-ignore
  const v = tensorOf([[[5, 0], [0, 7]]]); // prettier-ignore

  it('is softmax of scaled products, times values', () => {
    const { weights, logits, output } = posenc.attend({ encoding: { kind: 'none' }, q, k: q, v });
    expect(logits.data[0]).toBeCloseTo(Math.SQRT1_2, 6);
    const own = Math.exp(Math.SQRT1_2) / (Math.exp(Math.SQRT1_2) + 1);
    expect(weights.data[0]).toBeCloseTo(own, 6);
    expect(output?.data[0]).toBeCloseTo(5 * own, 5);
  });

  it('reads as many positions for each token as the encoding has axes', () => {
    const encoding = { kind: 'swin_bias', windowHeight: 1, windowWidth: 2, weights: [10, 20, 30] } as const;
    const positions = [0, 0, 0, 1];
    const { logits } = posenc.attend({ encoding, q, k: q, scale: 1, qPositions: positions, kPositions: positions });
    expect([...logits.data]).toEqual([21, 10, 30, 21]);
  });

  it('takes another scale, positions and masks', () => {
    const { logits, weights } = posenc.attend({
      encoding: { kind: 'none' },
      q,
      k: q,
      scale: 1,
      mask: { kind: 'causal' },
      qPositions: [1, 0],
      kPositions: [1, 0],
    });
    expect(logits.data[0]).toBe(1);
    expect([...weights.data.slice(2)]).toEqual([0, 1]);
  });

  it('has no output without values', () => {
    expect(posenc.attend({ encoding: { kind: 'none' }, q, k: q }).output).toBeNull();
  });
});

describe('attention, compare, invariances', () => {
  it.each(ALL)('$kind: rows sum to 1 and parts make up the logits', (encoding) => {
    const { weights, logits, parts } = posenc.attention({ encoding, tokens: TOM });
    for (let row = 0; row < 3; row++) {
      const sum = weights.data.slice(row * 3, row * 3 + 3).reduce((a, b) => a + b, 0);
      expect(sum).toBeCloseTo(1, 6);
    }
    for (const [i, logit] of logits.data.entries()) {
      const made = (parts.content.data[i] ?? NaN) + (parts.position.data[i] ?? NaN) + (parts.bias.data[i] ?? NaN);
      expect(made).toBeCloseTo(logit, 5);
    }
  });

  it('no encoding: exactly nothing changes, in any order, until a causal mask comes', () => {
    const none = { encoding: { kind: 'none' }, a: TOM, b: JERRY } as const;
    const open = posenc.compare(none);
    expect(open.exact).toBe(true);
    expect([...open.delta.data]).toEqual(Array(9).fill(0));
    expect(posenc.compare({ ...none, mask: { kind: 'causal' } }).maxDelta).toBeGreaterThan(0.1);
  });

  it('lays B over A by word', () => {
    const { mapping, b, bInOrderOfA } = posenc.compare({ encoding: { kind: 'rope' }, a: TOM, b: JERRY });
    expect([...mapping]).toEqual([2, 1, 0]);
    expect(bInOrderOfA.data[0]).toBe(b.weights.data[8]);
  });

  it('knows both ways of writing é as one word', () => {
    const { mapping } = posenc.compare({ encoding: { kind: 'none' }, a: ['caf\u00e9'], b: ['cafe\u0301'] });
    expect([...mapping]).toEqual([0]);
  });

  it('gives NaN where a word has no partner', () => {
    const { delta, mapping } = posenc.compare({ encoding: { kind: 'rope' }, a: ['x', 'y'], b: ['x', 'z'] });
    expect([...mapping]).toEqual([0, -1]);
    expect(delta.data[1]).toBeNaN();
  });

  it('tests order-, mirror- and shift-blindness', () => {
    const { shuffle, mirror, shift } = posenc.invariances({ encoding: { kind: 'alibi' }, tokens: TOM });
    expect(shuffle.holds).toBe(false);
    expect(mirror).toMatchObject({ holds: true, exact: true, maxChange: 0 });
    expect(shift).toMatchObject({ holds: true, exact: true, tried: 3 });
  });

  it('another seed is another layer, the same seed the same bytes', () => {
    const weights = (seed: number) =>
      posenc.attention({ encoding: { kind: 'none' }, tokens: TOM, weights: { kind: 'seeded', seed } }).weights.data;
    expect(weights(7)).toEqual(weights(7));
    expect(weights(8)).not.toEqual(weights(7));
  });

  it('handles any script, emoji and markup as plain words', () => {
    const tokens = ['我', 'مرحبا', '👩‍👩‍👧', '<img onerror=alert(1)>', ''];
    expect(posenc.attention({ encoding: { kind: 'rope' }, tokens }).weights.rows).toBe(5);
  });
});

describe('results', () => {
  it('belong to the caller: they survive growth of WebAssembly memory', () => {
    const early = posenc.table({ kind: 'sinusoidal' }, { length: 4 });
    const copy = early.data.slice();
    posenc.table({ kind: 'sinusoidal' }, { length: 100_000 }); // 25 MB: memory grows
    expect(early.data).toEqual(copy);
    expect(early.data.buffer.byteLength).toBe(4 * 64 * 4);
  });
});
