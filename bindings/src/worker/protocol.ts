import { PosencError } from '../errors.ts';
import type { PosencErrorData } from '../errors.ts';

/** Messages between the page and its worker: plain data only, so that nothing is lost in structured clone. */

export type ToWorker =
  | { readonly type: 'start'; readonly module: WebAssembly.Module }
  | { readonly type: 'call'; readonly id: number; readonly method: string; readonly args: readonly unknown[] }
  | { readonly type: 'cancel'; readonly id: number };

export type FromWorker =
  | { readonly type: 'ready'; readonly facts: { version: string; simd: boolean } }
  | { readonly type: 'value'; readonly id: number; readonly value: unknown }
  | { readonly type: 'error'; readonly id: number; readonly error: PosencErrorData };

/** The typed arrays inside a result: their memory is handed over, not copied. */
export function buffersOf(value: unknown): ArrayBuffer[] {
  if (ArrayBuffer.isView(value)) return value.buffer instanceof ArrayBuffer ? [value.buffer] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(buffersOf);
}

/** Whatever was thrown, as plain data. */
export function errorDataOf(error: unknown): PosencErrorData {
  const known = error instanceof PosencError ? error : new PosencError({ code: 'internal', message: String(error) });
  return known.toData();
}
