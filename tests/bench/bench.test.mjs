import { describe, expect, it } from 'vitest';

import { agreeing, largestDifference, sampleOf } from './agree.mjs';
import { countLabel, decades, lineChart, logScale } from './chart.mjs';
import { median } from './measure.mjs';
import { readOptions } from './options.mjs';
import { groupsOf, resultsOfGoogleBenchmark } from './places/native.mjs';
import * as plain from './plain_js.mjs';
import { callsPerSample, race, roundsWithin } from './race.mjs';
import { compareRatios, fastestOf, ratiosOf } from './ratios.mjs';
import { best, cellsOf, insertBetweenMarkers, limitsLine, markdownTable, notesOf, ratioOf, short } from './report.mjs';
import { noise } from './workloads/contenders.mjs';
import { casesOf, WORKLOADS } from './workloads/index.mjs';
import { trainingFlop } from './workloads/training.mjs';

const GROUP = {
  id: 'W1',
  title: 'table',
  label: '4 x 8',
  results: [
    { role: 'posenc', name: 'new array', ms: 6, fastest: 4 },
    { role: 'posenc', name: 'in place', missing: 'not built' },
    { role: 'limit', name: 'fill', ms: 2, fastest: 2 },
    { role: 'plain', name: 'slow', ms: 30, fastest: 20 },
    { role: 'plain', name: 'quick', ms: 12, fastest: 8 },
    { role: 'jax', name: 'jit', missing: 'runs in browsers only' },
  ],
};

describe('medians', () => {
  it('do not mind the order, nor change what they are given', () => {
    const numbers = [5, 1, 3];
    expect(median(numbers)).toBe(3);
    expect(numbers).toEqual([5, 1, 3]);
    expect(median([4, 1, 2, 3])).toBe(2.5);
  });
});

describe('a race', () => {
  it('lets every contender run once in each round, in turn', async () => {
    const order = [];
    const contenders = ['a', 'b'].map((name) => ({ role: name, name, run: () => void order.push(name) }));
    const [a, b] = await race(contenders, { sampleMs: 0, budgetMs: 0, least: 3, most: 3 });
    expect(order.slice(-6)).toEqual(['a', 'b', 'a', 'b', 'a', 'b']);
    expect([a.rounds, b.rounds]).toEqual([3, 3]);
    expect(a.fastest).toBeLessThanOrEqual(a.ms);
  });

  it('waits for promises', async () => {
    const run = () => new Promise((resolve) => setTimeout(resolve, 5));
    const [{ ms }] = await race([{ role: 'a', name: '', run }], { sampleMs: 0, budgetMs: 0, least: 3, most: 3 });
    expect(ms).toBeGreaterThan(3);
  });

  it('goes on without a contender that fails or is not there', async () => {
    const fails = () => {
      throw new Error('no memory');
    };
    const results = await race(
      [
        { role: 'a', name: 'fails', run: fails },
        { role: 'b', name: 'absent', missing: 'not installed' },
        { role: 'c', name: 'runs', run: () => 1 },
      ],
      { sampleMs: 0, budgetMs: 0, least: 1, most: 1 },
    );
    expect(results.map(({ missing }) => missing)).toEqual(['fails: no memory', 'not installed', undefined]);
    expect(results[2].ms).toBeGreaterThanOrEqual(0);
  });

  it('chooses calls and rounds by what they take', () => {
    expect(callsPerSample(0.1, 8)).toBe(80);
    expect(callsPerSample(100, 8)).toBe(1);
    expect(callsPerSample(0, 8)).toBe(10_000);
    expect(roundsWithin(1000, 100)).toBe(10);
    expect(roundsWithin(1000, 10_000)).toBe(5);
    expect(roundsWithin(1000, 1)).toBe(15);
  });
});

describe('agreement', () => {
  const reference = { role: 'plain', name: 'loops', value: () => [1, 2, 3] };
  const peer = (value) => ({ role: 'tf', name: 'peer', run: () => 0, value });

  it('keeps those who compute the same', async () => {
    const honest = peer(async () => [1, 2.001, 3]);
    expect(await agreeing([honest, reference], 0.01)).toEqual([honest, reference]);
  });

  it('leaves out those who compute something else, or NaN, or nothing', async () => {
    const fails = () => {
      throw new Error('no');
    };
    for (const value of [() => [1, 2, 4], () => [1, NaN, 3], fails]) {
      const [result] = await agreeing([peer(value), reference], 0.01);
      expect(result.missing).toMatch(/^(computes something else|fails)/);
      expect(result.run).toBeUndefined();
    }
  });

  it('is required of posenc', async () => {
    const wrong = { role: 'posenc', name: 'x', value: () => [0, 0, 0] };
    await expect(agreeing([wrong, reference], 0.01)).rejects.toThrow('posenc, x, computes something else');
  });

  it('looks at first, last and numbers between', () => {
    expect([...sampleOf([7, 8, 9])]).toEqual([7, 8, 9]);
    const many = Float32Array.from({ length: 100_001 }, (_, i) => i);
    const sample = sampleOf(many);
    expect([sample[0], sample.at(-1)]).toEqual([0, 100_000]);
    expect(sample.length).toBe(5000);
    expect(largestDifference([1, NaN], [1, 2])).toBeNaN();
  });
});

describe('a table', () => {
  it('has a row for each way of posenc and the best of each other', () => {
    const [titles, first, second] = cellsOf([GROUP]);
    expect(titles).toEqual(['', 'posenc', 'limit', 'plain loops']);
    expect(first).toEqual(['W1 table 4 x 8, new array', '6.00 ms', '2.00 ms, 3.00x', '12.0 ms, 2.00x']);
    expect(second).toEqual(['W1 table 4 x 8, in place', '-', '2.00 ms', '12.0 ms']);
  });

  it('compares new arrays with new arrays, where that was measured', () => {
    const fresh = { role: 'limit', name: 'fill new arrays', of: 'new array', ms: 3, fastest: 3 };
    const results = [...GROUP.results, fresh];
    expect(best(results, 'limit', { own: 'new array' })).toBe(3);
    expect(best(results, 'limit', { own: 'in place' })).toBe(2);
    expect(best(results, 'limit')).toBe(2);
  });

  it('says what the machine can do', () => {
    const results = [
      { role: 'limit', name: 'fill', ms: 2, amount: { GB: 0.05 } },
      { role: 'limit', name: 'copy', missing: 'not compiled' },
    ];
    expect(limitsLine([GROUP, { id: 'limits', results }])).toEqual(['Limits: fill 25.0 GB/s.']);
    expect(limitsLine([GROUP])).toEqual([]);
  });

  it('says once why something is missing', () => {
    const again = { ...GROUP, id: 'W2' };
    expect(notesOf([GROUP, again])).toEqual([
      '- W1, W2 posenc (in place): not built',
      '- W1, W2 jax-js: runs in browsers only',
    ]);
  });

  it('measures what the group measures', () => {
    const size = { id: 'W6', title: 'package', label: 'gzip', unit: 'KB' };
    const results = ['posenc', 'tf'].map((role, i) => ({ role, name: '', KB: 80 * (i + 1) }));
    expect(cellsOf([{ ...size, results }])[1]).toEqual(['W6 package gzip', '80.0 KB', '160 KB, 2.00x']);
  });

  it('compares with a limit the other way round', () => {
    expect(ratioOf('limit', 2, 6)).toBe(3);
    expect(ratioOf('plain', 12, 6)).toBe(2);
    expect(best(GROUP.results, 'jax')).toBeUndefined();
  });

  it('writes numbers with three digits', () => {
    expect([0.01234, 0.5, 1.234, 12.34, 1234.5].map(short)).toEqual(['0.012', '0.500', '1.23', '12.3', '1235']);
  });

  it('is Markdown between markers', () => {
    expect(markdownTable([['', 'a'], ['b', 'c']])).toBe('|  | a |\n| --- | ---: |\n| b | c |'); // prettier-ignore
    const readme = 'x\n<!-- bench:begin, written by npm run bench -- --readme -->\nold\n<!-- bench:end -->\ny\n';
    const written = insertBetweenMarkers(readme, 'new');
    expect(written).toContain('-->\n\nnew\n\n<!-- bench:end -->\ny');
    expect(insertBetweenMarkers(written, 'new')).toBe(written);
    expect(() => insertBetweenMarkers('no markers', 'new')).toThrow('README.md lacks');
  });
});

describe('the check', () => {
  const [posenc, , limit] = GROUP.results;
  const limitRatio = 'W1 table 4 x 8, new array / limit';
  const plainRatio = 'W1 table 4 x 8, new array / plain';

  it('compares the fastest rounds with limit and plain loops', () => {
    expect(ratiosOf(GROUP)).toEqual({ [limitRatio]: 2, [plainRatio]: 0.5 });
  });

  it('joins two measurements of the same', () => {
    const slower = { ...GROUP, results: [{ ...posenc, fastest: 9 }, { ...limit, fastest: 1 }] }; // prettier-ignore
    const other = { ...GROUP, results: [posenc, limit] };
    expect(ratiosOf(fastestOf(slower, other))).toEqual({ [limitRatio]: 4 });
  });

  it('loses a ratio beyond the margin only', () => {
    const baseline = { margin: 2, ratios: { [limitRatio]: 2, [plainRatio]: 0.5 } };
    expect(compareRatios({ [limitRatio]: 4, [plainRatio]: 1 }, baseline).lost).toEqual([]);
    const { lost } = compareRatios({ [limitRatio]: 4.1, [plainRatio]: 1 }, baseline);
    expect(lost).toEqual([{ name: limitRatio, measured: 4.1, before: 2, allowed: 4 }]);
  });

  it('loses a ratio that is not measured any more, and names new ones', () => {
    const baseline = { margin: 2, ratios: { [limitRatio]: 2 } };
    const { lost, added } = compareRatios({ [plainRatio]: 1 }, baseline);
    expect(lost.map(({ name }) => name)).toEqual([limitRatio]);
    expect(added).toEqual([plainRatio]);
    expect(compareRatios({ [limitRatio]: NaN }, baseline).lost.length).toBe(1);
  });
});

describe('cases', () => {
  it('are those of the workloads that are asked for', () => {
    expect(casesOf({ only: ['W3'] }).map(({ workload }) => workload)).toEqual(['machine', 'bias', 'bias']);
    expect(casesOf().length).toBeGreaterThan(casesOf({ quick: true }).length);
    expect(casesOf({ quick: true }).some(({ size }) => size.large)).toBe(false);
    expect(new Set(casesOf({ check: true }).map(({ workload }) => WORKLOADS[workload].id))).toEqual(
      new Set(['W1', 'W2', 'W3', 'W4']),
    );
  });

  it('count the arithmetic of training', () => {
    const model = { layers: 2, dModel: 64, heads: 4, ff: 256, length: 64, batch: 32, vocab: 128 };
    expect(trainingFlop(model) / 1e9).toBeCloseTo(1.51, 2);
  });
});

describe('options', () => {
  it('default to everything', () => {
    const { only, where, peers } = readOptions([]);
    expect(only).toEqual(['W1', 'W2', 'W3', 'W4', 'W5', 'W6', 'engine', 'tables', 'accuracy', 'typing']);
    expect(where).toEqual(['chromium', 'node', 'native']);
    expect(peers).toEqual(['jax', 'ort', 'tf']);
  });

  it('narrow it down', () => {
    const options = readOptions(['--only=W1,typing', '--where=node', '--peers=none', '--quick']);
    expect(options).toMatchObject({ only: ['W1', 'typing'], where: ['node'], peers: [], quick: true });
  });

  it.each([
    [['--only=W9'], '--only: there is no W9'],
    [['--where=mars'], '--where: there is no mars'],
    [['--peers=numpy'], '--peers: there is no numpy'],
    [['--check', '--scaling'], 'exclude each other'],
    [['--update'], '--update belongs to --check'],
    [['--readme', '--quick'], '--readme measures everything'],
    [['--quik'], 'Unknown option'],
  ])('refuse %s', (args, message) => {
    expect(() => readOptions(args)).toThrow(message);
  });
});

describe('native results', () => {
  it('are the medians of Google Benchmark, grouped by work', () => {
    const entry = (name, aggregate, ms) => ({ run_name: name, aggregate_name: aggregate, cpu_time: ms });
    const results = resultsOfGoogleBenchmark({
      benchmarks: [
        entry('W1/table/4 x 8/posenc/rows()', 'mean', 9),
        entry('W1/table/4 x 8/posenc/rows()', 'median', 3),
        entry('W1/table/4 x 8/limit/fill', 'median', 1),
      ],
    });
    const numpy = { id: 'W4', title: 'attention', label: '8', role: 'numpy', name: 'matmul', ms: 5 };
    const [table, attention] = groupsOf([...results, numpy]);
    expect(table.results.map(({ role, ms }) => [role, ms])).toEqual([['posenc', 3], ['limit', 1]]); // prettier-ignore
    expect(attention.results[0].missing).toBeDefined();
  });
});

describe('a chart', () => {
  it('has logarithmic axes with round ticks', () => {
    expect(decades(0.02, 3)).toEqual([0.01, 0.1, 1, 10]);
    expect(decades(1, 1)).toEqual([1, 10]);
    const scale = logScale([1, 100], [0, 50]);
    expect([scale(1), scale(10), scale(100)].map((value) => Number(value.toFixed(9)))).toEqual([0, 25, 50]);
    expect([256, 1024, 131072].map(countLabel)).toEqual(['256', '1k', '128k']);
  });

  it('shows every line with its name, in colours of light and dark pages', () => {
    const points = [[1024, 0.1], [2048, 0.3]]; // prettier-ignore
    const series = [
      { name: 'posenc & co', role: 'posenc', points },
      { name: 'limit', role: 'limit', points: [[1024, 0.05]] },
    ];
    const svg = lineChart([{ title: 'Table', axis: 'positions', series }]);
    expect(svg).toMatch(/^<svg [^>]*role="img">\n<title>/);
    expect(svg).toContain('posenc &amp; co');
    expect(svg).toContain('prefers-color-scheme: dark');
    expect(svg).not.toMatch(/NaN|undefined|Infinity/);
    expect(svg.split('<circle').length - 1).toBe(5); // three points, two keys
  });
});

describe('plain JavaScript', () => {
  it('adds angles to the same table', () => {
    const [a, b] = [new Float32Array(200 * 16), new Float32Array(200 * 16)];
    plain.sinusoidalTableInto(a, 200, 16);
    plain.sinusoidalTableByAddition(b, 200, 16);
    expect(largestDifference(a, b)).toBeLessThan(1e-6);
    expect([...a.subarray(0, 2)]).toEqual([0, 1]);
  });

  it('rotates each pair by its angle, whatever the layout', () => {
    const [heads, tokens, headDim] = [2, 3, 4];
    const cos = new Float32Array((tokens * headDim) / 2);
    const sin = new Float32Array(cos.length);
    plain.rotaryTable(cos, sin, tokens, headDim);
    const x = noise(heads * tokens * headDim);
    const places = { half: [0, 2, 1, 3], interleaved: [0, 1, 2, 3] }; // a, b of the first pair, then of the second
    for (const [layout, at] of Object.entries(places)) {
      const rotated = x.slice();
      plain.rotate[layout](rotated, cos, sin, heads, tokens, headDim);
      const row = (1 * tokens + 2) * headDim; // head 1, token 2
      const angle = 2 * 10000 ** (-2 / 4);
      const [, , a, b] = at.map((channel) => x[row + channel]);
      expect(rotated[row + at[2]]).toBeCloseTo(a * Math.cos(angle) - b * Math.sin(angle), 6);
      expect(rotated[row + at[3]]).toBeCloseTo(a * Math.sin(angle) + b * Math.cos(angle), 6);
    }
  });

  it('attends as the plain formula says', () => {
    const [heads, tokens, headDim] = [2, 8, 64];
    const [q, k, v] = [1, 2, 3].map((seed) => noise(heads * tokens * headDim, seed));
    const slopes = plain.alibiSlopes(heads);
    const out = new Float32Array(q.length);
    plain.attendCausal(out, q, k, v, slopes, tokens);
    const row = (x, head, token) =>
      x.subarray((head * tokens + token) * headDim, (head * tokens + token + 1) * headDim);
    const dot = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0);
    const [head, query] = [1, 5];
    const weights = Array.from({ length: query + 1 }, (_, key) =>
      Math.exp(dot(row(q, head, query), row(k, head, key)) / 8 + slopes[head] * (key - query)),
    );
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    for (const channel of [0, 63]) {
      const expected = weights.reduce((sum, weight, key) => sum + (weight / total) * row(v, head, key)[channel], 0);
      expect(row(out, head, query)[channel]).toBeCloseTo(expected, 6);
    }
  });

  it('knows the buckets of T5', () => {
    expect([0, -1, 1, -7, -8, -127, -1000, 1000].map(plain.t5Bucket)).toEqual([0, 1, 17, 7, 8, 15, 15, 31]);
  });
});
