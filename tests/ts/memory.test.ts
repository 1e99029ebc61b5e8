import { describe, expect, it } from 'vitest';

import { engineWithMemory, JERRY, TOM } from './support.ts';

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
