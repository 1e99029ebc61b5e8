/** `npm run bench`: how fast posenc is, beside plain JavaScript and an empty page, in this one run. Needs a build. */
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { accuracyTable } from './accuracy.mjs';
import { measureEngine } from './engine.mjs';
import { ms, table, times } from './measure.mjs';
import { measureTyping } from './typing.mjs';

const FRAME = 16;
const root = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

console.log(`${new Date().toISOString().slice(0, 10)}, ${cpus()[0].model.trim()}, Node ${process.versions.node}`);
console.log('Medians of interleaved rounds; ratios hold from machine to machine, times do not.\n');

const { rows, keystroke, encodings } = await measureEngine();
console.log(
  table([
    ['through the npm API, in Node', 'posenc', 'plain JS', 'ratio'],
    ...rows.map(({ what, own, plain }) => [what, ms(own), ms(plain), times(plain / own)]),
  ]),
);
console.log(
  `\nAll numbers of one keystroke (8 words, ${encodings} encodings, both masks, three tests): ${ms(keystroke)}`,
);

console.log(`\n${await accuracyTable()}`);

const typing = await measureTyping(root('web/dist'));
if (typing === null) {
  console.log('\nNo Chromium found: typing was not measured.');
} else {
  const { version, baseline, typed, worst, own } = typing;
  console.log(
    `\nTyping a letter to the painted frame, 8 words, ${encodings} encodings on screen, Chromium ${version}:`,
  );
  console.log(
    table([
      ['', 'median', '95 %'],
      ['an empty page with one input', ms(baseline), ''],
      ['posenc, seen from outside', ms(typed), ms(worst)],
      ['posenc, its own performance.measure', ms(own), ''],
    ]),
  );
  console.log(
    `${times(typed / baseline)} an empty page; ${typed < FRAME ? 'within' : 'MORE THAN'} one frame of ${FRAME} ms.`,
  );
}
