/** What the answers of a reader say: the facts that the sentences of "Who chased whom?" are made of. */
import { sameWords, type Words } from './words.ts';

export const kAsks = ['who', 'whom'] as const;
export type Ask = (typeof kAsks)[number];

/** Probability of each word, in reading order, for each question. */
export type Answer = Readonly<Record<Ask, Float32Array>>;

/** The same question to both sentences. */
export interface AnswerPair {
  readonly words: { readonly a: Words; readonly b: Words };
  readonly answers: { readonly a: Answer; readonly b: Answer };
}

export type ReaderVerdict =
  /** A sentence without a word. */
  | 'empty'
  /** Another order of the same words, and every word has exactly the probability it had. */
  | 'blind'
  /** A and B are the same sentence. */
  | 'same'
  /** Sure of all answers; who and whom have changed places. */
  | 'flipped'
  /** Sure of all answers; they are the same words in both sentences. */
  | 'kept'
  /** Sure of all answers; they are other words. */
  | 'sure'
  /** No word has most of the probability, for one question at least. */
  | 'unsure';

export interface ReaderFacts {
  readonly verdict: ReaderVerdict;
  /** The most probable word for each question, as places. */
  readonly a: Readonly<Record<Ask, number>>;
  readonly b: Readonly<Record<Ask, number>>;
  /** The smallest probability among those four. */
  readonly certainty: number;
  /** Both sentences hold the same words. */
  readonly sameBag: boolean;
}

/** A reader is sure of a word with this probability. */
const kSure = 0.9;

export function readerFacts({ words, answers }: AnswerPair): ReaderFacts {
  const a = pointed(answers.a);
  const b = pointed(answers.b);
  const certainty = Math.min(...kAsks.map((ask) => Math.min(answers.a[ask][a[ask]] ?? 0, answers.b[ask][b[ask]] ?? 0)));
  return {
    verdict: verdictOf({ words, answers }, a, b, certainty),
    a,
    b,
    certainty,
    sameBag: sameWords(words.a.slice().sort(), words.b.slice().sort()),
  };
}

function verdictOf(
  { words, answers }: AnswerPair,
  a: ReaderFacts['a'],
  b: ReaderFacts['b'],
  certainty: number,
): ReaderVerdict {
  if (words.a.length === 0 || words.b.length === 0) return 'empty';
  if (sameWords(words.a, words.b)) return 'same';
  if (sameByWord(words, answers)) return 'blind';
  if (certainty < kSure) return 'unsure';
  const [whoA, whomA, whoB, whomB] = [words.a[a.who], words.a[a.whom], words.b[b.who], words.b[b.whom]];
  if (whoA === whomB && whomA === whoB && whoA !== whomA) return 'flipped';
  return whoA === whoB && whomA === whomB ? 'kept' : 'sure';
}

/** The most probable word for each question; -1 where there is none. */
export const pointed = (answer: Answer): Readonly<Record<Ask, number>> => ({
  who: largestAt(answer.who),
  whom: largestAt(answer.whom),
});

function largestAt(values: Float32Array): number {
  let best = values.length > 0 ? 0 : -1;
  for (let place = 1; place < values.length; place += 1) if ((values[place] ?? 0) > (values[best] ?? 0)) best = place;
  return best;
}

/** Both sentences hold the same words, and each word has the same probabilities in both, to the last bit. */
function sameByWord(words: AnswerPair['words'], answers: AnswerPair['answers']): boolean {
  const bag = (row: 'a' | 'b'): readonly string[] =>
    words[row]
      .map((word, place) => `${answers[row].who[place] ?? ''} ${answers[row].whom[place] ?? ''} ${word}`)
      .sort();
  return sameWords(bag('a'), bag('b'));
}

/** Words by probability, the largest first, until `share` of all is named; at most `most`. */
export function likeliest(probabilities: Float32Array, most = 3, share = kSure): readonly number[] {
  const places = Array.from(probabilities.keys()).sort(
    (i, j) => (probabilities[j] ?? 0) - (probabilities[i] ?? 0) || i - j,
  );
  let named = 0;
  const count = places.findIndex((place) => (named += probabilities[place] ?? 0) >= share) + 1;
  return places.slice(0, Math.min(most, count || most));
}

/** Places of the words that a short list shows, in reading order, and what the rest has of each question. */
export function shortList(
  answer: Answer,
  most: number,
): { places: readonly number[]; rest: Readonly<Record<Ask, number>> } {
  const size = answer.who.length;
  const weight = (place: number): number => Math.max(answer.who[place] ?? 0, answer.whom[place] ?? 0);
  const places = Array.from({ length: size }, (_, place) => place)
    .sort((i, j) => weight(j) - weight(i) || i - j)
    .slice(0, size <= most ? size : most - 1)
    .sort((i, j) => i - j);
  const rest = (ask: Ask): number =>
    size <= most ? 0 : Math.max(0, 1 - places.reduce((sum, place) => sum + (answer[ask][place] ?? 0), 0));
  return { places, rest: { who: rest('who'), whom: rest('whom') } };
}
