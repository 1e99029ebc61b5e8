import { DEFAULT_DIMS } from '../raw.ts';
import { refused } from './notes.ts';
import type { Names, Reader } from './reader.ts';
import { kCount } from './reader.ts';
import type { LayerDims } from './types.ts';

/** What models call their sizes. */
export interface DimNames {
  readonly dModel?: Names;
  readonly nHeads?: Names;
  readonly headDim?: Names;
}

const kDModel = ['hidden_size', 'n_embd', 'd_model', 'n_embed', 'dim'];
const kHeads = ['num_attention_heads', 'n_head', 'n_heads', 'num_heads'];
const kHeadDim = ['head_dim', 'd_head', 'kv_channels'];

/**
 * Reads the sizes of the layer. A `head_dim` that is given is authoritative; only when it is derived must the heads
 * divide the width.
 */
export function readDims(reader: Reader, names: DimNames = {}): LayerDims {
  const dModel = reader.number(names.dModel ?? kDModel, kCount)?.value;
  const heads = reader.number(names.nHeads ?? kHeads, kCount)?.value;
  const head = reader.number(names.headDim ?? kHeadDim, kCount)?.value;
  if (head !== undefined) return dimsOfHead(reader, head, dModel, heads);
  if (dModel === undefined) return defaultDims(reader);
  const nHeads = heads ?? 1;
  if (heads === undefined) reader.notes.add('warning', '', 'the file gives no number of heads; 1 is taken');
  if (dModel % nHeads !== 0) {
    const field = reader.field('num_attention_heads');
    throw refused('out_of_range', field, `divide hidden_size (${dModel}), or head_dim be given`, nHeads);
  }
  const headDim = dModel / nHeads;
  reader.notes.add('default', reader.field('head_dim'), `head_dim = ${headDim}: not given, width / heads`);
  return { dModel, nHeads, headDim };
}

function dimsOfHead(reader: Reader, headDim: number, dModel: number | undefined, heads: number | undefined): LayerDims {
  const nHeads = heads ?? 1;
  if (dModel !== undefined && heads !== undefined && headDim * heads !== dModel) {
    const message = `head_dim ${headDim} is given and wins; width / heads would be ${dModel / heads}`;
    reader.notes.add('used', reader.field('head_dim'), message);
  }
  if (heads === undefined) reader.notes.add('warning', '', 'the file gives no number of heads; 1 is taken');
  return { dModel: dModel ?? nHeads * headDim, nHeads, headDim };
}

function defaultDims(reader: Reader): LayerDims {
  const { dModel, nHeads, headDim } = DEFAULT_DIMS;
  const message = `the file gives no sizes; a layer of width ${dModel} with ${nHeads} heads of ${headDim} is taken`;
  reader.notes.add('warning', '', message);
  return { dModel, nHeads, headDim };
}

const kLengths = ['max_position_embeddings', 'n_positions', 'max_seq_len', 'max_sequence_length', 'n_ctx'];

/** The longest sequence that the file speaks of. */
export function readLength(reader: Reader, names: Names = kLengths): number | undefined {
  return reader.number(names, kCount)?.value;
}
