/** Which reader answers, and what it answers. Follows the lab one frame behind the matrices, and sleeps until somebody
 * wants an answer. */
import type { EncodingInfo, PosencErrorData } from 'posenc';
import type { Reader, Readers } from 'posenc/reader';
import { problemOf } from './engine/compute.ts';
import { loadReaders, loadTraining, readerFiles, shippedReader, type ReaderFile } from './engine/readers.ts';
import type { Lab } from './lab.ts';
import { activeParams, type Params } from './logic/fields.ts';
import { kLongestRead } from './logic/layout.ts';
import { readerFacts, type AnswerPair, type ReaderFacts } from './logic/reader_facts.ts';
import { sameWords } from './logic/words.ts';
import type { PageMask } from './state/state.ts';
import { TrainingDesk, type Run } from './training.ts';

/** Where a reader comes from: a file, or the desk of this page. */
export type ReaderSource =
  { readonly kind: 'shipped'; readonly file: ReaderFile } | { readonly kind: 'here'; readonly run: Run };

/** An answer, with the reader that gave it. */
export interface ReaderShown extends AnswerPair {
  readonly info: EncodingInfo;
  readonly mask: PageMask;
  readonly source: ReaderSource;
  readonly steps: number;
  readonly seed: number;
  readonly facts: ReaderFacts;
  /** Words of the longer sentence before it was cut. */
  readonly total: number;
}

export class Reading extends EventTarget {
  readonly desk = new TrainingDesk(loadTraining);
  readonly #lab: Lab;
  #awake = false;
  #shown: ReaderShown | null = null;
  #files: readonly ReaderFile[] | null = null;
  #engine: Readers | null = null;
  readonly #shipped = new Map<ReaderFile, Reader>();
  /** The reader that the desk trains, as it was with these weights. */
  #trained: { readonly weights: Uint8Array; readonly reader: Reader } | null = null;
  /** The reader that the lab has. */
  #lent: Reader | null = null;
  #preferred: ReaderSource['kind'] = 'here';
  #failed = false;
  #problem: PosencErrorData | null = null;

  constructor(lab: Lab) {
    super();
    this.#lab = lab;
    lab.addEventListener('change', () => this.#follow());
    this.desk.addEventListener('change', () => {
      this.#follow();
      this.#changed();
    });
  }

  /** Gets what it needs and answers from now on. */
  wake(): void {
    if (this.#awake) return;
    this.#awake = true;
    this.#follow();
  }

  /** The last answer; it may be that of the question before, see `waiting`. */
  get shown(): ReaderShown | null {
    return this.#shown;
  }

  /** The reader of the current question is on its way. */
  get waiting(): boolean {
    const source = this.#source();
    return this.#awake && !this.#failed && (source === null ? this.#files === null : this.#known(source) === null);
  }

  /** Nobody trained a reader with this encoding. */
  get missing(): boolean {
    return this.#files !== null && this.#source() === null;
  }

  /** Files did not arrive. */
  get failed(): boolean {
    return this.#failed;
  }

  /** Why the reader refused the sentences; the last good answer stays. */
  get problem(): PosencErrorData | null {
    return this.#problem;
  }

  /** The shipped readers; empty until they are known. */
  get files(): readonly ReaderFile[] {
    return this.#files ?? [];
  }

  /** Which reader answers where there are two: the shipped one, or the one that was trained here. */
  get preferred(): ReaderSource['kind'] {
    return this.#preferred;
  }

  set preferred(kind: ReaderSource['kind']) {
    this.#preferred = kind;
    this.#follow();
    this.#changed();
  }

  /** The run of the desk that trains the current reader. */
  get run(): Run | null {
    const { info, state } = this.#lab;
    return info && this.desk.find(info, state.mask, this.#params(info));
  }

  /** The shipped reader of the current encoding and mask. */
  get file(): ReaderFile | null {
    const { encoding, mask } = this.#lab.state;
    return this.#files?.find((file) => file.encoding === encoding && file.mask === mask) ?? null;
  }

  /** Trains readers with these encodings, in this order, under the mask of the page; `paused`: when the desk is told to. */
  train(encodings: readonly EncodingInfo[], options: { readonly paused?: boolean } = {}): void {
    const { mask, trainSeed, trainSteps } = this.#lab.state;
    this.#preferred = 'here';
    this.desk.start(
      encodings.map((info) => ({ info, params: this.#params(info), mask, seed: trainSeed, steps: trainSteps })),
      options,
    );
  }

  retry(): void {
    this.#failed = false;
    this.#follow();
  }

  #params(info: EncodingInfo): Params {
    return activeParams(info, this.#lab.params(info.kind));
  }

  #source(): ReaderSource | null {
    const { file, run } = this;
    const here = run?.weights ? ({ kind: 'here', run } as const) : null;
    const shipped = file ? ({ kind: 'shipped', file } as const) : null;
    return this.#preferred === 'here' ? (here ?? shipped) : (shipped ?? here);
  }

  /** A reader that is there. */
  #known(source: ReaderSource): Reader | null {
    if (source.kind === 'shipped') return this.#shipped.get(source.file) ?? null;
    return this.#trained?.weights === source.run.weights ? this.#trained.reader : null;
  }

  /** A reader that is there, or can be made from what is there. */
  #readerOf(source: ReaderSource): Reader | null {
    const known = this.#known(source);
    if (known !== null || source.kind === 'shipped' || this.#engine === null) return known;
    const { weights } = source.run;
    if (weights === null) return null;
    this.#trained?.reader.dispose();
    this.#trained = { weights, reader: this.#engine.loadWeights(weights) };
    return this.#trained.reader;
  }

  #follow(): void {
    // The matrices want a reader, near or not.
    this.#awake ||= this.#lab.state.weights === 'reader';
    if (this.#awake && !this.#failed && !this.#answered()) void this.#get();
  }

  /** Answers, if the reader is there. */
  #answered(): boolean {
    const source = this.#source();
    const reader = source && this.#readerOf(source);
    if (!source || !reader) return false;
    this.#lend(source, reader);
    this.#answer(source, reader);
    return true;
  }

  async #get(): Promise<void> {
    try {
      this.#files ??= await readerFiles();
      this.#engine ??= await loadReaders();
      const source = this.#source();
      if (source?.kind === 'shipped') this.#shipped.set(source.file, await shippedReader(source.file));
      // The question may have become another one meanwhile; then somebody else gets its reader.
      if (!this.#answered() && this.missing) this.#lendNone();
    } catch {
      this.#failed = true;
      this.#lendNone();
    }
    this.#changed();
  }

  #lendNone(): void {
    this.#lent = null;
    this.#lab.trained = 'none';
  }

  /** The matrices may show this reader. */
  #lend(source: ReaderSource, reader: Reader): void {
    if (this.#lent === reader) return;
    this.#lent = reader;
    const { encoding, mask } = this.#lab.state;
    this.#lab.trained = {
      kind: encoding,
      mask,
      source: source.kind,
      steps: reader.steps,
      seed: reader.setup.seed,
      compare: (a, b, at) => reader.compare(a, b, at),
    };
  }

  #answer(source: ReaderSource, reader: Reader): void {
    const { info, words, state } = this.#lab;
    if (info === null) return;
    const a = words.a.slice(0, kLongestRead);
    const b = words.b.slice(0, kLongestRead);
    const before = this.#shown;
    if (before && sameSource(before.source, source) && sameWords(before.words.a, a) && sameWords(before.words.b, b)) {
      this.#problem = null;
      return;
    }
    try {
      const pair: AnswerPair = { words: { a, b }, answers: { a: reader.answer(a), b: reader.answer(b) } };
      this.#shown = {
        ...pair,
        info,
        mask: state.mask,
        source,
        steps: reader.steps,
        seed: reader.setup.seed,
        facts: readerFacts(pair),
        total: Math.max(words.a.length, words.b.length),
      };
      this.#problem = null;
    } catch (error) {
      this.#problem = problemOf(error);
    }
    this.#changed();
  }

  #changed(): void {
    this.dispatchEvent(new Event('change'));
  }
}

const sameSource = (one: ReaderSource, other: ReaderSource): boolean =>
  one.kind === 'shipped'
    ? other.kind === 'shipped' && one.file === other.file
    : other.kind === 'here' && one.run.weights === other.run.weights;
