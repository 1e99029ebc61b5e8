/**
 * Cuts sentences into words: what a reader types becomes the tokens that attention compares.
 *
 * No dictionary and no model: the cut follows from the text alone, so it is the same in every browser.
 */

/** How to cut. `auto`: spaces and punctuation; text without spaces by what a pair shares. `char`: grapheme clusters.
 * `word`: the words of `Intl.Segmenter`, which differ between browsers. `space`: at spaces only. */
export type Split = 'auto' | 'char' | 'word' | 'space';

/** How to cut, and in which language (`word` only). */
export interface TextOptions {
  /** Default `auto`. */
  readonly split?: Split;
  /** BCP 47 tag for `split: 'word'`; default: that of the browser. */
  readonly locale?: string;
}

/** A piece of text between two typed spaces that holds one kind of sign. `fixed` stays whole; a `run` is text of a
 * script without spaces, one entry per grapheme cluster, and is still to be cut. */
type Segment =
  { readonly kind: 'fixed'; readonly text: string } | { readonly kind: 'run'; readonly signs: readonly string[] };

interface Cut {
  readonly segments: readonly Segment[];
  /** The reader put a space between two signs of a script without spaces: these spaces are the cut. */
  readonly spaced: boolean;
}

/** A longer run is cut into single signs: the search below takes time with the square of it. */
const kLongestRun = 1024;

const kJoin = '\u00a0';
const kTypedSpace = /(?!\u00a0)\p{White_Space}+/u;
const kJoins = /\u00a0+/gu;
const kUnspaced =
  /^[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Bopomofo}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}\p{scx=Tai_Tham}]/u;
const kUnspacedAnywhere =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Bopomofo}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}\p{sc=Tai_Tham}]/u;
const kEmoji = /\p{Emoji_Presentation}|\p{Regional_Indicator}|\ufe0f|\u20e3|\p{Emoji_Modifier}/u;
const kMark = /^[\p{Terminal_Punctuation}\p{Quotation_Mark}\p{Ps}\p{Pe}\p{Pi}\p{Pf}…—–・·]/u;
/** Signs that belong to a word when letters or digits stand on both sides: don't, state-of-the-art, e.g, 3.14. */
const kInsideWord = /^['’.‐-]$/u;
const kInsideNumber = /^[,;:'’.٫٬]$/u;
const kLetterOrDigit = /[\p{L}\p{N}\p{M}]$/u;
const kDigit = /^\p{Nd}/u;

/**
 * Cuts one sentence into words.
 *
 * Spaces always cut, except the no-break space U+00A0, which joins ("New\u00a0York" is one word). Punctuation marks
 * and emoji are words of their own; apostrophes, hyphens and points inside words and numbers stay. Scripts without
 * spaces are cut into single characters: to cut them by what two sentences share, use {@link tokenizePair}.
 *
 * @param text     any text; it is brought to Unicode form NFC first
 * @param options  how to cut, default `{ split: 'auto' }`
 * @example
 * tokenize("Don't stop, Tom") // ["Don't", 'stop', ',', 'Tom']
 * tokenize('我爱你') // ['我', '爱', '你']
 */
export function tokenize(text: string, options: TextOptions = {}): string[] {
  const split = options.split ?? 'auto';
  if (split !== 'auto') return splitPlainly(text, split, options.locale);
  const { segments, spaced } = segment(text);
  return segments.flatMap((part) =>
    part.kind === 'fixed' ? [part.text] : spaced ? [part.signs.join('')] : part.signs,
  );
}

/**
 * Cuts two sentences so that their words can be compared.
 *
 * With `auto`, text of scripts without spaces is cut into the fewest pieces that stand in both sentences, single
 * characters where nothing longer is shared (surely the fewest when no character repeats, else close). A piece longer than one character is used equally often on both sides,
 * so two orders of the same characters always give two orders of the same words. A sentence that would be a single
 * piece (the two are equal, or one contains the other) is cut into characters. If the reader put spaces between
 * such characters, these are the cut, and the other sentence follows it.
 *
 * @param a        first sentence
 * @param b        second sentence
 * @param options  how to cut, default `{ split: 'auto' }`
 * @example
 * tokenizePair('汤姆追杰瑞', '杰瑞追汤姆') // { a: ['汤姆', '追', '杰瑞'], b: ['杰瑞', '追', '汤姆'] }
 * tokenizePair('我爱你', '你爱我') // { a: ['我', '爱', '你'], b: ['你', '爱', '我'] }
 */
export function tokenizePair(a: string, b: string, options: TextOptions = {}): { a: string[]; b: string[] } {
  const split = options.split ?? 'auto';
  if (split !== 'auto') {
    return { a: splitPlainly(a, split, options.locale), b: splitPlainly(b, split, options.locale) };
  }
  // The search below treats its two sides differently, so it always meets them in the same order.
  return a <= b ? cutPair(segment(a), segment(b)) : swap(cutPair(segment(b), segment(a)));
}

/**
 * Grapheme clusters: what a reader takes for one character (e + accent, a flag, a family emoji).
 *
 * @example
 * graphemes('né👨‍👩‍👧') // ['n', 'é', '👨‍👩‍👧']
 */
export function graphemes(text: string): string[] {
  if (kOneUnitEach.test(text)) return text.split('');
  const segmenter = graphemeSegmenter();
  return segmenter ? Array.from(segmenter.segment(text), (part) => part.segment) : graphemesByCodePoint(text);
}

/** {@link graphemes} for engines without `Intl.Segmenter`: code points with the marks that belong to them. */
export function graphemesByCodePoint(text: string): string[] {
  return text.match(kCluster) ?? [];
}

/** Letters without combining marks, from ASCII to kana and common Chinese characters: one code unit each. */
const kOneUnitEach =
  /^[\x20-\x7e\xa0-\xac\xae-\u02ff\u3001-\u3029\u3041-\u3096\u30a1-\u312f\u4e00-\u9fff\uff01-\uff5e]*$/u;
const kCluster =
  /\p{Regional_Indicator}{2}|\r\n|\P{M}[\p{M}\p{Emoji_Modifier}\u200c\u{e0020}-\u{e007f}\u0e33\u0eb3]*(?:\u200d(?:\p{Extended_Pictographic}[\p{M}\p{Emoji_Modifier}]*)?)*|\p{M}+/gsu;

let cachedSegmenter: Intl.Segmenter | null | undefined;

function graphemeSegmenter(): Intl.Segmenter | null {
  cachedSegmenter ??=
    typeof Intl.Segmenter === 'function' ? new Intl.Segmenter('en', { granularity: 'grapheme' }) : null;
  return cachedSegmenter;
}

function swap<T>(pair: { a: T; b: T }): { a: T; b: T } {
  return { a: pair.b, b: pair.a };
}

/** Fields between typed spaces, normalised; a no-break space at an end joins nothing and is dropped. */
function fields(text: string): string[] {
  return text
    .normalize('NFC')
    .split(kTypedSpace)
    .map((field) => field.replace(kJoins, kJoin).replace(/^\u00a0|\u00a0$/gu, ''))
    .filter((field) => field !== '');
}

function splitPlainly(text: string, split: 'char' | 'word' | 'space', locale: string | undefined): string[] {
  if (split === 'space') return fields(text);
  if (split === 'char') return fields(text).flatMap((field) => graphemes(field).filter((sign) => sign !== kJoin));
  if (typeof Intl.Segmenter !== 'function') return tokenize(text);
  const segmenter = new Intl.Segmenter(locale, { granularity: 'word' });
  return fields(text).flatMap((field) =>
    field.includes(kJoin) ? [field] : Array.from(segmenter.segment(field), (part) => part.segment),
  );
}

type Kind = 'word' | 'run' | 'emoji' | 'mark' | 'join';

function kindOf(sign: string): Kind {
  if (sign === kJoin) return 'join';
  if (kEmoji.test(sign)) return 'emoji';
  if (kMark.test(sign)) return 'mark';
  return kUnspaced.test(sign) ? 'run' : 'word';
}

function segment(text: string): Cut {
  const segments: Segment[] = [];
  let spaced = false;
  let endsInRun = false;
  for (const field of fields(text)) {
    const signs = graphemes(field);
    spaced ||= endsInRun && kindOf(signs[0] ?? '') === 'run';
    endsInRun = kindOf(signs.at(-1) ?? '') === 'run';
    segments.push(...segmentField(signs));
  }
  return { segments, spaced };
}

function segmentField(signs: readonly string[]): Segment[] {
  const parts: { kind: Kind; signs: string[] }[] = [];
  let joins = false;
  signs.forEach((sign, index) => {
    const last = parts.at(-1);
    const kind = staysInside(signs, index) ? 'word' : kindOf(sign);
    if (kind === 'join') {
      last?.signs.push(sign);
      joins = true;
      return;
    }
    const grows =
      last !== undefined &&
      kind === last.kind &&
      (kind === 'word' || kind === 'run' || (kind === 'mark' && last.signs[0] === sign));
    if (last !== undefined && (grows || joins)) {
      last.signs.push(sign);
      // A joined part takes the kind of what follows, so that the rest of that word or run belongs to it too.
      last.kind = kind;
    } else {
      parts.push({ kind, signs: [sign] });
    }
    joins = false;
  });
  return parts.map(({ kind, signs: own }) =>
    kind === 'run' && !own.includes(kJoin) ? { kind: 'run', signs: own } : { kind: 'fixed', text: own.join('') },
  );
}

/** Apostrophe, hyphen, point or comma between two letters or digits. */
function staysInside(signs: readonly string[], index: number): boolean {
  const sign = signs[index] ?? '';
  const before = signs[index - 1] ?? '';
  const after = signs[index + 1] ?? '';
  if (kInsideNumber.test(sign) && kDigit.test(before) && kDigit.test(after)) return true;
  const letters =
    kLetterOrDigit.test(before) && kLetterOrDigit.test(after) && kindOf(before) === 'word' && kindOf(after) === 'word';
  return kInsideWord.test(sign) && letters;
}

function cutPair(a: Cut, b: Cut): { a: string[]; b: string[] } {
  const characters = { a: withSigns(a), b: withSigns(b) };
  if (a.spaced && b.spaced) return characters;
  const code = new SignCode();
  const left = code.write(a, kBoundaryA);
  const right = code.write(b, kBoundaryB);
  if (left.length > kLongestRun || right.length > kLongestRun) return characters;
  const pieces = a.spaced || b.spaced ? followSpaces(left, a.spaced, right, b.spaced) : fewestPieces(left, right);
  const cut = { a: withPieces(a, pieces.a), b: withPieces(b, pieces.b) };
  const whole = (tokens: string[], signs: string[]): boolean => tokens.length === 1 && signs.length > 1;
  const unspaced = !a.spaced && !b.spaced;
  const equal =
    characters.a.length === characters.b.length && characters.a.every((token, index) => token === characters.b[index]);
  return unspaced && (equal || whole(cut.a, characters.a) || whole(cut.b, characters.b)) ? characters : cut;
}

function withSigns({ segments, spaced }: Cut): string[] {
  return segments.flatMap((part) =>
    part.kind === 'fixed' ? [part.text] : spaced ? [part.signs.join('')] : part.signs,
  );
}

/** Tokens of a sentence, its runs cut at lengths taken one after the other from `lengths`. */
function withPieces({ segments }: Cut, lengths: readonly number[]): string[] {
  let next = 0;
  return segments.flatMap((part) => {
    if (part.kind === 'fixed') return [part.text];
    const tokens: string[] = [];
    for (let start = 0; start < part.signs.length;) {
      const end = start + (lengths[next] ?? 1);
      next += 1;
      tokens.push(part.signs.slice(start, end).join(''));
      start = end;
    }
    return tokens;
  });
}

const kBoundaryA = '\u0000';
const kBoundaryB = '\u0001';

/** Writes runs with one code unit per grapheme cluster, and a boundary that matches nothing between runs. */
class SignCode {
  readonly #units = new Map<string, string>();

  write({ segments }: Cut, boundary: string): string {
    const runs: string[] = [];
    for (const part of segments) {
      if (part.kind === 'run') runs.push(part.signs.map((sign) => this.#unit(sign)).join(''));
    }
    return runs.join(boundary);
  }

  #unit(sign: string): string {
    const known = this.#units.get(sign);
    if (known !== undefined) return known;
    const unit = String.fromCharCode(this.#units.size + 2);
    this.#units.set(sign, unit);
    return unit;
  }
}

/** One sentence has typed spaces: its runs are the pieces, and the other is cut by them. */
function followSpaces(
  left: string,
  leftSpaced: boolean,
  right: string,
  rightSpaced: boolean,
): { a: number[]; b: number[] } {
  const runsOf = (text: string, boundary: string): string[] => text.split(boundary).filter((run) => run !== '');
  const leftPieces = leftSpaced ? new Set(runsOf(left, kBoundaryA)) : null;
  const rightPieces = rightSpaced ? new Set(runsOf(right, kBoundaryB)) : null;
  const lengths = (pieces: Iterable<string>): number[] => Array.from(pieces, (piece) => piece.length);
  const follow = (text: string, boundary: string, pieces: ReadonlySet<string>): number[] => {
    const marked = occurrences(text, pieces);
    return lengths(cutFewest(text, boundary, (start) => marked[start] ?? []));
  };
  return {
    a: leftPieces ? lengths(runsOf(left, kBoundaryA)) : follow(left, kBoundaryA, rightPieces ?? new Set()),
    b: rightPieces ? lengths(runsOf(right, kBoundaryB)) : follow(right, kBoundaryB, leftPieces ?? new Set()),
  };
}

/**
 * The fewest pieces that stand in both texts.
 *
 * Takes the longest block that stands in both, sets it aside on both sides, and repeats with what is left: longer
 * pieces are used equally often on both sides by construction. The answer is the fewest where no sign repeats; with
 * repeats the exact problem (minimum common string partition) is NP-hard, and this comes close.
 */
function fewestPieces(left: string, right: string): { a: number[]; b: number[] } {
  const a = new Tiling(left);
  const b = new Tiling(right);
  for (;;) {
    const longest = longestShared(a, b);
    const most = longest.reduce((value, other) => Math.max(value, other), 0);
    if (most < 2) return { a: a.lengths(kBoundaryA), b: b.lengths(kBoundaryB) };
    for (let start = 0; start < longest.length; start += 1) {
      if (longest[start] !== most || !a.isFree(start, most)) continue;
      const partner = b.find(left.slice(start, start + most));
      if (partner < 0) continue;
      a.take(start, most);
      b.take(partner, most);
    }
  }
}

/** A text of which pieces have been set aside. */
class Tiling {
  readonly text: string;
  /** 0: free; else the length of the piece that starts here, or -1 inside a piece. */
  readonly #taken: Int32Array;

  constructor(text: string) {
    this.text = text;
    this.#taken = new Int32Array(text.length);
  }

  isFree(start: number, length: number): boolean {
    return this.#taken.subarray(start, start + length).every((value) => value === 0);
  }

  /** First free place of a piece, or -1. */
  find(piece: string): number {
    let start = this.text.indexOf(piece);
    while (start >= 0 && !this.isFree(start, piece.length)) start = this.text.indexOf(piece, start + 1);
    return start;
  }

  take(start: number, length: number): void {
    this.#taken.fill(-1, start, start + length);
    this.#taken[start] = length;
  }

  /** Code unit at `index`, or -1 where a piece was taken. */
  unit(index: number): number {
    return this.#taken[index] === 0 ? this.text.charCodeAt(index) : -1;
  }

  lengths(boundary: string): number[] {
    const lengths: number[] = [];
    for (let start = 0; start < this.text.length;) {
      const length = Math.max(1, this.#taken[start] ?? 1);
      if (this.text[start] !== boundary) lengths.push(length);
      start += length;
    }
    return lengths;
  }
}

/** For each start in `a`, the length of the longest free substring from there that stands free in `b`. */
function longestShared(a: Tiling, b: Tiling): Int32Array {
  const size = b.text.length;
  const longest = new Int32Array(a.text.length);
  const units = Int32Array.from({ length: size }, (_, index) => b.unit(index));
  let below = new Int32Array(size + 1);
  let row = new Int32Array(size + 1);
  for (let i = a.text.length - 1; i >= 0; i -= 1) {
    const unit = a.unit(i);
    let most = 0;
    for (let j = size - 1; j >= 0; j -= 1) {
      const length = unit >= 0 && unit === units[j] ? (below[j + 1] ?? 0) + 1 : 0;
      row[j] = length;
      if (length > most) most = length;
    }
    longest[i] = most;
    [below, row] = [row, below];
  }
  return longest;
}

/** For each start, the lengths above 1 of the pieces that stand there. */
function occurrences(text: string, pieces: Iterable<string>): (number[] | undefined)[] {
  const found: (number[] | undefined)[] = [];
  for (const piece of new Set(pieces)) {
    if (piece.length < 2) continue;
    for (let start = text.indexOf(piece); start >= 0; start = text.indexOf(piece, start + 1))
      (found[start] ??= []).push(piece.length);
  }
  return found;
}

/** Cuts into the fewest pieces, where `lengthsAt` tells which pieces above one sign may start; the longest first. */
function cutFewest(text: string, boundary: string, lengthsAt: (start: number) => readonly number[]): string[] {
  const size = text.length;
  const cost = new Int32Array(size + 1);
  const best = new Int32Array(size).fill(1);
  for (let start = size - 1; start >= 0; start -= 1) {
    cost[start] = (cost[start + 1] ?? 0) + (text[start] === boundary ? 0 : 1);
    for (const length of lengthsAt(start)) {
      const total = (cost[start + length] ?? 0) + 1;
      const current = cost[start] ?? 0;
      if (total < current || (total === current && length > (best[start] ?? 1))) {
        cost[start] = total;
        best[start] = length;
      }
    }
  }
  const pieces: string[] = [];
  for (let start = 0; start < size;) {
    const length = best[start] ?? 1;
    if (text[start] !== boundary) pieces.push(text.slice(start, start + length));
    start += length;
  }
  return pieces;
}

/**
 * Whether a text has signs of a script that is written without spaces (Chinese, Japanese, Thai, ...).
 *
 * @example
 * hasUnspacedScript('Tom 追 Jerry') // true
 */
export function hasUnspacedScript(text: string): boolean {
  return kUnspacedAnywhere.test(text);
}
