/**
 * The workloads: what is computed, at which sizes, and who takes part. They run in Node and in browsers alike.
 *
 * `large` sizes are left out with --quick, `quick` ones are there only then; `checkSizes` belong to --check.
 */
import { attention, attentionWithMatrices } from './attention.mjs';
import { bias } from './bias.mjs';
import { machine } from './machine.mjs';
import { rope, rotaryAngles } from './rope.mjs';
import { sinusoidal } from './sinusoidal.mjs';
import { training } from './training.mjs';

export const WORKLOADS = { machine, sinusoidal, rope, rotaryAngles, bias, attention, attentionWithMatrices, training };

/** [{ workload, size }]: the key above and one of its sizes. */
export function casesOf({ only = null, quick = false, check = false } = {}) {
  return Object.entries(WORKLOADS).flatMap(([workload, { id, sizes, checkSizes }]) => {
    if (only !== null && id !== machine.id && !only.includes(id)) return [];
    const wanted = check ? checkSizes : sizes.filter(({ large, quick: small }) => (quick ? !large : !small));
    return wanted.map((size) => ({ workload, size }));
  });
}
