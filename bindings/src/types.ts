/**
 * The public data of posenc: what goes in, what comes out. Plain objects and typed arrays only; every array that
 * leaves the package is a copy that belongs to the caller.
 */
import type { Encoding, EncodingKind } from './generated/encodings.ts';

/** Sizes of the attention layer. Left out: `{ dModel: 64, nHeads: 4, headDim: 16 }`; `headDim` alone may be left out
 * too and is then `dModel / nHeads`. */
export interface Dims {
  readonly dModel?: number;
  readonly nHeads?: number;
  readonly headDim?: number;
}

/** Row-major matrix: element (row, col) is `data[row * cols + col]`. */
export interface Matrix {
  readonly data: Float32Array;
  readonly rows: number;
  readonly cols: number;
}

/** Row-major tensor of three axes, for example `[head][query][key]`. */
export interface Tensor3 {
  readonly data: Float32Array;
  readonly shape: readonly [number, number, number];
}

/** Which keys a query may see. `causal`: no later position. `window`: causal, and closer than `size` tokens. */
export type Mask =
  { readonly kind: 'none' } | { readonly kind: 'causal' } | { readonly kind: 'window'; readonly size: number };

/** Where the numbers of the attention layer come from: here a seed, so that the same seed gives the same numbers. */
export interface Weights {
  readonly kind: 'seeded';
  /** Whole number, 0 to 2^53 - 1. Default 7. */
  readonly seed: number;
}

/** A seam of attention that an encoding fills. */
export type Seam = 'input' | 'rotary' | 'bias' | 'relative';

/** One value of a choice. */
export interface Choice {
  readonly id: string;
  readonly label: string;
  readonly doc: string;
}

interface FieldCommon {
  /** JavaScript name, camelCase (`rotaryDim`): what an `Encoding` object uses. */
  readonly name: string;
  /** Name in C++, JSON, URL and error messages, snake_case (`rotary_dim`). */
  readonly id: string;
  readonly label: string;
  /** Empty when the value has no unit. */
  readonly unit: string;
  readonly doc: string;
  /** It has a meaning only while the choice `field` (its `id`) is one of `values`; else it must be left out. */
  readonly onlyWith: { readonly field: string; readonly values: readonly string[] } | null;
}

/** One parameter of an encoding, as its C++ file describes it. */
export type FieldInfo =
  | (FieldCommon & { readonly type: 'bool'; readonly default: boolean })
  | (FieldCommon & {
      readonly type: 'number';
      readonly integer: boolean;
      /** `null`: the value of `defaultFrom`, or, without that, computed from the other parameters as `doc` says; such a
       * parameter is left out to have its default. */
      readonly default: number | null;
      readonly min: number;
      readonly max: number;
      readonly multipleOf: number;
      readonly logScale: boolean;
      readonly defaultFrom: keyof Dims | null;
      readonly maxFrom: keyof Dims | null;
    })
  | (FieldCommon & { readonly type: 'choice'; readonly default: string; readonly choices: readonly Choice[] })
  | (FieldCommon & {
      readonly type: 'list';
      readonly default: readonly number[];
      readonly min: number;
      readonly max: number;
    });

/** An encoding of the registry, as its C++ file describes it. */
export interface EncodingInfo {
  readonly kind: EncodingKind;
  readonly name: string;
  /** Section of the field it belongs to; the picker groups by it. */
  readonly family: 'none' | 'added' | 'rotated' | 'bias' | 'relative' | 'content';
  readonly seams: readonly Seam[];
  readonly summary: string;
  readonly authors: string;
  readonly year: number;
  readonly url: string;
  /** Position axes that it reads: 1 for text. */
  readonly axes: number;
  /** It keeps numbers of its own (`weights` of the encoding object): seeded or given. */
  readonly learned: boolean;
  readonly fields: readonly FieldInfo[];
}

/** Attention of one head under an encoding. */
export interface AttentionResult {
  /** `[query][key]`, rows sum to 1, or to 0 where the mask hides every key. */
  readonly weights: Matrix;
  /** `[query][key]`, before mask and softmax. */
  readonly logits: Matrix;
  /** `[query][key]` each; content + position + bias = logits up to rounding in the last bit.
   * position: what the logit gains because positions enter by addition, rotation or relative vectors. */
  readonly parts: { readonly content: Matrix; readonly position: Matrix; readonly bias: Matrix };
  /** `[token][head_dim]`. */
  readonly output: Matrix;
}

/** Two orderings under one encoding, laid over each other word by word. */
export interface Comparison {
  readonly a: AttentionResult;
  /** In B's own word order. */
  readonly b: AttentionResult;
  /** For each word of A the index of the same word in B, or -1. */
  readonly mapping: Int32Array;
  /** B's weights put back in A's word order, `[query][key]`; NaN where a word has no partner. */
  readonly bInOrderOfA: Matrix;
  /** bInOrderOfA - A's weights; NaN where a word has no partner. */
  readonly delta: Matrix;
  /** Largest |delta|, and where. 0 with query = key = -1 when nothing can be compared. */
  readonly maxDelta: number;
  readonly maxDeltaAt: { readonly query: number; readonly key: number };
  /** Every comparable difference is 0 to the bit. */
  readonly exact: boolean;
}

/** Result of moving the words of a sentence and measuring whether attention, by word, changes. */
export interface Invariance {
  /** The largest change is below 1e-6. True as well when nothing could be tried: look at `tried`. */
  readonly holds: boolean;
  readonly maxChange: number;
  /** The largest change is 0 to the bit. */
  readonly exact: boolean;
  /** How many rearrangements were tried; 0 when the sentence allows none (one word). */
  readonly tried: number;
}

/** The three live tests of one encoding on one sentence. */
export interface Invariances {
  /** Does any change of word order change attention? Holds: order-blind. */
  readonly shuffle: Invariance;
  /** The sentence read backwards. Holds: mirror-blind. */
  readonly mirror: Invariance;
  /** All positions moved by the same number. Holds: shift-blind. */
  readonly shift: Invariance;
}

/** What the seeded layer needs to know besides the words. */
export interface LayerOptions {
  readonly encoding: Encoding;
  readonly dims?: Dims;
  /** Default `{ kind: 'seeded', seed: 7 }`. */
  readonly weights?: Weights;
  /** Default `{ kind: 'none' }`. */
  readonly mask?: Mask;
  /** 0 to n_heads - 1, default 0. */
  readonly head?: number;
  /** Position of the first word, default 0. */
  readonly offset?: number;
}

/** What a rotation needs to know besides the positions. */
export interface RotaryOptions {
  readonly dims?: Dims;
  /** Whether q or k is rotated, default `'q'`. */
  readonly operand?: 'q' | 'k';
  /** Tokens of the whole sequence, 0 to 1e9 + 1, for scalings that depend on the length; it need not be that of the
   * positions. Default: the largest position + 1. */
  readonly seqLen?: number;
}

/** How fast the pairs of a rotary encoding turn, and how long it makes the vectors. */
export interface Frequencies {
  /** `[pair]`, radians per token. */
  readonly invFreq: Float64Array;
  /** Magnitude that cos and sin include; 1 without one. */
  readonly attentionFactor: number;
  /** Factor on the scaled q·k beside the rotation; 1 without one. */
  readonly logitFactor: number;
}

/** Everything the engine does. All methods are pure: same input, same bytes. */
export interface Posenc {
  readonly version: string;
  /** Compiled with SIMD128. */
  readonly simd: boolean;
  /** The registry: all encodings with their parameters. */
  readonly encodings: readonly EncodingInfo[];

  /** Rows that an added encoding gives, `[position][d_model]`. */
  table(encoding: Encoding, options: { dims?: Dims } & PositionsOption): Matrix;
  /** cos and sin of a rotary encoding, `[position][pair]` each; they include a magnitude if the encoding has one. */
  rotation(encoding: Encoding, options: RotaryOptions & PositionsOption): { cos: Matrix; sin: Matrix };
  /**
   * How fast the pairs of a rotary encoding turn in a sequence of `seqLen` tokens (default 0: within the trained window).
   *
   * @example
   * posenc.frequencies({ kind: 'rope', scaling: 'dynamic' }, { dims: { headDim: 128 }, seqLen: 8192 }).invFreq;
   */
  frequencies(encoding: Encoding, options?: { dims?: Dims; seqLen?: number }): Frequencies;
  /** Adds (`x` is `[position][d_model]`) or rotates (`x` is `[position][head_dim]`, one head) and returns the result. */
  apply(encoding: Encoding, x: Matrix, options?: RotaryOptions & Partial<PositionsOption>): Matrix;
  /**
   * What a bias encoding adds to the logits, `[head][query][key]`.
   *
   * @example
   * posenc.bias({ kind: 'alibi' }, { queries: 1, keys: 8, offset: 7, dims: { nHeads: 8 } });
   * posenc.bias({ kind: 'swin_bias' }, { qPositions: [0, 0], kPositions: [0, 0, 0, 1, 1, 0, 1, 1] });
   */
  bias(encoding: Encoding, options: BiasOptions): Tensor3;
  /** Attention over given q, k, v, `[head][position][head_dim]` each. Positions default to 0, 1, 2, ...; an encoding of
   * several axes needs them, all numbers of one token after the other. */
  attend(options: {
    encoding: Encoding;
    q: Tensor3;
    k: Tensor3;
    v?: Tensor3;
    mask?: Mask;
    /** Factor on q·k, default 1 / sqrt(head_dim). T5 uses 1. */
    scale?: number;
    qPositions?: ArrayLike<number>;
    kPositions?: ArrayLike<number>;
  }): { weights: Tensor3; logits: Tensor3; output: Tensor3 | null };
  /** Attention of one seeded head over words. */
  attention(options: LayerOptions & { tokens: readonly string[] }): AttentionResult;
  /** Two orderings, laid over each other by word. */
  compare(options: LayerOptions & { a: readonly string[]; b: readonly string[] }): Comparison;
  /** Shuffle, mirror and shift test. */
  invariances(options: LayerOptions & { tokens: readonly string[] }): Invariances;
}

/** Rows to compute: `length` rows from position `offset` (default 0), or the positions themselves. */
export type PositionsOption =
  | { readonly length: number; readonly offset?: number }
  | { readonly positions: ArrayLike<number>; readonly axes?: number };

/** Queries and keys of a bias: how many, counted from `offset` (default 0) and from 0, or their positions, for each
 * token as many numbers as the encoding has axes. */
export type BiasOptions = { readonly dims?: Dims } & (
  { readonly queries: number; readonly offset?: number } | { readonly qPositions: ArrayLike<number> }
) &
  ({ readonly keys: number } | { readonly kPositions: ArrayLike<number> });

/** The same methods on a worker: each returns a promise, and takes an `AbortSignal` and a channel as last argument. */
export type PosencAsync = {
  readonly [K in keyof Posenc]: Posenc[K] extends (...args: infer A) => infer R
    ? (...args: [...A, request?: RequestOptions]) => Promise<R>
    : Posenc[K];
} & { dispose(): void; [Symbol.dispose](): void };

/** How a worker treats a request. */
export interface RequestOptions {
  readonly signal?: AbortSignal;
  /** A newer request on the same channel makes an older one reject with code `aborted`. */
  readonly channel?: string;
}
