/** `npm run bench -- --check`: has posenc become slower, measured by what else runs in the same process? */
import { readFileSync, writeFileSync } from 'node:fs';

import { buildLimits } from './limits/build.mjs';
import { table } from './measure.mjs';
import { project } from './paths.mjs';
import { openNode } from './places/node.mjs';
import { compareRatios, fastestOf, ratiosOf } from './ratios.mjs';
import { short } from './report.mjs';
import { casesOf } from './workloads/index.mjs';

const BASELINE = 'tests/bench/baseline.json';
const MARGIN = 2;
/** Of CPU time, and short samples, so that some of them are not interrupted. */
const ROUNDS = { sampleMs: 1, budgetMs: 2000, least: 15, most: 300 };
const ATTEMPTS = 4; // at a case that seems to have lost: noise passes
const PASSES = 5; // for a new baseline

export async function check({ update = false }) {
  const complaint = buildLimits();
  if (complaint !== null) throw new Error(`limits.cpp is ${complaint}`);
  const place = await openNode();
  const measure = (request) => place.run({ ...request, rounds: ROUNDS, cpuTime: true });
  if (update) await writeBaseline(measure);
  else await compareWithBaseline(measure);
}

async function writeBaseline(measure) {
  const ratios = {};
  for (const request of casesOf({ check: true })) {
    let group = await measure(request);
    for (let pass = 1; pass < PASSES; pass++) group = fastestOf(group, await measure(request));
    for (const [name, ratio] of Object.entries(ratiosOf(group))) ratios[name] = Number(ratio.toPrecision(3));
  }
  writeFileSync(project(BASELINE), `${JSON.stringify({ margin: MARGIN, ratios }, null, 2)}\n`);
  console.log(`${Object.keys(ratios).length} ratios written to ${BASELINE}.`);
}

async function compareWithBaseline(measure) {
  const baseline = JSON.parse(readFileSync(project(BASELINE), 'utf8'));
  const measured = {};
  for (const request of casesOf({ check: true })) {
    let group = await measure(request);
    for (let attempt = 1; attempt < ATTEMPTS && seemsLost(ratiosOf(group), baseline); attempt++)
      group = fastestOf(group, await measure(request));
    Object.assign(measured, ratiosOf(group));
  }
  const { lost, added } = compareRatios(measured, baseline);
  const rows = Object.entries(measured).map(([name, ratio]) => {
    const before = baseline.ratios[name];
    return [name, short(ratio), before === undefined ? 'new' : short(before)];
  });
  console.log(table([['time of posenc / time of', 'now', 'baseline'], ...rows]));
  if (added.length > 0) console.log(`${added.length} ratios are new: add them with npm run bench -- --check --update`);
  for (const { name, measured: now, before, allowed } of lost) {
    const found = now === undefined ? 'cannot be measured any more' : `is ${short(now)}`;
    console.log(
      `LOST: ${name} ${found}; at most ${short(allowed)} is allowed, ${baseline.margin} times ${short(before)}`,
    );
  }
  console.log(lost.length === 0 ? 'No ratio is lost.' : `${lost.length} ratios are lost.`);
  if (lost.length > 0) process.exitCode = 1;
}

/** Is one of these ratios worse than the baseline allows? */
function seemsLost(measured, { margin, ratios }) {
  const known = Object.fromEntries(Object.entries(ratios).filter(([name]) => name in measured));
  return compareRatios(measured, { margin, ratios: known }).lost.length > 0;
}
