/** Measuring by interleaved rounds: what shares a round shares the machine's mood, so ratios of medians hold. */

export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

export function percentile(numbers, share) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
}

/** Calls per sample such that a sample takes about `targetMs`. */
function batchSize(run, targetMs) {
  let calls = 1;
  for (;;) {
    const start = performance.now();
    for (let i = 0; i < calls; i++) run();
    if (performance.now() - start >= targetMs) return calls;
    calls *= 2;
  }
}

/**
 * Median milliseconds per call of each of `runs` ({name: function}), over `rounds` rounds in which each runs once.
 */
export function measure(runs, { rounds = 21, targetMs = 5 } = {}) {
  const entries = Object.entries(runs).map(([name, run]) => ({
    name,
    run,
    calls: batchSize(run, targetMs),
    samples: [],
  }));
  for (let round = 0; round < rounds; round++) {
    for (const entry of entries) {
      const start = performance.now();
      for (let i = 0; i < entry.calls; i++) entry.run();
      entry.samples.push((performance.now() - start) / entry.calls);
    }
  }
  return Object.fromEntries(entries.map(({ name, samples }) => [name, median(samples)]));
}

/** Rows of cells as aligned columns; numbers to the right. */
export function table(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const line = (row) => row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join('  ');
  return rows.map(line).join('\n');
}

export const ms = (value) => `${value < 0.01 ? value.toFixed(4) : value < 10 ? value.toFixed(3) : value.toFixed(1)} ms`;
export const times = (value) => `${value.toFixed(value < 10 ? 2 : 0)}x`;
