import { startEngine } from './engine.ts';
import { encodings } from './generated/description.ts';
import type { Posenc, PosencAsync } from './types.ts';
import { compileWasm, shared } from './wasm_source.ts';
import type { WasmFile, WasmOptions } from './wasm_source.ts';
import { callsOf, createWorkerClient } from './worker/client.ts';
import type { EnginePort } from './worker/client.ts';

/** Options of `load`. */
export interface LoadOptions extends WasmOptions {
  /** `main` (default): methods return at once. `worker`: the same methods in a worker, as promises. */
  readonly engine?: 'main' | 'worker';
}

/** `load` of the package. */
export interface Load {
  /**
   * Loads the engine. Without options it is loaded once and shared; a failed attempt is forgotten, so it can be
   * repeated.
   *
   * @throws PosencError `wasm_not_found`, `wasm_not_wasm`, `wasm_blocked`, `wasm_unsupported`, `aborted`
   * @example
   * const posenc = await load();
   * posenc.table({ kind: 'sinusoidal' }, { length: 4, dims: { dModel: 8, nHeads: 1 } });
   */
  (options?: LoadOptions & { readonly engine?: 'main' }): Promise<Posenc>;
  (options: LoadOptions & { readonly engine: 'worker' }): Promise<PosencAsync>;
}

async function instantiate(module: WebAssembly.Module): Promise<Posenc> {
  return { ...(await startEngine(module)), encodings };
}

/** Makes `load` for a platform: its file, and how it starts a worker (null where it cannot). */
export function createLoad(file: WasmFile, startWorker: () => EnginePort | null): Load {
  async function loadMain(options: WasmOptions): Promise<Posenc> {
    return instantiate(await compileWasm(options, file));
  }
  const loadShared = shared(() => loadMain({}));

  async function loadWorker(options: WasmOptions): Promise<PosencAsync> {
    const module = await compileWasm(options, file);
    const port = startWorker();
    // A worker from another origin is refused by browsers: then the same methods run here.
    const client = port === null ? null : await createWorkerClient(port, module);
    return client ?? callsOf(await instantiate(module));
  }

  function load(options?: LoadOptions & { readonly engine?: 'main' }): Promise<Posenc>;
  function load(options: LoadOptions & { readonly engine: 'worker' }): Promise<PosencAsync>;
  function load(options: LoadOptions = {}): Promise<Posenc | PosencAsync> {
    const { engine = 'main', ...wasm } = options;
    if (engine === 'worker') return loadWorker(wasm);
    return Object.keys(wasm).length === 0 ? loadShared() : loadMain(wasm);
  }
  return load;
}
