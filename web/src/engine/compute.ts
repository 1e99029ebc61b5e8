/** What the page asks the engine. The same questions at build time, on the page, and in a worker. */
import type { Comparison, EncodingInfo, Invariances, Mask, Posenc, PosencErrorData, RequestOptions } from 'posenc';
import type { Params } from '../logic/fields.ts';
import { kDims } from '../logic/fields.ts';
import { initialState, toEncoding, type PageMask, type Sentences } from '../state/state.ts';
import { changeOf, slim, type Picture, type RowResult } from './picture.ts';

export interface Question {
  readonly a: readonly string[];
  readonly b: readonly string[];
  readonly mask: PageMask;
  readonly seed: number;
  readonly head: number;
  readonly offset: number;
}

/** The part of the engine that the page needs; answers come at once or later. */
export interface Asks {
  compare(options: Parameters<Posenc['compare']>[0], request?: RequestOptions): Comparison | Promise<Comparison>;
  invariances(
    options: Parameters<Posenc['invariances']>[0],
    request?: RequestOptions,
  ): Invariances | Promise<Invariances>;
}

const layer = (
  question: Question,
  mask: PageMask,
): { dims: typeof kDims; weights: { kind: 'seeded'; seed: number }; mask: Mask; head: number; offset: number } => ({
  dims: kDims,
  weights: { kind: 'seeded', seed: question.seed },
  mask: { kind: mask },
  head: question.head,
  offset: question.offset,
});

export const compareOptions = (
  info: EncodingInfo,
  params: Params | undefined,
  question: Question,
  mask = question.mask,
): Parameters<Posenc['compare']>[0] => ({
  encoding: toEncoding(info, params),
  a: question.a,
  b: question.b,
  ...layer(question, mask),
});

export const invarianceOptions = (
  info: EncodingInfo,
  params: Params | undefined,
  question: Question,
): Parameters<Posenc['invariances']>[0] => ({
  encoding: toEncoding(info, params),
  tokens: question.a,
  ...layer(question, question.mask),
});

/** What a card shows; an encoding that cannot take the sentence gives a card that says so. */
export function computeRow(
  engine: Pick<Posenc, 'compare' | 'invariances'>,
  info: EncodingInfo,
  params: Params | undefined,
  question: Question,
): RowResult {
  try {
    const change = (mask: PageMask): ReturnType<typeof changeOf> =>
      changeOf(engine.compare(compareOptions(info, params, question, mask)));
    return {
      kind: info.kind,
      changes: { none: change('none'), causal: change('causal') },
      invariances: engine.invariances(invarianceOptions(info, params, question)),
      problem: null,
    };
  } catch (error) {
    return failedRow(info.kind, error);
  }
}

export async function computeRowLater(
  engine: Asks,
  info: EncodingInfo,
  params: Params | undefined,
  question: Question,
  request: RequestOptions,
): Promise<RowResult> {
  try {
    const change = async (mask: PageMask): Promise<ReturnType<typeof changeOf>> =>
      changeOf(await engine.compare(compareOptions(info, params, question, mask), request));
    const none = await change('none');
    const causal = await change('causal');
    return {
      kind: info.kind,
      changes: { none, causal },
      invariances: await engine.invariances(invarianceOptions(info, params, question), request),
      problem: null,
    };
  } catch (error) {
    return failedRow(info.kind, error);
  }
}

function failedRow(kind: string, error: unknown): RowResult {
  return { kind, changes: null, invariances: null, problem: problemOf(error) };
}

export type TokenizePair = (a: string, b: string) => { a: string[]; b: string[] };

/** The page of one language at rest, as an engine computes it. */
export function makePicture(
  engine: Pick<Posenc, 'encodings' | 'compare' | 'invariances'>,
  tokenizePair: TokenizePair,
  sentences: Sentences,
): Picture {
  const state = initialState(engine.encodings, sentences);
  const words = tokenizePair(sentences.a, sentences.b);
  const question: Question = { ...words, mask: state.mask, seed: state.seed, head: state.head, offset: state.offset };
  const info = engine.encodings.find((candidate) => candidate.kind === state.encoding);
  if (info === undefined) throw new Error('The registry is empty.');
  return {
    sentences,
    words,
    comparison: slim(engine.compare(compareOptions(info, {}, question))),
    rows: engine.encodings.map((encoding) => computeRow(engine, encoding, {}, question)),
  };
}

/** An error as plain data, whatever was thrown. */
export function problemOf(error: unknown): PosencErrorData {
  const given: object = typeof error === 'object' && error !== null ? error : {};
  const text = (name: string): string => {
    const value: unknown = name in given ? Reflect.get(given, name) : '';
    return typeof value === 'string' ? value : '';
  };
  // Codes are checked where they are used; an unknown one reads as a plain message.
  const code = (text('code') || 'internal') as PosencErrorData['code'];
  const message = text('message') || String(error);
  return {
    code,
    field: text('field'),
    rule: text('rule') || message,
    value: text('value'),
    message,
    hint: text('hint'),
  };
}
