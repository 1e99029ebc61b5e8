import type { Mask } from '../types.ts';
import { readDims, readLength } from './dims.ts';
import type { Draft } from './draft.ts';
import { kNone } from './draft.ts';
import { refused } from './notes.ts';
import type { LayerDraft, ReadModel } from './model.ts';
import { kBothWays, kCausal, ropeModel } from './model.ts';
import type { Names, Reader } from './reader.ts';
import { isRecord, kCount, kNotNegative, kPositive, kWhole } from './reader.ts';
import type { LayerDims } from './types.ts';

/** Where the rows of a learned table start: at 0, after a fixed number, or after the row of the padding. */
export type FirstRow = 'zero' | 'after_padding' | 'two_more';

/** A table of learned rows. */
export function learned(rows: number, offset = 0): Draft {
  return { kind: 'learned', maxPosition: rows, ...(offset === 0 ? {} : { positionOffset: offset }) };
}

/** Reads the length of a learned table. */
function readTable(reader: Reader, first: FirstRow, length: Names | undefined): { draft: Draft; trainLength: number } {
  const rows = readLength(reader, length);
  if (rows === undefined) {
    const rule = 'be given: a learned table has as many rows';
    throw refused('missing_value', reader.field('max_position_embeddings'), rule, undefined);
  }
  if (first === 'zero') return { draft: learned(rows), trainLength: rows };
  if (first === 'two_more') {
    const message = `positions start at row 2; the table has ${rows + 2} rows for ${rows} tokens`;
    reader.notes.add('used', reader.field('max_position_embeddings'), message);
    return { draft: learned(rows + 2, 2), trainLength: rows };
  }
  const offset = (reader.number('pad_token_id', kNotNegative)?.value ?? 1) + 1;
  if (offset >= rows) {
    const rule = `be less than max_position_embeddings - 1 (${rows - 1}): positions start after it`;
    throw refused('out_of_range', reader.field('pad_token_id'), rule, offset - 1);
  }
  const message = `positions start at row ${offset}, after the padding; ${rows} rows serve ${rows - offset} tokens`;
  reader.notes.add('used', reader.field('pad_token_id'), message);
  return { draft: learned(rows, offset), trainLength: rows - offset };
}

/** GPT-2, OPT: a learned table under a causal mask. */
export function learnedModel(options: { mask: Mask; first?: FirstRow; length?: Names }): ReadModel {
  return (reader) => {
    const dims = readDims(reader);
    const { draft, trainLength } = readTable(reader, options.first ?? 'zero', options.length);
    remarkTrained(reader);
    return { layers: [{ kind: 'full_attention', draft, dims, mask: options.mask }], trainLength };
  };
}

function remarkTrained(reader: Reader): void {
  reader.notes.add('default', '', 'the numbers of the table are weights of the model, not in its config: seeded here');
}

/** BERT and its kin: `position_embedding_type` says which. */
export function bertModel(options: { first?: FirstRow } = {}): ReadModel {
  return (reader) => {
    const type = reader.string('position_embedding_type') ?? { value: 'absolute', field: '' };
    const mask = reader.boolean('is_decoder')?.value === true ? kCausal : kBothWays;
    if (type.value === 'rotary') return ropeModel({ layout: 'half', sliding: 'none', bidirectional: true })(reader);
    const dims = readDims(reader);
    const layer = (draft: Draft): LayerDraft => ({ kind: 'full_attention', draft, dims, mask });
    if (type.value === 'alibi') {
      return { layers: [layer(readAlibi(reader, 'symmetric'))], trainLength: readLength(reader) };
    }
    if (type.value === 'none') return { layers: [layer(kNone)], trainLength: readLength(reader) };
    const { draft, trainLength } = readTable(reader, options.first ?? 'zero', undefined);
    remarkTrained(reader);
    if (type.value === 'absolute') return { layers: [layer(draft)], trainLength };
    if (type.value === 'relative_key' || type.value === 'relative_key_query') {
      return { layers: [layer(shaw(type.value, trainLength))], trainLength };
    }
    const names = 'absolute, relative_key, relative_key_query, rotary, alibi or none';
    throw refused('out_of_range', type.field, `be ${names}`, type.value);
  };
}

/** Shaw's vectors as BERT has them: one for each offset, none is clipped, and the values have none. */
function shaw(type: string, length: number): Draft {
  return { kind: 'shaw', convention: type === 'relative_key' ? 'bert_key' : 'bert_key_query', maxPosition: length };
}

/** ALiBi. Under a causal mask all forms but Falcon's give the same attention; the logits differ. */
export function readAlibi(reader: Reader, form: 'symmetric' | 'causal' | 'key_index' | 'falcon'): Draft {
  const max = reader.number('alibi_bias_max', kPositive)?.value;
  return { kind: 'alibi', form, ...(max === undefined || max === 8 ? {} : { biasMax: max }) };
}

/** BLOOM: ALiBi, whatever the file says. */
export const bloomModel: ReadModel = (reader) => {
  const dims = readDims(reader);
  const draft = readAlibi(reader, 'key_index');
  return {
    layers: [{ kind: 'full_attention', draft, dims, mask: kCausal }],
    trainLength: readLength(reader, kSeqLength),
  };
};

const kSeqLength = ['seq_length', 'max_position_embeddings'];

/** Falcon: RoPE, or ALiBi in its own convention. */
export const falconModel: ReadModel = (reader) => {
  if (reader.boolean('alibi')?.value !== true) return ropeModel({ layout: 'half', sliding: 'none' })(reader);
  const dims = readDims(reader);
  const draft = readAlibi(reader, 'falcon');
  reader.notes.add('used', '', 'Falcon rounds slopes to bfloat16 and scales q · k + bias together');
  return { layers: [{ kind: 'full_attention', draft, dims, mask: kCausal }], trainLength: readLength(reader) };
};

/** MPT: what `attn_config` says; ALiBi unless it is switched off. */
export const mptModel: ReadModel = (reader) => {
  const config = reader.object('attn_config') ?? reader.defaultObject('attn_config');
  const length = ['max_seq_len', 'max_position_embeddings'];
  if (config?.boolean('rope')?.value === true) {
    remarkAttnConfig(config);
    return ropeModel({ layout: 'half', sliding: 'none' })(reader);
  }
  const alibi = config?.boolean('alibi') ?? reader.boolean('alibi');
  if (alibi?.value === false) {
    config?.markRead('alibi_bias_max');
    return learnedModel({ mask: kCausal, length })(reader);
  }
  const dims = readDims(reader);
  const draft = readAlibi(config ?? reader, 'causal');
  if (config !== undefined) remarkAttnConfig(config);
  return { layers: [{ kind: 'full_attention', draft, dims, mask: kCausal }], trainLength: readLength(reader, length) };
};

const kAttnConfig = ['attn_impl', 'attn_pdrop', 'attn_type', 'attn_uses_sequence_id', 'clip_qkv', 'prefix_lm', 'qk_ln'];

function remarkAttnConfig(config: Reader): void {
  for (const key of config.unread()) {
    if (![...kAttnConfig, 'softmax_scale', 'model_type'].includes(key))
      config.notes.add('ignored', config.field(key), `${key} is not known: it was not used`);
  }
}

/** Baichuan: 7B has RoPE, 13B has ALiBi, and the file tells them apart by size only. */
export const baichuanModel: ReadModel = (reader) => {
  const length = ['max_position_embeddings', 'model_max_length'];
  const layers = reader.number('num_hidden_layers', kCount)?.value;
  const large = layers === undefined ? !reader.gives('max_position_embeddings') : layers >= 40;
  if (!large) {
    reader.notes.add('used', '', 'fewer than 40 layers: the 7B model, with RoPE; the file itself does not say');
    return ropeModel({ layout: 'half', sliding: 'none' })(reader);
  }
  reader.notes.add('used', '', '40 layers: the 13B model, with ALiBi; the file itself does not say');
  const dims = readDims(reader);
  const draft = readAlibi(reader, 'causal');
  return { layers: [{ kind: 'full_attention', draft, dims, mask: kCausal }], trainLength: readLength(reader, length) };
};

/** T5: buckets in both directions for the encoder, backwards for the decoder, no positions in between. */
export const t5Model: ReadModel = (reader) => {
  const dims = readDims(reader, { headDim: 'd_kv' });
  const buckets = reader.number('relative_attention_num_buckets', kCount)?.value ?? 32;
  const distance = reader.number('relative_attention_max_distance', kCount)?.value ?? 128;
  const bias = { kind: 't5_bias', numBuckets: buckets, maxDistance: distance };
  reader.notes.add('used', '', 'the buckets have no end: longer inputs than in training share the last one');
  return {
    layers: [
      { kind: 'encoder', draft: { ...bias, bidirectional: true }, dims, mask: kBothWays },
      { kind: 'decoder', draft: { ...bias, bidirectional: false }, dims, mask: kCausal },
      { kind: 'cross_attention', draft: kNone, dims, mask: kBothWays },
    ],
    trainLength: readLength(reader, 'n_positions'),
  };
};

/** An encoder-decoder that adds positions to both inputs. */
function seq2seq(reader: Reader, encoder: Draft, decoder: Draft): readonly LayerDraft[] {
  const side = (name: string): LayerDims =>
    readDims(reader, { nHeads: [`${name}_attention_heads`, 'num_attention_heads'] });
  const decoderDims = side('decoder');
  return [
    { kind: 'encoder', draft: encoder, dims: side('encoder'), mask: kBothWays },
    { kind: 'decoder', draft: decoder, dims: decoderDims, mask: kCausal },
    { kind: 'cross_attention', draft: kNone, dims: decoderDims, mask: kBothWays },
  ];
}

/** Whisper: sinusoids for sound, a learned table for text. */
export const whisperModel: ReadModel = (reader) => {
  const source = reader.number('max_source_positions', kCount)?.value;
  const target = reader.number('max_target_positions', kCount)?.value ?? 448;
  if (source !== undefined) {
    reader.notes.add('used', reader.field('max_source_positions'), `the encoder sees ${source} frames at most`);
  }
  remarkTrained(reader);
  const sinusoids = { kind: 'sinusoidal', convention: 'concatenated_half_1' };
  return { layers: seq2seq(reader, sinusoids, learned(target)), trainLength: source };
};

/** Marian, Pegasus: sinusoids on both sides. M2M-100: those of fairseq, which start after the padding. */
export function sinusoidalSeq2seq(family: 'marian' | 'fairseq'): ReadModel {
  return (reader) => {
    const padding = family === 'fairseq' ? (reader.number('pad_token_id', kNotNegative)?.value ?? 1) : undefined;
    const scaled = reader.boolean('scale_embedding')?.value === true;
    const draft = {
      kind: 'sinusoidal',
      convention: family === 'fairseq' ? 'concatenated_half_1' : 'concatenated',
      ...(padding === undefined ? {} : { positionOffset: padding + 1, paddingIdx: padding }),
      ...(scaled ? { embeddingScale: 'sqrt_d_model' } : {}),
    };
    return { layers: seq2seq(reader, draft, draft), trainLength: readLength(reader) };
  };
}

/** BART, mBART: learned on both sides, two rows more than positions. */
export const bartModel: ReadModel = (reader) => {
  const { draft, trainLength } = readTable(reader, 'two_more', undefined);
  remarkTrained(reader);
  return { layers: seq2seq(reader, draft, draft), trainLength };
};

/** XLNet and Transformer-XL: vectors of relative sinusoids. */
export function relativeSinusoids(kind: 'xlnet' | 'transformer_xl', mask: Mask): ReadModel {
  return (reader) => {
    const dims = readDims(reader);
    const clamp = reader.number('clamp_len', kWhole)?.value ?? -1;
    const type = kind === 'xlnet' ? reader.string('attn_type')?.value : undefined;
    const draft = { kind, ...(clamp > 0 ? { clampLen: clamp } : {}) };
    const length = readLength(reader, ['max_position_embeddings', 'tgt_len']);
    return {
      layers: [{ kind: 'full_attention', draft, dims, mask: type === 'uni' ? kCausal : mask }],
      trainLength: length,
    };
  };
}

/** DeBERTa: content to position and back, in buckets from version 2 on. */
export function debertaModel(version: 1 | 2): ReadModel {
  return (reader) => {
    const dims = readDims(reader);
    const length = readLength(reader) ?? 512;
    const longest = reader.number('max_relative_positions', kWhole)?.value ?? -1;
    const maxRelative = longest < 1 ? length : longest;
    const buckets = version === 2 ? (reader.number('position_buckets', kWhole)?.value ?? -1) : -1;
    if (version === 2) reader.boolean('share_att_key');
    const relative = reader.boolean('relative_attention')?.value ?? true;
    const terms = readTerms(reader);
    const biased = reader.boolean('position_biased_input')?.value ?? true;
    const range = { maxPosition: maxRelative, terms };
    const far = buckets > 0 ? { convention: 'log_buckets', bucketSize: buckets } : { convention: 'clipped' };
    const draft = relative ? { kind: 'deberta', ...far, ...range } : kNone;
    const main: LayerDraft = { kind: 'full_attention', draft, dims, mask: kBothWays };
    if (!biased) return { layers: [main], trainLength: length };
    reader.notes.add('warning', '', 'position_biased_input: a learned table is added to the input as well');
    return { layers: [main, { kind: 'input', draft: learned(length), dims, mask: kBothWays }], trainLength: length };
  };
}

/** `c2p|p2c`, as text or as a list. */
function readTerms(reader: Reader): string {
  const found = reader.any('pos_att_type');
  const value = found?.value ?? 'c2p|p2c';
  const terms = (Array.isArray(value) ? value.map(String) : String(value).split('|')).filter((term) => term !== '');
  const known = terms.every((term) => ['c2p', 'p2c'].includes(term));
  if (!known || terms.length === 0) {
    throw refused('out_of_range', found?.field ?? 'pos_att_type', 'be c2p, p2c, or both', value);
  }
  return terms.length === 2 ? 'both' : (terms[0] ?? 'c2p');
}

/** Swin: a bias for each offset inside a window of patches; each stage has its own width and heads. */
export function swinModel(version: 1 | 2): ReadModel {
  return (reader) => {
    const window = readSquare(reader, 'window_size') ?? 7;
    const width = reader.number('embed_dim', kCount)?.value ?? 96;
    const heads = reader.numbers('num_heads', kCount)?.value ?? [3, 6, 12, 24];
    const depths = reader.numbers('depths', kCount)?.value ?? [2, 2, 6, 2];
    if (depths.length !== heads.length) {
      throw refused(
        'shape_mismatch',
        reader.field('num_heads'),
        `have ${depths.length} entries, as depths`,
        heads.length,
      );
    }
    const pretrained = version === 2 ? reader.numbers('pretrained_window_sizes', kNotNegative)?.value : undefined;
    let first = 0;
    const layers = heads.map((nHeads, stage): LayerDraft => {
      const dModel = width * 2 ** stage;
      if (dModel % nHeads !== 0) {
        throw refused('out_of_range', reader.field(`num_heads[${stage}]`), `divide the width ${dModel}`, nHeads);
      }
      const size = pretrained?.[stage] ?? 0;
      const draft: Draft =
        version === 1
          ? { kind: 'swin_bias', windowHeight: window, windowWidth: window }
          : {
              kind: 'swin_v2_bias',
              windowHeight: window,
              windowWidth: window,
              ...(size > 0 ? { pretrainedHeight: size, pretrainedWidth: size } : {}),
            };
      const indices = Array.from({ length: depths[stage] ?? 0 }, (_, layer) => first + layer);
      first += indices.length;
      const dims = { dModel, nHeads, headDim: dModel / nHeads };
      return { kind: 'window_attention', draft, dims, mask: kBothWays, layers: indices };
    });
    reader.notes.add('used', '', `attention stays inside windows of ${window} × ${window} patches`);
    const absolute = reader.boolean('use_absolute_embeddings')?.value === true;
    if (absolute) reader.notes.add('warning', '', 'use_absolute_embeddings: a table is added to the patches as well');
    return { layers, trainLength: window * window };
  };
}

/** One number, or two equal ones. */
function readSquare(reader: Reader, key: string): number | undefined {
  if (!Array.isArray(reader.peek(key))) return reader.number(key, kCount)?.value;
  const sides = reader.numbers(key, kCount);
  if (sides === undefined) return undefined;
  const [height, width] = sides.value;
  if (height !== undefined && (width ?? height) === height) return height;
  throw refused('out_of_range', sides.field, 'be one number, or two equal ones', sides.value);
}

/** DeepSeek: a part of the head of its own carries the rotation. */
export function deepseekModel(version: 2 | 3): ReadModel {
  return (reader) => {
    const plain = reader.number('qk_nope_head_dim', kNotNegative)?.value ?? 0;
    const interleaved = reader.boolean('rope_interleave')?.value ?? true;
    reader.markRead('head_dim');
    if (plain > 0) {
      const message = `each head has ${plain} more channels without position; dims.headDim counts those that turn`;
      reader.notes.add('used', reader.field('qk_nope_head_dim'), message);
    }
    const layout = !interleaved ? 'half' : version === 2 ? 'interleaved' : 'interleaved_to_half';
    const dims = { headDim: 'qk_rope_head_dim' };
    return ropeModel({ layout, sliding: 'none', dims, magnitude: 'logits' })(reader);
  };
}

/** ChatGLM: the first half of a head turns in adjacent pairs; the first version has a second axis. */
export const chatglmModel: ReadModel = (reader) => {
  if (reader.boolean('position_encoding_2d')?.value === true) {
    const dims = readDims(reader);
    const draft = { kind: 'rope_2d', convention: 'chatglm' };
    const trainLength = readLength(reader, 'max_sequence_length');
    return { layers: [{ kind: 'full_attention', draft, dims, mask: kCausal }], trainLength };
  }
  const draft = ropeModel({ layout: 'interleaved', sliding: 'none' })(reader);
  return { ...draft, trainLength: draft.trainLength ?? readLength(reader, 'seq_length') };
};

/** The first Qwen: RoPE, with two habits beyond its training length. */
export const qwenModel: ReadModel = (reader) => {
  const model = ropeModel({ layout: 'half', sliding: 'none' })(reader);
  const length = readLength(reader, 'seq_length');
  if (reader.boolean('use_dynamic_ntk')?.value === true) {
    const message = `beyond ${length ?? 'its training'} tokens Qwen raises θ in steps of its own; shown is what holds up to there`;
    reader.notes.add('warning', reader.field('use_dynamic_ntk'), message);
  }
  if (reader.boolean('use_logn_attn')?.value === true) {
    const message = 'beyond its training length Qwen scales queries by a logarithm; that is no encoding';
    reader.notes.add('ignored', reader.field('use_logn_attn'), message);
  }
  return { ...model, trainLength: length ?? model.trainLength };
};

/** Whether a file looks like one of ALiBi. */
export function saysAlibi(values: Readonly<Record<string, unknown>>): boolean {
  const inner = values['attn_config'];
  return (
    values['alibi'] === true ||
    values['position_embedding_type'] === 'alibi' ||
    (isRecord(inner) && inner['alibi'] === true)
  );
}

/** A model that is not in the table but says ALiBi. */
export const unknownAlibi: ReadModel = (reader) => {
  const config = reader.object('attn_config');
  reader.boolean('alibi');
  reader.string('position_embedding_type');
  config?.boolean('alibi');
  const dims = readDims(reader);
  const draft = readAlibi(config ?? reader, 'causal');
  return { layers: [{ kind: 'full_attention', draft, dims, mask: kCausal }], trainLength: readLength(reader) };
};
