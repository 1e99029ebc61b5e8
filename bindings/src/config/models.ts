import {
  baichuanModel,
  bartModel,
  bertModel,
  bloomModel,
  chatglmModel,
  debertaModel,
  deepseekModel,
  falconModel,
  learnedModel,
  mptModel,
  qwenModel,
  relativeSinusoids,
  sinusoidalSeq2seq,
  swinModel,
  t5Model,
  whisperModel,
} from './families.ts';
import type { ReadModel } from './model.ts';
import { kBothWays, kCausal, ropeModel } from './model.ts';

/** An architecture: how its file is read, and what Hugging Face takes for what the file leaves out. */
export interface Model {
  readonly read: ReadModel;
  readonly defaults?: Readonly<Record<string, unknown>>;
}

const half = ropeModel({ layout: 'half' });
const halfFull = ropeModel({ layout: 'half', sliding: 'none' });
const halfQwen = ropeModel({ layout: 'half', sliding: 'from_max_window_layers' });
const adjacent = ropeModel({ layout: 'interleaved', sliding: 'none' });

const sizes = (width: number, heads: number, layers: number, length: number) => ({
  hidden_size: width,
  num_attention_heads: heads,
  num_hidden_layers: layers,
  max_position_embeddings: length,
});
const kLlama = sizes(4096, 32, 32, 2048);
const kQwen2 = { ...sizes(4096, 32, 32, 32768), sliding_window: 4096, max_window_layers: 28 };
const kBert = sizes(768, 12, 12, 512);
const kT5 = {
  d_model: 512,
  d_kv: 64,
  num_heads: 8,
  relative_attention_num_buckets: 32,
  relative_attention_max_distance: 128,
};
const kDeepseekHead = { qk_rope_head_dim: 64, qk_nope_head_dim: 128 };
const kGptOss = {
  ...sizes(2880, 64, 36, 131072),
  head_dim: 64,
  sliding_window: 128,
  rope_theta: 150000,
  rope_parameters: {
    rope_type: 'yarn',
    factor: 32,
    beta_fast: 32,
    beta_slow: 1,
    truncate: false,
    original_max_position_embeddings: 4096,
  },
};
const kGemma3 = {
  ...sizes(2304, 8, 26, 131072),
  head_dim: 256,
  rope_theta: 1e6,
  rope_local_base_freq: 10000,
  sliding_window: 4096,
  sliding_window_pattern: 6,
};
const gemma3: Model = {
  read: ropeModel({
    layout: 'half',
    sliding: { every: ['sliding_window_pattern', '_sliding_window_pattern'] },
    thetaOf: { sliding_attention: 'rope_local_base_freq' },
  }),
  defaults: kGemma3,
};
const llama4: Model = {
  read: ropeModel({ layout: 'interleaved', sliding: 'none', nope: 'interval', chunked: true }),
  defaults: {
    ...sizes(5120, 40, 48, 131072),
    head_dim: 128,
    rope_theta: 500000,
    no_rope_layer_interval: 4,
    attention_chunk_size: 8192,
  },
};
const llama: Model = { read: halfFull, defaults: kLlama };
const mistral: Model = { read: half, defaults: { ...sizes(4096, 32, 32, 131072), sliding_window: 4096 } };
const qwen2: Model = { read: halfQwen, defaults: kQwen2 };
const qwen3: Model = { read: halfQwen, defaults: { ...kQwen2, head_dim: 128 } };
const qwen2Vl: Model = {
  read: halfQwen,
  defaults: { ...sizes(8192, 64, 80, 32768), sliding_window: 4096, max_window_layers: 80, rope_theta: 1e6 },
};
const qwen3Vl: Model = {
  read: halfQwen,
  defaults: { ...sizes(4096, 32, 32, 128000), head_dim: 128, rope_theta: 5e5, mrope_interleaved: true },
};
const phi3: Model = { read: half, defaults: sizes(3072, 32, 32, 4096) };
const glm: Model = {
  read: adjacent,
  defaults: { ...sizes(4096, 32, 40, 131072), head_dim: 128, partial_rotary_factor: 0.5 },
};
const glm4V: Model = {
  read: adjacent,
  defaults: { ...sizes(4096, 32, 40, 32768), partial_rotary_factor: 0.5 },
};
const t5: Model = { read: t5Model, defaults: kT5 };
const roberta: Model = { read: bertModel({ first: 'after_padding' }), defaults: { ...kBert, pad_token_id: 1 } };
const bert: Model = { read: bertModel(), defaults: kBert };
const falcon: Model = { read: falconModel, defaults: { ...sizes(4544, 71, 32, 2048), alibi: false } };
const deberta2: Model = {
  read: debertaModel(2),
  defaults: { ...sizes(1536, 24, 24, 512), relative_attention: false, position_biased_input: true },
};
const bart: Model = {
  read: bartModel,
  defaults: { d_model: 1024, encoder_attention_heads: 16, decoder_attention_heads: 16, max_position_embeddings: 1024 },
};

/** By `model_type`, as Hugging Face spells it. */
export const kModels: Readonly<Record<string, Model>> = {
  albert: { read: bertModel(), defaults: sizes(4096, 64, 12, 512) },
  baichuan: { read: baichuanModel },
  bart,
  bert,
  bloom: { read: bloomModel, defaults: { hidden_size: 64, n_head: 8, n_layer: 2 } },
  camembert: roberta,
  chatglm: { read: chatglmModel, defaults: { partial_rotary_factor: 0.5 } },
  clip_text_model: { read: learnedModel({ mask: kCausal }), defaults: sizes(512, 8, 12, 77) },
  codegen: { read: adjacent, defaults: { n_embd: 4096, n_head: 16, n_layer: 28, n_positions: 2048, rotary_dim: 64 } },
  cohere: { read: adjacent, defaults: { ...sizes(8192, 64, 40, 8192), rope_theta: 10000 } },
  cohere2: {
    read: ropeModel({
      layout: 'interleaved',
      sliding: { every: ['sliding_window_pattern', '_sliding_window_pattern'] },
      nope: 'full',
    }),
    defaults: { ...sizes(8192, 64, 40, 8192), sliding_window: 4096, sliding_window_pattern: 4 },
  },
  deberta: { read: debertaModel(1), defaults: { ...kBert, relative_attention: false, position_biased_input: true } },
  'deberta-v2': deberta2,
  deepseek_v2: { read: deepseekModel(2), defaults: { ...sizes(4096, 32, 32, 2048), ...kDeepseekHead } },
  deepseek_v3: { read: deepseekModel(3), defaults: { ...sizes(7168, 128, 61, 4096), ...kDeepseekHead } },
  electra: { read: bertModel(), defaults: sizes(256, 4, 12, 512) },
  ernie: bert,
  esm: { read: bertModel({ first: 'after_padding' }), defaults: { ...sizes(768, 12, 12, 1026), pad_token_id: 1 } },
  falcon,
  gemma: { read: halfFull, defaults: { ...sizes(3072, 16, 28, 8192), head_dim: 256 } },
  gemma2: {
    read: ropeModel({ layout: 'half', sliding: 'even' }),
    defaults: { ...sizes(2304, 8, 26, 8192), head_dim: 256, sliding_window: 4096 },
  },
  gemma3,
  gemma3_text: gemma3,
  glm,
  glm4: glm,
  glm4v: glm4V,
  glm4v_text: glm4V,
  glm4_moe: { read: halfFull, defaults: { ...sizes(4096, 96, 46, 131072), partial_rotary_factor: 0.5 } },
  gpt2: {
    read: learnedModel({ mask: kCausal }),
    defaults: { n_embd: 768, n_head: 12, n_layer: 12, n_positions: 1024 },
  },
  gpt_bigcode: {
    read: learnedModel({ mask: kCausal }),
    defaults: { n_embd: 768, n_head: 12, n_layer: 12, n_positions: 1024 },
  },
  gpt_neox: { read: halfFull, defaults: { ...sizes(6144, 64, 44, 2048), rotary_pct: 0.25 } },
  gpt_oss: { read: ropeModel({ layout: 'half', sliding: 'even' }), defaults: kGptOss },
  gptj: { read: adjacent, defaults: { n_embd: 4096, n_head: 16, n_layer: 28, n_positions: 2048, rotary_dim: 64 } },
  granite: llama,
  internlm2: llama,
  internlm3: llama,
  kimi_k2: { read: deepseekModel(3), defaults: { ...sizes(7168, 64, 61, 4096), ...kDeepseekHead } },
  llama,
  llama4,
  llama4_text: llama4,
  m2m_100: {
    read: sinusoidalSeq2seq('fairseq'),
    defaults: {
      d_model: 1024,
      encoder_attention_heads: 16,
      decoder_attention_heads: 16,
      max_position_embeddings: 1024,
      pad_token_id: 1,
      scale_embedding: true,
    },
  },
  marian: {
    read: sinusoidalSeq2seq('marian'),
    defaults: {
      d_model: 1024,
      encoder_attention_heads: 16,
      decoder_attention_heads: 16,
      max_position_embeddings: 1024,
    },
  },
  mbart: bart,
  mistral,
  mixtral: { read: half, defaults: { ...sizes(4096, 32, 32, 131072), rope_theta: 1e6 } },
  modernbert: {
    read: ropeModel({
      layout: 'half',
      sliding: { every: 'global_attn_every_n_layers', first: true },
      window: 'local_attention',
      bidirectional: true,
      thetaOf: { full_attention: 'global_rope_theta', sliding_attention: 'local_rope_theta' },
    }),
    defaults: {
      ...sizes(768, 12, 22, 8192),
      global_rope_theta: 160000,
      local_rope_theta: 10000,
      global_attn_every_n_layers: 3,
      local_attention: 128,
    },
  },
  mpt: {
    read: mptModel,
    defaults: {
      d_model: 2048,
      n_heads: 16,
      n_layers: 24,
      max_seq_len: 2048,
      attn_config: { alibi: true, alibi_bias_max: 8 },
    },
  },
  mt5: t5,
  nemotron: { read: halfFull, defaults: { ...sizes(6144, 48, 32, 4096), partial_rotary_factor: 0.5 } },
  olmo: llama,
  olmo2: llama,
  opt: { read: learnedModel({ mask: kCausal, first: 'two_more' }), defaults: { ...sizes(768, 12, 12, 2048) } },
  pegasus: {
    read: sinusoidalSeq2seq('marian'),
    defaults: {
      d_model: 1024,
      encoder_attention_heads: 16,
      decoder_attention_heads: 16,
      max_position_embeddings: 1024,
    },
  },
  persimmon: {
    read: halfFull,
    defaults: { ...sizes(4096, 64, 36, 16384), rope_theta: 25000, partial_rotary_factor: 0.5 },
  },
  phi: { read: halfFull, defaults: { ...sizes(2048, 32, 24, 2048), partial_rotary_factor: 0.5 } },
  phi3,
  phi4: phi3,
  phimoe: { read: half, defaults: { ...sizes(4096, 32, 32, 131072), rope_theta: 1e6 } },
  qwen: { read: qwenModel, defaults: sizes(4096, 32, 32, 8192) },
  qwen2,
  qwen2_5_vl: qwen2Vl,
  qwen2_5_vl_text: qwen2Vl,
  qwen2_moe: {
    read: halfQwen,
    defaults: { ...sizes(2048, 16, 24, 32768), sliding_window: 4096, max_window_layers: 28 },
  },
  qwen2_vl: qwen2Vl,
  qwen2_vl_text: qwen2Vl,
  qwen3,
  qwen3_moe: {
    read: halfQwen,
    defaults: { ...sizes(2048, 32, 24, 32768), sliding_window: 4096, max_window_layers: 28 },
  },
  qwen3_vl: qwen3Vl,
  qwen3_vl_text: qwen3Vl,
  RefinedWeb: falcon,
  RefinedWebModel: falcon,
  roberta,
  roformer: {
    read: ropeModel({ layout: 'interleaved', sliding: 'none', bidirectional: true }),
    defaults: sizes(768, 12, 12, 1536),
  },
  smollm3: {
    read: ropeModel({ layout: 'half', nope: 'interval' }),
    defaults: { ...sizes(2048, 16, 36, 32768), rope_theta: 2e6, no_rope_layer_interval: 4 },
  },
  stablelm: { read: halfFull, defaults: { ...sizes(2560, 32, 32, 4096), partial_rotary_factor: 0.25 } },
  starcoder2: { read: half, defaults: sizes(3072, 24, 30, 4096) },
  swin: {
    read: swinModel(1),
    defaults: { window_size: 7, embed_dim: 96, num_heads: [3, 6, 12, 24], depths: [2, 2, 6, 2] },
  },
  swinv2: {
    read: swinModel(2),
    defaults: { window_size: 7, embed_dim: 96, num_heads: [3, 6, 12, 24], depths: [2, 2, 6, 2] },
  },
  t5,
  'transfo-xl': {
    read: relativeSinusoids('transformer_xl', kCausal),
    defaults: { d_model: 1024, n_head: 16, d_head: 64, clamp_len: 1000 },
  },
  umt5: t5,
  whisper: {
    read: whisperModel,
    defaults: {
      d_model: 384,
      encoder_attention_heads: 6,
      decoder_attention_heads: 6,
      max_source_positions: 1500,
      max_target_positions: 448,
    },
  },
  'xlm-roberta': roberta,
  'xlm-roberta-xl': roberta,
  xlnet: {
    read: relativeSinusoids('xlnet', kBothWays),
    defaults: { d_model: 1024, n_head: 16, attn_type: 'bi', clamp_len: -1 },
  },
};

/** What a model is taken for that is not in the table but has the keys of RoPE. */
export const kUnknownRope: ReadModel = (reader) => {
  if (reader.gives('sliding_window') && !reader.gives('layer_types')) {
    const message = 'which layers have the window is not known; all are taken to have it';
    reader.notes.add('warning', reader.field('sliding_window'), message);
  }
  return half(reader);
};
