import { describe, expect, it } from 'vitest';

import { createEngine } from '../../dist/engine.js';
import createRaw from '../../dist/generated/raw.js';
import { JERRY, TOM, wasmBytes } from './support.ts';

/** An engine whose memory can be seen: the package itself does not show it. */
async function engineWithMemory() {
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

describe('memory', () => {
  it('stays as it is over 10000 calls in one synchronous loop, half of them throwing', async () => {
    const { posenc, size } = await engineWithMemory();
    const run = (times: number) => {
      let thrown = 0;
      for (let i = 0; i < times; i++) {
        try {
          const theta = i % 2 === 0 ? 10000 : -1;
          posenc.compare({ encoding: { kind: 'rope', theta }, a: TOM, b: JERRY });
        } catch {
          thrown++;
        }
      }
      return thrown;
    };
    run(100);
    const before = size();
    expect(run(10_000)).toBe(5000);
    expect(size()).toBe(before);
  });

  it('is given back after a large table', async () => {
    const { posenc, size } = await engineWithMemory();
    const large = () => posenc.table({ kind: 'sinusoidal' }, { length: 50_000 });
    large();
    const after = size();
    for (let i = 0; i < 20; i++) large();
    expect(size()).toBe(after);
  });
});
