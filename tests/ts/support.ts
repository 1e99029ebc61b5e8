import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { PosencError } from 'posenc';
import type { Matrix, Tensor3 } from 'posenc';
import { expect } from 'vitest';

import { createEngine } from '../../dist/engine.js';
import createRawModels from '../../dist/generated/models_raw.js';
import createRaw from '../../dist/generated/raw.js';
import { createReaders } from '../../dist/reader/load.js';

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

/** What Emscripten makes of a module. */
type Create<Raw> = (options: object) => Promise<Raw>;

/** A raw module whose memory can be seen: the package itself does not show it. */
async function rawWithMemory<Raw>(create: Create<Raw>, file: string) {
  const module = await WebAssembly.compile(new Uint8Array(await readFile(projectPath(file))));
  let memory: WebAssembly.Memory | undefined;
  const raw = await create({
    instantiateWasm(imports: WebAssembly.Imports, done: (instance: WebAssembly.Instance) => void) {
      void WebAssembly.instantiate(module, imports).then((instance) => {
        memory = Object.values(instance.exports).find((value) => value instanceof WebAssembly.Memory);
        done(instance);
      });
      return {};
    },
  });
  return { raw, size: () => memory?.buffer.byteLength ?? NaN };
}

export async function engineWithMemory() {
  const { raw, size } = await rawWithMemory(createRaw, 'dist/posenc.wasm');
  return { posenc: createEngine(raw), size };
}

export async function readersWithMemory() {
  const { raw, size } = await rawWithMemory(createRawModels, 'dist/posenc_models.wasm');
  return { readers: createReaders(raw), size };
}

/** Collects garbage until `done`, and lets what was registered for it run. */
export async function collect(done: () => boolean): Promise<void> {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as () => void;
  const tick = () => new Promise((resolve) => setTimeout(resolve, 0));
  for (let i = 0; i < 20 && !done(); i++) {
    await tick();
    gc();
  }
  expect(done()).toBe(true);
  await tick();
}
