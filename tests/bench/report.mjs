/**
 * From measurements to tables. A group is { id, title, label, unit, results }: contenders that did the same work in the
 * same process, each { role, name, [unit]: number } or { role, name, missing }.
 */
import { table } from './measure.mjs';

/** Columns beside posenc's, by role. */
const COLUMNS = {
  limit: 'limit',
  plain: 'plain loops',
  jax: 'jax-js',
  ort: 'onnxruntime-web',
  tf: 'tfjs',
  numpy: 'numpy',
  torch: 'torch',
};

/** Three digits that mean something. */
export function short(value) {
  if (value >= 100) return value.toFixed(0);
  return value >= 10 ? value.toFixed(1) : value.toPrecision(value < 0.1 ? 2 : 3);
}

/** The fastest of a role; undefined if none was measured. Of limits, those that belong to `own` go first. */
export function best(results, role, { unit = 'ms', own } = {}) {
  const all = results.filter((result) => result.role === role && result.missing === undefined);
  const special = all.filter(({ of }) => of !== undefined && of === own);
  const values = special.length > 0 ? special : all.filter(({ of }) => of === undefined);
  return values.length === 0 ? undefined : Math.min(...values.map((result) => result[unit]));
}

/** How a contender compares with posenc: how much longer posenc takes than the limit, the others than posenc. */
export function ratioOf(role, value, posenc) {
  return role === 'limit' ? posenc / value : value / posenc;
}

function cell(role, value, posenc, unit) {
  if (value === undefined) return '-';
  const text = `${short(value)} ${unit}`;
  return posenc === undefined ? text : `${text}, ${short(ratioOf(role, value, posenc))}x`;
}

/** Rows of cells, the first of them the titles; a row for each way of posenc, a column for each role that took part. */
export function cellsOf(groups) {
  const roles = Object.keys(COLUMNS).filter((role) =>
    groups.some(({ results, unit }) => best(results, role, { unit }) !== undefined),
  );
  const rows = groups.flatMap(({ id, title, label, unit = 'ms', results }) =>
    results
      .filter(({ role }) => role === 'posenc')
      .map((own) => {
        const value = own[unit];
        return [
          `${id} ${title} ${label}${own.name === '' ? '' : `, ${own.name}`}`,
          value === undefined ? '-' : `${short(value)} ${unit}`,
          ...roles.map((role) => cell(role, best(results, role, { unit, own: own.name }), value, unit)),
        ];
      }),
  );
  return [['', 'posenc', ...roles.map((role) => COLUMNS[role])], ...rows];
}

/** Why a `-` stands where it stands: one line for each reason. */
export function notesOf(groups) {
  const where = new Map();
  for (const { id, results } of groups) {
    for (const { role, name, missing } of results) {
      if (missing === undefined) continue;
      const who = role === 'posenc' ? `posenc (${name})` : (COLUMNS[role] ?? role);
      const note = `${who}: ${missing}`;
      where.set(note, [...new Set([...(where.get(note) ?? []), id])]);
    }
  }
  return [...where].map(([note, ids]) => `- ${ids.join(', ')} ${note}`);
}

export const LEGEND =
  'Medians of interleaved rounds, float32, one thread. Limit: how much longer posenc takes than the machine needs at ' +
  'least, for new arrays: to make and fill them. Others: how much longer they take than posenc. Ratios hold from machine to machine, times do not.';

/** What the machine can do at most: a line of the contenders that say what one run moves or computes. */
export function limitsLine(groups) {
  const rates = groups
    .filter(({ id }) => id === 'limits')
    .flatMap(({ results }) => results.filter(({ ms }) => ms !== undefined))
    .map(({ name, ms, amount }) => {
      const [[unit, much]] = Object.entries(amount);
      return `${name} ${short((much / ms) * 1000)} ${unit}/s`;
    });
  return rates.length === 0 ? [] : [`Limits: ${rates.join(', ')}.`];
}

export function textReport({ name, groups }) {
  return [name, ...limitsLine(groups), table(cellsOf(groups)), ...notesOf(groups)].join('\n');
}

export function markdownTable(rows) {
  const [titles, ...body] = rows;
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(titles), line(titles.map((_, i) => (i === 0 ? '---' : '---:'))), ...body.map(line)].join('\n');
}

/** @param report  { date, machine, places } */
export function markdownReport({ date, machine, places }) {
  const parts = places.map(({ name, groups }) => {
    const lines = [`**${name}**`, ...limitsLine(groups), markdownTable(cellsOf(groups)), notesOf(groups).join('\n')];
    return lines.filter((text) => text !== '').join('\n\n');
  });
  return [`${date}, ${machine}. ${LEGEND}`, ...parts].join('\n\n');
}

const BEGIN = '<!-- bench:begin, written by npm run bench -- --readme -->';
const END = '<!-- bench:end -->';

/** The text with `content` between the markers. */
export function insertBetweenMarkers(text, content) {
  const begin = text.indexOf(BEGIN);
  const end = text.indexOf(END);
  if (begin < 0 || end < begin) throw new Error(`README.md lacks the lines ${BEGIN} and ${END}`);
  return `${text.slice(0, begin + BEGIN.length)}\n\n${content}\n\n${text.slice(end)}`;
}
