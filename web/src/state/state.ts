/** The one state of the page: every picture, sentence and link reads it. */
import type { Encoding, EncodingInfo } from 'posenc';
import { activeParams, type Params } from '../logic/fields.ts';

export type Lang = 'en' | 'zh';
export type Theme = 'light' | 'dark';
export type PageMask = 'none' | 'causal';
export type PageSplit = 'auto' | 'char' | 'word';
/** Whose attention the matrices show: that of the seeded layer, or that of the trained reader. */
export type WeightsOf = 'seeded' | 'reader';
export type Align = 'word' | 'slot';

export interface State {
  readonly encoding: string;
  /** By encoding; only what differs from the defaults. */
  readonly params: Readonly<Record<string, Params>>;
  readonly a: string;
  readonly b: string;
  readonly mask: PageMask;
  readonly weights: WeightsOf;
  readonly seed: number;
  readonly head: number;
  /** Of the reader. */
  readonly layer: number;
  /** Position of the first word. */
  readonly offset: number;
  /** Of the readers that are trained on the page, and the steps they take. */
  readonly trainSeed: number;
  readonly trainSteps: number;
  /** The pinned pair, as places in A, -1 for what a reader sees before the first word; `null`: first and last word, or
   * the first question of a reader and the first word. */
  readonly query: number | null;
  readonly key: number | null;
  readonly split: PageSplit;
  readonly align: Align;
  /** Colours of the change: -1 to 1, or fitted to the largest change. */
  readonly scale: 'fixed' | 'fit';
  readonly sort: 'family' | 'change';
  readonly view: 'picture' | 'table';
  /** `null`: as the browser says. */
  readonly lang: Lang | null;
  readonly theme: Theme | null;
  /** Parts of a link that this version does not know: handed on unchanged. */
  readonly unknown: readonly (readonly [string, string])[];
}

export interface Sentences {
  readonly a: string;
  readonly b: string;
}

export const kSeed = 7;
export const kLargestSeed = Number.MAX_SAFE_INTEGER;
export const kLargestOffset = 100_000;
/** Layers of the reader. */
export const kReaderLayers = 2;
export const kTrainSteps = 500;
export const kMostTrainSteps = 2000;

export function initialState(encodings: readonly EncodingInfo[], sentences: Sentences): State {
  return {
    encoding: encodings[0]?.kind ?? '',
    params: {},
    a: sentences.a,
    b: sentences.b,
    mask: 'none',
    weights: 'seeded',
    seed: kSeed,
    head: 0,
    layer: 0,
    offset: 0,
    trainSeed: kSeed,
    trainSteps: kTrainSteps,
    query: null,
    key: null,
    split: 'auto',
    align: 'word',
    scale: 'fixed',
    sort: 'family',
    view: 'picture',
    lang: null,
    theme: null,
    unknown: [],
  };
}

/** What the engine gets for an encoding and the reader's parameters. */
export function toEncoding(info: EncodingInfo, params: Params | undefined): Encoding {
  const values: Record<string, unknown> = { kind: info.kind };
  const active = activeParams(info, params ?? {});
  for (const field of info.fields) {
    const value = active[field.id];
    if (value !== undefined) values[field.name] = value;
  }
  // The description names the members of the union; the engine checks each value again.
  return values as unknown as Encoding;
}
