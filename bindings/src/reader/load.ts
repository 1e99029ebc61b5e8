import createRaw from '../generated/models_raw.js';
import { instantiateWith, shared } from '../wasm_source.ts';
import type { WasmOptions } from '../wasm_source.ts';
import type { Compile } from './files.ts';
import { createHeld, createMemory, loadHeld } from './held.ts';
import type { HeldReader } from './held.ts';
import type { RawModule } from './raw_types.ts';
import { ReaderInWasm } from './reader.ts';
import { createTraining } from './training.ts';
import type { Readers } from './types.ts';

/** `loadReaders` of the package. */
export interface LoadReaders {
  /**
   * Loads the engine of readers. Without options it is loaded once and shared; a failed attempt is forgotten, so it can be
   * repeated.
   *
   * @throws PosencError `wasm_not_found`, `wasm_not_wasm`, `wasm_blocked`, `wasm_unsupported`, `aborted`
   * @example
   * const readers = await loadReaders();
   * using reader = readers.loadWeights(await shippedWeights('rope', 'causal'));
   * reader.answer(['Tom', 'chased', 'Jerry']);
   */
  (options?: WasmOptions): Promise<Readers>;
}

/** The public methods over one instance of the raw module. */
export function createReaders(raw: RawModule): Readers {
  const memory = createMemory(raw);
  const open = (held: HeldReader) => new ReaderInWasm(held);
  return {
    ...raw.sizes(),
    reader: (setup) => open(createHeld(memory, setup)),
    loadWeights: (file) => open(loadHeld(memory, file)),
    train: (options) => createTraining(memory, options),
  };
}

export async function instantiateReaders(module: WebAssembly.Module): Promise<Readers> {
  return createReaders(await instantiateWith(createRaw, module));
}

/** Makes `loadReaders` for a platform. */
export function createLoadReaders(compile: Compile): LoadReaders {
  const loadNew = async (options: WasmOptions) => instantiateReaders(await compile(options));
  const loadShared = shared(() => loadNew({}));
  return (options = {}) => (Object.keys(options).length === 0 ? loadShared() : loadNew(options));
}
