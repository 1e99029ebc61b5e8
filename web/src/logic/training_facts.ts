/** What a training has come to. */
import type { Run } from '../training.ts';

/** The share of right answers of one step is that of few sentences: the page prints a mean. */
export const kAveraged = 20;

export const stepOf = (run: Run): number => run.loss.length;

const mean = (values: readonly number[]): number =>
  values.length === 0 ? NaN : values.reduce((sum, value) => sum + value, 0) / values.length;

/** Mean of the last steps; NaN before the first one. */
export const lately = (values: readonly number[]): number => mean(values.slice(-kAveraged));

/** Readers in the order in which they are trained: the chosen one first, so that its arrows move at once. */
export function chosenFirst<T extends { readonly kind: string }>(
  encodings: readonly T[],
  chosen: string,
): readonly T[] {
  return encodings.filter(({ kind }) => kind === chosen).concat(encodings.filter(({ kind }) => kind !== chosen));
}

const kGridOf = 0.5;

/** Ticks of the losses, from 0 to the first one that no curve passes. */
export function lossTicks(runs: readonly Run[]): readonly number[] {
  const largest = runs.reduce((most, { loss }) => loss.reduce((m, value) => Math.max(m, value), most), kGridOf);
  return Array.from({ length: Math.ceil(largest / kGridOf) + 1 }, (_, index) => index * kGridOf);
}
