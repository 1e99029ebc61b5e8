import { brokenRule, wrongType } from './errors.ts';
import { unwrap } from './outcome.ts';
import type { Raw } from './raw.ts';
import type { Handle } from './raw_types.ts';
import type { WasmArray } from './types.ts';

/** Memory of one engine in which its arrays live, and which takes back those that nobody disposed of. */
interface Memory {
  readonly raw: Raw;
  readonly forgotten: FinalizationRegistry<Handle>;
}

/** While a view can be reached, so can its array: else its memory could be taken back under the view. */
const owners = new WeakMap<Float32Array, ArrayInWasm>();

/** The one implementation of `WasmArray`. */
export class ArrayInWasm implements WasmArray {
  readonly length: number;
  readonly #memory: Memory;
  #handle: Handle | undefined;
  #view: Float32Array | undefined;

  constructor(memory: Memory, length: number) {
    this.#memory = memory;
    this.length = length;
    this.#handle = unwrap(() => memory.raw.hold(length));
    memory.forgotten.register(this, this.#handle, this);
  }

  get array(): Float32Array {
    const handle = this.handleFor('array', this.#memory.raw);
    // A view of memory that has grown has length 0.
    if (this.#view?.length !== this.length) {
      this.#view = this.#memory.raw.view(handle);
      owners.set(this.#view, this);
    }
    return this.#view;
  }

  dispose(): void {
    if (this.#handle === undefined) return;
    this.#memory.forgotten.unregister(this);
    this.#memory.raw.release(this.#handle);
    this.#handle = undefined;
    this.#view = undefined;
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  /** What the raw module knows it by. */
  handleFor(field: string, raw: Raw): Handle {
    if (this.#handle === undefined)
      throw brokenRule('missing_value', field, 'not be disposed of', 'a WasmArray without memory');
    if (this.#memory.raw !== raw) throw wrongType(field, 'be a WasmArray of this engine', this);
    return this.#handle;
  }
}

/** Makes the `wasmArray` of an engine. */
export function createWasmArrays(raw: Raw): (from: number | Float32Array) => WasmArray {
  const memory = { raw, forgotten: new FinalizationRegistry<Handle>((handle) => raw.release(handle)) };
  return (from) => {
    if (typeof from === 'number') {
      if (!Number.isInteger(from) || from < 0)
        throw brokenRule('out_of_range', 'length', 'be a whole number from 0 on', String(from));
      return new ArrayInWasm(memory, from);
    }
    if (!(from instanceof Float32Array)) throw wrongType('length', 'be a number or a Float32Array', from);
    const array = new ArrayInWasm(memory, from.length);
    array.array.set(from);
    return array;
  };
}
