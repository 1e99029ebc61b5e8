import { encodings } from './generated/description.ts';
import {
  countFrom,
  rawDims,
  rawHeads,
  rawLayer,
  rawMask,
  rawMatrix,
  rawPositions,
  rawRotary,
  rawSpec,
  rawWords,
  requireObject,
  unwrap,
} from './raw.ts';
import type { Raw, RawDims } from './raw.ts';
import type { BiasOptions, LayerOptions, Posenc, Tensor3 } from './types.ts';

function dimsOfHeads(q: Tensor3): RawDims {
  const [nHeads, , headDim] = q.shape;
  return rawDims({ nHeads, headDim, dModel: nHeads * headDim });
}

function specOf(options: LayerOptions) {
  requireObject('options', options);
  return rawSpec(options.encoding, rawDims(options.dims));
}

/** The public methods over one instance of the raw module. */
export function createEngine(raw: Raw): Posenc {
  return {
    version: raw.version(),
    simd: raw.hasSimd(),
    encodings,

    table(encoding, options) {
      requireObject('options', options);
      return unwrap(raw.table(rawSpec(encoding, rawDims(options.dims)), rawPositions(options)));
    },

    rotation(encoding, options) {
      requireObject('options', options);
      const spec = rawSpec(encoding, rawDims(options.dims));
      return unwrap(raw.rotation(spec, rawPositions(options), rawRotary(options)));
    },

    frequencies(encoding, options = {}) {
      requireObject('options', options);
      return unwrap(raw.frequencies(rawSpec(encoding, rawDims(options.dims)), options.seqLen ?? 0));
    },

    apply(encoding, x, options = {}) {
      requireObject('options', options);
      const matrix = rawMatrix('x', x);
      const dims = rawDims(options.dims, { dModel: matrix.cols, headDim: matrix.cols });
      const positions = rawPositions({ length: matrix.rows, ...options });
      return unwrap(raw.apply(rawSpec(encoding, dims), matrix, positions, rawRotary(options)));
    },

    bias(encoding, options) {
      requireObject('options', options);
      const spec = rawSpec(encoding, rawDims(options.dims));
      return unwrap(raw.bias(spec, queriesOf(options), keysOf(options)));
    },

    attend(options) {
      requireObject('options', options);
      const q = rawHeads('q', options.q);
      const k = rawHeads('k', options.k);
      const input = {
        q,
        k,
        mask: rawMask(options.mask),
        q_positions: positionsOr(options.qPositions, options.q.shape[1]),
        k_positions: positionsOr(options.kPositions, options.k.shape[1]),
        ...(options.v === undefined ? {} : { v: rawHeads('v', options.v) }),
        ...(options.scale === undefined ? {} : { scale: options.scale }),
      };
      return unwrap(raw.attend(rawSpec(options.encoding, dimsOfHeads(options.q)), input));
    },

    attention(options) {
      return unwrap(raw.attention(specOf(options), rawLayer(options), rawWords('tokens', options.tokens)));
    },

    compare(options) {
      const a = rawWords('a', options.a);
      const b = rawWords('b', options.b);
      return unwrap(raw.compare(specOf(options), rawLayer(options), a, b));
    },

    invariances(options) {
      return unwrap(raw.invariances(specOf(options), rawLayer(options), rawWords('tokens', options.tokens)));
    },
  };
}

function positionsOr(positions: ArrayLike<number> | undefined, length: number): Float64Array {
  return rawPositions(positions === undefined ? { length } : { positions });
}

function queriesOf(options: BiasOptions): Float64Array {
  if ('qPositions' in options && options.qPositions !== undefined)
    return rawPositions({ positions: options.qPositions });
  const { queries, offset } = options as { queries: number; offset?: number };
  return countFrom(offset ?? 0, queries, 'queries');
}

function keysOf(options: BiasOptions): Float64Array {
  if ('kPositions' in options && options.kPositions !== undefined)
    return rawPositions({ positions: options.kPositions });
  return countFrom(0, (options as { keys: number }).keys, 'keys');
}
