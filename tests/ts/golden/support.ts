import { readFileSync } from 'node:fs';

import { load } from 'posenc';
import type { Dims, Encoding, EncodingKind, Mask } from 'posenc';
import { expect } from 'vitest';

import { largestDifference, matrixOf, projectPath, tensorOf } from '../support.ts';

/** Reading tests/golden, and checking a case through the package. The C++ tests do the same through the library. */

export const posenc = await load();

// Tolerances: what the float32 of the references needs, as in the C++ tests and in tests/golden/README.md.
export const LOGITS = 5e-6;
/** cos and sin up to position 100. */
export const NEAR = 1e-5;
/** Up to 4095. */
export const TABLE = 5e-4;
/** Up to 131071. */
export const FAR = 5e-3;

/** What is needed of angles at these positions. */
export function toleranceAt(positions: readonly number[]): number {
  const farthest = positions.reduce((most, position) => Math.max(most, Math.abs(position)), 0);
  return farthest <= 100 ? NEAR : farthest <= 4095 ? TABLE : FAR;
}

/** Vectors reach about 3, so an error of cos shows up to three times as large in them. */
export const vectorsAt = (positions: readonly number[]) => 3 * toleranceAt(positions);

export type Nested = number | readonly Nested[];
export type Rows = readonly (readonly number[])[];
/** `[head][position][dim]` */
export type Heads = readonly Rows[];

interface RawCase {
  readonly name: string;
  readonly function?: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly inputs?: Readonly<Record<string, unknown>>;
  readonly expected: Readonly<Record<string, unknown>>;
}

/** One case of a golden file. Asking for what it does not have is an error. */
export class Case {
  readonly name: string;
  readonly raw: RawCase;

  constructor(raw: RawCase) {
    this.name = raw.name;
    this.raw = raw;
  }

  /** A number of `params`. */
  number(name: string): number {
    return numberOf(name, this.raw.params[name]);
  }

  /** The same, or undefined where it is missing or null. */
  maybe(name: string): number | undefined {
    const value = this.raw.params[name] ?? undefined;
    return value === undefined ? undefined : numberOf(name, value);
  }

  flag(name: string): boolean {
    const value = this.raw.params[name];
    if (typeof value !== 'boolean') throw new Error(`${this.name}: no boolean ${name}`);
    return value;
  }

  text(name: string): string {
    const value = this.raw.params[name];
    if (typeof value !== 'string') throw new Error(`${this.name}: no text ${name}`);
    return value;
  }

  /** A list of `params`. */
  list(name: string): number[] {
    return numbers(valueOf<Nested>(this.raw.params, name));
  }

  input<T = Nested>(name: string): T {
    return valueOf<T>(this.raw.inputs ?? {}, name);
  }

  hasInput(name: string): boolean {
    return (this.raw.inputs?.[name] ?? undefined) !== undefined;
  }

  expected<T = Nested>(name: string): T {
    return valueOf<T>(this.raw.expected, name);
  }

  expects(name: string): boolean {
    return name in this.raw.expected;
  }

  /** The named inputs, one after the other. */
  joined(...names: string[]): number[] {
    return names.flatMap((name) => numbers(this.input(name)));
  }

  /** `positions` of the case, or 0, 1, 2, ... from its offset. */
  positions(): number[] {
    if ('positions' in this.raw.params) return this.list('positions');
    return count(this.input<Heads>('q')[0]?.length ?? NaN, this.maybe('offset') ?? 0);
  }
}

function numberOf(name: string, value: unknown): number {
  if (typeof value !== 'number') throw new Error(`no number ${name}`);
  return value;
}

function valueOf<T>(from: Readonly<Record<string, unknown>>, name: string): T {
  const value = from[name];
  if (value === undefined || value === null) throw new Error(`a case without ${name}`);
  return value as T; // golden files are written by their generator in this form
}

/** Cases of one golden file. complete.test.ts reads off these calls which files are used. */
export function golden(file: string): Case[] {
  const text = readFileSync(projectPath(`tests/golden/${file}.json`), 'utf8');
  const { cases } = JSON.parse(text) as { cases: RawCase[] };
  if (cases.length === 0) throw new Error(`${file} has no cases`);
  return cases.map((raw) => new Case(raw));
}

export function numbers(tensor: Nested): number[] {
  return typeof tensor === 'number' ? [tensor] : tensor.flatMap(numbers);
}

/** first, first + 1, ... */
export function count(length: number, first = 0): number[] {
  return Array.from({ length }, (_, index) => first + index);
}

/** Patches of a picture row by row: row and column of each. */
export function grid(height: number, width: number, first = 0): number[] {
  return count(height * width).flatMap((patch) => [first + Math.floor(patch / width), first + (patch % width)]);
}

/** `[token][head][dim]` to `[head][token][dim]`, and back. */
export function swapped(tokens: Heads): Rows[] {
  return count(tokens[0]?.length ?? NaN).map((head) => tokens.map((token) => token[head] ?? []));
}

/** An encoding from parameters under our names; those that are undefined are left out. */
export function encodingOf(kind: EncodingKind, params: Readonly<Record<string, unknown>> = {}): Encoding {
  return { kind, ...params } as Encoding; // the engine checks it
}

export function expectClose(got: ArrayLike<number>, expected: Nested, tolerance: number): void {
  const wanted = numbers(expected);
  expect(wanted.length).toBeGreaterThan(0);
  expect(largestDifference(got, wanted)).toBeLessThanOrEqual(tolerance);
}

/** Rows of an added encoding. */
export function expectRows(encoding: Encoding, dModel: number, positions: readonly number[], expected: Nested): void {
  const { data } = posenc.table(encoding, { positions, dims: { dModel, nHeads: 1 } });
  expectClose(data, expected, toleranceAt(positions));
}

/** Every head of q or k, `[head][token][dim]`, rotated. */
export function expectRotated(
  encoding: Encoding,
  positions: readonly number[],
  operand: 'q' | 'k',
  x: Heads,
  expected: Heads,
  tolerance = vectorsAt(positions),
): void {
  expect(expected.length).toBe(x.length);
  x.forEach((rows, head) => {
    const { data } = posenc.apply(encoding, matrixOf(rows), { positions, operand });
    expectClose(data, expected[head] ?? [], tolerance);
  });
}

/** q_rot and k_rot. */
export function expectQAndK(c: Case, encoding: Encoding, positions: readonly number[], tolerance?: number): void {
  expectRotated(encoding, positions, 'q', c.input('q'), c.expected('q_rot'), tolerance);
  expectRotated(encoding, positions, 'k', c.input('k'), c.expected('k_rot'), tolerance);
}

export interface AttentionOptions {
  readonly q?: Heads;
  readonly k?: Heads;
  readonly qPositions?: readonly number[];
  readonly kPositions?: readonly number[];
  readonly scale?: number;
  readonly tolerance?: number;
  /** Only these values of the case; the reason stands where it is said. */
  readonly only?: readonly AttentionValue[];
}
export type AttentionValue = 'logits' | 'softmax_full' | 'softmax_causal';

/** Logits, and weights without and with a causal mask, as far as the case has them. */
export function expectAttention(c: Case, encoding: Encoding, options: AttentionOptions = {}): void {
  const { tolerance = LOGITS, only = ['logits', 'softmax_full', 'softmax_causal'] } = options;
  const qPositions = options.qPositions ?? c.positions();
  const common = {
    encoding,
    q: tensorOf(options.q ?? c.input<Heads>('q')),
    k: tensorOf(options.k ?? c.input<Heads>('k')),
    qPositions,
    kPositions: options.kPositions ?? qPositions,
    scale: options.scale ?? c.number('softmax_scale'),
  };
  const attend = (mask: Mask) => posenc.attend({ ...common, mask });
  const wanted = only.filter((name) => c.expects(name));
  expect(wanted.length).toBeGreaterThan(0);
  for (const name of wanted) {
    const got = attend({ kind: name === 'softmax_causal' ? 'causal' : 'none' });
    expectClose((name === 'logits' ? got.logits : got.weights).data, c.expected(name), tolerance);
  }
}

/** Rotated q and k of every head, and attention over them. */
export function expectRotary(c: Case, encoding: Encoding, options: { scale?: number } = {}): void {
  const positions = c.positions();
  expectQAndK(c, encoding, positions);
  const far = (positions.at(-1) ?? NaN) > 100;
  expectAttention(c, encoding, { ...options, qPositions: positions, tolerance: far ? vectorsAt(positions) : LOGITS });
}

/** Heads of one channel: enough for a bias. */
export function channels(nHeads: number, headDim = 1): Dims {
  return { dModel: nHeads * headDim, nHeads, headDim };
}

/** Every head of a bias, `[query][key]` each. */
export function biases(
  encoding: Encoding,
  nHeads: number,
  qPositions: readonly number[],
  kPositions: readonly number[] = qPositions,
  headDim = 1,
): Float32Array[] {
  const { data, shape } = posenc.bias(encoding, { qPositions, kPositions, dims: channels(nHeads, headDim) });
  const size = shape[1] * shape[2];
  return count(nHeads).map((head) => data.subarray(head * size, (head + 1) * size));
}
