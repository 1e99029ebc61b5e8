import type { Encoding } from '../generated/encodings.ts';
import type { Mask } from '../types.ts';

/** How a remark bears on the result. `used`: read from the file. `default`: not in the file, this value was taken.
 * `ignored`: in the file, but it changes nothing here. `warning`: odd or contradictory; the message says what was done. */
export type ConfigNoteLevel = 'used' | 'default' | 'ignored' | 'warning';

/** One remark about a field of a config.json. */
export interface ConfigNote {
  readonly level: ConfigNoteLevel;
  /** Path in the file, as it is spelled there: `rope_scaling.factor`; empty when it is about the whole. */
  readonly field: string;
  readonly message: string;
}

/** What kind of attention a group of layers has. `nope`: layers of a RoPE model without an encoding. `input`: positions
 * that are added before the first layer, beside an encoding of the layers. `encoder`, `decoder`, `cross_attention`: the
 * parts of an encoder-decoder. `window_attention`: patches of an image inside a window. */
export type LayerKind =
  | 'full_attention'
  | 'sliding_attention'
  | 'chunked_attention'
  | 'nope'
  | 'input'
  | 'encoder'
  | 'decoder'
  | 'cross_attention'
  | 'window_attention';

/** Sizes of one attention layer, all of them. */
export interface LayerDims {
  readonly dModel: number;
  readonly nHeads: number;
  /** Channels of a head that the encoding sees. */
  readonly headDim: number;
}

/** Layers that treat positions alike. */
export interface LayerEncoding {
  readonly kind: LayerKind;
  readonly encoding: Encoding;
  readonly dims: LayerDims;
  readonly mask: Mask;
  /** Which layers, from 0; left out when it is all of them, or when the file does not say how many there are. */
  readonly layers?: readonly number[];
}

/** The positional encoding of a model, and how it follows from its config.json. */
export interface ModelEncoding {
  /** `model_type` of the part that was read; empty when the file has none. */
  readonly modelType: string;
  /** That of the first entry of `layers`. */
  readonly encoding: Encoding;
  readonly dims: LayerDims;
  /** Tokens that the encoding was made for, before any scaling stretched it; `null` when the file does not say. */
  readonly trainLength: number | null;
  readonly layers: readonly LayerEncoding[];
  readonly notes: readonly ConfigNote[];
}
