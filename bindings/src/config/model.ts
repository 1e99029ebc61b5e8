import type { Mask } from '../types.ts';
import type { DimNames } from './dims.ts';
import { readDims, readLength } from './dims.ts';
import type { Draft } from './draft.ts';
import { kNone } from './draft.ts';
import type { LayerRules } from './layers.ts';
import { readGroups } from './layers.ts';
import type { Names, Reader } from './reader.ts';
import type { RopeOptions } from './rope.ts';
import { readRope } from './rope.ts';
import type { LayerDims, LayerKind } from './types.ts';

/** A group of layers before its encoding is typed. */
export interface LayerDraft {
  readonly kind: LayerKind;
  readonly draft: Draft;
  readonly dims: LayerDims;
  readonly mask: Mask;
  readonly layers?: readonly number[];
}

export interface ModelDraft {
  readonly layers: readonly LayerDraft[];
  readonly trainLength?: number | undefined;
}

/** Reads a whole model. */
export type ReadModel = (reader: Reader) => ModelDraft;

export const kCausal: Mask = { kind: 'causal' };
export const kBothWays: Mask = { kind: 'none' };

/** A decoder whose layers use RoPE. */
export function ropeModel(options: RopeOptions & LayerRules & { dims?: DimNames; headDim?: string }): ReadModel {
  return (reader) => {
    const dims = readDims(reader, options.dims);
    const groups = readGroups(reader, options);
    const ropes = groups.map(({ kind }) =>
      kind === 'nope' ? undefined : readRope(reader, dims.headDim, options, kind),
    );
    const layers = groups.map((group, index) => ({ ...group, draft: ropes[index]?.draft ?? kNone, dims }));
    return { layers, trainLength: ropes.find((rope) => rope !== undefined)?.trainLength ?? readLength(reader) };
  };
}

/** A model whose layers are all alike. */
export function uniform(
  encode: (reader: Reader, dims: LayerDims, length: number | undefined) => Draft,
  options: { mask: Mask; dims?: DimNames; length?: Names },
): ReadModel {
  return (reader) => {
    const dims = readDims(reader, options.dims);
    const length = readLength(reader, options.length);
    const draft = encode(reader, dims, length);
    return { layers: [{ kind: 'full_attention', draft, dims, mask: options.mask }], trainLength: length };
  };
}
