/** Where words and arrows stand in the picture of an answer. All lengths in CSS pixels. */
import { labelExtent } from './layout.ts';

const kFont = 16;
const kPadding = 14;
const kNarrowestWord = 46;
/** Between two words: at least, and where there is room. */
const kGap = { least: 8, most: 56 } as const;

/** From top to bottom: the first question, its arrows, numbers, the words, numbers, arrows, the second question. */
export const kRows = {
  askHeight: 28,
  arrows: 58,
  number: 20,
  word: 38,
} as const;

export const kArrowHeight = 2 * (kRows.askHeight + kRows.arrows + kRows.number) + kRows.word;
export const kWordTop = kRows.askHeight + kRows.arrows + kRows.number;

export interface ArrowLayout {
  readonly width: number;
  /** Middle of each word, in reading order, and its width. */
  readonly words: readonly { readonly x: number; readonly width: number }[];
  /** Where the questions stand: above and below the middle of the words. */
  readonly middle: number;
}

/** The words in one row, in the middle of `width`; `null` where they do not fit. */
export function layoutArrows(
  labels: readonly string[],
  width: number,
  direction: 'ltr' | 'rtl' = 'ltr',
): ArrowLayout | null {
  const widths = labels.map((label) => Math.max(kNarrowestWord, labelExtent(label, kFont) + 2 * kPadding));
  const alone = widths.reduce((sum, each) => sum + each, 0);
  const gap = Math.min(kGap.most, (width - alone) / Math.max(1, labels.length - 1));
  if (labels.length === 0 || gap < kGap.least || alone > width) return null;
  let left = (width - alone - gap * (labels.length - 1)) / 2;
  const words = widths.map((each) => {
    const x = left + each / 2;
    left += each + gap;
    return { x: direction === 'rtl' ? width - x : x, width: each };
  });
  return { width, words, middle: width / 2 };
}

/** An arrow from a question to a word: its line, and its head. */
export interface Arrow {
  readonly path: string;
  readonly head: string;
  readonly thickness: number;
  readonly opacity: number;
}

const kThinnest = 1.25;
const kThickest = 8;
const kFaintest = 0.16;

/**
 * From (`fromX`, `fromY`) to (`toX`, `toY`), upright at both ends. Thickness and opacity grow with the probability.
 */
export function arrow(fromX: number, fromY: number, toX: number, toY: number, probability: number): Arrow {
  const down = Math.sign(toY - fromY);
  const thickness = kThinnest + (kThickest - kThinnest) * probability;
  const headLength = 5 + 7 * probability;
  const headWidth = 3 + 5 * probability;
  const end = toY - down * headLength;
  const bend = (end - fromY) * 0.62;
  const at = (x: number, y: number): string => `${x.toFixed(1)} ${y.toFixed(1)}`;
  return {
    path: `M${at(fromX, fromY)}C${at(fromX, fromY + bend)} ${at(toX, end - bend)} ${at(toX, end)}`,
    head: `M${at(toX - headWidth, end)}L${at(toX + headWidth, end)}L${at(toX, toY)}Z`,
    thickness,
    opacity: kFaintest + (1 - kFaintest) * probability,
  };
}
