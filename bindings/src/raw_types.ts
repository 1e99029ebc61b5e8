/** What the raw module takes and gives. bindings.cpp names these types, so that the module need not carry their text. */
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

export interface Matrix {
  readonly data: Float32Array;
  readonly rows: number;
  readonly cols: number;
}

export interface Rotary {
  readonly operand: unknown;
  readonly seq_len?: unknown;
}

export interface Attend {
  readonly q: readonly Matrix[];
  readonly k: readonly Matrix[];
  readonly v?: readonly Matrix[];
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
export type MatrixOutcome = Outcome<api.Matrix>;
export type RotationOutcome = Outcome<{ cos: api.Matrix; sin: api.Matrix }>;
export type FrequenciesOutcome = Outcome<{ invFreq: Float64Array; attentionFactor: number; logitFactor: number }>;
export type TensorOutcome = Outcome<api.Tensor3>;
export type AttendOutcome = Outcome<{ weights: api.Tensor3; logits: api.Tensor3; output: api.Tensor3 | null }>;
export type AttentionOutcome = Outcome<api.AttentionResult>;
export type ComparisonOutcome = Outcome<api.Comparison>;
export type InvariancesOutcome = Outcome<api.Invariances>;
