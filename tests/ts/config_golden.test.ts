import { readFileSync } from 'node:fs';

import { load } from 'posenc';
import { fromConfig } from 'posenc/presets';
import { describe, expect, it } from 'vitest';

import { projectPath } from './support.ts';

// What Hugging Face makes of a configuration, against what the engine makes of fromConfig's answer.

interface GoldenCase {
  readonly name: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly expected: {
    readonly inv_freq: readonly number[];
    readonly attention_factor: number;
    readonly positions: readonly number[];
    readonly cos: readonly (readonly number[])[];
    readonly sin: readonly (readonly number[])[];
  };
}

const posenc = await load();
const text = readFileSync(projectPath('tests/golden/rope-init-hf-models.json'), 'utf8');
const { cases } = JSON.parse(text) as { cases: readonly GoldenCase[] };

/** The reference rounds inv_freq to float32 up to seven times (YaRN and Llama 3 mix two speeds), and its product with the
 * position once, by at most 2^-24 each. */
const tolerance = (position: number, invFreq: number) => position * invFreq * 2 ** -21 + 2 ** -22;

/** The parameters of a golden case, written as a config.json was in each age. */
function configs({ head_dim, max_position_embeddings, rope_theta, partial_rotary_factor, seq_len, ...scaling }: GoldenCase['params']) {
  expect(seq_len === null || typeof seq_len === 'number').toBe(true);
  const part = partial_rotary_factor === undefined ? {} : { partial_rotary_factor };
  const sizes = { head_dim, max_position_embeddings };
  const { rope_type: type, ...rest } = scaling;
  return {
    'rope_scaling and type': { ...sizes, ...part, rope_theta, rope_scaling: { type, ...rest } },
    rope_parameters: { ...sizes, rope_parameters: { ...scaling, ...part, rope_theta } },
  };
} // prettier-ignore

describe('fromConfig and the engine against Hugging Face', () => {
  const rows = cases.flatMap((golden) =>
    Object.entries(configs(golden.params)).map(([spelling, config]) => ({ ...golden, spelling, config })),
  );

  it.each(rows)('$name, $spelling: inverse frequencies and magnitude', ({ params, expected, config }) => {
    const got = numbersOf(config, typeof params['seq_len'] === 'number' ? params['seq_len'] : 2);
    expect(got.invFreq.length).toBe(expected.inv_freq.length);
    got.invFreq.forEach((value, pair) => expect(value / (expected.inv_freq[pair] ?? NaN)).toBeCloseTo(1, 6));
    expect(got.scale).toBeCloseTo(expected.attention_factor, 6);
  });

  it.each(rows)('$name, $spelling: cos and sin', ({ params, expected, config }) => {
    const { encoding, dims } = fromConfig(config);
    // The length of the sequence chooses the list of LongRoPE: positions beyond it have another one.
    const length = typeof params['seq_len'] === 'number' ? params['seq_len'] : Infinity;
    const inside = expected.positions.flatMap((position, row) => (position < length ? [{ position, row }] : []));
    const got = posenc.rotation(encoding, { positions: inside.map(({ position }) => position), dims });
    inside.forEach(({ position, row }, index) => {
      for (let pair = 0; pair < got.cos.cols; pair += 1) {
        const at = index * got.cos.cols + pair;
        const off = Math.max(
          Math.abs((got.cos.data[at] ?? NaN) - (expected.cos[row]?.[pair] ?? NaN)),
          Math.abs((got.sin.data[at] ?? NaN) - (expected.sin[row]?.[pair] ?? NaN)),
        );
        const allowed = expected.attention_factor * tolerance(position, expected.inv_freq[pair] ?? NaN);
        expect(off, `position ${position}, pair ${pair}`).toBeLessThanOrEqual(allowed);
      }
    });
  });
});

/** Inverse frequencies and magnitude, read off the angles of position 1. */
function numbersOf(config: unknown, length = 2) {
  const { encoding, dims } = fromConfig(config);
  const { cos, sin } = posenc.rotation(encoding, { positions: [1, length - 1], dims });
  const pairs = Array.from({ length: cos.cols }, (_, pair) => [cos.data[pair] ?? NaN, sin.data[pair] ?? NaN] as const);
  return { invFreq: pairs.map(([c, s]) => Math.atan2(s, c)), scale: Math.hypot(...(pairs[0] ?? [])) };
}

describe('numbers that can be checked by eye', () => {
  const yarn = { head_dim: 8, rope_theta: 10000, max_position_embeddings: 8192 };
  const scaling = { rope_type: 'yarn', factor: 4, original_max_position_embeddings: 2048 };
  const long = {
    head_dim: 8,
    rope_theta: 10000,
    max_position_embeddings: 128,
    original_max_position_embeddings: 16,
    rope_scaling: { rope_type: 'longrope', short_factor: [1, 1, 1, 1], long_factor: [1, 2, 4, 8] },
  };

  it.each([
    ['YaRN', { ...yarn, rope_scaling: scaling }, 2, [1, 0.1, 0.00625, 0.00025], 1.138629],
    ['an explicit attention_factor replaces the computed one', { ...yarn, rope_scaling: { ...scaling, attention_factor: 1 } }, 2, [1, 0.1, 0.00625, 0.00025], 1],
    ['an explicit factor wins over the ratio', { ...yarn, max_position_embeddings: 2560, rope_scaling: scaling }, 2, [1, 0.1, 0.00625, 0.00025], 1.138629],
    ['LongRoPE within the trained window', long, 16, [1, 0.1, 0.01, 0.001], 1.322876],
    ['LongRoPE beyond it', long, 17, [1, 0.05, 0.0025, 0.000125], 1.322876],
    ['dynamic within the trained window', { head_dim: 8, max_position_embeddings: 16, rope_scaling: { type: 'dynamic', factor: 2 } }, 16, [1, 0.1, 0.01, 0.001], 1],
    ['dynamic beyond it', { head_dim: 8, max_position_embeddings: 16, rope_scaling: { type: 'dynamic', factor: 2 } }, 32, [1, 0.0693361, 0.0048075, 0.00033333], 1],
    ['linear', { head_dim: 8, rope_scaling: { type: 'linear', factor: 4 } }, 2, [0.25, 0.025, 0.0025, 0.00025], 1],
    ['a part of the head', { head_dim: 8, partial_rotary_factor: 0.5, rope_theta: 10000 }, 2, [1, 0.01], 1],
    ['an explicit head_dim', { hidden_size: 40, num_attention_heads: 4, head_dim: 8 }, 2, [1, 0.1, 0.01, 0.001], 1],
  ])('%s', (_name, config, length, invFreq, scale) => {
    const got = numbersOf(config, length);
    expect(got.invFreq.length).toBe(invFreq.length);
    // Written with six digits.
    got.invFreq.forEach((value, pair) => expect(value / (invFreq[pair] ?? NaN)).toBeCloseTo(1, 4));
    expect(got.scale).toBeCloseTo(scale, 5);
  }); // prettier-ignore

  it('angle of pair 32 at position 1000: a θ that was not read is seen at once', () => {
    const angle = (config: unknown) => (numbersOf({ head_dim: 128, ...(config as object) }).invFreq[32] ?? NaN) * 1000;
    expect(angle({ rope_parameters: { rope_type: 'default', rope_theta: 500000 } })).toBeCloseTo(1.414, 3);
    expect(angle({ rope_theta: 500000 })).toBeCloseTo(1.414, 3);
    expect(angle({})).toBeCloseTo(10, 3);
  });
});
