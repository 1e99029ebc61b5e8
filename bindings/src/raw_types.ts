/** What the raw module takes and gives. The module itself knows only values: names of types would take room in it. */
import type * as api from './types.ts';

export interface Spec {
  readonly encoding: unknown;
  readonly dims: { readonly d_model: unknown; readonly n_heads: unknown; readonly head_dim: unknown };
  readonly params: Readonly<Record<string, unknown>>;
  readonly weights?: Float32Array;
}

export interface Mask {
  readonly kind: unknown;
  readonly size?: unknown;
}

export interface Layer {
  readonly seed: unknown;
  readonly head: unknown;
  readonly mask: Mask;
  readonly offset: unknown;
}

/** A WasmArray, as the raw module knows it. */
export type Handle = number & { readonly handle: unique symbol };

/** Row-major [head][row][col]; a matrix has one head. */
export interface Floats {
  readonly data: Float32Array | Handle;
  readonly heads: number;
  readonly rows: number;
  readonly cols: number;
}

/** Where a result goes; undefined: into a new array. */
export type Out = Handle | undefined;

export interface Rotary {
  readonly operand: unknown;
  readonly seq_len?: unknown;
}

export interface Attend {
  readonly q: Floats;
  readonly k: Floats;
  readonly v?: Floats;
  readonly mask: Mask;
  readonly scale?: unknown;
  readonly q_positions: Float64Array;
  readonly k_positions: Float64Array;
}

export interface Failure {
  readonly error: { code: string; message: string; field: string; rule: string; value: string };
}

export type Outcome<T> = { readonly value: T; readonly error?: undefined } | Failure;

export type Words = readonly string[];
export type Positions = Float64Array;
export type Length = unknown;

/** Results; their data are null if they went into the WasmArray that was given. */
export interface Matrix {
  readonly data: Float32Array | null;
  readonly rows: number;
  readonly cols: number;
}

export interface Tensor {
  readonly data: Float32Array | null;
  readonly shape: readonly [number, number, number];
}

export type HandleOutcome = Outcome<Handle>;
export type FloatsOutcome = Outcome<Float32Array | null>;
export type MatrixOutcome = Outcome<Matrix>;
export type RotationOutcome = Outcome<{ cos: Matrix; sin: Matrix }>;
export type FrequenciesOutcome = Outcome<{ invFreq: Float64Array; attentionFactor: number; logitFactor: number }>;
export type TensorOutcome = Outcome<Tensor>;
export type AttendOutcome = Outcome<api.Attended>;
export type AttentionOutcome = Outcome<api.AttentionResult>;
export type ComparisonOutcome = Outcome<api.Comparison>;
export type InvariancesOutcome = Outcome<api.Invariances>;
export type PlacesOutcome = Outcome<api.MultimodalPositions>;

/** The functions of bindings.cpp; a test compares their names and parameters. */
export interface RawModule {
  version(): string;
  hasSimd(): boolean;
  hold(length: Length): HandleOutcome;
  view(handle: Handle): Float32Array;
  release(handle: Handle): void;
  table(spec: Spec, positions: Positions, out: Out): MatrixOutcome;
  rotation(spec: Spec, positions: Positions, rotary: Rotary, outCos: Out, outSin: Out): RotationOutcome;
  frequencies(spec: Spec, seqLen: Length): FrequenciesOutcome;
  apply(spec: Spec, x: Floats, positions: Positions, rotary: Rotary, out: Out): FloatsOutcome;
  bias(spec: Spec, qPositions: Positions, kPositions: Positions, out: Out): TensorOutcome;
  attend(spec: Spec, input: Attend): AttendOutcome;
  attendOutput(spec: Spec, input: Attend, out: Out): FloatsOutcome;
  attention(spec: Spec, layer: Layer, tokens: Words): AttentionOutcome;
  compare(spec: Spec, layer: Layer, a: Words, b: Words): ComparisonOutcome;
  invariances(spec: Spec, layer: Layer, tokens: Words): InvariancesOutcome;
  multimodalPositions(
    tokenTypes: Positions,
    imageGrids: Positions,
    videoGrids: Positions,
    mergeSize: number,
    stepsPerFrame: number,
  ): PlacesOutcome;
}
