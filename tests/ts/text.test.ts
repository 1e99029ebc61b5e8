import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { graphemes, graphemesByCodePoint, tokenize, tokenizePair } from '../../bindings/src/text.ts';

const kFamily = '👨‍👩‍👧';
const kFlag = '🇨🇳';

/** The text without white space: what must survive every cut. */
const solid = (text: string): string => text.normalize('NFC').replace(/\p{White_Space}/gu, '');
const cut = (a: string, b: string): string => {
  const pair = tokenizePair(a, b);
  return `${pair.a.join('|')} / ${pair.b.join('|')}`;
};

describe('tokenize: one sentence', () => {
  it.each([
    ['', []],
    ['   \t\n ', []],
    ['Tom', ['Tom']],
    ['Tom chased Jerry', ['Tom', 'chased', 'Jerry']],
    ['  Tom \t chased\nJerry\u3000again ', ['Tom', 'chased', 'Jerry', 'again']],
    ["Don't stop, Tom!", ["Don't", 'stop', ',', 'Tom', '!']],
    ['state-of-the-art', ['state-of-the-art']],
    ['He said “no”.', ['He', 'said', '“', 'no', '”', '.']],
    ['pi is 3.14, not 3,000', ['pi', 'is', '3.14', ',', 'not', '3,000']],
    ['at 12:30, e.g. now...', ['at', '12:30', ',', 'e.g', '.', 'now', '...']],
    ['C++ costs 50% #tag', ['C++', 'costs', '50%', '#tag']],
    ['<img onerror=alert(1)>', ['<img', 'onerror=alert', '(', '1', ')', '>']],
    ['我爱你', ['我', '爱', '你']],
    ['我爱你。', ['我', '爱', '你', '。']],
    ['我 爱你', ['我', '爱你']],
    ['Tom 追 Jerry', ['Tom', '追', 'Jerry']],
    ['Tom追Jerry', ['Tom', '追', 'Jerry']],
    ['コーヒー', ['コ', 'ー', 'ヒ', 'ー']],
    ['나는 너를 사랑해', ['나는', '너를', '사랑해']],
    ['New\u00a0York is big', ['New\u00a0York', 'is', 'big']],
    ['汤姆\u00a0追 杰瑞', ['汤姆\u00a0追', '杰瑞']],
    ['\u00a0Tom\u00a0 \u00a0\u00a0 Jerry', ['Tom', 'Jerry']],
    [`I ❤️ ${kFamily}${kFlag}👍🏽 1️⃣`, ['I', '❤️', kFamily, kFlag, '👍🏽', '1️⃣']],
    ['🐱追🐶', ['🐱', '追', '🐶']],
    ['طارد توم جيري؟', ['طارد', 'توم', 'جيري', '؟']],
    ['טום רדף אחרי ג׳רי.', ['טום', 'רדף', 'אחרי', 'ג׳רי', '.']],
    ['cafe\u0301 ole\u0301', ['café', 'olé']],
    ['z\u0300\u0316 a', ['z\u0316\u0300', 'a']],
  ])('%j is cut into %j', (text, tokens) => {
    expect(tokenize(text)).toEqual(tokens);
  });

  it('takes the reader’s choice of characters', () => {
    expect(tokenize('Tom 追', { split: 'char' })).toEqual(['T', 'o', 'm', '追']);
    expect(tokenize(`a${kFamily}\u00a0é`, { split: 'char' })).toEqual(['a', kFamily, 'é']);
  });

  it('takes the reader’s choice of spaces only', () => {
    expect(tokenize('我爱你, Tom!', { split: 'space' })).toEqual(['我爱你,', 'Tom!']);
  });

  it('takes the words of the browser without losing a character', () => {
    const text = '狗咬人, 汤姆追杰瑞! New\u00a0York';
    const words = tokenize(text, { split: 'word', locale: 'zh' });
    expect(solid(words.join(''))).toBe(solid(text));
    expect(words).toContain('New\u00a0York');
  });
});

describe('tokenizePair: text without spaces is cut by what both share', () => {
  it.each([
    ['汤姆追杰瑞', '杰瑞追汤姆', '汤姆|追|杰瑞 / 杰瑞|追|汤姆'],
    ['我爱你', '你爱我', '我|爱|你 / 你|爱|我'],
    ['狗咬人', '人咬狗', '狗|咬|人 / 人|咬|狗'],
    ['屡战屡败', '屡败屡战', '屡战|屡败 / 屡败|屡战'],
    ['我爱你', '爱你我', '我|爱你 / 爱你|我'],
    ['昨天我爱你', '昨天你爱我', '昨天|我|爱|你 / 昨天|你|爱|我'],
    ['昨天汤姆追杰瑞', '杰瑞追汤姆', '昨|天|汤姆|追|杰瑞 / 杰瑞|追|汤姆'],
    ['Tom追Jerry', 'Jerry追Tom', 'Tom|追|Jerry / Jerry|追|Tom'],
    ['Tom 追杰瑞', '杰瑞追 Tom', 'Tom|追|杰瑞 / 杰瑞|追|Tom'],
    ['Tom chased Jerry', '杰瑞追汤姆', 'Tom|chased|Jerry / 杰|瑞|追|汤|姆'],
    ['不是不好，是好', '是好，不是不好', '不是不好|，|是好 / 是好|，|不是不好'],
  ])('%s / %s', (a, b, expected) => {
    expect(cut(a, b)).toBe(expected);
  });

  it('cuts a sentence that would be one piece into characters', () => {
    expect(cut('我爱你', '我爱你')).toBe('我|爱|你 / 我|爱|你');
    expect(cut('我爱你', '我爱你吗')).toBe('我|爱|你 / 我|爱|你|吗');
    expect(cut('Tom追杰瑞', 'Tom追杰瑞')).toBe('Tom|追|杰|瑞 / Tom|追|杰|瑞');
    expect(cut('我爱你', '')).toBe('我|爱|你 / ');
  });

  it('lets typed spaces win, and cuts the other sentence by them', () => {
    expect(cut('汤姆 追 杰瑞', '狗 咬 人')).toBe('汤姆|追|杰瑞 / 狗|咬|人');
    expect(cut('汤姆 追 杰瑞', '杰瑞追汤姆')).toBe('汤姆|追|杰瑞 / 杰瑞|追|汤姆');
    expect(cut('我爱你', '爱 你 我')).toBe('我|爱|你 / 爱|你|我');
    expect(cut('我 爱你', '爱你我吗')).toBe('我|爱你 / 爱你|我|吗');
    expect(cut('天上 有 人', '上天 有 人')).toBe('天上|有|人 / 上天|有|人');
  });

  it('keeps joined words whole on both sides', () => {
    expect(cut('New\u00a0York is big', 'big is New\u00a0York')).toBe('New\u00a0York|is|big / big|is|New\u00a0York');
  });

  it('chooses pieces that both sides use when several cuts are equally short', () => {
    const { a, b } = tokenizePair('天地天地', '地天地天');
    expect([...a].sort()).toEqual([...b].sort());
    expect(a).toHaveLength(2);
  });

  it('uses a longer piece equally often on both sides', () => {
    const { a, b } = tokenizePair('天地天地人', '天地人地天');
    expect([...a].sort()).toEqual([...b].sort());
  });

  it('compares canonical forms', () => {
    const { a, b } = tokenizePair('cafe\u0301 bon', 'bon café');
    expect(a).toEqual(['café', 'bon']);
    expect(b).toEqual(['bon', 'café']);
  });
});

describe('tokenizePair: properties', () => {
  const signs = fc.constantFrom('天', '地', '人', '我', '爱', 'か', 'な', 'ก');
  const fewSigns = fc.array(signs, { maxLength: 9 }).map((list) => list.join(''));
  const anything = fc.string({ unit: 'grapheme', maxLength: 24 });
  const prose = fc
    .array(
      fc.constantFrom(
        'Tom',
        ' ',
        ' ',
        '追',
        '我',
        '爱',
        ',',
        '。',
        '\u00a0',
        "don't",
        kFamily,
        kFlag,
        '3.14',
        'é',
        'שלום',
        '\u3000',
        '<b>',
      ),
      { maxLength: 14 },
    )
    .map((list) => list.join(''));
  const text = fc.oneof(fewSigns, anything, prose);

  it('loses nothing but white space', () => {
    fc.assert(
      fc.property(
        text,
        text,
        fc.constantFrom('auto' as const, 'char' as const, 'word' as const, 'space' as const),
        (a, b, split) => {
          const pair = tokenizePair(a, b, { split });
          expect(solid(pair.a.join(''))).toBe(solid(a));
          expect(solid(pair.b.join(''))).toBe(solid(b));
          expect(solid(tokenize(a, { split }).join(''))).toBe(solid(a));
        },
      ),
    );
  });

  it('gives no empty word and no typed space', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        for (const token of [...tokenizePair(a, b).a, ...tokenizePair(a, b).b])
          expect(token).toMatch(/^(?:(?!\p{White_Space})[^]|\u00a0)+$/u);
      }),
    );
  });

  it('does not depend on which sentence comes first', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        const forth = tokenizePair(a, b);
        const back = tokenizePair(b, a);
        expect(back).toEqual({ a: forth.b, b: forth.a });
      }),
    );
  });

  it('gives two orders of the same signs two orders of the same words', () => {
    const pair = fewSigns.chain((a) =>
      fc.tuple(fc.constant(a), fc.shuffledSubarray([...a], { minLength: [...a].length })),
    );
    fc.assert(
      fc.property(pair, ([a, shuffled]) => {
        const words = tokenizePair(a, shuffled.join(''));
        expect([...words.a].sort()).toEqual([...words.b].sort());
      }),
      { numRuns: 500 },
    );
  });

  it('uses every longer piece equally often on both sides', () => {
    fc.assert(
      fc.property(fewSigns, fewSigns, (a, b) => {
        fc.pre(a !== b);
        const pair = tokenizePair(a, b);
        const longer = (tokens: string[]): string[] => tokens.filter((token) => graphemes(token).length > 1).sort();
        expect(longer(pair.a)).toEqual(longer(pair.b));
      }),
      { numRuns: 500 },
    );
  });

  it('finds the fewest pieces when no sign repeats', () => {
    const alphabet = [...'天地人我爱你他她'];
    const pair = fc
      .tuple(fc.shuffledSubarray(alphabet, { minLength: 3, maxLength: 8 }))
      .chain(([a]) => fc.tuple(fc.constant(a), fc.shuffledSubarray(a, { minLength: a.length })));
    fc.assert(
      fc.property(pair, ([a, b]) => {
        // Without repeats a cut is forced exactly where neighbours of A are no neighbours in B.
        const breaks = a.slice(1).filter((sign, index) => b[b.indexOf(a[index] ?? '') + 1] !== sign).length;
        fc.pre(breaks > 0);
        expect(tokenizePair(a.join(''), b.join('')).a).toHaveLength(breaks + 1);
      }),
    );
  });

  it('stays close to the fewest pieces when signs repeat', () => {
    const twoSigns = fc.array(fc.constantFrom('天', '地', '人'), { minLength: 2, maxLength: 7 });
    const pair = twoSigns.chain((a) => fc.tuple(fc.constant(a), fc.shuffledSubarray(a, { minLength: a.length })));
    fc.assert(
      fc.property(pair, ([a, b]) => {
        const fewest = fewestByTrying(a.join(''), b.join(''));
        fc.pre(fewest > 1);
        const found = tokenizePair(a.join(''), b.join('')).a.length;
        // With repeats the exact answer (a minimum common string partition) is NP-hard; the search takes one good cut.
        expect(found).toBeGreaterThanOrEqual(fewest);
        expect(found).toBeLessThanOrEqual(fewest + 2);
      }),
      { numRuns: 500 },
    );
  });

  it('gives the same characters with and without Intl.Segmenter', () => {
    const samples = [
      'né',
      kFamily,
      kFlag + kFlag,
      '👍🏽1️⃣❤️',
      'นี่คือภาษาไทย',
      'हिन्दी'.slice(0, 2),
      '汤姆',
      'e\u0301\u0323x',
      'שָׁלוֹם',
      'مرحبًا',
      '🏴󠁧󠁢󠁥󠁮󠁧󠁿',
      '',
    ];
    for (const sample of samples) expect(graphemesByCodePoint(sample)).toEqual(graphemes(sample));
  });
});

describe('tokenize: long text', () => {
  const milliseconds = (run: () => void): number => {
    const times = Array.from({ length: 7 }, () => {
      const start = performance.now();
      run();
      return performance.now() - start;
    });
    return Math.min(...times);
  };

  it('cuts 512 English words in under 5 ms', () => {
    const words = Array.from({ length: 512 }, (_, index) => `word${index % 97}`);
    const a = words.join(' ');
    const b = words.slice().reverse().join(' ');
    expect(tokenizePair(a, b).a).toHaveLength(512);
    expect(milliseconds(() => tokenizePair(a, b))).toBeLessThan(5);
  });

  it('cuts 512 Chinese characters, in one piece or of one sign, in bounded time', () => {
    const a = Array.from({ length: 512 }, (_, index) => String.fromCharCode(0x4e00 + ((index * 37) % 211))).join('');
    const b = [...a].reverse().join('');
    expect(milliseconds(() => tokenizePair(a, b))).toBeLessThan(50);
    expect(milliseconds(() => tokenizePair('人'.repeat(512), '人'.repeat(511)))).toBeLessThan(50);
    expect(tokenizePair('人'.repeat(5000), '天'.repeat(5000)).a).toHaveLength(5000);
  });
});

/** Fewest pieces by trying every cut: both sides the same multiset of pieces. */
function fewestByTrying(a: string, b: string): number {
  const cuts = (text: string): string[][] => {
    if (text === '') return [[]];
    return Array.from(text, (_, index) => index + 1).flatMap((length) =>
      cuts(text.slice(length)).map((rest) => [text.slice(0, length), ...rest]),
    );
  };
  const bags = new Set(cuts(b).map((pieces) => [...pieces].sort().join('|')));
  return Math.min(
    ...cuts(a)
      .filter((pieces) => bags.has([...pieces].sort().join('|')))
      .map((pieces) => pieces.length),
  );
}
