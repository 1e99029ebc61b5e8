/** Every word of the page, once per language. Sentences with numbers are functions of computed facts. */
import type { PosencErrorData } from 'posenc';
import type { CellFacts, Facts } from '../logic/facts.ts';
import type { Rule } from '../logic/fields.ts';
import type { Rich } from '../logic/rich.ts';
import type { Align, Lang, PageMask, PageSplit, WeightsOf } from '../state/state.ts';
import type { ReaderText } from './reader_text.ts';

export interface Pair {
  readonly a: string;
  readonly b: string;
}

export type BlindTest = 'shuffle' | 'mirror' | 'shift';
export type Family = 'none' | 'added' | 'rotated' | 'bias' | 'relative' | 'content';
export type EngineFailure = 'wasm_not_found' | 'wasm_not_wasm' | 'wasm_blocked' | 'wasm_unsupported' | 'other';

/** A cell in words. */
export interface CellWords {
  readonly query: string;
  readonly key: string;
}

/** The reader whose attention is shown. */
export interface ReaderWeights {
  readonly source: 'shipped' | 'here';
  readonly steps: number;
  readonly seed: number;
  readonly layer: number;
  readonly head: number;
}

export interface Content {
  readonly lang: Lang;
  /** For `<html lang>`. */
  readonly htmlLang: string;
  readonly title: string;
  readonly skip: string;
  readonly language: string;
  readonly theme: Readonly<Record<'auto' | 'light' | 'dark', string>>;

  readonly heading: string;
  readonly lede: string;
  /** What the page starts with. */
  readonly sentences: Pair;
  readonly presets: readonly Pair[];
  /** The word that "add a word in front" adds, with what separates it. */
  readonly padding: { readonly word: string; readonly separator: string };

  readonly words: {
    readonly group: string;
    readonly sentence: (row: 'a' | 'b') => string;
    readonly help: string;
    readonly chip: (word: string, place: number, total: number, position: number) => string;
    readonly edit: (row: 'a' | 'b') => string;
    readonly empty: string;
    readonly more: (count: number) => string;
    readonly done: string;
    readonly join: string;
    readonly split: string;
    readonly moveLeft: string;
    readonly moveRight: string;
    readonly moved: (word: string, place: number, total: number) => string;
    readonly swap: string;
    readonly swapHint: (first: string, second: string) => string;
    readonly reverse: string;
    readonly reverseHint: string;
    readonly shuffle: string;
    readonly shuffleHint: string;
    readonly shift: string;
    readonly shiftHint: (offset: number) => string;
    readonly undo: string;
    readonly redo: string;
    readonly examples: string;
    readonly cut: string;
    readonly cuts: Readonly<Record<PageSplit, string>>;
    readonly onlyFirst: (computed: number, total: number) => string;
  };

  readonly picker: {
    readonly encoding: string;
    readonly families: Readonly<Record<Family, string>>;
    readonly mask: string;
    readonly masks: Readonly<Record<PageMask, string>>;
    readonly source: (authors: string, year: number) => string;
  };

  readonly settings: {
    readonly title: string;
    readonly none: string;
    readonly reset: string;
    readonly resetHint: string;
    readonly seed: string;
    readonly seedDoc: string;
    readonly head: string;
    readonly headDoc: (heads: number) => string;
    readonly weights: string;
    readonly weightsOf: Readonly<Record<WeightsOf, string>>;
    readonly layer: string;
    readonly layerDoc: (layers: number) => string;
    readonly start: string;
    readonly startDoc: string;
    /** In the empty field of a number that is computed from others. */
    readonly computed: string;
    readonly less: (label: string) => string;
    readonly more: (label: string) => string;
  };

  /** By encoding, field and choice; what is missing comes from the description. */
  readonly encodings: Readonly<
    Record<string, { readonly name?: string; readonly inSentence?: string; readonly summary?: string }>
  >;
  /** By `kind.field`, then by `field`; the two halves are looked up one by one. */
  readonly fields: Readonly<Record<string, { readonly label?: string; readonly doc?: string }>>;
  /** By `kind.field.choice`, then by `field.choice`. */
  readonly choices: Readonly<Record<string, string>>;
  readonly units: Readonly<Record<string, string>>;

  readonly matrix: {
    readonly group: string;
    readonly a: string;
    readonly b: (align: Align) => string;
    readonly delta: (align: Align) => string;
    readonly short: Readonly<Record<'a' | 'b' | 'delta', string>>;
    readonly panels: string;
    readonly query: string;
    readonly key: string;
    readonly slot: string;
    readonly align: string;
    readonly aligns: Readonly<Record<Align, string>>;
    /** What a comparison by slot shows; `exact`: word by word nothing changed. */
    readonly alignHint: (exact: boolean) => string;
    readonly colours: string;
    readonly scales: { readonly fixed: string; readonly fit: string };
    readonly view: string;
    readonly views: { readonly picture: string; readonly table: string };
    readonly copy: string;
    readonly copied: string;
    readonly firstWords: (shown: number, total: number) => string;
    readonly legendWeight: string;
    readonly legendChange: string;
    readonly legendNegative: string;
    readonly legendPositive: string;
    readonly weightCell: (cell: CellWords, weight: string) => string;
    readonly weightCellWas: (cell: CellWords, weight: string, was: string) => string;
    readonly changeCell: (cell: CellWords, change: string, from: string, to: string) => string;
    readonly zeroCell: (cell: CellWords) => string;
    readonly aloneCell: (cell: CellWords) => string;
    readonly waiting: string;
  };

  /** What the numbers say. */
  readonly verdict: (facts: Facts, encoding: string, words: readonly string[]) => Rich;
  readonly alone: (words: readonly string[]) => string;
  readonly pair: (cell: CellFacts, words: CellWords) => Rich;
  /** What a later start did; the size of the largest change, or `null` when no shift could be tried. */
  readonly shifted: (offset: number, size: string | null) => string;
  readonly mirrorBackwards: string;
  readonly mirrorPadding: string;

  readonly arithmetic: {
    readonly title: (cell: CellWords) => Rich;
    readonly caption: string;
    readonly parts: Readonly<Record<'content' | 'position' | 'bias' | 'logit' | 'weight', string>>;
    readonly softmax: string;
    readonly hidden: string;
    readonly alone: string;
    readonly bar: (row: 'A' | 'B') => string;
  };

  readonly weights: (seed: number, head: number) => string;
  readonly readerWeights: (reader: ReaderWeights) => string;
  /** In place of the weights that were asked for. */
  readonly noReaderWeights: string;
  readonly why: string;
  readonly whyText: Readonly<Record<WeightsOf, string>>;

  readonly scoreboard: {
    readonly title: string;
    readonly lede: (mask: PageMask) => string;
    readonly sort: string;
    readonly sorts: { readonly family: string; readonly change: string };
    readonly masks: Readonly<Record<PageMask, string>>;
    readonly largest: string;
    readonly thumbnail: (mask: PageMask, size: string) => string;
    readonly blind: Readonly<Record<BlindTest, string>>;
    readonly sees: Readonly<Record<BlindTest, string>>;
    readonly untried: Readonly<Record<BlindTest, string>>;
    readonly measured: (test: BlindTest, size: string, tried: number) => string;
    readonly load: (name: string) => string;
    readonly loaded: string;
    readonly scale: string;
    /** While the matrices above show the reader. */
    readonly seeded: string;
    readonly working: string;
  };

  readonly reader: ReaderText;

  readonly problems: {
    readonly title: string;
    readonly dismiss: string;
    /** A part of a link that was replaced. */
    readonly notice: (field: string, value: string, rule: string, used: string) => string;
    /** A value the reader typed, refused beside its control. */
    readonly refused: (field: string, rule: string, value: string, used: string) => string;
    readonly rule: (rule: Rule) => string;
    /** What the engine refused; `rule` as the page says it, or `null` where only the engine knows it. */
    readonly engine: (problem: PosencErrorData, field: string, rule: string | null) => string;
    readonly lastGood: string;
    readonly fieldNames: Readonly<Record<string, string>>;
  };

  readonly failure: {
    readonly cause: Readonly<Record<EngineFailure, string>>;
    readonly saved: (encoding: string, sentences: Pair) => string;
    readonly retry: string;
  };

  readonly footer: string;
}
