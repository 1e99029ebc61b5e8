import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { tokenizePair } from 'posenc/text';
import { describe, expect, it } from 'vitest';
import {
  changeStep,
  contrast,
  makePalette,
  parseColour,
  weightStep,
  type PaletteColours,
  type Rgb,
} from '../../web/src/logic/colour.ts';
import {
  checkField,
  fieldDefault,
  fromSlider,
  nearestAllowed,
  parseNumber,
  stepped,
  toSlider,
} from '../../web/src/logic/fields.ts';
import {
  compact,
  formatChange,
  formatNumber,
  formatPair,
  formatParam,
  formatSize,
  formatWeight,
} from '../../web/src/logic/format.ts';
import { fitLabel, labelExtent, layoutMatrix } from '../../web/src/logic/layout.ts';
import { em, plain, rich } from '../../web/src/logic/rich.ts';
import {
  exchanged,
  isReverse,
  moved,
  placesToSwap,
  repetitionMarks,
  reversed,
  shuffled,
  wordLabels,
  writePair,
} from '../../web/src/logic/words.ts';
import { kFields } from './registry.ts';

describe('numbers in print', () => {
  it('never print a change that is there as nothing, or nothing as a change', () => {
    expect(formatChange(0)).toBe('= 0');
    expect(formatChange(0.001)).toBe('≈0');
    expect(formatChange(-0.004)).toBe('≈0');
    expect(formatChange(0.214)).toBe('+0.21');
    expect(formatChange(-0.214)).toBe('\u22120.21');
    expect(formatChange(NaN)).toBe('–');
    expect(compact(formatChange(-0.21))).toBe('\u2212.21');
    expect(compact(formatChange(0))).toBe('=');
  });

  it('print 0 and 1 only for exactly 0 and 1', () => {
    expect([0, 1, 0.001, 0.999, 0.31].map(formatWeight)).toEqual(['0', '1', '<0.01', '>0.99', '0.31']);
  });

  it('print as many digits as it takes to tell two weights apart', () => {
    expect(formatPair(0.22, 0.31)).toEqual(['0.22', '0.31']);
    expect(formatPair(0.3101, 0.3109)).toEqual(['0.310', '0.311']);
    fc.assert(
      fc.property(fc.float({ min: 0, max: 1, noNaN: true }), fc.float({ min: 0, max: 1, noNaN: true }), (from, to) => {
        fc.pre(from !== to && Math.abs(from - to) > 1e-8);
        const [a, b] = formatPair(from, to);
        expect(a).not.toBe(b);
      }),
    );
  });

  it('print the size of a change, however small', () => {
    expect([0, 0.123, 0.0042, 3e-8].map(formatSize)).toEqual(['0', '0.12', '0.004', '3 × 10⁻⁸']);
  });

  it('print parameters so that they read back to the same number', () => {
    expect([10000, 5e7, 0.25, 1e-5].map(formatNumber)).toEqual(['10000', '5e7', '0.25', '1e-5']);
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(Number(formatParam(value))).toBe(value === 0 ? 0 : value);
      }),
    );
  });
});

describe('colours', () => {
  const css = readFileSync(new URL('../../web/src/styles/tokens.css', import.meta.url), 'utf8');
  const token = (name: string, theme: 'light' | 'dark'): Rgb => {
    const value = new RegExp(
      `--posenc-color-${name}:\\s*(?:light-dark\\((#\\w{6}),\\s*(#\\w{6})\\)|(#\\w{6}))`,
      'u',
    ).exec(css);
    if (!value) throw new Error(`no token ${name}`);
    return parseColour(value[3] ?? (theme === 'light' ? value[1] : value[2]) ?? '');
  };
  const colours = (theme: 'light' | 'dark'): PaletteColours => ({
    surface: token('surface', theme),
    ink: token('ink', theme),
    muted: token('muted', theme),
    line: token('line', theme),
    border: token('border', theme),
    weightMiddle: token('weight-middle', theme),
    weightHigh: token('weight-high', theme),
    negative: token('negative', theme),
    positive: token('positive', theme),
    inkDark: token('ink-dark', theme),
    inkLight: token('ink-light', theme),
  });

  it.each(['light', 'dark'] as const)('every number is readable on every colour (%s)', (theme) => {
    const palette = makePalette(colours(theme));
    for (const ramp of [palette.weight, palette.change]) {
      ramp.rgb.forEach((fill, step) => {
        expect(
          contrast(fill, parseColour(ramp.inks[step] ?? '')),
          `step ${step} ${ramp.fills[step] ?? ''}`,
        ).toBeGreaterThanOrEqual(4.5);
      });
    }
  });

  it.each(['light', 'dark'] as const)('text and controls have their contrast (%s)', (theme) => {
    const surface = token('surface', theme);
    for (const name of ['ink', 'muted', 'accent', 'a', 'b', 'warning'])
      expect(contrast(token(name, theme), surface), name).toBeGreaterThanOrEqual(4.5);
    expect(contrast(token('warning', theme), token('warning-soft', theme))).toBeGreaterThanOrEqual(4.5);
    expect(contrast(token('muted', theme), token('raised', theme))).toBeGreaterThanOrEqual(4.5);
    for (const name of ['border', 'focus'])
      expect(contrast(token(name, theme), surface), name).toBeGreaterThanOrEqual(3);
  });

  it.each(['light', 'dark'] as const)(
    'the weight ramp goes one way in lightness, so grey print keeps it (%s)',
    (theme) => {
      const { weight } = makePalette(colours(theme));
      const paper = weight.rgb[0] ?? [0, 0, 0];
      const distances = weight.rgb.map((fill) => contrast(fill, paper));
      // One unit of 8-bit rounding is allowed.
      for (let step = 8; step < distances.length; step += 8)
        expect(distances[step] ?? 0).toBeGreaterThan((distances[step - 8] ?? 0) - 0.01);
    },
  );

  it('has the surface in the middle of the change, and clamps at the ends', () => {
    const { change } = makePalette(colours('light'));
    const middle = change.rgb[changeStep(0, 1)] ?? [0, 0, 0];
    token('surface', 'light').forEach((channel, index) =>
      expect(Math.abs(channel - (middle[index] ?? 0))).toBeLessThanOrEqual(2),
    );
    expect([changeStep(-9, 1), changeStep(9, 1)]).toEqual([0, 255]);
    expect([weightStep(-1), weightStep(2)]).toEqual([0, 255]);
    expect(changeStep(0.2, 1) - changeStep(0, 1)).toBe(changeStep(0, 1) - changeStep(-0.2, 1) - 1);
  });

  it('reads what browsers give for a colour', () => {
    expect(parseColour('rgb(1, 2, 3)')).toEqual([1, 2, 3]);
    expect(parseColour('rgba(1, 2, 3, 1)')).toEqual([1, 2, 3]);
    expect(parseColour('color(srgb 0 0.5 1)')).toEqual([0, 128, 255]);
    expect(parseColour('#0a7464')).toEqual([10, 116, 100]);
  });
});

describe('parameters', () => {
  it('take their default from the sizes of the layer', () => {
    expect(fieldDefault(kFields.width)).toBe(16);
  });

  it('read numbers as people write them', () => {
    expect(['1e4', '\u22122', '10 000', ' .5 ', '3.', ''].map(parseNumber)).toEqual([10000, -2, 10000, 0.5, 3, NaN]);
    for (const text of ['abc', '1,5', 'Infinity', '0x10', '1e', '--1', 'NaN'])
      expect(parseNumber(text), text).toBeNaN();
  });

  it('say what is wrong, and what is closest', () => {
    expect(checkField(kFields.width, '7')).toMatchObject({ ok: false, code: 'out_of_range', nearest: 8 });
    expect(checkField(kFields.width, '1')).toMatchObject({ ok: false, nearest: 2 });
    expect(checkField(kFields.width, '99')).toMatchObject({ ok: false, nearest: 16 });
    expect(checkField(kFields.theta, 'x')).toMatchObject({ ok: false, code: 'wrong_type', nearest: 10000 });
    expect(checkField(kFields.factors, '1, 2，3')).toEqual({ ok: true, value: [1, 2, 3] });
    expect(checkField(kFields.signed, '0')).toEqual({ ok: true, value: false });
  });

  it('step on their grid and stop at their limits', () => {
    expect(stepped(kFields.width, 8, 1)).toBe(10);
    expect(stepped(kFields.width, 16, 1)).toBe(16);
    expect(stepped(kFields.width, 2, -1)).toBe(2);
  });

  it('always land on an allowed value', () => {
    for (const field of [kFields.theta, kFields.width, kFields.spread]) {
      fc.assert(
        fc.property(fc.double({ noNaN: true }), fc.nat({ max: 1000 }), (value, position) => {
          for (const result of [nearestAllowed(field, value), fromSlider(field, position)])
            expect(checkField(field, String(result))).toEqual({ ok: true, value: result });
        }),
      );
    }
  });

  it('come back to where the slider stands', () => {
    for (const position of [0, 250, 500, 1000])
      expect(Math.abs(toSlider(kFields.theta, fromSlider(kFields.theta, position)) - position)).toBeLessThanOrEqual(3);
    expect(fromSlider(kFields.theta, 0)).toBe(1);
    expect(fromSlider(kFields.theta, 1000)).toBe(1e8);
  });
});

describe('words', () => {
  const words = fc.array(fc.constantFrom('Tom', 'ran', '追', '我', ',', '。', 'New\u00a0York', '👍', '('), {
    minLength: 1,
    maxLength: 8,
  });

  it('change places', () => {
    expect(moved(['a', 'b', 'c'], 0, 2)).toEqual(['b', 'c', 'a']);
    expect(exchanged(['a', 'b', 'c'], 0, 2)).toEqual(['c', 'b', 'a']);
    expect(reversed(['a', 'b'])).toEqual(['b', 'a']);
    expect(isReverse(['a', 'b', 'a'], ['a', 'b', 'a'])).toBe(true);
  });

  it('find two that differ', () => {
    expect(placesToSwap(['a', 'b', 'c'], [1, 2])).toEqual([1, 2]);
    expect(placesToSwap(['a', 'b', 'c'], [-1, 2])).toEqual([0, 2]);
    expect(placesToSwap(['a', 'b', 'a'], [0, 2])).toEqual([0, 1]);
    expect(placesToSwap(['a', 'a'], [0, 1])).toBeNull();
    expect(placesToSwap([], [0, 1])).toBeNull();
  });

  it('shuffle into another order of the same words', () => {
    fc.assert(
      fc.property(words, fc.integer({ min: 1, max: 2 ** 31 - 1 }), (list, seed) => {
        let state = seed;
        const next = shuffled(list, () => (state = (state * 48271) % 2147483647) / 2147483647);
        expect(next.toSorted()).toEqual(list.toSorted());
        if (new Set(list).size > 1) expect(next).not.toEqual(list);
      }),
    );
  });

  it('mark repetitions', () => {
    expect(repetitionMarks(['the', 'cat', 'the'])).toEqual(['①', '', '②']);
    expect(wordLabels(['New\u00a0York', 'a', 'a'])).toEqual(['New York', 'a①', 'a②']);
    expect(repetitionMarks(Array(22).fill('a')).slice(-2)).toEqual(['(21)', '(22)']);
  });

  it('are written so that they are cut the same again', () => {
    expect(writePair(['你', '爱', '我'], { text: '我爱你', words: ['我', '爱', '你'] }, 'auto').text).toBe('你爱我');
    expect(writePair(['Hello', ',', 'Tom'], { text: 'x', words: ['x'] }, 'auto').text).toBe('Hello, Tom');
    // Without spaces 爱你 would become one piece.
    expect(writePair(['爱', '你', '我'], { text: '我爱你', words: ['我', '爱', '你'] }, 'auto')).toEqual({
      text: '爱 你 我',
      other: '我爱你',
    });
    fc.assert(
      fc.property(words, words, (a, b) => {
        const cut = tokenizePair(a.join(' '), b.join(' '));
        const written = writePair(reversed(cut.b), { text: a.join(' '), words: cut.a }, 'auto');
        const again = tokenizePair(written.text, written.other);
        expect(again).toEqual({ a: reversed(cut.b), b: cut.a });
      }),
    );
  });
});

describe('sizes', () => {
  it('keeps cells at 28 pixels and more with a number up to 8 words, beside each other', () => {
    for (let size = 1; size <= 8; size += 1) {
      const layout = layoutMatrix(size, 287, Array(size).fill('word'));
      expect(layout.cell).toBeGreaterThanOrEqual(27);
      expect(layout.values).not.toBe('none');
      expect(layout.width).toBeLessThanOrEqual(287);
    }
  });

  it('fits any number of words in any width, and turns labels by no more than 45 degrees', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 512 }),
        fc.integer({ min: 180, max: 400 }),
        fc.string({ maxLength: 30 }),
        (size, width, label) => {
          const layout = layoutMatrix(size, width, Array(size).fill(label));
          expect(layout.width).toBeLessThanOrEqual(width + 1e-6);
          expect([0, 45]).toContain(layout.angle);
          expect(layout.drawing).toBe(size > 16 ? 'canvas' : 'svg');
        },
      ),
    );
  });

  it('cuts long labels', () => {
    expect(fitLabel('incomprehensibilities', 60)).toMatch(/^incom.*…$/u);
    expect(fitLabel('我', 20)).toBe('我');
    expect(labelExtent(fitLabel('incomprehensibilities', 60))).toBeLessThanOrEqual(75);
  });
});

describe('rich text', () => {
  it('keeps words apart from markup', () => {
    const text = rich`${em('<b>')} gives ${rich`${em('x')}!`}`;
    expect(text).toEqual([{ em: '<b>' }, ' gives ', { em: 'x' }, '!']);
    expect(plain(text)).toBe('<b> gives x!');
  });
});
