/** W1 to W6 in every place that is asked for. */
import { cpus } from 'node:os';

import { buildLimits } from './limits/build.mjs';
import { median } from './measure.mjs';
import { installPeers } from './peers/install.mjs';
import { openChromium } from './places/chromium.mjs';
import { measureNatively } from './places/native.mjs';
import { openNode } from './places/node.mjs';
import { textReport } from './report.mjs';
import { casesOf } from './workloads/index.mjs';

const QUICK = { budgetMs: 1500, least: 3, most: 7 };
const READY_ROUNDS = 7;

export const machineName = () => `${cpus()[0].model.trim()}, ${cpus().length} cores`;
export const today = () => new Date().toISOString().slice(0, 10);

/** @returns { date, machine, places: [{ name, groups }] }; prints each place when it is done */
export async function measureWorkloads({ only, where, peers, quick = false }) {
  const complaint = buildLimits();
  if (complaint !== null) console.log(`Limits: ${complaint}`);
  const reason = peers.length > 0 && where.some((place) => place !== 'native') ? installPeers() : null;
  if (reason !== null) console.log(`Peers: ${reason}; going on without them.`);
  const why = reason === null ? {} : Object.fromEntries(peers.map((id) => [id, reason]));
  const places = [];
  const done = (place) => {
    places.push(place);
    console.log(`\n${textReport(place)}`);
  };
  for (const [id, openPlace] of [
    ['chromium', openChromium],
    ['node', openNode],
  ]) {
    // prettier-ignore
    if (!where.includes(id)) continue;
    const place = await openPlace({ peers, why });
    if (place === null) console.log('\nNo Chromium found: nothing was measured there.');
    else done(await measurePlace(place, { only, quick }));
  }
  if (where.includes('native')) {
    const place = await measureNatively({ only, quick });
    if (place !== null) done(place);
  }
  return { date: today(), machine: machineName(), places };
}

async function measurePlace(place, { only, quick }) {
  const groups = [];
  try {
    for (const { workload, size } of casesOf({ only, quick })) {
      sayProgress(`${place.name}: ${workload} ${JSON.stringify(size)}`);
      groups.push(await place.run({ workload, size, rounds: quick ? QUICK : {} }));
    }
    if (only.includes('W6')) groups.push(...(await measureReady(place, quick ? 3 : READY_ROUNDS)));
  } finally {
    await place.close();
  }
  sayProgress('');
  return { name: place.name, groups };
}

/** W6: fresh pages or processes, in turn, until the first result; in a browser also what was downloaded. */
async function measureReady(place, rounds) {
  const libraries = ['posenc', ...place.peers];
  const samples = Object.fromEntries(libraries.map((library) => [library, []]));
  for (let round = 0; round < rounds; round++) {
    for (const library of libraries) {
      sayProgress(`${place.name}: ready, ${library}`);
      samples[library].push(await place.ready(library));
    }
  }
  const group = (label, unit, valueOf) => ({
    id: 'W6',
    title: 'package,',
    label,
    unit,
    results: libraries.map((role) => ({ role, name: '', [unit]: valueOf(samples[role]) })),
  });
  const groups = [group('until the first result', 'ms', (list) => median(list.map(({ ms }) => ms)))];
  if (place.id === 'chromium') groups.unshift(group('downloaded, gzip', 'KB', (list) => list[0].gzipKB));
  return groups;
}

/** One line that the next one overwrites; nothing in a log. */
function sayProgress(text) {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
}
