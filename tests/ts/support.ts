import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import { PosencError } from 'posenc';
import type { Matrix, Tensor3 } from 'posenc';
import { expect } from 'vitest';

import { createEngine } from '../../dist/engine.js';
import createRaw from '../../dist/generated/raw.js';

/** Path inside the project. */
export function projectPath(relative: string): string {
  return fileURLToPath(new URL(`../../${relative}`, import.meta.url));
}

export const TOM = ['Tom', 'chased', 'Jerry'];
export const JERRY = ['Jerry', 'chased', 'Tom'];

/** The bytes of posenc.wasm. */
export function wasmBytes(): Promise<Buffer> {
  return readFile(projectPath('dist/posenc.wasm'));
}

/** The PosencError that `run` throws or rejects with; fails if there is none, or another error. */
export async function errorOf(run: () => unknown): Promise<PosencError> {
  try {
    await run();
  } catch (error) {
    expect(error).toBeInstanceOf(PosencError);
    if (error instanceof PosencError) return error;
  }
  throw new Error('no PosencError was thrown');
}

export function matrixOf(rows: readonly (readonly number[])[]): Matrix {
  return { data: Float32Array.from(rows.flat()), rows: rows.length, cols: rows[0]?.length ?? 0 };
}

export function tensorOf(heads: readonly (readonly (readonly number[])[])[]): Tensor3 {
  const rows = heads[0]?.length ?? 0;
  const cols = heads[0]?.[0]?.length ?? 0;
  return { data: Float32Array.from(heads.flat(2)), shape: [heads.length, rows, cols] };
}

/** Largest difference, element by element; the expected numbers are float32 written as decimals. */
export function largestDifference(got: ArrayLike<number>, expected: readonly number[]): number {
  expect(got.length).toBe(expected.length);
  return expected.reduce((most, value, i) => Math.max(most, Math.abs((got[i] ?? NaN) - Math.fround(value))), 0);
}

/** An engine whose memory can be seen: the package itself does not show it. */
export async function engineWithMemory() {
  const module = await WebAssembly.compile(new Uint8Array(await wasmBytes()));
  let memory: WebAssembly.Memory | undefined;
  const raw = await createRaw({
    instantiateWasm(imports: WebAssembly.Imports, done: (instance: WebAssembly.Instance) => void) {
      void WebAssembly.instantiate(module, imports).then((instance) => {
        memory = Object.values(instance.exports).find((value) => value instanceof WebAssembly.Memory);
        done(instance);
      });
      return {};
    },
  });
  return { posenc: createEngine(raw), size: () => memory?.buffer.byteLength ?? NaN };
}
