import { describe, expect, it } from 'vitest';

import { tensorOf } from '../support.ts';
import type { Case, Heads, Rows } from './support.ts';
import { LOGITS, NEAR, count, encodingOf, expectAttention, expectClose, golden, numbers, posenc, swapped } from './support.ts'; // prettier-ignore

const zeros = (rows: number, cols: number) => count(rows).map(() => count(cols).map(() => 0));
const identity = (size: number) => count(size).map((row) => count(size).map((col) => (row === col ? 1 : 0)));

describe('shaw', () => {
  function expectShaw(c: Case, params: Readonly<Record<string, unknown>>) {
    const encoding = encodingOf('shaw', params);
    expectAttention(c, encoding);
    const [q, k, v] = [c.input<Heads>('q'), c.input<Heads>('k'), c.input<Heads>('v')];
    const { output } = posenc.attend({ encoding, q: tensorOf(q), k: tensorOf(k), v: tensorOf(v) });
    expectClose(output?.data ?? [], c.expected('output'), LOGITS);
  }

  it.each(golden('shaw-bert'))('relative vectors as BERT has them: $name', (c) => {
    const meetsK = c.text('position_embedding_type') === 'relative_key_query';
    expectShaw(c, {
      convention: meetsK ? 'bert_key_query' : 'bert_key',
      maxPosition: c.number('max_position_embeddings'),
      weights: c.joined('distance_embedding'),
    });
  });

  it.each(golden('shaw-opennmt'))('relative vectors as OpenNMT has them, in the output too: $name', (c) => {
    const shared = { convention: 'opennmt', maxDistance: c.number('max_relative_positions') };
    if (c.hasInput('relative_table')) expectShaw(c, { ...shared, weights: c.joined('relative_table') });

    // Vectors of one number, the number of their row, seen by a query of 1.
    const keys = c.number('seq_len');
    const queries = c.expected<Rows>('index').length;
    const { logits } = posenc.attend({
      encoding: encodingOf('shaw', { ...shared, weights: count(2 * shared.maxDistance + 1) }),
      q: tensorOf([count(queries).map(() => [1])]),
      k: tensorOf([zeros(keys, 1)]),
      qPositions: count(queries, keys - queries),
      scale: 1,
    });
    expectClose(logits.data, c.expected('index'), 0);
  });
});

/** Rows of r as an encoding of sinusoidal vectors sees them at distances first, first - 1, ...: W = 1, u = v = 0, unit
 * queries at position 0, keys of zeros. */
function expectWaves(
  kind: 'transformer_xl' | 'xlnet',
  dModel: number,
  clampLen: number,
  expected: Rows,
  first: number,
) {
  const unit = identity(dModel);
  const { logits } = posenc.attend({
    encoding: encodingOf(kind, { clampLen, weights: [...unit.flat(), ...zeros(2, dModel).flat()] }),
    q: tensorOf([unit]),
    k: tensorOf([zeros(expected.length, dModel)]),
    qPositions: count(dModel).map(() => 0),
    kPositions: count(expected.length, -first),
    scale: 1,
  });
  // [channel][distance] here, [distance][channel] there.
  const seen = count(dModel).map((channel) => expected.map((row) => row[channel] ?? NaN));
  expectClose(logits.data, seen, NEAR);
}

/** x · wᵀ, columns first .. first + width - 1. */
function projected(x: Rows, w: Rows, first: number, width: number): number[][] {
  return x.map((row) =>
    count(width, first).map((col) => row.reduce((sum, value, m) => sum + value * (w[col]?.[m] ?? NaN), 0)),
  );
}

it.each(golden('transformer-xl'))('Transformer-XL as its authors have it, with and without memory: $name', (c) => {
  const [nHeads, headDim, dModel] = [c.number('heads'), c.number('head_dim'), c.number('d_model')];
  const [memLen, qlen] = [c.number('mem_len'), c.number('qlen')];
  expectWaves('transformer_xl', dModel, 0, c.expected('pos_emb'), memLen + qlen - 1);

  const queries = c.input<Rows>('w');
  const words = [...(memLen > 0 ? c.input<Rows>('mems') : []), ...queries];
  const qkv = c.input<Rows>('qkv_weight');
  const { logits, weights } = posenc.attend({
    encoding: encodingOf('transformer_xl', { weights: c.joined('r_weight', 'r_w_bias', 'r_r_bias') }),
    q: tensorOf(count(nHeads).map((head) => projected(queries, qkv, head * headDim, headDim))),
    k: tensorOf(count(nHeads).map((head) => projected(words, qkv, (nHeads + head) * headDim, headDim))),
    qPositions: count(qlen, memLen),
    mask: { kind: 'causal' },
    scale: c.number('softmax_scale'),
  });
  expect(logits.shape).toEqual([nHeads, qlen, words.length]);
  // Above the diagonal the file has zeros.
  const below = logits.data.map((logit, i) => {
    const query = Math.floor(i / words.length) % qlen;
    return i % words.length > query + memLen ? 0 : logit;
  });
  expectClose(below, c.expected('logits_causal_part'), LOGITS);
  expectClose(weights.data, c.expected('softmax_causal'), LOGITS);
});

describe('XLNet as Hugging Face has it', () => {
  const xlnet = golden('xlnet-hf');
  const rows = xlnet.filter((c) => c.expects('pos_emb'));
  it.each(rows)('$name', (c) => {
    const clampLen = Math.max(c.number('clamp_len'), 0);
    expectWaves('xlnet', c.number('d_model'), clampLen, c.expected('pos_emb'), c.number('klen'));
  });

  const attentions = xlnet.filter((c) => !rows.includes(c));
  it('has two attentions, both ways and one', () => expect(attentions.length).toBe(2));
  it.each(attentions)('$name', (c) => {
    // [d_model][head][channel] there, [head][channel][d_model] here.
    const r = c.input<Heads>('r');
    const [nHeads, headDim] = [c.number('heads'), c.number('head_dim')];
    const w = count(nHeads).flatMap((head) =>
      count(headDim).flatMap((channel) => r.map((row) => row[head]?.[channel] ?? NaN)),
    );
    const encoding = encodingOf('xlnet', { weights: [...w, ...c.joined('r_w_bias', 'r_r_bias')] });
    expectAttention(c, encoding, {
      q: swapped(c.input<Heads>('q')),
      k: swapped(c.input<Heads>('k')),
      qPositions: count(c.number('seq_len')),
      // One way without the causal mask that it needs, its shift brings rows of other queries.
      only: c.text('attn_type') === 'uni' ? ['softmax_causal'] : ['logits', 'softmax_full', 'softmax_causal'],
    });
  });
});

it.each(golden('deberta-bucket-hf'))('DeBERTa buckets as Hugging Face has them: $name', (c) => {
  // Vectors of one number, their own bucket, seen by a query of 1.
  const bucketSize = c.number('bucket_size');
  const buckets = count(2 * bucketSize, -bucketSize);
  const queries = numbers(c.expected('bucket')).length;
  const [first = NaN] = c.input<number[]>('relative_position');
  const { logits } = posenc.attend({
    encoding: encodingOf('deberta', {
      terms: 'c2p',
      bucketSize,
      maxPosition: c.number('max_position'),
      weights: [...buckets, ...buckets.map(() => 0)],
    }),
    q: tensorOf([count(queries).map(() => [1])]),
    k: tensorOf([[[0]]]),
    qPositions: count(queries, first),
    scale: Math.SQRT2, // two terms: the logit is divided by the square root of 2
  });
  expectClose(logits.data, c.expected('bucket'), 0);
});
