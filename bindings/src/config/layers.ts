import { refused } from './notes.ts';
import type { Names, Reader } from './reader.ts';
import { kCount, kNotNegative } from './reader.ts';
import type { LayerKind } from './types.ts';
import type { Mask } from '../types.ts';

/** How a model alternates its layers when its file does not list them. */
export interface LayerRules {
  /** Which layers see a window only. `from_max_window_layers`: Qwen, if `use_sliding_window`. A key: all but every
   * n-th layer, or all but the multiples of n where `first` says that layer 0 is a full one. */
  readonly sliding?:
    'all' | 'none' | 'even' | 'from_max_window_layers' | { readonly every: Names; readonly first?: true };
  /** Key of the window. */
  readonly window?: string;
  /** The window reaches this far in both directions together; nothing else is masked. */
  readonly bidirectional?: true;
  /** Every n-th layer, by `no_rope_layer_interval`, or every full layer has no encoding. */
  readonly nope?: 'interval' | 'full';
  /** Layers with an encoding see their own chunk only (Llama 4). */
  readonly chunked?: true;
}

/** Layers of one kind. */
export interface LayerGroup {
  readonly kind: LayerKind;
  readonly mask: Mask;
  readonly layers?: readonly number[];
}

const kOrder: readonly LayerKind[] = ['full_attention', 'chunked_attention', 'sliding_attention', 'nope'];
/** Layers that are no attention, or one without positions: nothing to encode. */
const kNoAttention = ['linear_attention', 'mamba', 'mamba2', 'conv', 'recurrent', 'moe', 'mlp'];

/** What stands in for the number of layers when the file does not say: one turn of the pattern. */
const kUnknownCount = 64;

/** The kinds of layers of a model, the main one first. */
export function readGroups(reader: Reader, rules: LayerRules): readonly LayerGroup[] {
  const count = readCount(reader);
  const window = readWindow(reader, rules);
  const kinds = readKinds(reader, rules, count, window);
  const found = kOrder.filter((kind) => kinds.includes(kind));
  return found.map((kind) => {
    const layers = kinds.flatMap((other, layer) => (other === kind ? [layer] : []));
    const all = found.length === 1 && layers.length === kinds.length;
    return { kind, mask: maskOf(kind, window, rules), ...(all || count === undefined ? {} : { layers }) };
  });
}

const kCounts = ['num_hidden_layers', 'n_layer', 'num_layers', 'n_layers'];

/** Number of layers; a list of layers says more than the default of the architecture. */
function readCount(reader: Reader): number | undefined {
  if (reader.gives(kCounts) || !reader.gives('layer_types')) return reader.number(kCounts, kCount)?.value;
  return reader.strings('layer_types')?.value.length;
}

function maskOf(kind: LayerKind, window: number | undefined, rules: LayerRules): Mask {
  if (rules.bidirectional === true) return { kind: 'none' };
  return kind === 'sliding_attention' && window !== undefined ? { kind: 'window', size: window } : { kind: 'causal' };
}

function readWindow(reader: Reader, rules: LayerRules): number | undefined {
  const key = rules.window ?? 'sliding_window';
  const optional = rules.sliding === 'from_max_window_layers' || rules.nope === 'interval';
  const use = reader.boolean('use_sliding_window')?.value ?? !optional;
  if (!use) {
    for (const name of [key, 'max_window_layers']) {
      if (reader.gives(name))
        reader.notes.add('ignored', reader.field(name), `${name} counts only if use_sliding_window is true`);
      reader.markRead(name);
    }
    return undefined;
  }
  if (rules.sliding === 'none' && !reader.gives('layer_types')) return undefined;
  if (reader.isNull(key)) {
    reader.markRead(key);
    return undefined;
  }
  const window = reader.number(key, kCount);
  if (window !== undefined && rules.bidirectional === true) {
    const message = `the window reaches ${Math.floor(window.value / 2)} tokens to both sides; no mask here can say that`;
    reader.notes.add('warning', window.field, message);
  }
  return window?.value;
}

function readKinds(
  reader: Reader,
  rules: LayerRules,
  count: number | undefined,
  window: number | undefined,
): readonly LayerKind[] {
  const listed = reader.strings('layer_types');
  const hasRope = readHasRope(reader, rules, count ?? kUnknownCount);
  const size = count ?? kUnknownCount;
  if (listed !== undefined && count !== undefined && listed.value.length !== count) {
    throw refused('shape_mismatch', listed.field, `have num_hidden_layers (${count}) entries`, listed.value.length);
  }
  const slides = slidingRule(reader, rules, window);
  const kinds = Array.from({ length: size }, (_, layer): LayerKind | undefined => {
    const name = listed?.value[layer];
    const kind = name === undefined ? byRule(rules, slides(layer), hasRope(layer)) : named(reader, name, window);
    if (kind === undefined) return undefined;
    return hasRope(layer) && !(rules.nope === 'full' && kind === 'full_attention') ? kind : 'nope';
  });
  if (kinds.includes('chunked_attention')) remarkChunks(reader);
  else reader.markRead('attention_chunk_size');
  const attention = kinds.filter((kind) => kind !== undefined);
  if (attention.length < kinds.length) {
    const message = `${kinds.length - attention.length} layers are no softmax attention and have no positions`;
    reader.notes.add('ignored', reader.field('layer_types'), message);
  }
  // Indices count all layers, so a hole stays a place; it belongs to no kind.
  return kinds.map((kind) => kind ?? 'input');
}

function byRule(rules: LayerRules, slides: boolean, hasRope: boolean): LayerKind {
  if (rules.chunked === true && hasRope) return 'chunked_attention';
  return slides ? 'sliding_attention' : 'full_attention';
}

function named(reader: Reader, name: string, window: number | undefined): LayerKind | undefined {
  if (name === 'chunked_attention' || name === 'full_attention' || name === 'attention') {
    return name === 'attention' ? 'full_attention' : name;
  }
  if (name === 'sliding_attention') {
    if (window !== undefined) return name;
    reader.notes.add('warning', reader.field('layer_types'), 'sliding_attention without a window: taken as full');
    return 'full_attention';
  }
  if (kNoAttention.includes(name)) return undefined;
  reader.notes.add('warning', reader.field('layer_types'), `${name} is not known: taken as full_attention`);
  return 'full_attention';
}

function slidingRule(reader: Reader, rules: LayerRules, window: number | undefined): (layer: number) => boolean {
  const rule = rules.sliding ?? 'all';
  if (window === undefined || rule === 'none') return () => false;
  if (rule === 'all') return () => true;
  if (rule === 'even') return (layer) => layer % 2 === 0;
  if (rule === 'from_max_window_layers') {
    const first = reader.number('max_window_layers', kNotNegative)?.value ?? 0;
    return (layer) => layer >= first;
  }
  const every = reader.number(rule.every, kCount)?.value ?? 1;
  return rule.first === true ? (layer) => layer % every !== 0 : (layer) => (layer + 1) % every !== 0;
}

/** `no_rope_layers` has a 1 for each layer with RoPE. */
function readHasRope(reader: Reader, rules: LayerRules, count: number): (layer: number) => boolean {
  const list = reader.numbers('no_rope_layers', kNotNegative);
  if (list !== undefined && list.value.length > 0) {
    reader.markRead('no_rope_layer_interval');
    if (list.value.length >= count) return (layer) => list.value[layer] !== 0;
    if (count !== kUnknownCount) {
      throw refused(
        'shape_mismatch',
        list.field,
        `have at least num_hidden_layers (${count}) entries`,
        list.value.length,
      );
    }
  }
  const interval = rules.nope === 'interval' ? reader.number('no_rope_layer_interval', kCount)?.value : undefined;
  return interval === undefined ? () => true : (layer) => (layer + 1) % interval !== 0;
}

function remarkChunks(reader: Reader): void {
  const size = reader.number('attention_chunk_size', kCount);
  if (size === undefined) return;
  const message = `tokens see their own chunk of ${size.value} only; the mask here is plainly causal`;
  reader.notes.add('warning', size.field, message);
}
