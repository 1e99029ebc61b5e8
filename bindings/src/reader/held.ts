import { brokenRule, wrongType } from '../errors.ts';
import { unwrap } from '../outcome.ts';
import { DEFAULT_SEED, rawDims, rawMask, rawSpec, requireObject } from '../raw.ts';
import type { Handle, RawModule } from './raw_types.ts';
import type { ReaderSetup } from './types.ts';

/** The raw module, and what takes back the readers that nobody disposed of. */
export interface Memory {
  readonly raw: RawModule;
  readonly forgotten: FinalizationRegistry<Handle>;
}

export function createMemory(raw: RawModule): Memory {
  return { raw, forgotten: new FinalizationRegistry<Handle>((handle) => raw.release(handle)) };
}

/** A reader in WebAssembly memory, until `dispose()`. */
export class HeldReader {
  readonly raw: RawModule;
  readonly #forgotten: FinalizationRegistry<Handle>;
  #handle: Handle | undefined;

  constructor({ raw, forgotten }: Memory, handle: Handle) {
    this.raw = raw;
    this.#forgotten = forgotten;
    this.#handle = handle;
    forgotten.register(this, handle, this);
  }

  get handle(): Handle {
    if (this.#handle === undefined)
      throw brokenRule('missing_value', 'reader', 'not be disposed of', 'a reader without memory');
    return this.#handle;
  }

  dispose(): void {
    if (this.#handle === undefined) return;
    this.#forgotten.unregister(this);
    this.raw.release(this.#handle);
    this.#handle = undefined;
  }
}

/** A reader that nobody has trained yet. */
export function createHeld(memory: Memory, setup: ReaderSetup): HeldReader {
  requireObject('setup', setup);
  // The library has sizes of its own for readers.
  const spec = rawSpec(setup.encoding, rawDims());
  const seed = setup.seed ?? DEFAULT_SEED;
  return new HeldReader(
    memory,
    unwrap(() => memory.raw.create(spec, rawMask(setup.mask), seed)),
  );
}

export function loadHeld(memory: Memory, file: unknown): HeldReader {
  if (!(file instanceof Uint8Array)) throw wrongType('file', 'be a Uint8Array', file);
  return new HeldReader(
    memory,
    unwrap(() => memory.raw.load(file)),
  );
}
