/**
 * The public data of posenc: what goes in, what comes out. Plain objects and typed arrays only; every array that
 * leaves the package is a copy that belongs to the caller, unless the caller asked for a `WasmArray`.
 */
import type { Encoding, EncodingKind } from './generated/encodings.ts';

/** Sizes of the attention layer. Left out: `{ dModel: 64, nHeads: 4, headDim: 16 }`; `headDim` alone may be left out
 * too and is then `dModel / nHeads`. */
export interface Dims {
  readonly dModel?: number;
  readonly nHeads?: number;
  readonly headDim?: number;
}

/**
 * Floats in the memory of the engine: what takes and fills them copies nothing. For large data, by `posenc.wasmArray`.
 *
 * It holds its memory until `dispose()`; used after that, it throws a `PosencError` with code `missing_value`. The memory
 * of a forgotten array is taken back some time after neither the array nor its view (a part of the view does not count)
 * can be reached.
 *
 * @example
 * using q = posenc.wasmArray(heads * tokens * headDim); // or q.dispose() at the end
 * q.array.set(numbers);
 * posenc.apply({ kind: 'rope' }, { data: q, shape: [heads, tokens, headDim] }, { out: q }); // in place
 */
export interface WasmArray {
  /** How many floats. */
  readonly length: number;
  /**
   * The floats: a view that is made anew when memory has grown. Read it after each call of the engine, for a view that was
   * kept may have lost its memory (its length is then 0). After `dispose()` a kept view shows what others write there.
   */
  readonly array: Float32Array;
  /** Gives the memory back; once more does nothing. */
  dispose(): void;
  [Symbol.dispose](): void;
}

/** Floats that come in: a typed array, which is copied once, or an array in WebAssembly memory, which is not. */
export type Floats = Float32Array | WasmArray;

/** Row-major matrix: element (row, col) is `data[row * cols + col]`. */
export interface Matrix<Data extends Floats = Float32Array> {
  readonly data: Data;
  readonly rows: number;
  readonly cols: number;
}

/** Row-major tensor of three axes, for example `[head][query][key]`. */
export interface Tensor3<Data extends Floats = Float32Array> {
  readonly data: Data;
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

/** What attention works with, `[head][position][head_dim]` each. */
export interface AttendOptions<Data extends Floats = Float32Array> {
  readonly encoding: Encoding;
  readonly q: Tensor3<Data>;
  readonly k: Tensor3<Data>;
  readonly v?: Tensor3<Data>;
  /** Default `{ kind: 'none' }`. */
  readonly mask?: Mask;
  /** Factor on q·k, default 1 / sqrt(head_dim). T5 uses 1. */
  readonly scale?: number;
  /** Default 0, 1, 2, ...; an encoding of several axes needs them, all numbers of one token after the other. */
  readonly qPositions?: ArrayLike<number>;
  readonly kPositions?: ArrayLike<number>;
}

/** What `attendOutput` works with. k and v may have fewer heads than q, each for as many heads of q as divide evenly. */
export type AttendOutputOptions<Data extends Floats = Float32Array> = AttendOptions<Data> & {
  readonly v: Tensor3<Data>;
};

/** A prompt of text, pictures and films, as a Qwen-VL processor describes it. */
export interface MultimodalOptions {
  /** Of each token (`mm_token_type_ids`): 0 text, 1 of a picture, 2 of a film. */
  readonly tokenTypes: ArrayLike<number>;
  /** Of each token: 0 padding, 1 none. Default: no padding. */
  readonly attentionMask?: ArrayLike<number>;
  /** Of each picture `[frames, height, width]`, in patches. */
  readonly imageGridThw?: readonly (readonly [number, number, number])[];
  /** Of each film. */
  readonly videoGridThw?: readonly (readonly [number, number, number])[];
  /** Patches of each side that make one token (`spatial_merge_size`), default 2. */
  readonly mergeSize?: number;
  /** Of a film, default 1; Qwen2.5-VL: `second_per_grid_ts` times `tokens_per_second`. */
  readonly stepsPerFrame?: number;
}

/** Where the tokens of a prompt stand. */
export interface MultimodalPositions {
  /** `[token][time, height, width]`, as the `positions` of M-RoPE; 0 for padding. */
  readonly positions: Float64Array;
  /** Of the token that comes after the prompt, on all three axes. */
  readonly next: number;
  /** `next` less the number of tokens without padding (`rope_deltas`). */
  readonly delta: number;
}

/** Weights, logits and, if there are values, output of `attend`. */
export interface Attended {
  /** `[head][query][key]` */
  readonly weights: Tensor3;
  /** `[head][query][key]`, before mask and softmax. */
  readonly logits: Tensor3;
  /** `[head][query][value_dim]` */
  readonly output: Tensor3 | null;
}

/** The result is a new typed array. */
export interface NoOut {
  readonly out?: undefined;
}

/** The result goes into `out`, which has its length; whatever was there is lost, and after an error it is undefined. */
export interface OutOption {
  readonly out: WasmArray;
}

/** What every engine does, in this thread or in a worker. All methods are pure: same input, same bytes. */
export interface EngineMethods {
  /** Rows that an added encoding gives, `[position][d_model]`. */
  table(encoding: Encoding, options: TableOptions & NoOut): Matrix;
  /** cos and sin of a rotary encoding, `[position][pair]` each; they include a magnitude if the encoding has one. */
  rotation(encoding: Encoding, options: RotationOptions & NoOut): { cos: Matrix; sin: Matrix };
  /**
   * How fast the pairs of a rotary encoding turn in a sequence of `seqLen` tokens (default 0: within the trained window).
   *
   * @example
   * posenc.frequencies({ kind: 'rope', scaling: 'dynamic' }, { dims: { headDim: 128 }, seqLen: 8192 }).invFreq;
   */
  frequencies(encoding: Encoding, options?: { dims?: Dims; seqLen?: number }): Frequencies;
  /**
   * Adds (`x` is `[position][d_model]`) or rotates (`x` is `[position][head_dim]`) and returns the result in the form of
   * `x`. With three axes the first is heads, which all have the same positions.
   *
   * @example
   * posenc.apply({ kind: 'rope' }, { data, shape: [8, 1024, 64] }, { positions }).shape; // [8, 1024, 64]
   */
  apply(encoding: Encoding, x: Matrix, options?: ApplyOptions & NoOut): Matrix;
  apply(encoding: Encoding, x: Tensor3, options?: ApplyOptions & NoOut): Tensor3;
  /**
   * What a bias encoding adds to the logits, `[head][query][key]`.
   *
   * @example
   * posenc.bias({ kind: 'alibi' }, { queries: 1, keys: 8, offset: 7, dims: { nHeads: 8 } });
   * posenc.bias({ kind: 'swin_bias' }, { qPositions: [0, 0], kPositions: [0, 0, 0, 1, 1, 0, 1, 1] });
   */
  bias(encoding: Encoding, options: BiasOptions & NoOut): Tensor3;
  /** Attention over given q, k, v, with its weights and logits; k and v have as many heads as q. */
  attend(options: AttendOptions): Attended;
  /**
   * The output of `attend` alone, `[head][query][value_dim]`, for long sequences: it takes memory for rows, never for a
   * matrix `[query][key]`. With grouped queries k and v have fewer heads: `[kv_head][key][head_dim]`.
   *
   * @example
   * const mask = { kind: 'causal' };
   * posenc.attendOutput({ encoding: { kind: 'rope' }, q, k, v, mask }).data;
   */
  attendOutput(options: AttendOutputOptions & NoOut): Tensor3;
  /** Attention of one seeded head over words. */
  attention(options: LayerOptions & { tokens: readonly string[] }): AttentionResult;
  /** Two orderings, laid over each other by word. */
  compare(options: LayerOptions & { a: readonly string[]; b: readonly string[] }): Comparison;
  /** Shuffle, mirror and shift test. */
  invariances(options: LayerOptions & { tokens: readonly string[] }): Invariances;
  /**
   * Positions on three axes for a prompt with pictures and films (Qwen2-VL's `get_rope_index`).
   *
   * @example
   * const tokenTypes = [0, 1, 1, 1, 1, 0]; // a picture of 4 x 4 patches between two words
   * const { positions } = posenc.multimodalPositions({ tokenTypes, imageGridThw: [[1, 4, 4]] });
   * posenc.rotation({ kind: 'mrope' }, { positions, dims: { headDim: 128 } }).cos;
   */
  multimodalPositions(options: MultimodalOptions): MultimodalPositions;
}

/** What only the engine of this thread does: arrays in its memory come in and are filled, and nothing is copied. */
export interface InPlaceMethods {
  /**
   * Floats in the memory of the engine: so many zeros, or a copy of an array.
   *
   * @throws PosencError `out_of_range`, `out_of_memory`
   * @example
   * using bias = posenc.wasmArray(16 * 1024 * 1024);
   * posenc.bias({ kind: 'alibi' }, { queries: 1024, keys: 1024, dims: { nHeads: 16 }, out: bias });
   * bias.array[0];
   */
  wasmArray(from: number | Float32Array): WasmArray;
  table(encoding: Encoding, options: TableOptions & OutOption): Matrix<WasmArray>;
  rotation(
    encoding: Encoding,
    options: RotationOptions & { readonly out: { readonly cos: WasmArray; readonly sin: WasmArray } },
  ): { cos: Matrix<WasmArray>; sin: Matrix<WasmArray> };
  /** `out` may be `x.data`. */
  apply(encoding: Encoding, x: Matrix<Floats>, options: ApplyOptions & OutOption): Matrix<WasmArray>;
  apply(encoding: Encoding, x: Tensor3<Floats>, options: ApplyOptions & OutOption): Tensor3<WasmArray>;
  apply(encoding: Encoding, x: Matrix<Floats>, options?: ApplyOptions & NoOut): Matrix;
  apply(encoding: Encoding, x: Tensor3<Floats>, options?: ApplyOptions & NoOut): Tensor3;
  bias(encoding: Encoding, options: BiasOptions & OutOption): Tensor3<WasmArray>;
  attend(options: AttendOptions<Floats>): Attended;
  /** `out` must not be `q.data`, `k.data` or `v.data`. */
  attendOutput(options: AttendOutputOptions<Floats> & OutOption): Tensor3<WasmArray>;
  attendOutput(options: AttendOutputOptions<Floats> & NoOut): Tensor3;
}

/** What an engine is. */
export interface EngineFacts {
  readonly version: string;
  /** Compiled with SIMD128. */
  readonly simd: boolean;
  /** The registry: all encodings with their parameters. */
  readonly encodings: readonly EncodingInfo[];
}

/** The engine in this thread. */
export type Posenc = EngineFacts & InPlaceMethods & EngineMethods;

/** Rows to compute: `length` rows from position `offset` (default 0), or the positions themselves. */
export type PositionsOption =
  | { readonly length: number; readonly offset?: number }
  | { readonly positions: ArrayLike<number>; readonly axes?: number };

/** Rows of a table. */
export type TableOptions = { readonly dims?: Dims } & PositionsOption;

/** Positions of a rotation. */
export type RotationOptions = RotaryOptions & PositionsOption;

/** What is applied; the positions are those of the rows of `x`, default 0, 1, 2, ... */
export type ApplyOptions = RotaryOptions & Partial<PositionsOption>;

/** Queries and keys of a bias: how many, counted from `offset` (default 0) and from 0, or their positions, for each
 * token as many numbers as the encoding has axes. */
export type BiasOptions = { readonly dims?: Dims } & (
  { readonly queries: number; readonly offset?: number } | { readonly qPositions: ArrayLike<number> }
) &
  ({ readonly keys: number } | { readonly kPositions: ArrayLike<number> });

/**
 * The same methods on a worker: each returns a promise, and takes an `AbortSignal` and a channel as last argument. Arrays
 * in WebAssembly memory stay in their thread: there is no `wasmArray`, and none is taken.
 */
export type PosencAsync = EngineFacts & {
  readonly [K in Exclude<keyof EngineMethods, 'apply'>]: EngineMethods[K] extends (...args: infer A) => infer R
    ? (...args: [...A, request?: RequestOptions]) => Promise<R>
    : never;
} & {
  apply(encoding: Encoding, x: Matrix, options?: ApplyOptions & NoOut, request?: RequestOptions): Promise<Matrix>;
  apply(encoding: Encoding, x: Tensor3, options?: ApplyOptions & NoOut, request?: RequestOptions): Promise<Tensor3>;
  dispose(): void;
  [Symbol.dispose](): void;
};

/** How a worker treats a request. */
export interface RequestOptions {
  readonly signal?: AbortSignal;
  /** A newer request on the same channel makes an older one reject with code `aborted`. */
  readonly channel?: string;
}
