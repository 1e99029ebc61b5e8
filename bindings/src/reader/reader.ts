import type { Encoding } from '../generated/encodings.ts';
import { toCamelCase } from '../names.ts';
import { unwrap } from '../outcome.ts';
import { rawWords, requireObject } from '../raw.ts';
import type { AttentionResult, Comparison } from '../types.ts';
import type { HeldReader } from './held.ts';
import type { Setup } from './raw_types.ts';
import type { FloatWidth, Reader, ReaderAnswer, ReaderHead, ReaderSetup } from './types.ts';

/** The one implementation of `Reader`. */
export class ReaderInWasm implements Reader {
  readonly setup: Required<ReaderSetup>;
  readonly steps: number;
  readonly #held: HeldReader;

  constructor(held: HeldReader) {
    const setup = unwrap(() => held.raw.setup(held.handle));
    this.#held = held;
    this.setup = { encoding: encodingOf(setup), mask: setup.mask, seed: setup.seed };
    this.steps = setup.steps;
  }

  answer(words: readonly string[]): ReaderAnswer {
    const { raw, handle } = this.#held;
    return unwrap(() => raw.answer(handle, rawWords('words', words)));
  }

  attention(words: readonly string[], head: ReaderHead): AttentionResult {
    requireObject('head', head);
    const { raw, handle } = this.#held;
    return unwrap(() => raw.attention(handle, rawWords('words', words), head));
  }

  compare(a: readonly string[], b: readonly string[], head: ReaderHead): Comparison {
    requireObject('head', head);
    const { raw, handle } = this.#held;
    return unwrap(() => raw.compare(handle, rawWords('a', a), rawWords('b', b), head));
  }

  saveWeights(options: { readonly width?: FloatWidth } = {}): Uint8Array<ArrayBuffer> {
    requireObject('options', options);
    const { raw, handle } = this.#held;
    return unwrap(() => raw.save(handle, options.width ?? 'single'));
  }

  dispose(): void {
    this.#held.dispose();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}

function encodingOf({ encoding, params }: Setup): Encoding {
  const named = Object.entries(params).map(([name, value]) => [toCamelCase(name), value]);
  // The library has checked it: it is one of the registry, with its own parameters.
  return { kind: encoding, ...Object.fromEntries(named) } as Encoding;
}
