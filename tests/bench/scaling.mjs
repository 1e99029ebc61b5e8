/** `npm run bench -- --scaling`: CPU time against length, in Node, as CSV and as a picture. */
import { mkdirSync, writeFileSync } from 'node:fs';

import { lineChart } from './chart.mjs';
import { buildLimits } from './limits/build.mjs';
import { OUTPUT, project } from './paths.mjs';
import { openNode } from './places/node.mjs';

const doublings = (first, last) => {
  const lengths = [];
  for (let length = first; length <= last; length *= 2) lengths.push(length);
  return lengths;
};

const CURVES = [
  {
    title: 'Sinusoidal table, 128 wide',
    axis: 'positions',
    workload: 'sinusoidal',
    lengths: doublings(1024, 131072),
    size: (length) => ({ length, dModel: 128 }),
  },
  {
    title: 'RoPE on q and k, one head of 128',
    axis: 'positions',
    workload: 'rope',
    lengths: doublings(1024, 131072),
    size: (tokens) => ({ layout: 'half', heads: 1, tokens, headDim: 128 }),
  },
  {
    title: 'Causal attention, ALiBi, one head of 64',
    axis: 'tokens',
    workload: 'attention',
    lengths: doublings(256, 8192),
    size: (tokens) => ({ heads: 1, tokens }),
  },
];

const ROUNDS = { budgetMs: 2000, least: 3 };
const LINES = { posenc: 'posenc', limit: 'limit', plain: 'plain JS' };

/** [{ name, role, points: [[length, ms]] }] */
async function measureCurve(place, { title, workload, lengths, size }) {
  const series = new Map();
  for (const length of lengths) {
    const { results } = await place.run({ workload, size: size(length), rounds: ROUNDS, cpuTime: true });
    for (const { role, name, ms } of results) {
      if (ms === undefined) continue;
      const line = `${LINES[role]}, ${name}`;
      if (!series.has(line)) series.set(line, { name: line, role, points: [] });
      series.get(line).points.push([length, ms]);
    }
    console.log(`${title}: ${length}`);
  }
  return [...series.values()];
}

export async function measureScaling() {
  const complaint = buildLimits();
  if (complaint !== null) console.log(`Limits: ${complaint}`);
  const place = await openNode();
  const charts = [];
  for (const curve of CURVES) charts.push({ ...curve, series: await measureCurve(place, curve) });
  const rows = charts.flatMap(({ title, series }) =>
    series.flatMap(({ name, points }) => points.map(([length, ms]) => [`"${title}"`, `"${name}"`, length, ms].join())),
  );
  mkdirSync(project(OUTPUT), { recursive: true });
  writeFileSync(project(`${OUTPUT}/scaling.csv`), `workload,who,length,ms\n${rows.join('\n')}\n`);
  writeFileSync(project(`${OUTPUT}/scaling.svg`), lineChart(charts));
  console.log(`Written: ${OUTPUT}/scaling.csv and ${OUTPUT}/scaling.svg`);
}
