import { brokenRule } from '../errors.ts';
import { shippedReaders } from '../generated/shipped_readers.ts';
import type { EncodingKind } from '../generated/encodings.ts';
import type { ShippedReader } from './types.ts';

/** How to read a file of the package. */
export interface ShippedOptions {
  /** Used in browsers; default `globalThis.fetch`. */
  readonly fetch?: typeof globalThis.fetch;
  readonly signal?: AbortSignal;
  /** Milliseconds until a download is given up; default 20000. */
  readonly timeout?: number;
}

/** `shippedWeights` of the package. */
export interface ShippedWeights {
  /**
   * The weights of a trained reader, for `loadWeights`; `shippedReaders` says what there is.
   *
   * @param mask Default `none`.
   * @throws PosencError `out_of_range`, `weights_not_found`, `aborted`
   * @example
   * using reader = readers.loadWeights(await shippedWeights('rope', 'causal'));
   */
  (kind: EncodingKind, mask?: ShippedReader['mask'], options?: ShippedOptions): Promise<Uint8Array<ArrayBuffer>>;
}

type Read = (reader: string, options: ShippedOptions) => Promise<Uint8Array<ArrayBuffer>>;

/** Makes `shippedWeights` for a platform: how it reads a reader, by the name of its file without the ending. */
export function createShippedWeights(read: Read): ShippedWeights {
  return async (kind, mask = 'none', options = {}) => {
    const found = shippedReaders.find((reader) => reader.encoding.kind === kind && reader.mask === mask);
    if (found === undefined) {
      throw brokenRule('out_of_range', 'encoding', 'be of a shipped reader', `"${String(kind)}" with mask "${mask}"`);
    }
    return read(found.file.replace(/\.safetensors$/, ''), options);
  };
}
