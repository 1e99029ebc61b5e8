import { PosencError } from 'posenc';
import { fromConfig, presets } from 'posenc/presets';
import type { ModelEncoding } from 'posenc/presets';
import { describe, expect, it } from 'vitest';

type Values = Readonly<Record<string, unknown>>;

const LLAMA = { model_type: 'llama', hidden_size: 256, num_attention_heads: 4, max_position_embeddings: 8192 };
const YARN = { rope_type: 'yarn', factor: 4, original_max_position_embeddings: 2048 };
const LLAMA3 = {
  rope_type: 'llama3',
  factor: 8,
  low_freq_factor: 1,
  high_freq_factor: 4,
  original_max_position_embeddings: 8192,
};
const LONGROPE = { rope_type: 'longrope', short_factor: [1, 1, 1, 1], long_factor: [1, 2, 4, 8] };
const LONG = { head_dim: 8, max_position_embeddings: 128, original_max_position_embeddings: 16 };

const scaled = (rope_scaling: unknown, more: Values = {}) => ({ ...LLAMA, rope_scaling, ...more });

function errorOf(config: unknown): PosencError {
  try {
    fromConfig(config);
  } catch (error) {
    if (error instanceof PosencError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

const notesOf = (model: ModelEncoding, level: string) =>
  model.notes.filter((note) => note.level === level).map(({ field, message }) => `${field}: ${message}`);

/** The one note of a level about a field. */
function noteOn(config: unknown, level: string, field: string): string {
  const found = fromConfig(config).notes.filter((note) => note.level === level && note.field === field);
  expect(found.length, `${level} ${field}`).toBeGreaterThan(0);
  return found.map(({ message }) => message).join(' | ');
}

describe('fromConfig: the encoding', () => {
  const half = { kind: 'rope', layout: 'half' };
  const CASES: readonly (readonly [name: string, config: Values, encoding: Values])[] = [
    // θ, where it may stand
    ['theta at the top', { ...LLAMA, rope_theta: 500000 }, { ...half, theta: 500000 }],
    ['theta in rope_parameters', { ...LLAMA, rope_parameters: { rope_type: 'default', rope_theta: 500000 } }, { ...half, theta: 500000 }],
    ['theta in rope_scaling', scaled({ rope_type: 'default', rope_theta: 500000 }), { ...half, theta: 500000 }],
    ['theta in both: the inner one', { ...LLAMA, rope_theta: 1e4, rope_parameters: { rope_theta: 5e5 } }, { ...half, theta: 5e5 }],
    ['no theta', LLAMA, { ...half, theta: 10000 }],
    ['theta as rotary_emb_base', { ...LLAMA, model_type: 'gpt_neox', rotary_emb_base: 20000, rotary_pct: 1 }, { ...half, theta: 20000 }],
    // no scaling, in all its spellings
    ['rope_scaling null', scaled(null), { ...half, theta: 10000 }],
    ['rope_scaling {}', scaled({}), { ...half, theta: 10000 }],
    ['rope_type default', scaled({ rope_type: 'default' }), { ...half, theta: 10000 }],
    ['type default', scaled({ type: 'default' }), { ...half, theta: 10000 }],
    // scalings
    ['type linear', scaled({ type: 'linear', factor: 2 }), { ...half, theta: 1e4, scaling: 'linear', factor: 2 }],
    ['rope_type linear', scaled({ rope_type: 'linear', factor: 2 }), { ...half, theta: 1e4, scaling: 'linear', factor: 2 }],
    ['ntk', scaled({ rope_type: 'ntk', factor: 2 }), { ...half, theta: 1e4, scaling: 'ntk', factor: 2 }],
    ['dynamic', scaled({ type: 'dynamic', factor: 2 }), { ...half, theta: 1e4, scaling: 'dynamic', factor: 2, originalMaxPosition: 8192 }],
    ['yarn', scaled(YARN), { ...half, theta: 1e4, scaling: 'yarn', factor: 4, originalMaxPosition: 2048 }],
    ['yarn in rope_parameters', { ...LLAMA, rope_parameters: { ...YARN, rope_theta: 5e5 } }, { ...half, theta: 5e5, scaling: 'yarn', factor: 4, originalMaxPosition: 2048 }],
    ['yarn without a factor: the ratio', scaled({ rope_type: 'yarn', original_max_position_embeddings: 2048 }), { ...half, theta: 1e4, scaling: 'yarn', factor: 4, originalMaxPosition: 2048 }],
    ['yarn: an explicit factor wins over the ratio', scaled(YARN, { max_position_embeddings: 2560 }), { ...half, theta: 1e4, scaling: 'yarn', factor: 4, originalMaxPosition: 2048 }],
    ['yarn: type and rope_type', scaled({ type: 'linear', rope_type: 'yarn', factor: 2 }), { ...half, theta: 1e4, scaling: 'yarn', factor: 2, originalMaxPosition: 8192 }],
    ['yarn: explicit attention_factor', scaled({ ...YARN, attention_factor: 1 }), { ...half, theta: 1e4, scaling: 'yarn', factor: 4, originalMaxPosition: 2048, attentionFactor: 1 }],
    ['yarn: attention_factor wins over mscale', scaled({ ...YARN, attention_factor: 1, mscale: 1, mscale_all_dim: 1 }), { ...half, theta: 1e4, scaling: 'yarn', factor: 4, originalMaxPosition: 2048, attentionFactor: 1 }],
    ['yarn: optional values may be null', scaled({ ...YARN, attention_factor: null, beta_fast: null }), { ...half, theta: 1e4, scaling: 'yarn', factor: 4, originalMaxPosition: 2048 }],
    ['yarn: both mscales', scaled({ ...YARN, mscale: 0.7, mscale_all_dim: 1 }), { ...half, theta: 1e4, scaling: 'yarn', factor: 4, originalMaxPosition: 2048, mscale: 0.7, mscaleAllDim: 1 }],
    ['yarn: one mscale alone counts for nothing', scaled({ ...YARN, mscale: 0.7 }), { ...half, theta: 1e4, scaling: 'yarn', factor: 4, originalMaxPosition: 2048 }],
    ['yarn: truncate and betas', scaled({ ...YARN, truncate: false, beta_fast: 64, beta_slow: 2 }), { ...half, theta: 1e4, scaling: 'yarn', factor: 4, originalMaxPosition: 2048, truncate: false, betaFast: 64, betaSlow: 2 }],
    ['llama3', scaled(LLAMA3), { ...half, theta: 1e4, scaling: 'llama3', factor: 8, originalMaxPosition: 8192, lowFreqFactor: 1, highFreqFactor: 4 }],
    ['longrope, original length beside', { ...LONG, rope_scaling: LONGROPE }, { ...half, theta: 1e4, scaling: 'longrope', shortFactor: [1, 1, 1, 1], longFactor: [1, 2, 4, 8], factor: 8, originalMaxPosition: 16 }],
    ['su is longrope', { ...LONG, rope_scaling: { ...LONGROPE, rope_type: undefined, type: 'su' } }, { ...half, theta: 1e4, scaling: 'longrope', shortFactor: [1, 1, 1, 1], longFactor: [1, 2, 4, 8], factor: 8, originalMaxPosition: 16 }],
    ['longrope: explicit factor', { ...LONG, rope_scaling: { ...LONGROPE, factor: 4 } }, { ...half, theta: 1e4, scaling: 'longrope', shortFactor: [1, 1, 1, 1], longFactor: [1, 2, 4, 8], factor: 4, originalMaxPosition: 16 }],
    ['longrope: short_mscale', { ...LONG, rope_scaling: { ...LONGROPE, short_mscale: 1.25, long_mscale: 1.25 } }, { ...half, theta: 1e4, scaling: 'longrope', shortFactor: [1, 1, 1, 1], longFactor: [1, 2, 4, 8], factor: 8, originalMaxPosition: 16, attentionFactor: 1.25 }],
    ['rope_scaling wins over rope_parameters', { ...scaled({ type: 'linear', factor: 2 }), rope_parameters: YARN }, { ...half, theta: 1e4, scaling: 'linear', factor: 2 }],
    ['rope_type wins over type', scaled({ type: 'linear', rope_type: 'ntk', factor: 2 }), { ...half, theta: 1e4, scaling: 'ntk', factor: 2 }],
    ['factor 0.5 is computed', scaled({ type: 'linear', factor: 0.5 }), { ...half, theta: 1e4, scaling: 'linear', factor: 0.5 }],
    // part of the head
    ['partial_rotary_factor', { head_dim: 8, partial_rotary_factor: 0.5, rope_theta: 10000 }, { ...half, theta: 1e4, rotaryDim: 4 }],
    ['partial_rotary_factor inside', { head_dim: 8, rope_parameters: { partial_rotary_factor: 0.5, rope_theta: 10000 } }, { ...half, theta: 1e4, rotaryDim: 4 }],
    ['a part is rounded down, as int() does', { model_type: 'phi', hidden_size: 100, num_attention_heads: 1, partial_rotary_factor: 0.29 }, { ...half, theta: 1e4, rotaryDim: 28 }],
    ['rotary_dim', { model_type: 'gptj', n_embd: 64, n_head: 2, rotary_dim: 8 }, { kind: 'rope', layout: 'interleaved', theta: 1e4, rotaryDim: 8 }],
    ['proportional', scaled({ rope_type: 'proportional', partial_rotary_factor: 0.25, rope_theta: 1e6 }), { ...half, theta: 1e6, rotaryDim: 16, partial: 'proportional' }],
    // layouts
    ['glm', { model_type: 'glm', hidden_size: 64, num_attention_heads: 2, head_dim: 32 }, { kind: 'rope', layout: 'interleaved', theta: 1e4, rotaryDim: 16 }],
    ['glm4', { model_type: 'glm4', hidden_size: 64, num_attention_heads: 2, head_dim: 32 }, { kind: 'rope', layout: 'interleaved', theta: 1e4, rotaryDim: 16 }],
    ['roformer', { model_type: 'roformer', hidden_size: 64, num_attention_heads: 2 }, { kind: 'rope', layout: 'interleaved', theta: 1e4 }],
    ['chatglm with rope_ratio', { model_type: 'chatglm', hidden_size: 64, num_attention_heads: 2, kv_channels: 32, rope_ratio: 500 }, { kind: 'rope', layout: 'interleaved', theta: 5e6, rotaryDim: 16 }],
    ['deepseek_v2', { model_type: 'deepseek_v2', hidden_size: 64, num_attention_heads: 2, qk_rope_head_dim: 8 }, { kind: 'rope', layout: 'interleaved', theta: 1e4 }],
    ['deepseek_v3', { model_type: 'deepseek_v3', hidden_size: 64, num_attention_heads: 2, qk_rope_head_dim: 8 }, { kind: 'rope', layout: 'interleaved_to_half', theta: 1e4 }],
    // three axes
    ['qwen2_vl', { model_type: 'qwen2_vl', hidden_size: 64, num_attention_heads: 4, rope_theta: 1e6, rope_scaling: { type: 'mrope', mrope_section: [2, 3, 3] } }, { kind: 'mrope', layout: 'half', theta: 1e6, mropeSection: [2, 3, 3], order: 'contiguous' }],
    ['qwen3_vl', { model_type: 'qwen3_vl', text_config: { hidden_size: 64, num_attention_heads: 4, head_dim: 16, rope_theta: 5e6, rope_scaling: { rope_type: 'default', mrope_interleaved: true, mrope_section: [4, 2, 2] } } }, { kind: 'mrope', layout: 'half', theta: 5e6, mropeSection: [4, 2, 2], order: 'interleaved' }],
    // tables
    ['gpt2', { model_type: 'gpt2', n_embd: 64, n_head: 4, n_positions: 32 }, { kind: 'learned', maxPosition: 32 }],
    ['bert', { model_type: 'bert', hidden_size: 64, num_attention_heads: 4, max_position_embeddings: 32 }, { kind: 'learned', maxPosition: 32 }],
    ['roberta starts after the padding', { model_type: 'roberta', hidden_size: 64, num_attention_heads: 4, max_position_embeddings: 514, pad_token_id: 1 }, { kind: 'learned', maxPosition: 514, positionOffset: 2 }],
    ['opt has two rows more', { model_type: 'opt', hidden_size: 64, num_attention_heads: 4, max_position_embeddings: 2048 }, { kind: 'learned', maxPosition: 2050, positionOffset: 2 }],
    // BERT's switch
    ['relative_key', { model_type: 'bert', position_embedding_type: 'relative_key', max_position_embeddings: 32 }, { kind: 'shaw', convention: 'bert_key', maxPosition: 32 }],
    ['relative_key_query', { model_type: 'bert', position_embedding_type: 'relative_key_query', max_position_embeddings: 32 }, { kind: 'shaw', convention: 'bert_key_query', maxPosition: 32 }],
    ['rotary', { model_type: 'esm', position_embedding_type: 'rotary', hidden_size: 64, num_attention_heads: 4 }, { ...half, theta: 1e4 }],
    ['alibi both ways', { model_type: 'bert', position_embedding_type: 'alibi' }, { kind: 'alibi', form: 'symmetric' }],
    // biases
    ['bloom', { model_type: 'bloom', hidden_size: 64, n_head: 8 }, { kind: 'alibi', form: 'key_index' }],
    ['mpt', { model_type: 'mpt', d_model: 64, n_heads: 8, attn_config: { alibi: true, alibi_bias_max: 16 } }, { kind: 'alibi', form: 'causal', biasMax: 16 }],
    ['mpt without ALiBi', { model_type: 'mpt', d_model: 64, n_heads: 8, max_seq_len: 32, attn_config: { alibi: false } }, { kind: 'learned', maxPosition: 32 }],
    ['falcon with ALiBi', { model_type: 'falcon', hidden_size: 64, num_attention_heads: 8, alibi: true }, { kind: 'alibi', form: 'falcon' }],
    ['falcon with RoPE', { model_type: 'falcon', hidden_size: 64, num_attention_heads: 8, alibi: false }, { ...half, theta: 1e4 }],
    ['baichuan 7B', { model_type: 'baichuan', hidden_size: 4096, num_attention_heads: 32, num_hidden_layers: 32, max_position_embeddings: 4096 }, { ...half, theta: 1e4 }],
    ['baichuan 13B', { model_type: 'baichuan', hidden_size: 5120, num_attention_heads: 40, num_hidden_layers: 40, model_max_length: 4096 }, { kind: 'alibi', form: 'causal' }],
    ['t5', { model_type: 't5', d_model: 64, d_kv: 16, num_heads: 4 }, { kind: 't5_bias', numBuckets: 32, maxDistance: 128, bidirectional: true }],
    ['deberta-v2', { model_type: 'deberta-v2', hidden_size: 64, num_attention_heads: 4, relative_attention: true, position_buckets: 16, max_relative_positions: -1, max_position_embeddings: 64, pos_att_type: ['p2c', 'c2p'], position_biased_input: false }, { kind: 'deberta', convention: 'log_buckets', bucketSize: 16, maxPosition: 64, terms: 'both' }],
    ['xlnet', { model_type: 'xlnet', d_model: 64, n_head: 4, d_head: 16 }, { kind: 'xlnet' }],
    // sinusoids
    ['marian', { model_type: 'marian', d_model: 64, encoder_attention_heads: 4, decoder_attention_heads: 4 }, { kind: 'sinusoidal', convention: 'concatenated' }],
    ['m2m_100', { model_type: 'm2m_100', d_model: 64, encoder_attention_heads: 4, decoder_attention_heads: 4, scale_embedding: false }, { kind: 'sinusoidal', convention: 'concatenated_half_1', positionOffset: 2, paddingIdx: 1 }],
    ['whisper', { model_type: 'whisper', d_model: 64, encoder_attention_heads: 4, decoder_attention_heads: 4 }, { kind: 'sinusoidal', convention: 'concatenated_half_1' }],
    // not in the table
    ['an unknown model with the keys of RoPE', { model_type: 'new_model', hidden_size: 64, num_attention_heads: 4, rope_theta: 2e4 }, { ...half, theta: 2e4 }],
    ['an unknown model that says ALiBi', { model_type: 'new_model', hidden_size: 64, num_attention_heads: 4, alibi: true }, { kind: 'alibi', form: 'causal' }],
    ['nothing but a scaling', { rope_scaling: { rope_type: 'default' } }, { ...half, theta: 1e4 }],
  ]; // prettier-ignore

  it.each(CASES)('%s', (_name, config, encoding) => {
    expect(fromConfig(config).encoding).toEqual(encoding);
  });

  it('takes JSON text as well', () => {
    expect(fromConfig(JSON.stringify(LLAMA))).toEqual(fromConfig(LLAMA));
  });
});

describe('fromConfig: sizes and lengths', () => {
  it.each([
    ['head_dim is authoritative', { hidden_size: 40, num_attention_heads: 4, head_dim: 8 }, { dModel: 40, nHeads: 4, headDim: 8 }],
    ['and needs no divisibility', { hidden_size: 28, num_attention_heads: 6, head_dim: 8 }, { dModel: 28, nHeads: 6, headDim: 8 }],
    ['derived', LLAMA, { dModel: 256, nHeads: 4, headDim: 64 }],
    ['null is not given', { ...LLAMA, head_dim: null }, { dModel: 256, nHeads: 4, headDim: 64 }],
    ['d_kv of T5', { model_type: 't5', d_model: 1024, d_kv: 128, num_heads: 128 }, { dModel: 1024, nHeads: 128, headDim: 128 }],
    ['the part of DeepSeek that turns', { model_type: 'deepseek_v3', qk_rope_head_dim: 64, head_dim: 192 }, { dModel: 7168, nHeads: 128, headDim: 64 }],
    ['defaults of the architecture', { model_type: 'gemma3', text_config: {} }, { dModel: 2304, nHeads: 8, headDim: 256 }],
  ])('%s', (_name, config, dims) => {
    expect(fromConfig(config).dims).toEqual(dims);
  }); // prettier-ignore

  it.each([
    ['plain', LLAMA, 8192],
    ['before YaRN', scaled(YARN), 2048],
    ['before linear scaling', scaled({ type: 'linear', factor: 4, original_max_position_embeddings: 2048 }), 2048],
    ['before LongRoPE', { ...LONG, rope_scaling: LONGROPE }, 16],
    ['RoBERTa has 512 of its 514 rows', { model_type: 'roberta', max_position_embeddings: 514, pad_token_id: 1 }, 512],
    ['OPT', { model_type: 'opt', max_position_embeddings: 2048 }, 2048],
    ['not given', { model_type: 'bloom', hidden_size: 64, n_head: 8 }, null],
  ])('trained for, %s', (_name, config, length) => {
    expect(fromConfig(config).trainLength).toBe(length);
  });
});

describe('fromConfig: layers', () => {
  const kinds = (config: unknown) => fromConfig(config).layers.map(({ kind, layers }) => [kind, layers]);

  it('Mistral: a window in every layer', () => {
    const [layer, ...rest] = fromConfig({
      model_type: 'mistral',
      hidden_size: 64,
      num_attention_heads: 4,
      sliding_window: 16,
    }).layers;
    expect(rest).toEqual([]);
    expect(layer).toMatchObject({ kind: 'sliding_attention', mask: { kind: 'window', size: 16 } });
  });

  it('Qwen: a window only if use_sliding_window, and only from max_window_layers', () => {
    const qwen = { model_type: 'qwen2', hidden_size: 64, num_attention_heads: 4, num_hidden_layers: 4, sliding_window: 16, max_window_layers: 2 };
    expect(kinds({ ...qwen, use_sliding_window: false })).toEqual([['full_attention', undefined]]);
    expect(kinds({ ...qwen, use_sliding_window: true })).toEqual([['full_attention', [0, 1]], ['sliding_attention', [2, 3]]]);
  }); // prettier-ignore

  it('Gemma 3: five local layers for each global one, with a θ of their own and without the scaling', () => {
    const gemma = { model_type: 'gemma3_text', hidden_size: 64, num_attention_heads: 4, num_hidden_layers: 8, head_dim: 16, rope_scaling: { rope_type: 'linear', factor: 8 }, sliding_window: 16 };
    const model = fromConfig(gemma);
    expect(kinds(gemma)).toEqual([['full_attention', [5]], ['sliding_attention', [0, 1, 2, 3, 4, 6, 7]]]);
    expect(model.layers.map(({ encoding }) => encoding)).toEqual([
      { kind: 'rope', layout: 'half', theta: 1e6, scaling: 'linear', factor: 8 },
      { kind: 'rope', layout: 'half', theta: 1e4 },
    ]);
  }); // prettier-ignore

  it('rope_parameters for each kind of layer', () => {
    const model = fromConfig({
      model_type: 'gemma3_text',
      num_hidden_layers: 2,
      layer_types: ['sliding_attention', 'full_attention'],
      rope_parameters: {
        full_attention: { rope_type: 'linear', factor: 8, rope_theta: 1e6 },
        sliding_attention: { rope_type: 'default', rope_theta: 2e4 },
      },
    });
    expect(model.layers.map(({ kind, encoding }) => ({ from: kind, ...encoding }))).toEqual([
      { from: 'full_attention', kind: 'rope', layout: 'half', theta: 1e6, scaling: 'linear', factor: 8 },
      { from: 'sliding_attention', kind: 'rope', layout: 'half', theta: 2e4 },
    ]);
  });

  it('gpt-oss and Gemma 2: every other layer, the first one slides', () => {
    const oss = { model_type: 'gpt_oss', num_hidden_layers: 4 };
    expect(kinds(oss)).toEqual([['full_attention', [1, 3]], ['sliding_attention', [0, 2]]]);
    expect(fromConfig(oss).encoding).toMatchObject({ scaling: 'yarn', factor: 32, truncate: false, theta: 150000 });
  }); // prettier-ignore

  it('SmolLM3 and Llama 4: every fourth layer has no encoding', () => {
    const smol = { model_type: 'smollm3', num_hidden_layers: 8 };
    expect(kinds(smol)).toEqual([['full_attention', [0, 1, 2, 4, 5, 6]], ['nope', [3, 7]]]);
    expect(fromConfig(smol).layers[1]?.encoding).toEqual({ kind: 'none' });
    expect(kinds({ ...smol, num_hidden_layers: 3, no_rope_layers: [0, 1, 0] })).toEqual([['full_attention', [1]], ['nope', [0, 2]]]);
    expect(kinds({ model_type: 'llama4_text', num_hidden_layers: 4 })).toEqual([['chunked_attention', [0, 1, 2]], ['nope', [3]]]);
  }); // prettier-ignore

  it('T5: encoder, decoder, and no positions in between', () => {
    const { layers } = fromConfig({ model_type: 't5' });
    expect(layers.map(({ kind, mask }) => `${kind} ${mask.kind}`)).toEqual(['encoder none', 'decoder causal', 'cross_attention none']);
    expect(layers[1]?.encoding).toMatchObject({ bidirectional: false });
    expect(layers[2]?.encoding).toEqual({ kind: 'none' });
  }); // prettier-ignore

  it('Swin: a stage for each width', () => {
    const { layers } = fromConfig({ model_type: 'swin', embed_dim: 8, depths: [1, 2], num_heads: [1, 2], window_size: 4 });
    expect(layers.map(({ dims, layers: indices }) => [dims.dModel, indices])).toEqual([[8, [0]], [16, [1, 2]]]);
  }); // prettier-ignore

  it('BERT looks both ways, unless it is a decoder', () => {
    expect(fromConfig({ model_type: 'bert' }).layers[0]?.mask).toEqual({ kind: 'none' });
    expect(fromConfig({ model_type: 'bert', is_decoder: true }).layers[0]?.mask).toEqual({ kind: 'causal' });
  });
});

describe('fromConfig: notes', () => {
  it('says which theta was used, and whether it was a default', () => {
    expect(noteOn({ ...LLAMA, rope_theta: 5e5 }, 'used', 'rope_theta')).toBe('rope_theta = 500000');
    expect(noteOn({ ...LLAMA, rope_parameters: { rope_theta: 5e5 } }, 'used', 'rope_parameters.rope_theta')).toContain('500000');
    expect(noteOn(LLAMA, 'default', 'rope_theta')).toContain('10000');
  }); // prettier-ignore

  it.each([
    ['factor against the ratio of lengths', scaled(YARN, { max_position_embeddings: 2560 }), 'rope_scaling.factor', 'explicit factor 4 wins'],
    ['type against rope_type', scaled({ type: 'linear', rope_type: 'ntk', factor: 2 }), 'rope_scaling.type', 'rope_type wins'],
    ['theta against theta', { ...LLAMA, rope_theta: 1e4, rope_parameters: { rope_theta: 5e5 } }, 'rope_theta', 'which wins'],
    ['rope_scaling against rope_parameters', { ...scaled({ type: 'linear', factor: 2 }), rope_parameters: YARN }, 'rope_parameters', 'rope_scaling wins'],
    ['original length against original length', scaled(YARN, { original_max_position_embeddings: 4096 }), 'rope_scaling.original_max_position_embeddings', '4096'],
    ['yarn without the original length', scaled({ rope_type: 'yarn', factor: 4 }), 'rope_scaling.original_max_position_embeddings', 'max_position_embeddings is taken'],
    ['factor below 1', scaled({ type: 'linear', factor: 0.5 }), 'rope_scaling.factor', 'below 1'],
    ['a factor without a type', scaled({ factor: 2 }), 'rope_scaling.rope_type', 'no scaling'],
    ['attention_factor against mscale', scaled({ ...YARN, attention_factor: 1, mscale: 1, mscale_all_dim: 1 }), 'rope_scaling.mscale', 'wins'],
    ['a dynamic original that Hugging Face ignores', scaled({ type: 'dynamic', factor: 2, original_max_position_embeddings: 16 }), 'rope_scaling.original_max_position_embeddings', 'Hugging Face'],
    ['a misspelt key', { ...LLAMA, rope_tetha: 5 }, 'rope_tetha', 'did you mean rope_theta?'],
    ['a model that is not in the table', { model_type: 'new_model', rope_theta: 2e4 }, 'model_type', 'half layout'],
    ['a window in unknown layers', { rope_theta: 2e4, sliding_window: 16 }, 'sliding_window', 'all are taken'],
    ['a position key outside the language model', { rope_theta: 5, text_config: LLAMA }, 'rope_theta', 'outside text_config'],
    ['no sizes at all', { rope_scaling: { rope_type: 'default' } }, '', 'no sizes'],
  ])('warns about %s', (_name, config, field, message) => {
    expect(noteOn(config, 'warning', field)).toContain(message);
  }); // prettier-ignore

  it.each([
    ['an unknown key', { ...LLAMA, foo_bar: 1 }, 'foo_bar', 'not known'],
    ['an unknown key of the scaling', scaled({ ...YARN, foo: 1 }), 'rope_scaling.foo', 'not known'],
    ['a key of another scaling', scaled({ type: 'linear', factor: 2, beta_fast: 32 }), 'rope_scaling.beta_fast', 'belongs to yarn; the type is linear'],
    ['a key of another encoding', { model_type: 'gpt2', n_positions: 8, rope_theta: 5 }, 'rope_theta', 'gpt2 does not read it'],
    ['mscale alone', scaled({ ...YARN, mscale: 1 }), 'rope_scaling.mscale', 'both above 0'],
    ['the other part of a model without text_config', { ...LLAMA, model_type: 'qwen2_vl', vision_config: {} }, 'vision_config', 'another part'],
    ['keys around the language model', { text_config: LLAMA, image_token_id: 5 }, '', 'outside text_config: image_token_id'],
    ['the other part of a multimodal model', { model_type: 'llava', text_config: LLAMA, vision_config: {} }, 'vision_config', 'another part'],
  ])('lists %s', (_name, config, field, message) => {
    expect(noteOn(config, 'ignored', field)).toContain(message);
  }); // prettier-ignore

  it('keeps keys about other things in one line', () => {
    const notes = notesOf(fromConfig({ ...LLAMA, vocab_size: 5, hidden_act: 'silu' }), 'ignored');
    expect(notes).toEqual([': nothing about positions in vocab_size, hidden_act']);
  });

  it('says at which lengths a scaling acts', () => {
    expect(noteOn(scaled(YARN), 'used', 'rope_scaling.rope_type')).toContain('at every length');
    expect(noteOn(scaled({ rope_type: 'dynamic', factor: 2 }), 'used', 'rope_scaling.rope_type')).toContain('nothing up to 8192');
  }); // prettier-ignore

  it('warns about nothing where nothing is odd', () => {
    for (const config of [LLAMA, scaled(YARN), scaled(LLAMA3), { model_type: 'gpt2' }, { model_type: 't5' }])
      expect(notesOf(fromConfig(config), 'warning')).toEqual([]);
  });

  it('names fields of a nested configuration by their path', () => {
    const model = fromConfig({ model_type: 'llava', text_config: scaled(YARN) });
    expect(notesOf(model, 'used').join('\n')).toContain('text_config.rope_scaling.factor: factor = 4');
    expect(model.modelType).toBe('llama');
  });
});

describe('fromConfig: refusals', () => {
  const CASES: readonly (readonly [name: string, config: unknown, code: string, field: string])[] = [
    ['no object', 5, 'wrong_type', 'config'],
    ['null', null, 'wrong_type', 'config'],
    ['a list', [], 'wrong_type', 'config'],
    ['text that is not JSON', '{', 'wrong_type', 'config'],
    ['nothing about positions', { a: 1 }, 'missing_value', 'model_type'],
    ['an unknown model without keys', { model_type: 'new_model' }, 'missing_value', 'model_type'],
    ['a model_type that is no text', { model_type: 5 }, 'wrong_type', 'model_type'],
    ['a scaling that is no object', scaled('yarn'), 'wrong_type', 'rope_scaling'],
    ['a list as scaling', scaled([1]), 'wrong_type', 'rope_scaling'],
    ['an unknown scaling', scaled({ type: 'extended', factor: 8 }), 'out_of_range', 'rope_scaling.type'],
    ['an unknown scaling by its new name', scaled({ rope_type: 'extended', factor: 8 }), 'out_of_range', 'rope_scaling.rope_type'],
    ['a scaling type of Object', scaled({ rope_type: 'constructor', factor: 8 }), 'out_of_range', 'rope_scaling.rope_type'],
    ['a type that is no text', scaled({ type: 5 }), 'wrong_type', 'rope_scaling.type'],
    ['factor 0', scaled({ type: 'linear', factor: 0 }), 'out_of_range', 'rope_scaling.factor'],
    ['a negative factor', scaled({ type: 'linear', factor: -2 }), 'out_of_range', 'rope_scaling.factor'],
    ['a factor as text', scaled({ type: 'linear', factor: '8' }), 'wrong_type', 'rope_scaling.factor'],
    ['factor null', scaled({ type: 'linear', factor: null }), 'wrong_type', 'rope_scaling.factor'],
    ['factor null under yarn', scaled({ ...YARN, factor: null }), 'wrong_type', 'rope_scaling.factor'],
    ['factor NaN', scaled({ type: 'linear', factor: NaN }), 'not_finite', 'rope_scaling.factor'],
    ['factor infinite', scaled({ type: 'dynamic', factor: Infinity }), 'not_finite', 'rope_scaling.factor'],
    ['no factor', scaled({ type: 'linear' }), 'missing_value', 'rope_scaling.factor'],
    ['yarn without any length', { head_dim: 8, rope_scaling: { rope_type: 'yarn', factor: 4 } }, 'missing_value', 'rope_scaling.original_max_position_embeddings'],
    ['llama3 without the original length', scaled({ ...LLAMA3, original_max_position_embeddings: undefined }), 'missing_value', 'rope_scaling.original_max_position_embeddings'],
    ['longrope without the original length', { head_dim: 8, rope_scaling: LONGROPE }, 'missing_value', 'rope_scaling.original_max_position_embeddings'],
    ['dynamic without any length', { head_dim: 8, rope_scaling: { type: 'dynamic', factor: 2 } }, 'missing_value', 'rope_scaling.original_max_position_embeddings'],
    ['yarn without factor and length', { head_dim: 8, rope_scaling: { ...YARN, factor: undefined } }, 'missing_value', 'rope_scaling.factor'],
    ['half a token', scaled({ ...YARN, original_max_position_embeddings: 0.5 }), 'out_of_range', 'rope_scaling.original_max_position_embeddings'],
    ['a length as text', { ...LLAMA, max_position_embeddings: '8192' }, 'wrong_type', 'max_position_embeddings'],
    ['longrope with a short list', { ...LONG, rope_scaling: { ...LONGROPE, short_factor: [1, 1, 1] } }, 'shape_mismatch', 'rope_scaling.short_factor'],
    ['longrope with a long list', { ...LONG, rope_scaling: { ...LONGROPE, long_factor: [1, 1, 1, 1, 1] } }, 'shape_mismatch', 'rope_scaling.long_factor'],
    ['longrope without a list', { ...LONG, rope_scaling: { ...LONGROPE, long_factor: undefined } }, 'missing_value', 'rope_scaling.long_factor'],
    ['longrope with a number for a list', { ...LONG, rope_scaling: { ...LONGROPE, long_factor: 2 } }, 'wrong_type', 'rope_scaling.long_factor'],
    ['longrope with text in a list', { ...LONG, rope_scaling: { ...LONGROPE, long_factor: [1, '2', 4, 8] } }, 'wrong_type', 'rope_scaling.long_factor[1]'],
    ['longrope with 0 in a list', { ...LONG, rope_scaling: { ...LONGROPE, long_factor: [1, 2, 0, 8] } }, 'out_of_range', 'rope_scaling.long_factor[2]'],
    ['llama3 without low_freq_factor', scaled({ ...LLAMA3, low_freq_factor: undefined }), 'missing_value', 'rope_scaling.low_freq_factor'],
    ['llama3 with factors the wrong way round', scaled({ ...LLAMA3, low_freq_factor: 4, high_freq_factor: 1 }), 'out_of_range', 'rope_scaling.high_freq_factor'],
    ['betas the wrong way round', scaled({ ...YARN, beta_fast: 1, beta_slow: 32 }), 'out_of_range', 'rope_scaling.beta_fast'],
    ['truncate as a number', scaled({ ...YARN, truncate: 0 }), 'wrong_type', 'rope_scaling.truncate'],
    ['attention_factor 0', scaled({ ...YARN, attention_factor: 0 }), 'out_of_range', 'rope_scaling.attention_factor'],
    ['theta 0', { ...LLAMA, rope_theta: 0 }, 'out_of_range', 'rope_theta'],
    ['theta as text', { ...LLAMA, rope_theta: '1e6' }, 'wrong_type', 'rope_theta'],
    ['theta inside as text', { ...LLAMA, rope_parameters: { rope_theta: '1e6' } }, 'wrong_type', 'rope_parameters.rope_theta'],
    ['heads that do not divide', { ...LLAMA, num_attention_heads: 3 }, 'out_of_range', 'num_attention_heads'],
    ['an odd head', { head_dim: 7, rope_theta: 1e4 }, 'out_of_range', 'head_dim'],
    ['an odd part of the head', { head_dim: 8, partial_rotary_factor: 0.4 }, 'out_of_range', 'partial_rotary_factor'],
    ['more than the head', { head_dim: 8, rotary_dim: 16 }, 'out_of_range', 'rotary_dim'],
    ['a part above 1', { head_dim: 8, partial_rotary_factor: 1.5 }, 'out_of_range', 'partial_rotary_factor'],
    ['no head', { head_dim: 0 }, 'out_of_range', 'head_dim'],
    ['sections that do not add up', { head_dim: 16, rope_scaling: { type: 'mrope', mrope_section: [2, 2, 2] } }, 'shape_mismatch', 'rope_scaling.mrope_section'],
    ['an unknown position_embedding_type', { model_type: 'bert', position_embedding_type: 'x' }, 'out_of_range', 'position_embedding_type'],
    ['layer_types of another length', { ...LLAMA, num_hidden_layers: 3, layer_types: ['full_attention'] }, 'shape_mismatch', 'layer_types'],
    ['no_rope_layers of another length', { model_type: 'smollm3', num_hidden_layers: 3, no_rope_layers: [1] }, 'shape_mismatch', 'no_rope_layers'],
    ['layer_types without attention', { ...LLAMA, layer_types: ['mamba'] }, 'missing_value', 'layer_types'],
    ['a window of 0', { model_type: 'mistral', sliding_window: 0 }, 'out_of_range', 'sliding_window'],
    ['alibi as text', { model_type: 'falcon', alibi: 'yes' }, 'wrong_type', 'alibi'],
    ['a nested field', { text_config: scaled({ type: 'linear', factor: '8' }) }, 'wrong_type', 'text_config.rope_scaling.factor'],
  ]; // prettier-ignore

  it.each(CASES)('%s', (_name, config, code, field) => {
    const error = errorOf(config);
    expect({ code: error.code, field: error.field }).toEqual({ code, field });
    expect(error.rule).not.toBe('');
    expect(error.message).toBe(`${error.field} must ${error.rule}, got ${error.value}`);
  });

  it('names the scalings there are', () => {
    const { rule, value } = errorOf(scaled({ type: 'extended', factor: 8 }));
    for (const name of ['default', 'dynamic', 'linear', 'llama3', 'longrope', 'ntk', 'yarn']) expect(rule).toContain(name);
    expect(value).toBe('"extended"');
  }); // prettier-ignore

  it('says what it looked for', () => {
    expect(errorOf({ a: 1 }).rule).toContain('rope_theta');
  });
});

describe('fromConfig: any input', () => {
  const ODD = [
    null,
    undefined,
    0,
    -1,
    0.5,
    1e308,
    NaN,
    Infinity,
    '',
    '8',
    'yarn',
    true,
    false,
    [],
    [1],
    ['x'],
    {},
    { a: 1 },
  ];

  /** All ways to put `odd` in the place of one value of a nested object. */
  function mutants(values: Values, odd: unknown): Values[] {
    return Object.keys(values).flatMap((key) => {
      const value = values[key];
      const inner = typeof value === 'object' && value !== null && !Array.isArray(value) ? mutants(value as Values, odd) : [];
      return [{ ...values, [key]: odd }, ...inner.map((changed) => ({ ...values, [key]: changed }))];
    });
  } // prettier-ignore

  it('gives an answer or a PosencError with field and rule, never another error', () => {
    let answers = 0;
    let refusals = 0;
    for (const { config } of presets) {
      for (const odd of ODD) {
        for (const mutant of mutants(config, odd)) {
          try {
            const model = fromConfig(mutant);
            expect(model.layers.length).toBeGreaterThan(0);
            // NaN and infinity become null.
            expect(JSON.stringify(model.layers)).not.toContain('null');
            answers += 1;
          } catch (error) {
            if (!(error instanceof PosencError)) throw error;
            expect(error.rule).not.toBe('');
            expect(error.field).not.toBe('');
            refusals += 1;
          }
        }
      }
    }
    expect(Math.min(answers, refusals)).toBeGreaterThan(1000);
  });

  it('comes to an end with an object inside itself', () => {
    const config: Record<string, unknown> = { ...LLAMA };
    config['text_config'] = config;
    expect(fromConfig(config).modelType).toBe('llama');
  });

  it('does not change its input', () => {
    for (const { config } of presets) {
      const before = structuredClone(config);
      fromConfig(config);
      expect(config).toEqual(before);
    }
  });

  it('takes well under a millisecond', () => {
    const start = performance.now();
    for (const { config } of presets) fromConfig(config);
    // Warm by now; ten times what it needs, for a busy machine.
    expect((performance.now() - start) / presets.length).toBeLessThan(1);
  });
});
