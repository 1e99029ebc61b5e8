import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { en } from '../../web/src/content/en.ts';
import { zh } from '../../web/src/content/zh.ts';
import { arrow, kArrowHeight, layoutArrows } from '../../web/src/logic/arrow_layout.ts';
import { formatPercent } from '../../web/src/logic/format.ts';
import { plain } from '../../web/src/logic/rich.ts';
import { likeliest, readerFacts, shortList, type Answer } from '../../web/src/logic/reader_facts.ts';

const answer = (who: readonly number[], whom: readonly number[]): Answer => ({
  who: Float32Array.from(who),
  whom: Float32Array.from(whom),
});

const words = (text: string): string[] => text.split(' ').filter((word) => word !== '');

const verdict = (a: string, b: string, answerA: Answer, answerB: Answer): string =>
  readerFacts({ words: { a: words(a), b: words(b) }, answers: { a: answerA, b: answerB } }).verdict;

const first = answer([0.98, 0.01, 0.01], [0.01, 0.01, 0.98]);
const even = answer([0.34, 0.32, 0.34], [0.33, 0.33, 0.34]);

describe('what the answers say', () => {
  it('who and whom change places', () => {
    expect(verdict('Tom chased Jerry', 'Jerry chased Tom', first, first)).toBe('flipped');
  });

  it('another sentence has the same answers', () => {
    const passive = answer([0, 0, 0, 0, 1], [1, 0, 0, 0, 0]);
    expect(verdict('Tom chased Jerry', 'Jerry was chased by Tom', first, passive)).toBe('kept');
    expect(verdict('Tom chased Jerry', 'Tom was chased by Jerry', first, passive)).toBe('flipped');
    expect(verdict('Tom chased Jerry', 'Spike was chased by Tyke', first, passive)).toBe('sure');
  });

  it('blind only when every word has the same bits', () => {
    const turned = answer([...even.who].reverse(), [...even.whom].reverse());
    expect(verdict('Tom chased Jerry', 'Jerry chased Tom', even, turned)).toBe('blind');
    expect(verdict('Tom chased Jerry', 'Jerry chased Tom', even, even)).toBe('unsure');
    const almost = answer(
      [...turned.who].map((value) => value + 1e-7),
      [...turned.whom],
    );
    expect(verdict('Tom chased Jerry', 'Jerry chased Tom', even, almost)).toBe('unsure');
  });

  it('the same sentence, and no sentence', () => {
    expect(verdict('Tom chased Jerry', 'Tom chased Jerry', even, even)).toBe('same');
    expect(verdict('', 'Tom chased Jerry', answer([], []), even)).toBe('empty');
    expect(verdict('', '', answer([], []), answer([], []))).toBe('empty');
  });

  it('a word that stands twice can have other probabilities in each place', () => {
    expect(verdict('Tom chased Tom', 'Tom Tom chased', first, first)).toBe('sure');
    expect(
      verdict(
        'Tom saw Tom',
        'saw Tom Tom',
        answer([0.4, 0.2, 0.4], [0.4, 0.2, 0.4]),
        answer([0.2, 0.4, 0.4], [0.2, 0.4, 0.4]),
      ),
    ).toBe('blind');
  });

  it('knows the smallest certainty', () => {
    const facts = readerFacts({
      words: { a: ['x', 'y'], b: ['y', 'x'] },
      answers: { a: answer([0.7, 0.3], [0.4, 0.6]), b: answer([1, 0], [0, 1]) },
    });
    expect(facts).toMatchObject({ a: { who: 0, whom: 1 }, b: { who: 0, whom: 1 }, verdict: 'unsure', sameBag: true });
    expect(facts.certainty).toBeCloseTo(0.6, 6);
  });
});

describe('sentences about answers', () => {
  const pairs: readonly (readonly [string, string, Answer, Answer])[] = [
    ['Tom chased Jerry', 'Jerry chased Tom', first, first],
    ['Tom chased Jerry', 'Jerry was chased by Tom', first, answer([0, 0, 0, 0, 1], [1, 0, 0, 0, 0])],
    ['Tom chased Jerry', 'Spike chased Tyke', first, first],
  ];

  for (const { lang, reader } of [en, zh]) {
    it(`${lang}: name who and whom of both`, () => {
      for (const [a, b, answerA, answerB] of pairs) {
        const shown = { a: words(a), b: words(b) };
        const facts = readerFacts({ words: shown, answers: { a: answerA, b: answerB } });
        const text = plain(reader.verdict({ facts, words: shown, noEncoding: false, mask: 'none' }));
        for (const row of ['a', 'b'] as const)
          for (const ask of ['who', 'whom'] as const) expect(text).toContain(shown[row][facts[row][ask]]);
        expect(text).not.toMatch(/undefined|NaN/u);
      }
    });

    it(`${lang}: say that no training helps only where that is so`, () => {
      const shown = { a: words('Tom chased Jerry'), b: words('Jerry chased Tom') };
      const turned = answer([...even.who].reverse(), [...even.whom].reverse());
      const say = (answerB: Answer, noEncoding: boolean, mask: 'none' | 'causal'): string =>
        plain(
          reader.verdict({
            facts: readerFacts({ words: shown, answers: { a: even, b: answerB } }),
            words: shown,
            noEncoding,
            mask,
          }),
        );
      const never = /No training can help|怎么训练也没用/u;
      for (const answerB of [turned, even]) {
        expect(say(answerB, true, 'none')).toMatch(never);
        expect(say(answerB, true, 'causal')).not.toMatch(never);
        expect(say(answerB, false, 'none')).not.toMatch(never);
      }
      expect(say(even, false, 'none')).toContain('34%');
    });
  }

  it('have as many examples in both languages', () => {
    expect(zh.reader.examples).toHaveLength(en.reader.examples.length);
  });
});

describe('lists of words', () => {
  it('name the likeliest until most is said', () => {
    expect(likeliest(Float32Array.of(0.01, 0.98, 0.01))).toEqual([1]);
    expect(likeliest(Float32Array.of(0.32, 0.34, 0.34))).toEqual([1, 2, 0]);
    expect(likeliest(Float32Array.of(0.25, 0.25, 0.25, 0.25))).toEqual([0, 1, 2]);
    expect(likeliest(new Float32Array(0))).toEqual([]);
  });

  it('shorten a long sentence without losing probability', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat({ max: 1000 }), { minLength: 1, maxLength: 64 }),
        fc.integer({ min: 2, max: 14 }),
        (parts, most) => {
          const sum = parts.reduce((all, part) => all + part + 1, 0);
          const values = parts.map((part) => (part + 1) / sum);
          const { places, rest } = shortList(answer(values, values.toReversed()), most);
          expect(places.length).toBeLessThanOrEqual(most);
          expect(places).toEqual(places.toSorted((i, j) => i - j));
          const named = places.reduce((all, place) => all + (values[place] ?? 0), 0);
          expect(named + rest.who).toBeCloseTo(1, 4);
        },
      ),
    );
  });
});

describe('arrows', () => {
  it('have room for the words, or there is no picture', () => {
    const labels = words('the cat saw the dog');
    const layout = layoutArrows(labels, 560);
    if (layout === null) throw new Error('no room');
    layout.words.forEach(({ x, width }, place) => {
      expect(x - width / 2).toBeGreaterThanOrEqual(0);
      expect(x + width / 2).toBeLessThanOrEqual(560);
      const next = layout.words[place + 1];
      if (next) expect(next.x - next.width / 2).toBeGreaterThan(x + width / 2);
    });
    expect(layoutArrows(labels, 200)).toBeNull();
    expect(layoutArrows(Array<string>(60).fill('word'), 1200)).toBeNull();
    expect(layoutArrows([], 560)).toBeNull();
    expect(layoutArrows(['x'.repeat(200)], 560)).toBeNull();
  });

  it('read from right to left in such a script', () => {
    const xs = layoutArrows(['א', 'ב', 'ג'], 400, 'rtl')?.words.map(({ x }) => x) ?? [];
    expect(xs).toEqual(xs.toSorted((i, j) => j - i));
    expect(xs).toHaveLength(3);
  });

  it('grow with the probability', () => {
    const [thin, thick] = [arrow(0, 28, 50, 80, 0.1), arrow(0, 28, 50, 80, 0.9)];
    expect(thick.thickness).toBeGreaterThan(thin.thickness);
    expect(thick.opacity).toBeGreaterThan(thin.opacity);
    expect(arrow(0, kArrowHeight, 50, 200, 1).head).toMatch(/L50\.0 200\.0Z$/u);
  });
});

describe('percent', () => {
  it('never rounds to certain or to nothing', () => {
    expect([0, 0.0001, 0.337, 0.9999, 1].map(formatPercent)).toEqual(['0%', '<1%', '34%', '>99%', '100%']);
  });
});
