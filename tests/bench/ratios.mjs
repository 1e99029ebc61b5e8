/**
 * What `--check` compares: times of posenc as multiples of times of others in the same process. It takes the fastest
 * round of each, not the median: whatever else the machine does only ever makes a round longer. Limits are those of
 * memory: what a new array costs is up to the allocator, and differs by a factor of fifty from run to run.
 */
import { best } from './report.mjs';

const REFERENCES = ['limit', 'plain'];

/** { 'W1 sinusoidal table 1024 x 128, new array / limit': 3.2, ... }; smaller is better. */
export function ratiosOf({ id, title, label, results }) {
  const ratios = {};
  for (const { role, name, fastest } of results) {
    if (role !== 'posenc' || fastest === undefined) continue;
    for (const reference of REFERENCES) {
      const other = best(results, reference, { unit: 'fastest' });
      if (other !== undefined) ratios[`${id} ${title} ${label}, ${name} / ${reference}`] = fastest / other;
    }
  }
  return ratios;
}

/** Two measurements of the same group as one. */
export function fastestOf(a, b) {
  const results = a.results.map((result, i) => {
    const fastest = Math.min(result.fastest ?? Infinity, b.results[i].fastest ?? Infinity);
    return fastest === Infinity ? result : { ...result, fastest };
  });
  return { ...a, results };
}

/**
 * @param baseline  { margin, ratios }
 * @returns  lost: [{ name, measured, before, allowed }], measured undefined if there was nothing to measure;
 *           added: names that the baseline does not know
 */
export function compareRatios(measured, { margin, ratios }) {
  const lost = Object.entries(ratios)
    .map(([name, before]) => ({ name, measured: measured[name], before, allowed: before * margin }))
    .filter((row) => !(row.measured <= row.allowed));
  return { lost, added: Object.keys(measured).filter((name) => !(name in ratios)) };
}
