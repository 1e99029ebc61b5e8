import { brokenRule, wrongType } from './errors.ts';
import type { Encoding } from './generated/encodings.ts';
import createRaw from './generated/raw.js';
import { unwrap } from './outcome.ts';
import {
  countFrom,
  handleOf,
  rawDims,
  rawLayer,
  rawMask,
  rawMatrix,
  rawOut,
  rawPositions,
  rawPrompt,
  rawRotary,
  rawSpec,
  rawTensor,
  rawWords,
  requireObject,
} from './raw.ts';
import type { Raw, RawDims } from './raw.ts';
import type { Attend, Floats as RawFloats, Out } from './raw_types.ts';
import type {
  ApplyOptions,
  Attended,
  AttendOptions,
  AttendOutputOptions,
  BiasOptions,
  EngineMethods,
  Floats,
  LayerOptions,
  Matrix,
  Posenc,
  RotationOptions,
  TableOptions,
  Tensor3,
  WasmArray,
} from './types.ts';
import { createWasmArrays } from './wasm_array.ts';
import { instantiateWith } from './wasm_source.ts';

/** The methods with floats of either kind: what a result holds follows from `out`, which the overloads of the public
 * types say. */
interface AnyFloats extends Omit<EngineMethods, 'table' | 'rotation' | 'apply' | 'bias' | 'attend' | 'attendOutput'> {
  table(encoding: Encoding, options: TableOptions & MaybeOut): Matrix<Floats>;
  rotation(encoding: Encoding, options: RotationOptions & MaybeOuts): { cos: Matrix<Floats>; sin: Matrix<Floats> };
  apply(encoding: Encoding, x: Matrix<Floats> | Tensor3<Floats>, options?: ApplyOptions & MaybeOut): typeof x;
  bias(encoding: Encoding, options: BiasOptions & MaybeOut): Tensor3<Floats>;
  attend(options: AttendOptions<Floats>): Attended;
  attendOutput(options: AttendOutputOptions<Floats> & MaybeOut): Tensor3<Floats>;
}

interface MaybeOut {
  readonly out?: WasmArray;
}

interface MaybeOuts {
  readonly out?: { readonly cos: WasmArray; readonly sin: WasmArray };
}

/** A result with its floats: what left the module, or else the array that it filled. */
function withData<R extends object>(result: R & { readonly data: Float32Array | null }, out: WasmArray | undefined) {
  // The raw module gives null for the data only where it was given `out`.
  return { ...result, data: (result.data ?? out) as Floats };
}

function isTensor(x: Matrix<Floats> | Tensor3<Floats>): x is Tensor3<Floats> {
  return 'shape' in x && x.shape !== undefined;
}

function dimsOfHeads({ heads, cols }: RawFloats): RawDims {
  return rawDims({ nHeads: heads, headDim: cols, dModel: heads * cols });
}

function requireHeads(field: string, given: RawFloats | undefined, model: string, { heads }: RawFloats): void {
  if (given === undefined || given.heads === heads) return;
  throw brokenRule('shape_mismatch', field, `have ${heads} heads, as ${model} has`, String(given.heads));
}

/** Each row of the output is made of all rows of k and v. */
function requireApart(out: Out, inputs: Readonly<Record<string, RawFloats>>): void {
  for (const [name, { data }] of Object.entries(inputs)) {
    if (data === out) throw brokenRule('out_of_range', 'out', 'be an array of its own', `${name}.data`);
  }
}

function specOf(options: LayerOptions) {
  requireObject('options', options);
  return rawSpec(options.encoding, rawDims(options.dims));
}

/** The methods of every engine, with the fields that their arguments are in errors; '' where those are options. */
export const PARAMETERS = {
  table: ['', ''],
  rotation: ['', ''],
  frequencies: ['', ''],
  apply: ['', 'x', ''],
  bias: ['', ''],
  attend: [''],
  attendOutput: [''],
  attention: [''],
  compare: [''],
  invariances: [''],
  multimodalPositions: [''],
} as const satisfies Record<keyof EngineMethods, readonly string[]>;
export type Method = keyof EngineMethods;

export function isMethod(name: string): name is Method {
  return Object.hasOwn(PARAMETERS, name);
}

/** What `load` gives, without the registry: a worker that only computes need not carry it. */
export type Engine = Omit<Posenc, 'encodings'>;

/** The engine in a compiled module. */
export async function startEngine(module: WebAssembly.Module): Promise<Engine> {
  return createEngine(await instantiateWith(createRaw, module));
}

/** The public methods over one instance of the raw module. */
export function createEngine(raw: Raw): Engine {
  const methods: AnyFloats = {
    table(encoding, options) {
      requireObject('options', options);
      const { dims, out } = options;
      const target = rawOut(raw, out);
      const rows = unwrap(() => raw.table(rawSpec(encoding, rawDims(dims)), rawPositions(options), target));
      return withData(rows, out);
    },

    rotation(encoding, options) {
      requireObject('options', options);
      const { dims, out } = options;
      const { cos, sin } = outsOf(raw, out);
      const spec = rawSpec(encoding, rawDims(dims));
      const table = unwrap(() => raw.rotation(spec, rawPositions(options), rawRotary(options), cos, sin));
      return { cos: withData(table.cos, out?.cos), sin: withData(table.sin, out?.sin) };
    },

    frequencies(encoding, options = {}) {
      requireObject('options', options);
      return unwrap(() => raw.frequencies(rawSpec(encoding, rawDims(options.dims)), options.seqLen ?? 0));
    },

    apply(encoding, x, options = {}) {
      requireObject('options', options);
      requireObject('x', x);
      const { dims, out } = options;
      const target = rawOut(raw, out);
      const tensor = isTensor(x);
      const floats = tensor ? rawTensor(raw, 'x', x) : rawMatrix(raw, 'x', x);
      const { heads, rows, cols } = floats;
      const sizes = { dModel: cols, headDim: cols, nHeads: heads };
      const spec = rawSpec(encoding, rawDims(dims, sizes));
      const data = unwrap(() =>
        raw.apply(spec, floats, rawPositions({ length: rows, ...options }), rawRotary(options), target),
      );
      return withData(tensor ? { data, shape: [heads, rows, cols] } : { data, rows, cols }, out);
    },

    bias(encoding, options) {
      requireObject('options', options);
      const { dims, out } = options;
      const target = rawOut(raw, out);
      const spec = rawSpec(encoding, rawDims(dims));
      return withData(
        unwrap(() => raw.bias(spec, queriesOf(options), keysOf(options), target)),
        out,
      );
    },

    attend(options) {
      requireObject('options', options);
      const input = rawAttend(raw, options);
      requireHeads('k', input.k, 'q', input.q);
      requireHeads('v', input.v, 'q', input.q);
      return unwrap(() => raw.attend(rawSpec(options.encoding, dimsOfHeads(input.q)), input));
    },

    attendOutput(options) {
      requireObject('options', options);
      const { encoding, out } = options;
      const target = rawOut(raw, out);
      const input = rawAttend(raw, options);
      const { q, k, v } = input;
      if (v === undefined) throw wrongType('v', 'be given', undefined);
      requireHeads('v', v, 'k', k);
      requireApart(target, { q, k, v });
      const data = unwrap(() => raw.attendOutput(rawSpec(encoding, dimsOfHeads(q)), input, target));
      return withData({ data, shape: [q.heads, q.rows, v.cols] }, out);
    },

    attention(options) {
      return unwrap(() => raw.attention(specOf(options), rawLayer(options), rawWords('tokens', options.tokens)));
    },

    compare(options) {
      const a = rawWords('a', options.a);
      const b = rawWords('b', options.b);
      return unwrap(() => raw.compare(specOf(options), rawLayer(options), a, b));
    },

    invariances(options) {
      return unwrap(() => raw.invariances(specOf(options), rawLayer(options), rawWords('tokens', options.tokens)));
    },

    multimodalPositions(options) {
      requireObject('options', options);
      return unwrap(() => raw.multimodalPositions(...rawPrompt(options)));
    },
  };
  const facts = { version: raw.version(), simd: raw.hasSimd() };
  // Which floats a result has follows from `out`, as the overloads of `Posenc` say and these types do not.
  return { ...facts, ...methods, wasmArray: createWasmArrays(raw) } as Engine;
}

/** Both arrays of a rotation; one array cannot hold both. */
function outsOf(raw: Raw, out: MaybeOuts['out']): { cos: Out; sin: Out } {
  if (out === undefined) return { cos: undefined, sin: undefined };
  requireObject('out', out);
  const cos = handleOf(raw, 'out.cos', out.cos);
  const sin = handleOf(raw, 'out.sin', out.sin);
  if (cos === sin) throw brokenRule('out_of_range', 'out.sin', 'be another array than out.cos', 'the same');
  return { cos, sin };
}

function rawAttend(raw: Raw, options: AttendOptions<Floats>): Attend {
  const { mask, scale, qPositions, kPositions } = options;
  const q = rawTensor(raw, 'q', options.q);
  const k = rawTensor(raw, 'k', options.k);
  return {
    q,
    k,
    mask: rawMask(mask),
    q_positions: positionsOr(qPositions, q.rows),
    k_positions: positionsOr(kPositions, k.rows),
    ...(options.v !== undefined && { v: rawTensor(raw, 'v', options.v) }),
    ...(scale !== undefined && { scale }),
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
