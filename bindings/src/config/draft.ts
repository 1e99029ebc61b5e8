import type { Encoding } from '../generated/encodings.ts';

/** An encoding in the making: its id, and parameters by their JavaScript names. */
export interface Draft {
  readonly kind: string;
  readonly [parameter: string]: string | number | boolean | readonly number[];
}

/** Names and choices are held against the registry by a test that hands every preset to the engine. */
export function toEncoding(draft: Draft): Encoding {
  return draft as unknown as Encoding; // the union is too large to prove here what the test proves
}

export const kNone: Draft = { kind: 'none' };
