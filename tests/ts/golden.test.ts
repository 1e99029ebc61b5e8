import { readFileSync } from 'node:fs';

import { load } from 'posenc';
import type { Encoding, Mask } from 'posenc';
import { describe, expect, it } from 'vitest';

import { largestDifference, projectPath, tensorOf } from './support.ts';

// The reference values once more, through the package. The C++ tests cover every file; here a file for each way in.

const posenc = await load();

interface Case {
  readonly name: string;
  readonly params: Record<string, number> & {
    positions?: number[];
    rope_type?: string;
    layout?: string;
    position_embedding_type?: string;
  };
  readonly inputs?: {
    q: number[][][];
    k: number[][][];
    bias_table?: number[][];
    distance_embedding?: number[][];
  };
  readonly expected: Record<string, number[][] & number[][][]>;
}

function cases(file: string): Case[] {
  const text = readFileSync(projectPath(`tests/golden/${file}.json`), 'utf8');
  // Golden files are written by their generator in this form.
  return (JSON.parse(text) as { cases: Case[] }).cases;
}

/** What float32 references need: see tests/golden/README.md. */
const LOGITS = 5e-6;
const NEAR = 1e-5;

function expectAttention({ inputs, expected, params }: Case, encoding: Encoding, options: { offset?: number } = {}) {
  if (inputs === undefined) throw new Error('a case without inputs');
  const [q, k] = [tensorOf(inputs.q), tensorOf(inputs.k)];
  const first = options.offset ?? 0;
  const qPositions = params.positions ?? Array.from({ length: q.shape[1] }, (_, i) => first + i);
  const kPositions = params.positions ?? Array.from({ length: k.shape[1] }, (_, i) => i);
  const common = { encoding, q, k, qPositions, kPositions, scale: params['softmax_scale'] ?? NaN };
  const masks: [string, Mask][] = [['softmax_full', { kind: 'none' }], ['softmax_causal', { kind: 'causal' }]]; // prettier-ignore
  for (const [name, mask] of masks) {
    const reference = expected[name];
    if (reference === undefined) continue;
    const { weights, logits } = posenc.attend({ ...common, mask });
    expect(largestDifference(weights.data, reference.flat(2))).toBeLessThan(LOGITS);
    if (expected['logits']) expect(largestDifference(logits.data, expected['logits'].flat(2))).toBeLessThan(LOGITS);
  }
}

describe('reference values through the package', () => {
  it.each(cases('sinusoidal-marian'))('sinusoidal: $name', ({ params, expected }) => {
    const dims = { dModel: params['dim'] ?? NaN, nHeads: 1 };
    const encoding = { kind: 'sinusoidal', convention: 'concatenated' } as const;
    const { data } = posenc.table(encoding, { length: params['num_positions'] ?? NaN, dims });
    expect(largestDifference(data, (expected['table'] ?? []).flat(2))).toBeLessThan(NEAR);
  });

  it.each(cases('nope-llama'))('none: $name', (c) => expectAttention(c, { kind: 'none' }));

  const near = cases('rope-apply-llama').filter(
    ({ params }) => params.rope_type === 'default' && Math.max(...(params.positions ?? [])) <= 100,
  );
  it.each(near)('rope, half: $name', (c) =>
    expectAttention(c, { kind: 'rope', layout: 'half', theta: c.params['rope_theta'] ?? NaN }),
  );

  it.each(cases('rope-apply-roformer'))('rope, interleaved: $name', (c) =>
    expectAttention(c, { kind: 'rope', layout: 'interleaved' }),
  );

  it.each(cases('alibi-gptneox'))('alibi: $name', (c) => expectAttention(c, { kind: 'alibi', form: 'causal' }));

  it.each(cases('t5-attention-hf'))('t5_bias: $name', (c) => {
    expectAttention(
      c,
      {
        kind: 't5_bias',
        bidirectional: !c.params['is_decoder'],
        numBuckets: c.params['num_buckets'] ?? NaN,
        maxDistance: c.params['max_distance'] ?? NaN,
        weights: c.inputs?.bias_table?.flat() ?? [],
      },
      { offset: c.params['past_seen_tokens'] ?? 0 },
    );
  });

  it.each(cases('shaw-bert'))('shaw: $name', (c) =>
    expectAttention(c, {
      kind: 'shaw',
      convention: c.params.position_embedding_type === 'relative_key_query' ? 'bert_key_query' : 'bert_key',
      maxPosition: c.params['max_position_embeddings'] ?? NaN,
      weights: c.inputs?.distance_embedding?.flat() ?? [],
    }),
  );
});
