/** The words of "Who chased whom?", once per language. */
import type { Ask, ReaderFacts } from '../logic/reader_facts.ts';
import type { Rich } from '../logic/rich.ts';
import type { PageMask } from '../state/state.ts';
import type { Pair } from './content.ts';
import type { TrainingText } from './training_text.ts';

/** What a sentence about the answers is made of. */
export interface ReaderStory {
  readonly facts: ReaderFacts;
  /** Words as they stand in prose. */
  readonly words: { readonly a: readonly string[]; readonly b: readonly string[] };
  /** Without any encoding: nothing but the mask can tell the order. */
  readonly noEncoding: boolean;
  readonly mask: PageMask;
}

/** How often a reader is right, on sentences of one kind; from 0 to 1. */
export interface Score {
  readonly accuracy: number;
  /** Of guesses among the words that are no function words. */
  readonly chance: number;
}

export interface Example extends Pair {
  readonly name: string;
}

export interface ReaderText {
  readonly title: string;
  readonly lede: string;
  /** The mask, in a list where nothing else says what it is. */
  readonly masks: Readonly<Record<PageMask, string>>;
  readonly exchange: (first: string, second: string) => string;
  /** What the reader sees before the first word. */
  readonly start: string;
  readonly asks: Readonly<Record<Ask, string>>;
  readonly answers: (row: 'a' | 'b') => string;
  /** A word with its probability, in a list of such. */
  readonly named: (words: readonly (readonly [word: string, probability: string])[]) => Rich;
  readonly noWords: string;
  readonly word: string;
  readonly otherWords: (count: number) => string;
  readonly verdict: (story: ReaderStory) => Rich;
  readonly fewWords: string;
  readonly onlyFirst: (read: number, total: number) => string;

  /** Which reader answers. */
  readonly shipped: (encoding: string, mask: PageMask, steps: number, seed: number) => string;
  readonly here: (encoding: string, mask: PageMask, step: number, steps: number, seed: number) => string;
  readonly source: string;
  readonly sources: Readonly<Record<'shipped' | 'here', string>>;
  readonly trainMine: string;
  readonly scores: (scores: Readonly<Record<'trained' | 'unseen' | 'longer', Score>>) => string;
  readonly trainedOn: string;
  readonly otherParams: (encoding: string) => string;
  /** Why there is no reader: `axes` positions for each word, where a sentence has one. */
  readonly noReader: (encoding: string, axes: number) => string;
  readonly loading: string;
  readonly failed: string;
  readonly retry: string;

  readonly training: TrainingText;

  readonly harder: string;
  readonly examples: readonly Example[];
}
