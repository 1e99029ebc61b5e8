/** Orders of words, and how they are told apart and written down. */
import { hasUnspacedScript, tokenizePair, type Split } from 'posenc/text';

export type Words = readonly string[];

export const sameWords = (a: Words, b: Words): boolean =>
  a.length === b.length && a.every((word, index) => word === b[index]);

export const reversed = (words: Words): string[] => words.slice().reverse();

export const isReverse = (a: Words, b: Words): boolean => sameWords(reversed(a), b);

export function moved<T>(words: readonly T[], from: number, to: number): T[] {
  const next = words.slice();
  next.splice(to, 0, ...next.splice(from, 1));
  return next;
}

export function exchanged(words: Words, i: number, j: number): string[] {
  return words.map((word, index) => (index === i ? (words[j] ?? word) : index === j ? (words[i] ?? word) : word));
}

/** The two places that "swap two" exchanges: the given pair when it holds two words, else the farthest two. */
export function placesToSwap(words: Words, pair: readonly [number, number]): readonly [number, number] | null {
  const differ = (i: number, j: number): boolean =>
    i >= 0 && j >= 0 && words[i] !== undefined && words[j] !== undefined && words[i] !== words[j];
  if (differ(pair[0], pair[1])) return pair;
  for (let distance = words.length - 1; distance > 0; distance -= 1) {
    for (let start = 0; start + distance < words.length; start += 1) {
      if (differ(start, start + distance)) return [start, start + distance];
    }
  }
  return null;
}

/** Another order of the same words, different from this one whenever there is one; `random` gives numbers in [0, 1). */
export function shuffled(words: Words, random: () => number): string[] {
  if (new Set(words).size < 2) return words.slice();
  for (;;) {
    const next = words.slice();
    for (let last = next.length - 1; last > 0; last -= 1) {
      const other = Math.floor(random() * (last + 1));
      [next[last], next[other]] = [next[other] ?? '', next[last] ?? ''];
    }
    if (!sameWords(next, words)) return next;
  }
}

const kCircled = '①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳';

/** Which of its repetitions a word is: '' when it stands once, else ①, ②, ... */
export function repetitionMarks(words: Words): string[] {
  const total = new Map<string, number>();
  for (const word of words) total.set(word, (total.get(word) ?? 0) + 1);
  const seen = new Map<string, number>();
  return words.map((word) => {
    const index = seen.get(word) ?? 0;
    seen.set(word, index + 1);
    return (total.get(word) ?? 0) < 2 ? '' : (kCircled[index] ?? `(${index + 1})`);
  });
}

/** A word as it is shown: the no-break space of a joined word is a space, and a repetition has its mark. */
export function wordLabels(words: Words): string[] {
  const marks = repetitionMarks(words);
  return words.map((word, index) => shown(word) + (marks[index] ?? ''));
}

export const shown = (word: string): string => word.replace(/\u00a0/gu, ' ');

const kRightToLeft =
  /^[^\p{L}]*[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u;

/** Direction in which a sentence is read: that of its first letter. */
export const directionOf = (words: Words): 'ltr' | 'rtl' => (kRightToLeft.test(words.join(' ')) ? 'rtl' : 'ltr');

const kLongestInProse = 24;

/** Labels for running text: a long word is cut, and a right-to-left word cannot turn the sentence around it. */
export function proseLabels(words: Words): string[] {
  return wordLabels(words).map((label) => {
    const signs = Array.from(label);
    const short = signs.length > kLongestInProse ? `${signs.slice(0, kLongestInProse - 1).join('')}…` : label;
    return kRightToLeft.test(short) ? `\u2068${short}\u2069` : short;
  });
}

const kClosing = /^[\p{Terminal_Punctuation}\p{Pe}\p{Pf}…]+$/u;
const kOpening = /^[\p{Ps}\p{Pi}]+$/u;

/** Words as a text that reads well: no space before a comma, none between signs of scripts without spaces. */
function written(words: Words): string {
  return words.reduce((text, word, index) => {
    const before = words[index - 1];
    if (before === undefined) return word;
    const tight =
      kClosing.test(word) ||
      kOpening.test(before) ||
      (hasUnspacedScript(before.slice(-1)) && hasUnspacedScript(word.slice(0, 1)));
    return text + (tight ? '' : ' ') + word;
  }, '');
}

/**
 * Writes `words` so that cutting the pair again gives them back, and leaves the other sentence cut as it is.
 * Tries the natural spelling first, then spaces between all words, then spaces in both sentences.
 */
export function writePair(
  words: Words,
  other: { text: string; words: Words },
  split: Split,
): { text: string; other: string } {
  const spaced = words.join(' ');
  for (const candidate of [
    { text: written(words), other: other.text },
    { text: spaced, other: other.text },
  ]) {
    const cut = tokenizePair(candidate.text, candidate.other, { split });
    if (sameWords(cut.a, words) && sameWords(cut.b, other.words)) return candidate;
  }
  return { text: spaced, other: other.words.join(' ') };
}

/** Where the word at `index` stands in its text, from and to. */
export function wordRange(text: string, words: Words, index: number): [number, number] {
  let from = 0;
  for (let at = 0; at <= index; at += 1) {
    const word = words[at] ?? '';
    const found = text.indexOf(word, from);
    if (found < 0) return [text.length, text.length];
    if (at === index) return [found, found + word.length];
    from = found + word.length;
  }
  return [text.length, text.length];
}
