/** What the machine can do in this process: the limits by themselves. */
import { freshArrays } from '../limits/limits.mjs';

const LARGE = 2 ** 24; // floats: 64 MiB
const SMALL = 2 ** 21;
const FLOP = 2e9;

export const machine = {
  id: 'limits',
  title: 'limits',
  sizes: [{}],
  checkSizes: [],
  label: () => '',
  budgetMs: 3000,

  contenders({ limits }) {
    const limit = (name, contender) => ({ role: 'limit', name, ...contender });
    return [
      limit('fill 8 MiB', limits.fill(SMALL)),
      limit('fill 64 MiB', limits.fill(LARGE)),
      limit('copy 64 MiB', limits.copy(LARGE)),
      limit('scale 64 MiB in place', limits.scale(LARGE)),
      { ...freshArrays(undefined, LARGE), name: 'make and fill a new array of 64 MiB' },
      limit('matrix product', limits.multiply(FLOP)),
    ];
  },
};
