/** `npm run bench`: how fast posenc is, beside limits, plain loops and other libraries, in this one run. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

import { accuracyTable } from './accuracy.mjs';
import { check } from './check.mjs';
import { measureEngine } from './engine.mjs';
import { ms, table, times } from './measure.mjs';
import { HELP, readOptions, WORKLOAD_IDS } from './options.mjs';
import { project } from './paths.mjs';
import { insertBetweenMarkers, LEGEND, markdownReport } from './report.mjs';
import { measureScaling } from './scaling.mjs';
import { tablesTable } from './tables.mjs';
import { measureTyping } from './typing.mjs';
import { machineName, measureWorkloads, today } from './workload_table.mjs';

const FRAME = 16;

async function workloads(options) {
  console.log(LEGEND);
  const report = await measureWorkloads(options);
  if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(report, null, 1)}\n`);
  if (options.readme) {
    const readme = readFileSync(project('README.md'), 'utf8');
    writeFileSync(project('README.md'), insertBetweenMarkers(readme, markdownReport(report)));
  }
}

async function engine() {
  const { rows, keystroke, encodings } = await measureEngine();
  console.log(
    table([
      ['through the npm API, in Node', 'posenc', 'plain JS', 'ratio'],
      ...rows.map(({ what, own, plain }) => [what, ms(own), ms(plain), times(plain / own)]),
    ]),
  );
  const what = `8 words, ${encodings} encodings, both masks, three tests`;
  console.log(`\nAll numbers of one keystroke (${what}): ${ms(keystroke)}`);
}

async function accuracy() {
  console.log(await accuracyTable());
}

async function tables() {
  console.log(await tablesTable());
}

async function typing() {
  const result = await measureTyping(project('web/dist'));
  if (result === null) {
    console.log('No Chromium found: typing was not measured.');
    return;
  }
  const { version, baseline, typed, worst, own } = result;
  console.log(`Typing a letter to the painted frame, 8 words, Chromium ${version}:`);
  console.log(
    table([
      ['', 'median', '95 %'],
      ['an empty page with one input', ms(baseline), ''],
      ['posenc, seen from outside', ms(typed), ms(worst)],
      ['posenc, its own performance.measure', ms(own), ''],
    ]),
  );
  const verdict = typed < FRAME ? 'within' : 'MORE THAN';
  console.log(`${times(typed / baseline)} an empty page; ${verdict} one frame of ${FRAME} ms.`);
}

const SECTIONS = { engine, tables, accuracy, typing };

async function main() {
  const options = readOptions(process.argv.slice(2));
  if (options.help) return console.log(HELP);
  if (!existsSync(project('dist/posenc.wasm'))) throw new Error('dist is missing: run npm run build first');
  if (options.check) return check(options);
  console.log(`${today()}, ${machineName()}`);
  if (options.scaling) return measureScaling(options);
  if (options.only.some((id) => WORKLOAD_IDS.includes(id))) await workloads(options);
  for (const [name, section] of Object.entries(SECTIONS)) {
    if (options.readme || !options.only.includes(name)) continue;
    console.log('');
    await section();
  }
}

main().catch((error) => {
  console.error(`bench: ${error.message}`);
  process.exitCode = 2;
});
