/** Holds the state, asks the engine, keeps the last good picture. Tells its listeners in three steps: `picture`, for the
 * matrices; `change`, one frame later, for everything around them; `rows`, after a pause, for the scoreboard. */
import type { Comparison, EncodingInfo, Invariances, Posenc, PosencErrorData } from 'posenc';
import { encodings } from 'posenc';
import { tokenizePair } from 'posenc/text';
import type { Content, EngineFailure } from './content/content.ts';
import { en } from './content/en.ts';
import { zh } from './content/zh.ts';
import {
  compareOptions,
  computeRow,
  computeRowLater,
  invarianceOptions,
  makePicture,
  problemOf,
  type Question,
} from './engine/compute.ts';
import { engineForLongText } from './engine/loader.ts';
import { pack, unpackPicture, type Picture, type RowResult, type SavedPages } from './engine/picture.ts';
import { afterPaint } from './logic/after_paint.ts';
import { factsOf, type Facts } from './logic/facts.ts';
import { changedParams, type Params } from './logic/fields.ts';
import { kLargestComputed, kLargestDrawn, kLongestRead } from './logic/layout.ts';
import { writePair } from './logic/words.ts';
import { History } from './state/history.ts';
import { initialState, type Lang, type PageMask, type State } from './state/state.ts';
import { decodeState, type Decoded, type Notice } from './state/url.ts';

export const contents: Readonly<Record<Lang, Content>> = { en, zh };

/** What the matrices show: a finished computation, with the question it answers. */
export interface Shown {
  readonly info: EncodingInfo;
  /** Labels of rows and columns: the words, and what stands around them. */
  readonly words: { readonly a: readonly string[]; readonly b: readonly string[] };
  readonly mask: PageMask;
  readonly weights: ShownWeights;
  /** Tokens before the first word and behind the last one. */
  readonly around: { readonly before: number; readonly behind: number };
  readonly head: number;
  readonly offset: number;
  readonly comparison: Comparison;
  readonly invariances: Invariances | null;
  readonly facts: Facts;
}

/** The weights behind the matrices. */
export type ShownWeights =
  | { readonly of: 'seeded'; readonly seed: number }
  | { readonly of: 'reader'; readonly trained: TrainedLayer; readonly layer: number };

/** A reader sees a start before the words and two questions behind them. */
const kAroundReader = { before: 1, behind: 2 } as const;
const kNothingAround = { before: 0, behind: 0 } as const;

/** A reader, as far as the matrices need it. */
export interface TrainedLayer {
  readonly kind: string;
  readonly mask: PageMask;
  /** As shipped, or trained on this page. */
  readonly source: 'shipped' | 'here';
  readonly steps: number;
  readonly seed: number;
  /** Attention of one head over the words and what the reader sees around them. */
  compare(
    a: readonly string[],
    b: readonly string[],
    at: { readonly layer: number; readonly head: number },
  ): Comparison;
}

export interface Cell {
  readonly query: number;
  readonly key: number;
}

/** Time per frame for cards of the scoreboard, in milliseconds. */
const kRowBudget = 6;
/** Milliseconds without a change before the cards follow. */
const kRowPause = 200;

export class Lab extends EventTarget {
  readonly encodings: readonly EncodingInfo[];
  readonly #saved: SavedPages;
  readonly #pictures = new Map<Lang, Picture>();
  readonly #browserLang: Lang;
  #state: State;
  #words: { a: string[]; b: string[] } = { a: [], b: [] };
  #shown: Shown | null = null;
  #rows = new Map<string, RowResult>();
  #rowKeys = new Map<string, string>();
  #problem: PosencErrorData | null = null;
  #failure: EngineFailure | null = null;
  #engine: Posenc | null = null;
  #notices: readonly Notice[];
  #preview: Cell | null = null;
  /** `null` until it is known; `'none'`: nobody trained it, or it did not arrive. */
  #trained: TrainedLayer | 'none' | null = null;
  readonly #history = new History();
  #frame = 0;
  #pause: ReturnType<typeof setTimeout> | undefined;
  /** When the frame that computes began, on the clock of `performance.now()`. */
  frameStart = 0;
  #generation = 0;
  #waiting = false;

  /** `hash`: the link that the page was opened with. */
  constructor(saved: SavedPages, browserLang: Lang, hash: string) {
    super();
    this.#saved = saved;
    this.encodings = encodings;
    this.#browserLang = browserLang;
    ({ state: this.#state, notices: this.#notices } = this.#read(hash));
    this.#cut();
    this.#showSaved();
  }

  /** A link; sentences that it leaves out are those of its language. */
  #read(hash: string): Decoded {
    const lang = new URLSearchParams(hash.replace(/^#/u, '')).get('lang');
    const { sentences } = contents[lang === 'en' || lang === 'zh' ? lang : this.#browserLang];
    return decodeState(hash, this.encodings, sentences);
  }

  get state(): State {
    return this.#state;
  }

  get lang(): Lang {
    return this.#state.lang ?? this.#browserLang;
  }

  get content(): Content {
    return contents[this.lang];
  }

  /** All words of both texts, as they are cut. */
  get words(): { readonly a: readonly string[]; readonly b: readonly string[] } {
    return this.#words;
  }

  get info(): EncodingInfo | null {
    return this.encodings.find((info) => info.kind === this.#state.encoding) ?? null;
  }

  get shown(): Shown | null {
    return this.#shown;
  }

  get rows(): ReadonlyMap<string, RowResult> {
    return this.#rows;
  }

  /** Why the engine refused the current input; the last good picture stays. */
  get problem(): PosencErrorData | null {
    return this.#problem;
  }

  get failure(): EngineFailure | null {
    return this.#failure;
  }

  get notices(): readonly Notice[] {
    return this.#notices;
  }

  get canUndo(): boolean {
    return this.#history.canUndo(this.#state);
  }

  /** A computation runs in the worker, and the picture is the one before. */
  get waiting(): boolean {
    return this.#waiting;
  }

  /** Position of the first word in the matrices. */
  get firstPosition(): number {
    return this.#shown?.weights.of === 'reader' ? kAroundReader.before : this.#state.offset;
  }

  /** The pair that all pictures light up: the previewed one, else the pinned one. Places in A of what is shown. */
  get cell(): Cell {
    return this.#preview ?? this.pinned;
  }

  get pinned(): Cell {
    const { before, behind } = this.#shown?.around ?? kNothingAround;
    const last = (this.#shown?.words.a.length ?? this.#words.a.length) - 1;
    // What a reader is asked says more than what its first word looks at.
    const query = this.#state.query ?? (behind > 0 ? last + 1 - behind - before : 0);
    const key = this.#state.key ?? (behind > 0 ? 0 : last);
    const at = (place: number): number => Math.min(last, Math.max(0, place + before));
    return { query: at(query), key: at(key) };
  }

  /** Pins a pair, given as places in A of what is shown. */
  pin({ query, key }: Cell): void {
    const { before } = this.#shown?.around ?? kNothingAround;
    this.update({ query: query - before, key: key - before });
  }

  get preview(): Cell | null {
    return this.#preview;
  }

  set preview(cell: Cell | null) {
    if (cell?.query === this.#preview?.query && cell?.key === this.#preview?.key) return;
    this.#preview = cell;
    this.#changed();
  }

  /** The reader of the current encoding and mask, or that there is none. */
  set trained(trained: TrainedLayer | 'none' | null) {
    if (this.#trained === trained) return;
    this.#trained = trained;
    if (this.#state.weights === 'reader') this.#schedule();
  }

  params(kind: string): Params {
    return this.#state.params[kind] ?? {};
  }

  update(patch: Partial<State>): void {
    const before = this.#state;
    this.#state = { ...before, ...patch };
    if (before.a !== this.#state.a || before.b !== this.#state.b || before.split !== this.#state.split) {
      this.#preview = null;
      this.#cut();
    }
    this.#schedule();
  }

  /** Remembers the sentences, so that what follows can be undone. */
  remember(): void {
    this.#history.remember(this.#state);
  }

  get canRedo(): boolean {
    return this.#history.canRedo;
  }

  undo(): void {
    this.update(this.#history.undo(this.#state) ?? {});
  }

  redo(): void {
    this.update(this.#history.redo(this.#state) ?? {});
  }

  /** Writes the words of one sentence so that they stay cut as they are. */
  setWords(row: 'a' | 'b', words: readonly string[]): void {
    const other = row === 'a' ? 'b' : 'a';
    const written = writePair(words, { text: this.#state[other], words: this.#words[other] }, this.#state.split);
    this.update(row === 'a' ? { a: written.text, b: written.other } : { a: written.other, b: written.text });
  }

  setParams(info: EncodingInfo, params: Params): void {
    this.update({ params: { ...this.#state.params, [info.kind]: changedParams(info, params) } });
  }

  /** Parameters, mask, head and start as they come; keeps the sentences and the seed. */
  reset(): void {
    const { [this.#state.encoding]: _reset, ...params } = this.#state.params;
    this.update({ params, mask: 'none', head: 0, offset: 0 });
  }

  /** Another language; sentences that nobody touched follow it. */
  setLang(lang: Lang): void {
    const before = this.content.sentences;
    const untouched = this.#state.a === before.a && this.#state.b === before.b;
    const { a, b } = contents[lang].sentences;
    this.update({ lang, ...(untouched ? { a, b, query: null, key: null } : {}) });
    if (this.#engine === null) this.#showSaved();
  }

  /** A new link. */
  open(hash: string): void {
    // Parameters of other encodings that the reader set stay.
    const { state, notices } = this.#read(hash);
    this.remember();
    this.#notices = notices;
    this.#state = { ...state, params: { ...this.#state.params, [state.encoding]: state.params[state.encoding] ?? {} } };
    this.#preview = null;
    this.#cut();
    this.#schedule();
  }

  dismissNotices(): void {
    this.#notices = [];
    this.#changed();
  }

  start(engine: Posenc): void {
    this.#engine = engine;
    this.#failure = null;
    this.#compute();
    this.#changed();
  }

  fail(failure: EngineFailure): void {
    this.#failure = failure;
    this.#showSaved();
    this.#changed();
  }

  /** The saved picture of this language, and the same from the engine: equal text means equal bits. */
  probe(): { saved: string; computed: string } {
    const computed = this.#engine ? pack(makePicture(this.#engine, tokenizePair, this.content.sentences)) : '';
    return { saved: this.#saved.pages[this.lang], computed };
  }

  get savedSentences(): Picture['sentences'] {
    return this.#picture().sentences;
  }

  #picture(): Picture {
    const known = this.#pictures.get(this.lang);
    if (known) return known;
    const picture = unpackPicture(this.#saved.pages[this.lang]);
    this.#pictures.set(this.lang, picture);
    return picture;
  }

  /** Draws the saved picture: at once when it answers the current question, and when the engine failed. */
  #showSaved(): void {
    const picture = this.#picture();
    const initial = initialState(this.encodings, picture.sentences);
    const asked: readonly (keyof State)[] = [
      'encoding',
      'a',
      'b',
      'mask',
      'weights',
      'seed',
      'head',
      'offset',
      'split',
    ];
    const same =
      asked.every((name) => this.#state[name] === initial[name]) &&
      Object.keys(this.params(initial.encoding)).length === 0;
    const info = this.encodings[0];
    if (info === undefined || (!same && this.#failure === null)) return;
    const row = picture.rows.find(({ kind }) => kind === info.kind);
    this.#show(
      info,
      { ...picture.words, mask: initial.mask, seed: initial.seed, head: initial.head, offset: initial.offset },
      { of: 'seeded', seed: initial.seed },
      picture.comparison,
      row?.invariances ?? null,
    );
    this.#rows = new Map(picture.rows.map((saved) => [saved.kind, saved]));
  }

  #show(
    info: EncodingInfo,
    question: Question,
    weights: ShownWeights,
    comparison: Comparison,
    invariances: Invariances | null,
  ): void {
    const { a, b, mask, head, offset } = question;
    this.#shown = {
      info,
      words: { a, b },
      mask,
      weights,
      around: weights.of === 'reader' ? kAroundReader : kNothingAround,
      head,
      offset,
      comparison,
      invariances,
      facts: factsOf(comparison, invariances, info, mask, a, b),
    };
    this.#problem = null;
  }

  #cut(): void {
    const { a, b, split } = this.#state;
    this.#words = tokenizePair(a, b, { split, locale: this.content.htmlLang });
  }

  #changed(): void {
    this.dispatchEvent(new Event('change'));
  }

  /** The next frame belongs to the matrices, the one after it to the rest. */
  #schedule(): void {
    // Nobody waits for cards of a question that has changed.
    this.#generation += 1;
    if (this.#frame !== 0) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      this.frameStart = performance.now();
      this.#compute();
      afterPaint(() => requestAnimationFrame(() => this.#changed()));
    });
  }

  #question(): Question {
    const { mask, seed, head, offset } = this.#state;
    return {
      a: this.#words.a.slice(0, kLargestComputed),
      b: this.#words.b.slice(0, kLargestComputed),
      mask,
      seed,
      head,
      offset,
    };
  }

  #compute(): void {
    const engine = this.#engine;
    const info = this.info;
    this.#generation += 1;
    if (engine === null || info === null) return;
    const question = this.#question();
    if (this.#state.weights === 'reader' && this.#trained !== 'none') {
      this.#computeTrained(info, question);
      this.#planRows(engine, question, this.#generation);
      return;
    }
    if (Math.max(question.a.length, question.b.length) > kLargestDrawn) {
      void this.#computeLater(engine, info, question, this.#generation);
      return;
    }
    this.#waiting = false;
    try {
      const params = this.params(info.kind);
      const comparison = engine.compare(compareOptions(info, params, question));
      const invariances = engine.invariances(invarianceOptions(info, params, question));
      this.#show(info, question, { of: 'seeded', seed: question.seed }, comparison, invariances);
    } catch (error) {
      this.#problem = problemOf(error);
    }
    this.dispatchEvent(new Event('picture'));
    this.#planRows(engine, question, this.#generation);
  }

  /** Its positions start where its training had them, and it has a seed of its own. */
  #computeTrained(info: EncodingInfo, { a, b, mask, seed, head }: Question): void {
    const trained = this.#trained;
    this.#waiting = trained === null || trained === 'none' || trained.kind !== info.kind || trained.mask !== mask;
    if (trained === null || trained === 'none' || this.#waiting) return;
    const question = { a: a.slice(0, kLongestRead), b: b.slice(0, kLongestRead), mask, seed, head, offset: 0 };
    const { layer } = this.#state;
    try {
      const comparison = trained.compare(question.a, question.b, { layer, head });
      const { start, asks } = this.content.reader;
      const tokens = (words: readonly string[]): string[] => [start, ...words, asks.who, asks.whom];
      const shown = { ...question, a: tokens(question.a), b: tokens(question.b) };
      this.#show(info, shown, { of: 'reader', trained, layer }, comparison, null);
    } catch (error) {
      this.#problem = problemOf(error);
    }
    this.dispatchEvent(new Event('picture'));
  }

  /** Cards come when the reader pauses: the frame after a letter belongs to the matrices. */
  #planRows(engine: Posenc, question: Question, generation: number): void {
    if (question.a.length === 0 || question.b.length === 0) return;
    clearTimeout(this.#pause);
    this.#pause = setTimeout(() => this.#fillRows(engine, question, generation), kRowPause);
  }

  /** A few cards per frame; those that did not change are kept. */
  #fillRows(engine: Posenc, question: Question, generation: number): void {
    if (!this.encodings.some((info) => this.#isStale(info, question))) return;
    requestAnimationFrame(() => {
      if (generation !== this.#generation) return;
      const end = performance.now() + kRowBudget;
      for (const info of this.encodings) {
        if (!this.#isStale(info, question)) continue;
        this.#keepRow(info, question, computeRow(engine, info, this.params(info.kind), question));
        if (performance.now() > end) break;
      }
      this.dispatchEvent(new Event('rows'));
      this.#fillRows(engine, question, generation);
    });
  }

  async #computeLater(onPage: Posenc, info: EncodingInfo, question: Question, generation: number): Promise<void> {
    this.#waiting = true;
    this.#changed();
    const engine = await engineForLongText(onPage);
    const isOld = (): boolean => generation !== this.#generation;
    if (isOld()) return;
    const params = this.params(info.kind);
    try {
      const comparison = await engine.compare(compareOptions(info, params, question), { channel: 'experiment' });
      if (isOld()) return;
      this.#waiting = false;
      const weights = { of: 'seeded', seed: question.seed } as const;
      this.#show(info, question, weights, comparison, null);
      this.#changed();
      const invariances = await engine.invariances(invarianceOptions(info, params, question), {
        channel: 'experiment',
      });
      if (isOld()) return;
      this.#show(info, question, weights, comparison, invariances);
    } catch (error) {
      if (isOld()) return;
      this.#waiting = false;
      this.#problem = problemOf(error);
    }
    this.#changed();
    for (const row of this.encodings) {
      if (!this.#isStale(row, question)) continue;
      const result = await computeRowLater(engine, row, this.params(row.kind), question, { channel: 'scoreboard' });
      if (isOld()) return;
      this.#keepRow(row, question, result);
      this.dispatchEvent(new Event('rows'));
    }
  }

  #rowKey(info: EncodingInfo, question: Question): string {
    return JSON.stringify([this.params(info.kind), question]);
  }

  #isStale(info: EncodingInfo, question: Question): boolean {
    return this.#rowKeys.get(info.kind) !== this.#rowKey(info, question);
  }

  #keepRow(info: EncodingInfo, question: Question, row: RowResult): void {
    this.#rowKeys.set(info.kind, this.#rowKey(info, question));
    this.#rows.set(info.kind, row);
  }
}
