/** The public data of `posenc/reader`: tiny trained transformers that point at who did it, and to whom. */
import type { Encoding } from '../generated/encodings.ts';
import type { AttentionResult, Comparison, Dims, Mask } from '../types.ts';

/** Which reader: what is given is what training starts from. */
export interface ReaderSetup {
  /** Any encoding of text; `weights`, if given, are where a learned encoding starts. */
  readonly encoding: Encoding;
  /** Default `{ kind: 'none' }`: every word sees every word. */
  readonly mask?: Mask;
  /** Of the first parameters, of the vectors of words, and of what training shows. Whole number, 0 to 2^53 - 1.
   * Default 7. */
  readonly seed?: number;
}

/** Probability of each word, in reading order; each question sums to 1. No words: empty. */
export interface ReaderAnswer {
  /** Who did it? `[word]` */
  readonly who: Float32Array;
  /** To whom? `[word]` */
  readonly whom: Float32Array;
}

/** One attention head of the reader, both counted from 0. */
export interface ReaderHead {
  readonly layer: number;
  readonly head: number;
}

/** How wide the numbers of a file are: `half` is half as large, and rounds to 11 bits. */
export type FloatWidth = 'half' | 'single';

/**
 * A reader in the memory of the engine. It holds its memory until `dispose()`; used after that, it throws a `PosencError`
 * with code `missing_value`. A reader that is forgotten is disposed of some time later.
 *
 * Words are compared letter by letter (function words in any case). Any words have an answer, known or not; as many as
 * the encoding has positions for.
 */
export interface Reader {
  readonly setup: Required<ReaderSetup>;
  /** Steps of training behind it. */
  readonly steps: number;
  /**
   * Who, and whom? Where mathematics says so, answers are equal to the bit: without encoding and mask, two orderings of
   * the same words have the same answer.
   *
   * @throws PosencError `position_out_of_range`, `missing_value`
   * @example
   * reader.answer(['Tom', 'chased', 'Jerry']).who; // [0.99.., 0.00.., 0.00..]
   */
  answer(words: readonly string[]): ReaderAnswer;
  /** Attention of one head over all tokens: the start, the words (word i is token i + 1), the questions who and whom. An
   * added encoding is part of the words by then, so it does not stand in `parts.position`. */
  attention(words: readonly string[], head: ReaderHead): AttentionResult;
  /** Two orderings laid over each other by word; rows, columns and mapping are tokens, as in `attention`. */
  compare(a: readonly string[], b: readonly string[], head: ReaderHead): Comparison;
  /** Setup, steps and all parameters as a safetensors file; default width `single`, which keeps every bit. */
  saveWeights(options?: { readonly width?: FloatWidth }): Uint8Array<ArrayBuffer>;
  /** Gives the memory back; once more does nothing. */
  dispose(): void;
  [Symbol.dispose](): void;
}

/** How training goes. Comes about 20 times a second, at every `weightsEvery` steps, at a pause and at the last step. */
export interface TrainProgress {
  /** Steps done. */
  readonly step: number;
  /** Steps to do. */
  readonly steps: number;
  /** Nats for each question, of the last step, before it. */
  readonly loss: number;
  /** Share of both questions with the right answer in the last step, from 0 to 1. */
  readonly accuracy: number;
  /** Both of every step since the progress before: the last is that of `step`. */
  readonly history: { readonly loss: Float32Array; readonly accuracy: Float32Array };
  /** A safetensors file, for `loadWeights`; null but at every `weightsEvery` steps and, with those, at a pause, after a
   * `step()` and at the last one. */
  readonly weights: Uint8Array<ArrayBuffer> | null;
}

/** What to train, and how long. */
export interface TrainOptions extends ReaderSetup {
  /** Whole number from 1; default 500. The learning rate falls to 0 at the end, whatever the length. */
  readonly steps?: number;
  /** Its abort is a `stop()`. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: TrainProgress) => void;
  /** A progress with the weights at every so many steps; default 0: never. */
  readonly weightsEvery?: number;
  /** Starts paused: `step()` and `resume()` go on. Default false. */
  readonly paused?: boolean;
}

/** A training under way. The same options give the same bytes, in this thread, in a worker and natively. */
export interface Training {
  /** The trained reader as a safetensors file with single precision. Rejects with a `PosencError`: `aborted` after
   * `stop()`, whatever is wrong with the options, and what an `onProgress` throws. */
  readonly done: Promise<Uint8Array<ArrayBuffer>>;
  readonly paused: boolean;
  pause(): void;
  resume(): void;
  /** One step, while paused; its progress comes at once. Else nothing. */
  step(): void;
  /** Ends it: `done` rejects with code `aborted`. After the end nothing. */
  stop(): void;
  /** The same as `stop()`. */
  [Symbol.dispose](): void;
}

/** Makes readers and trains them in this thread. */
export interface Readers {
  /** Sizes of every reader. */
  readonly dims: Required<Dims>;
  readonly layers: number;
  /**
   * An untrained reader.
   *
   * @throws PosencError for every rule that the encoding, mask or seed breaks
   */
  reader(setup: ReaderSetup): Reader;
  /**
   * The reader in a file of `saveWeights`, a training or `shippedWeights`.
   *
   * @throws PosencError `wrong_type`, `out_of_range`, `shape_mismatch`, `not_finite` with field `file`,
   * `metadata.<name>` or the name of a tensor
   * @example
   * using reader = readers.loadWeights(await shippedWeights('rope', 'causal'));
   */
  loadWeights(file: Uint8Array): Reader;
  /**
   * Trains in this thread, and gives way to events between steps.
   *
   * @example
   * const training = readers.train({ encoding: { kind: 'rope' }, onProgress: ({ step, loss }) => show(step, loss) });
   * using reader = readers.loadWeights(await training.done);
   */
  train(options: TrainOptions): Training;
}

/** How often a reader is right in sentences of one kind. */
export interface ReaderScore {
  readonly sentences: number;
  /** Of both questions, from 0 to 1. */
  readonly accuracy: number;
  /** Of somebody who knows which words are no function words, and no order. */
  readonly chance: number;
}

/** A trained reader of the package, and what it reaches. `shippedWeights` of `posenc/reader/shipped` reads it. */
export interface ShippedReader {
  /** Its name in the folder `reader` of the package. */
  readonly file: string;
  readonly encoding: Encoding;
  readonly mask: 'none' | 'causal';
  readonly bytes: number;
  readonly parameters: number;
  /** New sentences of the patterns that training shows, of others, and of longer ones. */
  readonly trained: ReaderScore;
  readonly unseen: ReaderScore;
  readonly longer: ReaderScore;
  /** Probability of the right word in "X chased Y", over all pairs of 16 names. */
  readonly pairs: { readonly mean: number; readonly worst: number };
}
