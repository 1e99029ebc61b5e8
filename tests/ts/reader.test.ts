import { readFileSync } from 'node:fs';

import { load } from 'posenc';
import { loadReaders, shippedReaders } from 'posenc/reader';
import type { Encoding, Reader, ReaderAnswer, ShippedReader } from 'posenc/reader';
import { shippedWeights } from 'posenc/reader/shipped';
import { describe, expect, it } from 'vitest';

import { shippedWeights as shippedWeightsOfBrowsers } from '../../dist/reader_shipped.js';
import { collect, errorOf, JERRY, projectPath, readersWithMemory, TOM } from './support.ts';

const readers = await loadReaders();
const { encodings } = await load();

/** Encodings whose readers tell the two sentences apart under both masks. */
const MAIN = ['sinusoidal', 'learned', 'rope', 'xpos', 'shaw', 't5_bias', 'transformer_xl', 'deberta'];
const HEAD = { layer: 1, head: 2 };

async function shipped({ encoding, mask }: ShippedReader): Promise<Reader> {
  return readers.loadWeights(await shippedWeights(encoding.kind, mask));
}

function shippedReader(kind: string, mask: ShippedReader['mask']): Promise<Reader> {
  const found = shippedReaders.find((reader) => reader.encoding.kind === kind && reader.mask === mask);
  if (found === undefined) throw new Error(`no reader ${kind} ${mask} is shipped`);
  return shipped(found);
}

const sum = (numbers: Float32Array) => numbers.reduce((total, number) => total + number, 0);
const bits = (numbers: Float32Array) => [...new Uint32Array(numbers.buffer)];

/** The probabilities of words, whatever their order. */
function byWord(words: readonly string[], probabilities: Float32Array): Record<string, number | undefined> {
  return Object.fromEntries(words.map((word, i) => [word, probabilities[i]]));
}

describe('the shipped readers', () => {
  it('are one for each encoding of text and each mask', () => {
    const index = JSON.parse(readFileSync(projectPath('web/public/reader/index.json'), 'utf8')) as { file: string }[];
    expect(shippedReaders.map(({ file }) => file)).toEqual(index.map(({ file }) => file));
    const names = shippedReaders.map(({ encoding, mask }) => `${encoding.kind} ${mask}`);
    expect([new Set(names).size, names.length % 2]).toEqual([names.length, 0]);
    for (const { encoding } of shippedReaders) expect(encodings.map(({ kind }) => kind)).toContain(encoding.kind);
  });

  it.each(shippedReaders)('$encoding.kind, mask $mask: answers', async (facts) => {
    using reader = await shipped(facts);
    expect(reader.setup).toEqual({ encoding: facts.encoding, mask: { kind: facts.mask }, seed: 7 });
    expect(reader.steps).toBe(500);
    const tom = reader.answer(TOM);
    const jerry = reader.answer(JERRY);
    for (const probabilities of [tom.who, tom.whom, jerry.who, jerry.whom]) {
      expect(probabilities.length).toBe(3);
      expect(sum(probabilities)).toBeCloseTo(1, 5);
    }
    if (MAIN.includes(facts.encoding.kind)) {
      for (const { who, whom } of [tom, jerry]) {
        expect(who[0]).toBeGreaterThan(0.95);
        expect(whom[2]).toBeGreaterThan(0.95);
      }
    }
  });

  it('names eight encodings that all are there', () => {
    for (const kind of MAIN) expect(shippedReaders.filter(({ encoding }) => encoding.kind === kind).length).toBe(2);
  });

  it('without encoding and mask the order changes nothing, to the bit, and no word stands out', async () => {
    using reader = await shippedReader('none', 'none');
    const tom = reader.answer(TOM);
    const jerry = reader.answer(JERRY);
    for (const question of ['who', 'whom'] as const) {
      expect(byWord(TOM, tom[question])).toEqual(byWord(JERRY, jerry[question]));
      for (const probability of tom[question]) expect(Math.abs(probability - 1 / 3)).toBeLessThan(0.05);
    }
    expect(reader.compare(TOM, JERRY, HEAD)).toMatchObject({ maxDelta: 0, exact: true });
  });

  it('reads Chinese', async () => {
    using reader = await shippedReader('rope', 'causal');
    const { who, whom } = reader.answer(['狗', '被', '猫', '追', '了']);
    expect(who[2]).toBeGreaterThan(0.95);
    expect(whom[0]).toBeGreaterThan(0.95);
  });

  it('that cannot be downloaded give an error with the address', async () => {
    const get = async () => new Response('', { status: 404, statusText: 'Not Found' });
    const error = await errorOf(() => shippedWeightsOfBrowsers('rope', 'none', { fetch: get }));
    expect({ code: error.code, field: error.field }).toEqual({ code: 'weights_not_found', field: 'encoding' });
    expect(error.message).toContain('rope.none.safetensors could not be loaded');
    expect(error.message).toContain('HTTP 404');
    const gone = async () => Promise.reject(new TypeError('offline'));
    const offline = await errorOf(() => shippedWeightsOfBrowsers('rope', 'causal', { fetch: gone }));
    expect([offline.code, offline.value.endsWith('/reader/rope.causal.safetensors')]).toEqual([
      'weights_not_found',
      true,
    ]);
  });

  it('there is none of a picture', async () => {
    const picture = encodings.find(({ axes }) => axes === 2);
    const error = await errorOf(() => shippedWeights(picture?.kind ?? 'none'));
    expect({ code: error.code, field: error.field }).toEqual({ code: 'out_of_range', field: 'encoding' });
  });
});

describe('a reader', () => {
  it('shows the attention of each head over the start, the words and the questions', async () => {
    using reader = await shippedReader('alibi', 'causal');
    const { weights, logits, parts, output } = reader.attention(TOM, HEAD);
    expect([weights.rows, weights.cols, output.cols]).toEqual([6, 6, readers.dims.headDim]);
    for (let row = 0; row < 6; row++) {
      expect(sum(weights.data.subarray(row * 6, row * 6 + 6))).toBeCloseTo(1, 5);
      expect([...weights.data.subarray(row * 6 + row + 1, row * 6 + 6)].every((weight) => weight === 0)).toBe(true);
    }
    for (let i = 0; i < logits.data.length; i++) {
      const of = (matrix: { data: Float32Array }) => matrix.data[i] ?? NaN;
      expect(of(parts.content) + of(parts.position) + of(parts.bias)).toBeCloseTo(of(logits), 4);
    }
  });

  it('lays two orderings over each other, token by token', async () => {
    using reader = await shippedReader('rope', 'none');
    const comparison = reader.compare(TOM, JERRY, HEAD);
    expect([...comparison.mapping]).toEqual([0, 3, 2, 1, 4, 5]);
    expect(comparison.a).toEqual(reader.attention(TOM, HEAD));
    expect(bits(comparison.b.weights.data)).toEqual(bits(reader.attention(JERRY, HEAD).weights.data));
    expect(comparison.maxDelta).toBeGreaterThan(0.01);
  });

  it('takes any words, and as many as the encoding has positions for', async () => {
    using reader = await shippedReader('rope', 'none');
    for (const words of [[], ['Tom'], ['🙂', '🐈', '🙂'], ['', ' '], Array.from({ length: 60 }, (_, i) => `w${i}`)]) {
      const { who, whom } = reader.answer(words);
      expect([who.length, whom.length]).toEqual([words.length, words.length]);
      if (words.length > 0) expect(sum(who)).toBeCloseTo(1, 4);
      expect(reader.attention(words, HEAD).weights.rows).toBe(words.length + 3);
    }
    using learned = readers.reader({ encoding: { kind: 'learned', maxPosition: 8 } });
    expect(learned.answer(['a', 'b', 'c', 'd', 'e']).who.length).toBe(5);
    const error = await errorOf(() => learned.answer(['a', 'b', 'c', 'd', 'e', 'f']));
    expect(error.code).toBe('position_out_of_range');
  });

  it('takes both ways of writing é as one word', async () => {
    using reader = await shippedReader('rope', 'none');
    expect(reader.answer(['Ren\u00e9', 'ran'])).toEqual(reader.answer(['Rene\u0301', 'ran']));
  });

  it('starts untrained, from a seed', () => {
    const answerOf = (seed: number): ReaderAnswer => {
      using reader = readers.reader({ encoding: { kind: 'rope' }, mask: { kind: 'window', size: 3 }, seed });
      expect(reader.setup).toEqual({ encoding: { kind: 'rope' }, mask: { kind: 'window', size: 3 }, seed });
      expect(reader.steps).toBe(0);
      return reader.answer(TOM);
    };
    expect(answerOf(1)).toEqual(answerOf(1));
    expect(answerOf(1)).not.toEqual(answerOf(2));
  });

  it('comes back from its own file', async () => {
    using reader = readers.reader({ encoding: { kind: 'kerple_log', convention: 'nemo', maxA: 0.3 }, seed: 5 });
    for (const width of ['single', 'half'] as const) {
      const file = reader.saveWeights({ width });
      using loaded = readers.loadWeights(file);
      expect(loaded.setup).toEqual(reader.setup);
      expect(loaded.saveWeights({ width })).toEqual(file);
      if (width === 'single') expect(loaded.answer(TOM)).toEqual(reader.answer(TOM));
    }
    expect(reader.saveWeights()).toEqual(reader.saveWeights({ width: 'single' }));
    using shippedOne = await shippedReader('rope', 'causal');
    expect(shippedOne.saveWeights({ width: 'half' })).toEqual(await shippedWeights('rope', 'causal'));
  });

  it('names its parameters as the encoding object does', async () => {
    using reader = await shippedReader('deberta', 'none');
    expect(reader.setup.encoding).toEqual({ kind: 'deberta', bucketSize: 64 });
  });
});

describe('errors of readers', () => {
  const none = { encoding: { kind: 'none' } } as const;
  const cases: readonly (readonly [string, () => unknown, string, string])[] = [
    [
      'an unknown encoding',
      () => readers.reader({ encoding: { kind: 'ropee' } as never }),
      'unknown_encoding',
      'encoding',
    ],
    ['a wrong parameter', () => readers.reader({ encoding: { kind: 'rope', theta: -1 } }), 'out_of_range', 'theta'],
    ['a wrong seed', () => readers.reader({ ...none, seed: -1 }), 'out_of_range', 'seed'],
    ['a wrong mask', () => readers.reader({ ...none, mask: { kind: 'window', size: 0 } }), 'out_of_range', 'mask.size'],
    ['no setup', () => readers.reader(null as never), 'wrong_type', 'setup'],
    ['text for words', () => readers.reader(none).answer('Tom' as never), 'wrong_type', 'words'],
    ['a number for a word', () => readers.reader(none).answer(['Tom', 1 as never]), 'wrong_type', 'words'],
    ['a layer too far', () => readers.reader(none).attention(TOM, { layer: 2, head: 0 }), 'out_of_range', 'layer'],
    ['a head too far', () => readers.reader(none).attention(TOM, { layer: 0, head: 4 }), 'out_of_range', 'head'],
    ['no head', () => readers.reader(none).attention(TOM, undefined as never), 'wrong_type', 'head'],
    ['an unknown width', () => readers.reader(none).saveWeights({ width: 'double' as never }), 'out_of_range', 'width'],
    ['no file', () => readers.loadWeights('file' as never), 'wrong_type', 'file'],
    ['an empty file', () => readers.loadWeights(new Uint8Array()), 'out_of_range', 'file'],
    ['a file of something else', () => readers.loadWeights(new Uint8Array(1000).fill(60)), 'out_of_range', 'file'],
  ];
  it.each(cases)('%s', async (_, run, code, field) => {
    const error = await errorOf(run);
    expect({ code: error.code, field: error.field }).toEqual({ code, field });
    expect(error.rule).not.toBe('');
  });

  /** A safetensors file with another header, and the same numbers. */
  function withHeader(file: Uint8Array, change: (header: string) => string): Uint8Array {
    const length = Number(new DataView(file.buffer, file.byteOffset).getBigUint64(0, true));
    const header = new TextEncoder().encode(change(new TextDecoder().decode(file.subarray(8, 8 + length))));
    const changed = new Uint8Array(8 + header.length + file.length - 8 - length);
    new DataView(changed.buffer).setBigUint64(0, BigInt(header.length), true);
    changed.set(header, 8);
    changed.set(file.subarray(8 + length), 8 + header.length);
    return changed;
  }

  it('in files that are broken, foreign, or of another reader', async () => {
    using reader = readers.reader({ encoding: { kind: 'rope' } });
    const file = reader.saveWeights();
    const fieldOf = async (broken: Uint8Array) => (await errorOf(() => readers.loadWeights(broken))).field;
    expect(await fieldOf(file.subarray(0, file.length - 1))).toBe('pointer.key.bias');
    expect(await fieldOf(file.subarray(0, 100))).toBe('file');
    expect(await fieldOf(withHeader(file, (header) => header.replace('posenc reader', 'gpt2')))).toBe('metadata.model');
    expect(await fieldOf(withHeader(file, (header) => header.replace('"mask":"none"', '"mask":"some"')))).toBe(
      'metadata.mask',
    );
    expect(await fieldOf(withHeader(file, (header) => header.replace('"encoding":"rope"', '"encoding":"ropee"')))).toBe(
      'encoding',
    );
    expect(
      await fieldOf(withHeader(file, (header) => header.replace('"encoding":"rope"', '"encoding":"learned"'))),
    ).not.toBe('');
    const broken = file.slice();
    broken.fill(0xff, -4);
    const error = await errorOf(() => readers.loadWeights(broken));
    expect(error.code).toBe('not_finite');
  });

  it('leave the engine as it was', async () => {
    using reader = readers.reader(none);
    const before = reader.answer(TOM);
    for (const [, run] of cases) await errorOf(run);
    expect(reader.answer(TOM)).toEqual(before);
  });
});

describe('memory of readers', () => {
  it('is gone after dispose(), which can be called again', async () => {
    const reader = readers.reader({ encoding: { kind: 'rope' } });
    reader.dispose();
    reader.dispose();
    reader[Symbol.dispose]();
    const uses: readonly (() => unknown)[] = [
      () => reader.answer(TOM),
      () => reader.attention(TOM, HEAD),
      () => reader.compare(TOM, JERRY, HEAD),
      () => reader.saveWeights(),
    ];
    for (const use of uses) {
      const error = await errorOf(use);
      expect({ code: error.code, field: error.field }).toEqual({ code: 'missing_value', field: 'reader' });
    }
  });

  it('is its own: a new reader in the place of an old one is not the old one', async () => {
    const old = readers.reader({ encoding: { kind: 'rope' } });
    old.dispose();
    using fresh = readers.reader({ encoding: { kind: 'alibi' } });
    old.dispose();
    expect(fresh.setup.encoding).toEqual({ kind: 'alibi' });
    expect((await errorOf(() => old.answer(TOM))).code).toBe('missing_value');
  });

  it('stays as it is over 10000 answers, a third of them throwing', async () => {
    const { readers: own, size } = await readersWithMemory();
    using reader = own.reader({ encoding: { kind: 'learned', maxPosition: 8 } });
    const long = Array.from({ length: 9 }, (_, i) => `w${i}`);
    const run = (times: number) => {
      let thrown = 0;
      for (let i = 0; i < times; i++) {
        try {
          reader.answer(i % 3 === 0 ? long : i % 2 === 0 ? TOM : JERRY);
        } catch {
          thrown++;
        }
      }
      return thrown;
    };
    run(100);
    const before = size();
    expect(run(9_999)).toBe(3333);
    expect(size()).toBe(before);
  });

  it('stays as it is over 20 short trainings and what they leave', async () => {
    const { readers: own, size } = await readersWithMemory();
    const encoding: Encoding = { kind: 'shaw' };
    const train = async (endings: number) => {
      const training = own.train({ encoding, steps: 3 });
      if (endings % 4 === 3) training.stop();
      const file = await training.done.catch(() => null);
      if (file === null) return;
      using reader = own.loadWeights(file);
      reader.answer(TOM);
    };
    for (let i = 0; i < 4; i++) await train(i);
    const before = size();
    for (let i = 0; i < 20; i++) await train(i);
    expect(size()).toBe(before);
  });

  it('comes back from readers and paused trainings that are forgotten', async () => {
    const { readers: own, size } = await readersWithMemory();
    const encoding: Encoding = { kind: 'rope' };
    const forgetSome = async () => {
      const last = Array.from({ length: 10 }, () => {
        own.train({ encoding, paused: true });
        return new WeakRef(own.reader({ encoding }));
      }).at(-1);
      await collect(() => last?.deref() === undefined);
    };
    for (let i = 0; i < 15; i++) await forgetSome();
    // Twenty live at a time, and some wait to be collected; all 300 together would be above 90 MB.
    expect(size()).toBeLessThan(40e6);
  });
});
