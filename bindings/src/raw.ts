import { brokenRule, wrongType } from './errors.ts';
import type { Encoding } from './generated/encodings.ts';
import { toSnakeCase } from './names.ts';
import type * as raw from './raw_types.ts';
import type {
  Dims,
  Floats,
  LayerOptions,
  Mask,
  Matrix,
  MultimodalOptions,
  PositionsOption,
  RotaryOptions,
  Tensor3,
} from './types.ts';
import { ArrayInWasm } from './wasm_array.ts';

/** From the objects of the public API to what the raw module takes. Only shapes are looked at here; every rule about
 * values is the C++ library's. */

export type Raw = raw.RawModule;

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Checks that an options object is one. */
export function requireObject(field: string, value: unknown): void {
  if (!isRecord(value)) throw wrongType(field, 'be an object', value);
}

function isArrayLike(value: unknown): value is ArrayLike<number> {
  return isRecord(value) || Array.isArray(value)
    ? typeof (value as { length?: unknown }).length === 'number' // `in` does not narrow an array-like
    : false;
}

/** Numbers as the raw module takes them; strings and holes among them become errors, not NaN. */
function toFloat64(field: string, values: unknown): Float64Array {
  if (values instanceof Float64Array) return values;
  if (!isArrayLike(values)) throw wrongType(field, 'be an array of numbers', values);
  return Float64Array.from(values, (value: unknown) => {
    if (typeof value !== 'number') throw wrongType(field, 'be an array of numbers', value);
    return value;
  });
}

function toFloat32(field: string, values: unknown): Float32Array {
  return values instanceof Float32Array ? values : new Float32Array(toFloat64(field, values));
}

function requireSize(field: string, size: unknown): void {
  if (typeof size !== 'number') throw wrongType(field, 'be a number', size);
  if (!Number.isInteger(size) || size < 0 || size > MAX_SIZE)
    throw brokenRule('out_of_range', field, `be a whole number from 0 to ${MAX_SIZE}`, String(size));
}

/** Floats and their sizes, which must agree. */
function rawFloats(module: Raw, field: string, given: unknown, sizes: readonly [number, number, number]): raw.Floats {
  const data = given instanceof ArrayInWasm ? given : toFloat32(`${field}.data`, given);
  const [heads, rows, cols] = sizes;
  if (data.length !== heads * rows * cols) {
    const value = `${heads} x ${rows} x ${cols} with ${data.length}`;
    throw brokenRule('shape_mismatch', field, 'have as many numbers as its shape says', value);
  }
  return { data: data instanceof ArrayInWasm ? data.handleFor(`${field}.data`, module) : data, heads, rows, cols };
}

export function rawMatrix(module: Raw, field: string, { data, rows, cols }: Matrix<Floats>): raw.Floats {
  requireSize(`${field}.rows`, rows);
  requireSize(`${field}.cols`, cols);
  return rawFloats(module, field, data, [1, rows, cols]);
}

export function rawTensor(module: Raw, field: string, tensor: Tensor3<Floats>): raw.Floats {
  requireObject(field, tensor);
  const { data, shape } = tensor;
  if (!Array.isArray(shape) || shape.length !== 3)
    throw wrongType(`${field}.shape`, 'be a list of three numbers', shape);
  for (const size of shape) requireSize(`${field}.shape`, size);
  return rawFloats(module, field, data, shape);
}

/** The handle of an array that a result goes into. */
export function handleOf(module: Raw, field: string, out: unknown): raw.Handle {
  if (!(out instanceof ArrayInWasm)) throw wrongType(field, 'be a WasmArray', out);
  return out.handleFor(field, module);
}

export function rawOut(module: Raw, out: unknown): raw.Out {
  return out === undefined ? undefined : handleOf(module, 'out', out);
}

export interface RawDims {
  readonly d_model: number;
  readonly n_heads: number;
  readonly head_dim: number;
}

export const DEFAULT_DIMS = { dModel: 64, nHeads: 4, headDim: 16 } as const;

/** Fills in what is left out; `fallback` is used where an input already fixes a size. */
export function rawDims(dims: Dims = {}, fallback: Dims = {}): RawDims {
  requireObject('dims', dims);
  const given = { ...fallback, ...dims };
  const dModel = given.dModel ?? DEFAULT_DIMS.dModel;
  const nHeads = given.nHeads ?? DEFAULT_DIMS.nHeads;
  const headDim = given.headDim ?? dModel / nHeads;
  if (given.headDim === undefined && !Number.isInteger(headDim)) {
    throw brokenRule(
      'out_of_range',
      'dims.n_heads',
      `divide d_model (${dModel}), or head_dim be given`,
      String(nHeads),
    );
  }
  return { d_model: dModel, n_heads: nHeads, head_dim: headDim };
}

export interface RawSpec {
  readonly encoding: unknown;
  readonly dims: RawDims;
  readonly params: Record<string, unknown>;
  readonly weights?: Float32Array;
}

export function rawSpec(encoding: Encoding, dims: RawDims): RawSpec {
  if (!isRecord(encoding)) throw wrongType('encoding', 'be an object with a kind', encoding);
  const params: Record<string, unknown> = {};
  const { kind, weights, ...rest }: Record<string, unknown> = encoding;
  for (const [name, value] of Object.entries(rest)) {
    if (value !== undefined)
      params[toSnakeCase(name)] = ArrayBuffer.isView(value) ? [...toFloat64(name, value)] : value;
  }
  const spec = { encoding: kind, dims, params };
  return weights === undefined ? spec : { ...spec, weights: toFloat32('weights', weights) };
}

export function rawMask(mask: Mask = { kind: 'none' }): { kind: unknown; size?: unknown } {
  requireObject('mask', mask);
  return mask;
}

export interface RawLayer {
  readonly seed: number;
  readonly head: number;
  readonly mask: { kind: unknown; size?: unknown };
  readonly offset: number;
}

export const DEFAULT_SEED = 7;

export function rawLayer(options: LayerOptions): RawLayer {
  const weights = options.weights ?? { kind: 'seeded', seed: DEFAULT_SEED };
  if (!isRecord(weights) || weights.kind !== 'seeded')
    throw wrongType('weights', "be { kind: 'seeded', seed }", weights);
  return {
    seed: weights.seed,
    head: options.head ?? 0,
    mask: rawMask(options.mask),
    offset: options.offset ?? 0,
  };
}

export function rawRotary(options: RotaryOptions): { operand: unknown; seq_len?: unknown } {
  const operand = options.operand ?? 'q';
  return options.seqLen === undefined ? { operand } : { operand, seq_len: options.seqLen };
}

/** Words are compared letter by letter, so both ways of writing é must be one. */
export function rawWords(field: string, words: readonly string[]): readonly string[] {
  if (!Array.isArray(words)) throw wrongType(field, 'be a list of strings', words);
  return words.map((word: unknown) => {
    if (typeof word !== 'string') throw wrongType(field, 'be a list of strings', word);
    return word.normalize('NFC');
  });
}

/** 0, 1, 2, ... from `offset`, or the positions that are given. */
export function rawPositions(options: PositionsOption): Float64Array {
  if ('positions' in options && options.positions !== undefined) return toFloat64('positions', options.positions);
  if (!('length' in options)) throw wrongType('length', 'be given, or positions', undefined);
  return countFrom(options.offset ?? 0, options.length, 'length');
}

/** Token types with padding among them, grids as flat lists, and what the grids mean. */
export function rawPrompt(options: MultimodalOptions): Parameters<Raw['multimodalPositions']> {
  const types = toFloat64('token_types', options.tokenTypes);
  const mask = options.attentionMask === undefined ? null : toFloat64('attention_mask', options.attentionMask);
  if (mask !== null && mask.length !== types.length) {
    const rule = `have ${types.length} numbers, as token_types has`;
    throw brokenRule('shape_mismatch', 'attention_mask', rule, String(mask.length));
  }
  for (const type of types) {
    if (type !== 0 && type !== 1 && type !== 2)
      throw brokenRule('out_of_range', 'token_types', 'be 0 (text), 1 (image) or 2 (video)', String(type));
  }
  const { imageGridThw, videoGridThw, mergeSize = 2, stepsPerFrame = 1 } = options;
  requireSize('merge_size', mergeSize);
  if (typeof stepsPerFrame !== 'number') throw wrongType('steps_per_frame', 'be a number', stepsPerFrame);
  return [
    mask === null ? types : types.map((type, token) => (mask[token] === 0 ? PADDING : type)),
    rawGrids('image_grid_thw', imageGridThw),
    rawGrids('video_grid_thw', videoGridThw),
    mergeSize,
    stepsPerFrame,
  ];
}

/** The number of TokenKind::padding. */
const PADDING = 3;

function rawGrids(field: string, grids: unknown = []): Float64Array {
  if (!Array.isArray(grids)) throw wrongType(field, 'be a list of [frames, height, width]', grids);
  const sizes = grids.flatMap((grid: unknown) => {
    const numbers = toFloat64(field, grid);
    if (numbers.length !== 3)
      throw brokenRule('shape_mismatch', field, 'have three numbers in each grid', String(numbers.length));
    return [...numbers];
  });
  for (const size of sizes) requireSize(field, size);
  return Float64Array.from(sizes);
}

export function countFrom(offset: number, length: number, field: string): Float64Array {
  if (typeof length !== 'number') throw wrongType(field, 'be a number', length);
  if (typeof offset !== 'number') throw wrongType('offset', 'be a number', offset);
  if (!Number.isInteger(length) || length < 0 || length > MAX_LENGTH) {
    throw brokenRule('out_of_range', field, `be a whole number from 0 to ${MAX_LENGTH}`, String(length));
  }
  const positions = new Float64Array(length);
  for (let index = 0; index < length; index++) positions[index] = offset + index;
  return positions;
}

/** Rows beyond this do not fit into WebAssembly memory at any width. */
const MAX_LENGTH = 2 ** 26;

/** The largest int of C++. */
const MAX_SIZE = 2 ** 31 - 1;
