/** The command line of `npm run bench`. */
import { parseArgs } from 'node:util';

import { PEERS } from './peers/index.mjs';

export const WORKLOAD_IDS = ['W1', 'W2', 'W3', 'W4', 'W5', 'W6'];
export const SECTIONS = ['engine', 'tables', 'accuracy', 'typing'];
const PLACES = ['chromium', 'node', 'native'];

export const HELP = `npm run bench -- [options]         needs a build: npm run build

Measures posenc in this one run beside what the machine can do at most, plain loops and other libraries. Without options:
everything, about ten minutes.

  --only=W1,W4,typing      some workloads (${WORKLOAD_IDS.join(', ')}) and sections (${SECTIONS.join(', ')})
  --where=node,chromium    some places (${PLACES.join(', ')})
  --peers=tf,ort           some peers (${Object.keys(PEERS).join(', ')}), or none
  --quick                  small sizes, few rounds
  --json=FILE              also write the numbers of the workloads to FILE
  --readme                 measure all workloads and write their table into README.md
  --check                  a short run: exit 1 if a ratio is more than twice as bad as in tests/bench/baseline.json
  --check --update         rewrite that file
  --scaling                time against length, as CSV and SVG in build/bench
  --help                   this text
`;

const TYPES = {
  only: 'string',
  where: 'string',
  peers: 'string',
  json: 'string',
  quick: 'boolean',
  readme: 'boolean',
  check: 'boolean',
  update: 'boolean',
  scaling: 'boolean',
  help: 'boolean',
};

function listOf(name, text, allowed) {
  const values = text.split(',').filter((value) => value !== '');
  const unknown = values.filter((value) => !allowed.includes(value));
  if (unknown.length > 0) throw new Error(`--${name}: there is no ${unknown.join(', ')}; choose from ${allowed.join(', ')}`); // prettier-ignore
  return values;
}

/** @throws Error with one readable line */
export function readOptions(args) {
  const { values } = parseArgs({
    args,
    options: Object.fromEntries(Object.entries(TYPES).map(([name, type]) => [name, { type }])),
  });
  const modes = ['readme', 'check', 'scaling'].filter((name) => values[name]);
  if (modes.length > 1) throw new Error(`--${modes.join(' and --')} exclude each other`);
  if (values.update && !values.check) throw new Error('--update belongs to --check');
  if (values.readme && (values.quick || values.only !== undefined || values.where !== undefined))
    throw new Error('--readme measures everything: leave out --quick, --only and --where');
  const everything = [...WORKLOAD_IDS, ...SECTIONS];
  return {
    ...values,
    only: values.only === undefined ? everything : listOf('only', values.only, everything),
    where: values.where === undefined ? PLACES : listOf('where', values.where, PLACES),
    peers:
      values.peers === 'none' ? [] : listOf('peers', values.peers ?? Object.keys(PEERS).join(), Object.keys(PEERS)),
  };
}
