/** Results as the page keeps them, and the saved ones that are drawn before the engine arrives. */
import type { AttentionResult, Comparison, Invariances, Matrix, PosencErrorData } from 'posenc';
import type { Lang, PageMask } from '../state/state.ts';

/** One card of the scoreboard. */
export interface RowResult {
  readonly kind: string;
  readonly changes: Readonly<Record<PageMask, Change>> | null;
  readonly invariances: Invariances | null;
  readonly problem: PosencErrorData | null;
}

export interface Change {
  readonly delta: Matrix;
  readonly maxDelta: number;
  readonly exact: boolean;
  /** No word to compare. */
  readonly nothing: boolean;
}

export const changeOf = ({ delta, maxDelta, maxDeltaAt, exact }: Comparison): Change => ({
  delta,
  maxDelta,
  exact,
  nothing: maxDeltaAt.query < 0,
});

/** Everything the page shows at rest, for one language. */
export interface Picture {
  readonly sentences: { readonly a: string; readonly b: string };
  readonly words: { readonly a: readonly string[]; readonly b: readonly string[] };
  readonly comparison: Comparison;
  readonly rows: readonly RowResult[];
}

/** Packed, see {@link pack}: a picture for each language. */
export interface SavedPages {
  readonly pages: Readonly<Record<Lang, string>>;
}

/** Plain data as JSON; float arrays become base64 and infinities a name, so that every bit survives. */
export function pack(data: Picture): string {
  return JSON.stringify(data, (_key, value: unknown) => {
    if (value instanceof Float32Array) return { f: toBase64(value) };
    if (value instanceof Int32Array) return { i: Array.from(value) };
    if (typeof value === 'number' && !Number.isFinite(value)) return { n: String(value) };
    return value;
  });
}

function unpack(text: string): unknown {
  return JSON.parse(text, (_key, value: unknown) => {
    if (typeof value !== 'object' || value === null) return value;
    if ('f' in value && typeof value.f === 'string') return fromBase64(value.f);
    if ('i' in value && Array.isArray(value.i)) return Int32Array.from(value.i, Number);
    if ('n' in value && typeof value.n === 'string') return Number(value.n);
    return value;
  });
}

// Reads what the same build wrote.
export const unpackPicture = (text: string): Picture => unpack(text) as Picture;

function toBase64(values: Float32Array): string {
  const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}

function fromBase64(text: string): Float32Array {
  const bytes = Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
  return new Float32Array(bytes.buffer);
}

/** The parts of a result that the page draws; the rest would only make the saved picture larger. */
export function slim(comparison: Comparison): Comparison {
  const empty: Matrix = { data: new Float32Array(0), rows: 0, cols: 0 };
  const part = (result: AttentionResult): AttentionResult => ({ ...result, output: empty });
  return { ...comparison, a: part(comparison.a), b: part(comparison.b) };
}
