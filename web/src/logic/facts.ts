/** What the numbers say: the facts that the page's sentences are made of. Nothing here knows an encoding by name. */
import type { Comparison, EncodingInfo, Invariances, Invariance } from 'posenc';
import type { PageMask } from '../state/state.ts';
import { isReverse, sameWords, type Words } from './words.ts';

export type Verdict =
  /** No word of A stands in B. */
  | 'nothing_shared'
  /** A and B are the same sentence. */
  | 'same'
  /** Exactly no change, and no other order would change anything. */
  | 'order_blind'
  /** Exactly no change because B is A read backwards and only distances count. */
  | 'mirror_blind'
  /** Exactly no change for this pair. */
  | 'zero'
  | 'change';

export interface Facts {
  readonly verdict: Verdict;
  /** How many weights could be compared. */
  readonly compared: number;
  /** Words of A without a partner in B, as places in A. */
  readonly alone: readonly number[];
  readonly maxDelta: number;
  readonly at: { readonly query: number; readonly key: number } | null;
  /** Without any encoding, the mask alone gave the order away. */
  readonly maskAlone: boolean;
}

export function factsOf(
  comparison: Comparison,
  invariances: Invariances | null,
  info: EncodingInfo,
  mask: PageMask,
  a: Words,
  b: Words,
): Facts {
  const alone = Array.from(comparison.mapping.keys()).filter((index) => (comparison.mapping[index] ?? -1) < 0);
  const partners = comparison.mapping.length - alone.length;
  const at = comparison.maxDeltaAt.query < 0 ? null : comparison.maxDeltaAt;
  return {
    verdict: verdictOf(comparison, invariances, mask, a, b),
    compared: partners * partners,
    alone,
    maxDelta: comparison.maxDelta,
    at,
    maskAlone: info.seams.length === 0 && mask === 'causal' && comparison.maxDelta > 0,
  };
}

function verdictOf(
  comparison: Comparison,
  invariances: Invariances | null,
  mask: PageMask,
  a: Words,
  b: Words,
): Verdict {
  if (comparison.mapping.every((index) => index < 0)) return 'nothing_shared';
  if (sameWords(a, b)) return 'same';
  if (!comparison.exact) return 'change';
  if (invariances === null) return 'zero';
  if (blind(invariances.shuffle) === 'yes') return 'order_blind';
  if (isReverse(a, b) && mask === 'none' && blind(invariances.mirror) === 'yes') return 'mirror_blind';
  return 'zero';
}

/** Whether a test holds: `untried` when the sentence allows no such change. */
export function blind(test: Invariance): 'yes' | 'no' | 'untried' {
  return test.tried === 0 ? 'untried' : test.holds ? 'yes' : 'no';
}

/** The numbers of one cell, in both orders. */
export interface CellFacts {
  readonly weightA: number;
  /** NaN without a partner. */
  readonly weightB: number;
  readonly delta: number;
  readonly hiddenA: boolean;
  readonly hiddenB: boolean;
  readonly a: CellParts;
  readonly b: CellParts | null;
}

export interface CellParts {
  readonly content: number;
  readonly position: number;
  readonly bias: number;
  readonly logit: number;
  readonly weight: number;
  readonly hidden: boolean;
}

export function cellFacts(comparison: Comparison, mask: PageMask, query: number, key: number): CellFacts | null {
  const size = comparison.a.weights.cols;
  if (query < 0 || key < 0 || query >= size || key >= size) return null;
  const a = partsAt(comparison.a, mask, query, key);
  const queryB = comparison.mapping[query] ?? -1;
  const keyB = comparison.mapping[key] ?? -1;
  const b = queryB < 0 || keyB < 0 ? null : partsAt(comparison.b, mask, queryB, keyB);
  return {
    weightA: a.weight,
    weightB: b?.weight ?? NaN,
    delta: comparison.delta.data[query * size + key] ?? NaN,
    hiddenA: a.hidden,
    hiddenB: b?.hidden ?? false,
    a,
    b,
  };
}

function partsAt(result: Comparison['a'], mask: PageMask, query: number, key: number): CellParts {
  const index = query * result.weights.cols + key;
  return {
    content: result.parts.content.data[index] ?? NaN,
    position: result.parts.position.data[index] ?? NaN,
    bias: result.parts.bias.data[index] ?? NaN,
    logit: result.logits.data[index] ?? NaN,
    weight: result.weights.data[index] ?? NaN,
    hidden: mask === 'causal' && key > query,
  };
}
