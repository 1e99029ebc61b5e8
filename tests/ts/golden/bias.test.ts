import { describe, expect, it } from 'vitest';

import { tensorOf } from '../support.ts';
import type { Case, Heads, Rows } from './support.ts';
import {
  LOGITS,
  biases,
  channels,
  count,
  encodingOf,
  expectAttention,
  expectClose,
  golden,
  grid,
  numbers,
  posenc,
} from './support.ts';

function expectBias(expected: Heads, heads: readonly Float32Array[], tolerance = LOGITS) {
  expect(heads.length).toBe(expected.length);
  heads.forEach((data, head) => expectClose(data, expected[head] ?? [], tolerance));
}

describe('alibi', () => {
  const alibi = (form: string, biasMax?: number) => encodingOf('alibi', { form, biasMax });

  /** The slope is minus the bias of the word before. */
  function expectSlopes(c: Case, encoding = alibi('causal')) {
    const slopes = numbers(c.expected('slopes'));
    const got = biases(encoding, c.number('heads'), [1], [0]).map((data) => -(data[0] ?? NaN));
    expect(got.length).toBe(slopes.length);
    // Slopes of 112 heads go down to 1/256 of 1: the tolerance is relative, float32's own.
    slopes.forEach((slope, head) =>
      expect(Math.abs((got[head] ?? NaN) - slope), `head ${head}`).toBeLessThanOrEqual(7e-7 * slope),
    );
  }

  /** `[head][key]`, the bias of the last query; references add a constant of their own to a row. */
  function expectLastQuery(c: Case, encoding = alibi('causal'), kPositions: readonly number[], last: number) {
    const heads = biases(encoding, c.number('heads'), [last], kPositions);
    c.expected<Rows>('alibi').forEach((expected, head) => {
      const got = [...(heads[head] ?? [])];
      const constant = (expected.at(-1) ?? NaN) - (got.at(-1) ?? NaN);
      expect(got.length).toBe(expected.length);
      got.forEach((value, key) =>
        expect(Math.abs(value + constant - (expected[key] ?? NaN)), `head ${head}`).toBeLessThanOrEqual(LOGITS),
      );
    });
  }

  it.each(golden('alibi-slopes-ofirpress'))("slopes of the paper's code: $name", (c) => {
    expectSlopes(c, alibi('symmetric'));
  });

  it.each(golden('alibi-bloom'))('as BLOOM has it: $name', (c) => {
    if (c.expects('slopes')) {
      expectSlopes(c);
    } else if (c.expects('alibi')) {
      // Key positions count real words; a padding word has position 0 (its bias is multiplied by the mask).
      let seen = 0;
      const at = c.input<number[]>('attention_mask').map((real) => (real === 0 ? 0 : seen++));
      expectLastQuery(c, alibi('causal'), at, seen - 1);
    } else {
      // BLOOM's logits, with the bias by key, differ by a constant in each row from those by distance.
      expectAttention(c, alibi('causal'), { only: ['softmax_causal'] });
      expectAttention(c, alibi('key_index'));
    }
  });

  it.each(golden('alibi-falcon'))('as Falcon has it, to the bit of bfloat16: $name', (c) => {
    const nHeads = c.number('heads');
    const keys = count(c.number('seq_len'));
    const heads = biases(alibi('falcon'), nHeads, [0], keys);
    expectBias(
      c.expected<Rows>('alibi').map((row) => [row]),
      heads,
      0,
    );
    // Falcon scales the bias with the logits.
    const scaled = biases(alibi('falcon'), nHeads, [0], keys, 16);
    scaled.forEach((data, head) => data.forEach((value, key) => expect(value).toBe((heads[head]?.[key] ?? NaN) / 4)));
  });

  it.each(golden('alibi-mpt'))('as MPT has it: $name', (c) => {
    const mpt = alibi('causal', c.number('alibi_bias_max'));
    if (c.expects('slopes')) return expectSlopes(c, mpt);
    const length = c.number('seq_len');
    expectLastQuery(c, mpt, count(length), length - 1);
  });

  it.each(golden('alibi-gptneox'))('as GPT-NeoX has it: $name', (c) => {
    expectBias(c.expected('bias'), biases(alibi('causal'), c.number('heads'), c.positions()));
    expectAttention(c, alibi('causal'));
  });

  it.each(golden('alibi-symmetric-opennmt'))('symmetric as OpenNMT has it: $name', (c) => {
    const [queries, keys, nHeads] = [c.number('query_length'), c.number('key_length'), c.number('heads')];
    const { data } = posenc.bias(alibi('symmetric'), { queries, keys, offset: keys - queries, dims: channels(nHeads) });
    expectClose(data, c.expected('bias'), LOGITS);
  });

  it.each(golden('alibi-ggml'))('as ggml has it: $name', (c) => {
    expectAttention(c, alibi('causal', c.number('max_bias')));
  });
});

describe('t5_bias', () => {
  it.each(golden('t5-bucket-hf'))('buckets, also where float32 decides: $name', (c) => {
    const numBuckets = c.number('num_buckets');
    const encoding = encodingOf('t5_bias', {
      bidirectional: c.flag('bidirectional'),
      numBuckets,
      maxDistance: c.number('max_distance'),
      weights: count(numBuckets),
    });
    const [buckets = []] = biases(encoding, 1, [0], c.input<number[]>('relative_position'));
    expectClose(buckets, c.expected('bucket'), 0);
  });

  it.each(golden('t5-attention-hf'))('attention as Hugging Face has it: $name', (c) => {
    const encoding = encodingOf('t5_bias', {
      bidirectional: !c.flag('is_decoder'),
      numBuckets: c.number('num_buckets'),
      maxDistance: c.number('max_distance'),
      weights: c.joined('bias_table'),
    });
    const [queries, keys, nHeads] = [c.number('query_length'), c.number('key_length'), c.number('heads')];
    const offset = keys - queries;
    const { data } = posenc.bias(encoding, { queries, keys, offset, dims: channels(nHeads) });
    expectClose(data, c.expected('bias'), 0);
    expectAttention(c, encoding, { qPositions: count(queries, offset), kPositions: count(keys) });
  });
});

describe('kerple', () => {
  it.each(golden('kerple-original'))('as its authors have it: $name', (c) => {
    const kind = c.text('kind');
    const encoding = encodingOf(kind === 'log' ? 'kerple_log' : 'kerple_power', {
      form: 'causal',
      ...(kind === 'power_a_n' ? { convention: 'linear' } : {}),
      weights: kind === 'power_a_n' ? c.joined('bias_a') : c.joined('bias_a', 'bias_p'),
    });
    const at = count(c.number('seq_len'));
    expectBias(c.expected('bias_on_zero_logits'), biases(encoding, c.number('heads'), at));
    // power_ap_ap multiplies the logits too, which no bias can do: only its bias is compared.
    if (!c.hasInput('logits_in') || kind === 'power_ap_ap') return;
    // The bias on top of given logits: q·k = logits, because k is the identity.
    const q = c.input<Heads>('logits_in');
    const identity = at.map((row) => at.map((col) => (row === col ? 1 : 0)));
    const given = { q, k: q.map(() => identity), qPositions: at, scale: 1 };
    expectAttention(c, encoding, { ...given, only: ['logits', 'softmax_causal'] });
  });

  it.each(golden('kerple-nemo'))('as NeMo has it: $name', (c) => {
    const weights = c.joined('a', 'p', 'b');
    const encoding = encodingOf('kerple_log', { convention: 'nemo', form: 'causal', weights });
    expectBias(c.expected('bias'), biases(encoding, c.number('heads'), count(c.number('seq_len'))));
  });
});

it.each(golden('sandwich-nemo'))('sandwich as NeMo has it: $name', (c) => {
  const form = c.flag('bidirectional') ? 'symmetric' : 'causal';
  const encoding = encodingOf('sandwich', { form, width: c.number('hidden_size') });
  expectBias(c.expected('bias'), biases(encoding, c.number('heads'), count(c.number('seq_len'))));
});

describe('fire', () => {
  const expectFire = (c: Case, form: string) => {
    const encoding = encodingOf('fire', {
      form,
      threshold: c.number('L'),
      mlpWidth: c.number('mlp_width'),
      weights: [c.number('c'), c.number('L_multiplier'), ...c.joined('w1', 'b1', 'w2', 'b2')],
    });
    expectBias(c.expected('bias'), biases(encoding, c.number('heads'), count(c.number('seq_len'))));
  };
  it.each(golden('fire-dape'))('without later keys: $name', (c) => expectFire(c, 'causal'));
  it.each(golden('fire-arithmetic'))('with later keys: $name', (c) => expectFire(c, 'symmetric'));
});

it.each(golden('dynamic-position-bias'))('dynamic_position_bias as x-transformers has it: $name', (c) => {
  const layers = ['mlp.0.0', 'mlp.1.0', 'mlp.2'];
  const encoding = encodingOf('dynamic_position_bias', {
    logDistance: c.flag('log_distance'),
    mlpWidth: c.number('dim'),
    depth: c.number('depth'),
    weights: c.joined(...layers.flatMap((layer) => [`${layer}.weight`, `${layer}.bias`])),
  });
  const [queries, keys] = [c.number('query_length'), c.number('key_length')];
  const heads = biases(encoding, c.number('heads'), count(queries, keys - queries), count(keys));
  expectBias(c.expected('bias'), heads);
});

describe('swin', () => {
  const sizeOf = (c: Case, name: string) => {
    const [height = NaN, width = NaN] = c.list(name);
    return { height, width };
  };

  it.each(golden('swin-hf'))('table and index as Hugging Face has them: $name', (c) => {
    const { height, width } = sizeOf(c, 'window');
    const nHeads = c.number('heads');
    const table = c.joined('table');
    const swin = (weights: number[]) => encodingOf('swin_bias', { windowHeight: height, windowWidth: width, weights });
    const at = grid(height, width);
    if (c.expects('bias')) expectBias(c.expected('bias'), biases(swin(table), nHeads, at), 0);
    const rows = table.map((_, i) => Math.floor(i / nHeads));
    const [index = []] = biases(swin(rows), nHeads, at);
    expectClose(index, c.expected('index'), 0);
  });

  it.each(golden('swinv2-hf'))("Swin v2's network as Hugging Face has it: $name", (c) => {
    const window = sizeOf(c, 'window');
    const pretrained = sizeOf(c, 'pretrained_window');
    const at = grid(window.height, window.width);
    const swin = (mlpWidth: number, weights: number[]) =>
      encodingOf('swin_v2_bias', {
        windowHeight: window.height,
        windowWidth: window.width,
        pretrainedHeight: pretrained.height,
        pretrainedWidth: pretrained.width,
        mlpWidth,
        weights,
      });
    if (c.expects('bias')) {
      const encoding = swin(c.number('mlp_hidden'), c.joined('w1', 'b1', 'w2'));
      expectBias(c.expected('bias'), biases(encoding, c.number('heads'), at));
    }
    // One coordinate at a time, through a network that does nothing but shift it: sigmoid and 16 are undone here.
    const coordinates = c.expected<Rows>('coords_table');
    const index = numbers(c.expected('index'));
    for (const axis of [0, 1]) {
      const [bias = new Float32Array()] = biases(swin(1, [axis === 0 ? 1 : 0, axis === 1 ? 1 : 0, 2, 1]), 1, at);
      expect(bias.length).toBe(index.length);
      const off = index.map((row, pair) => {
        const gate = (bias[pair] ?? NaN) / 16;
        return Math.abs(Math.log(gate / (1 - gate)) - 2 - (coordinates[row]?.[axis] ?? NaN));
      });
      // Undoing the sigmoid near 1 magnifies its rounding about twentyfold.
      expect(Math.max(...off)).toBeLessThanOrEqual(1e-5);
    }
  });
});

describe('cope', () => {
  const cope = (c: Case, gates: string) =>
    encodingOf('cope', { gates, maxPosition: c.number('npos_max'), weights: c.joined('pos_emb') });

  it.each(golden('cope-dape'))('closed above the diagonal: $name', (c) => {
    expectAttention(c, cope(c, 'up_to_query'));
  });

  it.each(golden('cope-x-transformers'))('masked: $name', (c) => {
    expectAttention(c, cope(c, 'visible'));
    // attend() gives no bias of its own: it is what the logits have more than those of no encoding.
    const heads = { q: tensorOf(c.input<Heads>('q')), k: tensorOf(c.input<Heads>('k')) };
    const options = { ...heads, mask: { kind: 'causal' }, scale: c.number('softmax_scale') } as const;
    const content = posenc.attend({ ...options, encoding: encodingOf('none') }).logits.data;
    const { logits } = posenc.attend({ ...options, encoding: cope(c, 'visible') });
    expectClose(
      logits.data.map((logit, i) => logit - (content[i] ?? NaN)),
      c.expected('bias'),
      LOGITS,
    );
  });
});
