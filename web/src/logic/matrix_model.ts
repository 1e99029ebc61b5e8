/** What a matrix shows: values, labels and, for each cell, the pair of words of A that it stands for. */
import type { Comparison } from 'posenc';
import type { Align } from '../state/state.ts';
import { proseLabels, type Words } from './words.ts';

export type Panel = 'a' | 'b' | 'delta';

export interface MatrixModel {
  readonly panel: Panel;
  readonly kind: 'weight' | 'change';
  readonly size: number;
  readonly labels: readonly string[];
  /** Place in A of the word in each row (and column), or -1. */
  readonly places: readonly number[];
  /** A name for the word of each row that stays the same when rows move. */
  readonly keys: readonly string[];
  value(row: number, col: number): number;
}

export function matrixModel(
  panel: Panel,
  comparison: Comparison,
  a: Words,
  b: Words,
  align: Align,
  offset = 0,
): MatrixModel {
  if (panel === 'a') return fromA('a', 'weight', a, comparison.a.weights.data);
  if (align === 'word') {
    const model = fromA(
      panel,
      panel === 'b' ? 'weight' : 'change',
      a,
      panel === 'b' ? comparison.bInOrderOfA.data : comparison.delta.data,
    );
    return panel === 'b'
      ? { ...model, keys: model.places.map((place) => keyInB(comparison.mapping[place] ?? -1, place)) }
      : model;
  }
  return panel === 'b' ? inOrderOfB(comparison, b) : bySlot(comparison, a, b, offset);
}

function fromA(panel: Panel, kind: MatrixModel['kind'], a: Words, data: Float32Array): MatrixModel {
  const size = a.length;
  return {
    panel,
    kind,
    size,
    labels: proseLabels(a),
    places: a.map((_, index) => index),
    keys: a.map((_, index) => `a${index}`),
    value: (row, col) => data[row * size + col] ?? NaN,
  };
}

const keyInB = (indexInB: number, placeInA: number): string => (indexInB < 0 ? `a${placeInA}` : `b${indexInB}`);

function inOrderOfB(comparison: Comparison, b: Words): MatrixModel {
  const size = b.length;
  const places = new Array<number>(size).fill(-1);
  comparison.mapping.forEach((indexInB, place) => {
    if (indexInB >= 0) places[indexInB] = place;
  });
  return {
    panel: 'b',
    kind: 'weight',
    size,
    labels: proseLabels(b),
    places,
    keys: b.map((_, index) => `b${index}`),
    value: (row, col) => comparison.b.weights.data[row * size + col] ?? NaN,
  };
}

/** Slot by slot, whatever word stands there: what a comparison that forgets the words would see. */
function bySlot(comparison: Comparison, a: Words, b: Words, offset: number): MatrixModel {
  const size = a.length;
  const labels = a.map((_, index) => String(index + offset));
  return {
    panel: 'delta',
    kind: 'change',
    size,
    labels,
    places: a.map((_, index) => index),
    keys: a.map((_, index) => `a${index}`),
    value: (row, col) =>
      row < b.length && col < b.length
        ? Math.fround(
            (comparison.b.weights.data[row * b.length + col] ?? NaN) -
              (comparison.a.weights.data[row * size + col] ?? NaN),
          )
        : NaN,
  };
}

/** Largest absolute value of a model, 0 when there is none. */
export function largest(model: MatrixModel): number {
  let most = 0;
  for (let row = 0; row < model.size; row += 1) {
    for (let col = 0; col < model.size; col += 1) {
      const value = Math.abs(model.value(row, col));
      if (value > most) most = value;
    }
  }
  return most;
}
