/** What the raw module of the models takes and gives. */
import type { Mask, Outcome, Spec, Words } from '../raw_types.ts';
import type * as api from '../types.ts';
import type { ReaderAnswer } from './types.ts';

/** A reader, as the raw module knows it. */
export type Handle = number & { readonly reader: unique symbol };

export interface Head {
  readonly layer: unknown;
  readonly head: unknown;
}

export interface Sizes {
  readonly dims: Required<api.Dims>;
  readonly layers: number;
}

/** Parameters by their snake_case names. */
export interface Setup {
  readonly encoding: string;
  readonly params: Readonly<Record<string, boolean | number | string | readonly number[]>>;
  readonly mask: api.Mask;
  readonly seed: number;
  readonly steps: number;
}

export type HandleOutcome = Outcome<Handle>;
export type SetupOutcome = Outcome<Setup>;
export type AnswerOutcome = Outcome<ReaderAnswer>;
export type AttentionOutcome = Outcome<api.AttentionResult>;
export type ComparisonOutcome = Outcome<api.Comparison>;
export type BytesOutcome = Outcome<Uint8Array<ArrayBuffer>>;
export type StepsOutcome = Outcome<number>;
export type StepOutcome = Outcome<{ loss: number; accuracy: number; done: boolean }>;

/** The functions of models.cpp; a test compares their names and parameters. */
export interface RawModule {
  sizes(): Sizes;
  create(spec: Spec, mask: Mask, seed: unknown): HandleOutcome;
  load(file: Uint8Array): HandleOutcome;
  release(handle: Handle): void;
  setup(handle: Handle): SetupOutcome;
  answer(handle: Handle, words: Words): AnswerOutcome;
  attention(handle: Handle, words: Words, head: Head): AttentionOutcome;
  compare(handle: Handle, a: Words, b: Words, head: Head): ComparisonOutcome;
  save(handle: Handle, width: unknown): BytesOutcome;
  begin(handle: Handle, steps: unknown): StepsOutcome;
  step(handle: Handle): StepOutcome;
}
