import type { Encoding } from 'posenc';
import { describe, expect, it } from 'vitest';

import { matrixOf } from '../support.ts';
import type { Case, Heads } from './support.ts';
import { encodingOf, expectClose, expectRotary, golden, posenc, toleranceAt } from './support.ts';

type Params = Readonly<Record<string, unknown>>;

/** The parameters of Hugging Face in our words. */
function hfParams(c: Case): Params {
  const type = c.text('rope_type');
  const part = c.maybe('partial_rotary_factor');
  const factor = c.maybe('factor');
  const rope = {
    theta: c.number('rope_theta'),
    rotaryDim: part === undefined ? undefined : Math.floor((part * c.number('head_dim')) / 2) * 2,
    ...(type === 'proportional' ? { partial: 'proportional' } : {}),
  };
  if (type === 'default' || (type === 'proportional' && factor === undefined)) return rope;
  const ratio = () => c.number('max_position_embeddings') / c.number('original_max_position_embeddings');
  const list = (name: string) => (name in c.raw.params ? c.list(name) : undefined);
  return {
    ...rope,
    scaling: type === 'proportional' ? 'linear' : type,
    factor: factor ?? (type === 'yarn' ? ratio() : undefined),
    attentionFactor: c.maybe('attention_factor'),
    betaFast: c.maybe('beta_fast'),
    betaSlow: c.maybe('beta_slow'),
    mscale: c.maybe('mscale'),
    mscaleAllDim: c.maybe('mscale_all_dim'),
    truncate: 'truncate' in c.raw.params ? c.flag('truncate') : undefined,
    shortFactor: list('short_factor'),
    longFactor: list('long_factor'),
    lowFreqFactor: c.maybe('low_freq_factor'),
    highFreqFactor: c.maybe('high_freq_factor'),
    originalMaxPosition: c.maybe(type === 'dynamic' ? 'max_position_embeddings' : 'original_max_position_embeddings'),
    // An explicit factor goes before the ratio of the lengths.
    maxPosition: type === 'longrope' && factor === undefined ? c.maybe('max_position_embeddings') : undefined,
  };
}

/** One head, as wide as the model. */
const oneHead = (headDim: number) => ({ dModel: headDim, nHeads: 1, headDim });

function expectInvFreq(got: ArrayLike<number>, expected: readonly number[]) {
  expect(got.length).toBe(expected.length);
  expected.forEach((wanted, pair) =>
    expect(Math.abs((got[pair] ?? NaN) - wanted), `pair ${pair}`).toBeLessThanOrEqual(1e-6 * Math.abs(wanted)),
  );
}

interface Init {
  readonly headDim: number;
  /** Under which name the case has its magnitude. */
  readonly magnitude: 'attention_factor' | 'mscale';
  readonly seqLen: number;
  /** What the reference divides positions by, instead of inv_freq. */
  readonly divided?: number;
}

/** inv_freq, the magnitude, and cos and sin row by row. */
function expectInit(c: Case, encoding: Encoding, { headDim, magnitude, seqLen, divided = 1 }: Init) {
  const dims = oneHead(headDim);
  const { invFreq, attentionFactor } = posenc.frequencies(encoding, { dims, seqLen });
  const theirs = c.expected<number[]>('inv_freq').map((frequency) => frequency / divided);
  expectInvFreq(invFreq, theirs);
  expect(Math.abs(attentionFactor - c.expected<number>(magnitude))).toBeLessThanOrEqual(1e-12);

  const positions = c.expected<number[]>('positions');
  const got = posenc.rotation(encoding, { positions, dims, seqLen });
  for (const name of ['cos', 'sin'] as const) {
    const rows = c.expected<number[][]>(name);
    expect([got[name].rows, got[name].cols]).toEqual([rows.length, rows[0]?.length]);
    positions.forEach((position, row) =>
      invFreq.forEach((frequency, pair) => {
        // The reference multiplies position and inv_freq in float32, so its angle is off by what its inv_freq is off and
        // by the rounding of two products; the rest is the rounding of cos and of the magnitude.
        const angle = Math.abs(frequency - (theirs[pair] ?? NaN)) + frequency * 2 ** -23;
        const off = Math.abs((got[name].data[row * invFreq.length + pair] ?? NaN) - (rows[row]?.[pair] ?? NaN));
        const allowed = attentionFactor * (position * angle + 2 ** -22);
        if (!(off <= allowed)) expect.fail(`${name}, position ${position}, pair ${pair}: off by ${off} > ${allowed}`);
      }),
    );
  }
}

function expectHf(c: Case) {
  const init = { headDim: c.number('head_dim'), magnitude: 'attention_factor', seqLen: c.maybe('seq_len') ?? 0 } as const; // prettier-ignore
  expectInit(c, encodingOf('rope', hfParams(c)), init);
}

describe('frequencies and rotation', () => {
  it.each(golden('rope-init-hf'))('as Hugging Face has them: $name', expectHf);
  it.each(golden('rope-init-hf-models'))('of well-known models as Hugging Face has them: $name', expectHf);

  it.each(golden('rope-yarn-original'))('as the authors of YaRN have them: $name', (c) => {
    const made = c.raw.function;
    const seqLen = c.maybe('seq_len') ?? 0;
    const theta = c.number('base');
    const original = c.maybe('original_max_position_embeddings');
    const init = { headDim: c.number('dim'), magnitude: 'mscale', seqLen } as const;
    const expectScaled = (params: Params, divided?: number) =>
      expectInit(c, encodingOf('rope', { theta, ...params }), divided === undefined ? init : { ...init, divided });

    if (made === 'LlamaYaRNScaledRotaryEmbedding') {
      expectScaled({
        scaling: 'yarn',
        originalMaxPosition: original,
        factor: c.number('scale'),
        extFactor: c.maybe('extrapolation_factor'),
        attnFactor: c.maybe('attn_factor'),
        betaFast: c.maybe('beta_fast'),
        betaSlow: c.maybe('beta_slow'),
      });
    } else if (made === 'LlamaDynamicYaRNScaledRotaryEmbedding') {
      // Its factor follows the length: the window it was made for, or the length beyond that.
      const factor = Math.max(c.number('max_position_embeddings'), seqLen) / (original ?? NaN);
      expectScaled({ scaling: 'yarn', originalMaxPosition: original, factor });
    } else if (made === 'LlamaDynamicScaledRotaryEmbedding' && c.raw.params['ntk'] !== false) {
      const originalMaxPosition = c.number('max_position_embeddings');
      expectScaled({ scaling: 'dynamic', factor: c.number('ntk'), originalMaxPosition });
    } else if (made === 'LlamaNTKScaledRotaryEmbedding') {
      expectScaled({ scaling: 'ntk', factor: c.number('alpha') });
    } else if (made === 'LlamaPartNTKScaledRotaryEmbedding') {
      expectScaled({ scaling: 'ntk_by_parts', originalMaxPosition: original, factor: c.number('scale') });
    } else {
      // Linear, by a constant or by the length: they divide positions and leave inv_freq, so only cos and sin compare.
      const factor = c.maybe('scale') ?? seqLen / c.number('max_position_embeddings');
      expectScaled({ scaling: 'linear', factor }, factor);
    }
  });

  it.each(golden('rope-longrope-original'))('longrope as its authors have it: $name', (c) => {
    const original = c.number('original_max_position_embeddings');
    const extended = c.number('max_position_embeddings');
    const seqLen = c.number('seq_len');
    // The dynamic class lets the list grow with the length; ours is given the list of that length.
    const dynamic = c.text('class') === 'DynamicLongRoPEScaledRotaryEmbedding';
    const grown = dynamic ? (seqLen - original) / (extended - original) : 1;
    const rescale = c.list('rescale_factors').map((factor) => (dynamic ? 1 + (factor - 1) * grown : factor));
    const policy = c.text('magnitude_scaling_policy');
    const yarnMagnitude = 0.1 * Math.log(extended / original) + 1;
    const encoding = encodingOf('rope', {
      scaling: 'longrope',
      theta: c.number('base'),
      originalMaxPosition: original,
      maxPosition: extended,
      shortFactor: rescale,
      longFactor: rescale,
      attentionFactor: policy === 'yarn' ? yarnMagnitude : policy === '1.25' ? 1.25 : undefined,
    });
    expectInit(c, encoding, { headDim: c.number('dim'), magnitude: 'mscale', seqLen });
  });

  it.each(golden('rope-stateful-hf'))("Hugging Face's own memory of longer sequences is not ours: $name", (c) => {
    const dims = oneHead(c.number('head_dim'));
    const calls = c.expected<{ positions: number[]; inv_freq: number[]; attention_scaling: number }[]>('calls');
    calls.forEach((call, index) => {
      const seqLen = Math.max(...call.positions) + 1;
      const got = posenc.frequencies(encodingOf('rope', hfParams(c)), { dims, seqLen });
      expect(Math.abs(got.attentionFactor - call.attention_scaling)).toBeLessThan(1e-12);
      if (c.text('rope_type') === 'dynamic' && index === 2) {
        // 51 tokens after 64: there the base of 64 stays, here it is the base of 51.
        const base = 10000 * ((2 * 51) / 32 - 1) ** (8 / 6);
        // Both are doubles, from two powers.
        got.invFreq.forEach((frequency, pair) => expect(frequency * base ** (pair / 4)).toBeCloseTo(1, 13));
        expect(Math.abs((got.invFreq[3] ?? NaN) / (call.inv_freq[3] ?? NaN) - 1)).toBeGreaterThan(0.3);
      } else {
        expectInvFreq(got.invFreq, call.inv_freq);
      }
    });
  });
});

describe('rotated vectors', () => {
  /** YaRN with its magnitude on the logit, not in the vectors: the scale of the reference includes it. */
  function expectLogitFactor(c: Case, params: Params, headDim: number) {
    const encoding = encodingOf('rope', params);
    const scale = 1 / Math.sqrt(headDim);
    const { logitFactor } = posenc.frequencies(encoding, { dims: oneHead(headDim) });
    expect(Math.abs(logitFactor * scale - c.number('softmax_scale'))).toBeLessThan(1e-15);
    expectRotary(c, encoding, { scale });
  }

  it.each(golden('rope-deepseek-official'))("YaRN as DeepSeek's own code has it: $name", (c) => {
    const params = {
      scaling: 'yarn_deepseek',
      layout: 'interleaved',
      theta: c.number('rope_theta'),
      factor: c.number('rope_factor'),
      originalMaxPosition: c.number('original_seq_len'),
      maxPosition: c.number('max_seq_len'),
      betaFast: c.number('beta_fast'),
      betaSlow: c.number('beta_slow'),
      mscale: c.number('mscale'),
    };
    expectLogitFactor(c, params, c.number('dim'));
  });

  it.each(golden('rope-apply-deepseek-v3'))('YaRN as DeepSeek-V3 in Hugging Face has it: $name', (c) => {
    const params = { ...hfParams(c), layout: 'interleaved_to_half' };
    const scaled = { ...params, scaling: 'yarn_deepseek', maxPosition: c.number('max_position_embeddings') };
    expectLogitFactor(c, 'scaling' in params ? scaled : params, c.number('head_dim'));
  });

  it.each(golden('rope-apply-deepseek-v2'))('as DeepSeek-V2 in Hugging Face has them: $name', (c) => {
    expectRotary(c, encodingOf('rope', { ...hfParams(c), layout: 'interleaved' }));
  });

  // rotary.test.ts has the cases without scaling.
  const llama = golden('rope-apply-llama').filter((c) => c.text('rope_type') !== 'default');
  it('Llama has three cases with scaling', () => expect(llama.length).toBe(3));
  it.each(llama)('as Llama has them: $name', (c) => expectRotary(c, encodingOf('rope', hfParams(c))));

  const meta = golden('rope-meta-llama').filter((c) => !c.hasInput('q') || c.flag('use_scaled'));
  it("Meta's Llama has four cases with scaling", () => expect(meta.length).toBe(4));
  it.each(meta)("as Meta's Llama has them: $name", (c) => {
    const encoding = encodingOf('rope', {
      scaling: 'llama3',
      layout: 'interleaved',
      theta: c.number('rope_theta'),
      factor: c.maybe('scale_factor') ?? 8,
      originalMaxPosition: c.maybe('old_context_len') ?? 8192,
      lowFreqFactor: c.maybe('low_freq_factor'),
      highFreqFactor: c.maybe('high_freq_factor'),
    });
    if (c.hasInput('q')) return expectRotary(c, encoding);
    const { invFreq } = posenc.frequencies(encoding, { dims: oneHead(c.number('dim')) });
    expectInvFreq(invFreq, c.expected('inv_freq'));
  });

  const isScaled = (c: Case) => c.number('theta_rescale_factor') !== 1 || c.number('interpolate_factor') !== 1;
  const lucidrains = golden('rope-lucidrains').filter(isScaled);
  it('rotary-embedding-torch has two cases with scaling', () => expect(lucidrains.length).toBe(2));
  it.each(lucidrains)('as rotary-embedding-torch has them: $name', (c) => {
    const rescale = c.number('theta_rescale_factor');
    const scaling =
      rescale === 1
        ? { scaling: 'linear', factor: c.number('interpolate_factor') }
        : { scaling: 'ntk', factor: rescale };
    expectRotary(c, encodingOf('rope', { layout: 'interleaved', theta: c.number('theta'), ...scaling }));
  });

  // geometry.test.ts has the cases of several axes.
  const ggml = golden('rope-ggml').filter((c) => ['NORMAL', 'NEOX'].includes(c.text('mode')));
  it('ggml has sixteen cases of one axis', () => expect(ggml.length).toBe(16));
  it.each(ggml)('as ggml has them: $name', (c) => {
    const blended = c.number('ext_factor') !== 0;
    const scaling =
      'freq_factors' in c.raw.params
        ? {
            scaling: 'longrope',
            shortFactor: c.list('freq_factors'),
            attentionFactor: c.number('attn_factor'),
            originalMaxPosition: 1e8,
          }
        : {
            scaling: 'yarn_ggml',
            freqScale: c.number('freq_scale'),
            extFactor: c.number('ext_factor'),
            attnFactor: c.number('attn_factor'),
            betaFast: blended ? c.number('beta_fast') : undefined,
            betaSlow: blended ? c.number('beta_slow') : undefined,
            originalMaxPosition: blended ? c.number('n_ctx_orig') : undefined,
          };
    const encoding = encodingOf('rope', {
      layout: c.text('mode') === 'NORMAL' ? 'interleaved' : 'half',
      theta: c.number('freq_base'),
      rotaryDim: c.number('n_dims'),
      ...scaling,
    });
    const x = c.input<Heads>('x');
    const expected = c.expected<Heads>('out');
    const at = c.input<number[]>('positions');
    expect(at.length).toBe(x.length);
    at.forEach((position, token) => {
      const heads = x[token] ?? [];
      const { data } = posenc.apply(encoding, matrixOf(heads), { positions: heads.map(() => position), seqLen: 0 });
      // ggml multiplies angles up in float32: up to 1.2e-2 of cos at 131071. Inputs reach 3.
      const tolerance = position > 4095 ? 1.5e-2 : toleranceAt([position]);
      expectClose(data, expected[token] ?? [], 3 * tolerance);
    });
  });
});
