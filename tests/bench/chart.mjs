/** Line charts on two logarithmic axes, side by side, as one SVG that is legible on a light and on a dark page. */

const PANEL = { width: 350, height: 310 };
const PLOT = { left: 56, right: 28, top: 44, bottom: 54 };
const LEGEND_LINE = 16;

/** A colour and a dash for each role; several lines of a role differ by their markers. */
const STYLE = `
  svg { color-scheme: light dark; font: 12px system-ui, sans-serif; }
  .page { fill: #fff; } text { fill: #1a1a1a; } .grid { stroke: #d0d0d0; } .mark { stroke: none; }
  .posenc { stroke: #0b62c4; fill: #0b62c4; } .limit { stroke: #6b6b6b; fill: #6b6b6b; }
  .plain { stroke: #b34700; fill: #b34700; }
  path { fill: none !important; stroke-width: 1.75; } .limit path { stroke-dasharray: 5 3; } .title { font-weight: 600; }
  @media (prefers-color-scheme: dark) {
    .page { fill: #16181c; } text { fill: #ececec; } .grid { stroke: #3d4148; }
    .posenc { stroke: #6db3ff; fill: #6db3ff; } .limit { stroke: #a5a5a5; fill: #a5a5a5; }
    .plain { stroke: #ff9a57; fill: #ff9a57; }
  }`;

const escape = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const round = (value) => Number(value.toFixed(1));

/** 1024 as 1k. */
export const countLabel = (count) => (count % 1024 === 0 ? `${count / 1024}k` : String(count));

/** Powers of ten from at most `low` to at least `high`. */
export function decades(low, high) {
  const first = Math.floor(Math.log10(low));
  const last = Math.max(first + 1, Math.ceil(Math.log10(high)));
  return Array.from({ length: last - first + 1 }, (_, i) => 10 ** (first + i));
}

/** From the logarithm of a value between two ends to pixels. */
export function logScale([low, high], [from, to]) {
  const span = Math.log(high / low) || 1;
  return (value) => from + ((to - from) * Math.log(value / low)) / span;
}

/** Circle, square, triangle, diamond: the lines of one role in turn. */
function marker(index, x, y) {
  const shapes = [
    `<circle cx="${x}" cy="${y}" r="3" />`,
    `<rect x="${round(x - 3)}" y="${round(y - 3)}" width="6" height="6" />`,
    `<polygon points="${x},${round(y - 4)} ${round(x - 3.6)},${round(y + 3)} ${round(x + 3.6)},${round(y + 3)}" />`,
  ];
  return shapes[index % shapes.length];
}

function line({ role, points }, index, x, y) {
  const at = points.map(([length, ms]) => [round(x(length)), round(y(ms))]);
  const path = at.map(([px, py], i) => `${i === 0 ? 'M' : 'L'}${px} ${py}`).join('');
  const marks = at.map(([px, py]) => marker(index, px, py)).join('');
  return `<g class="${role}"><path d="${path}" /><g class="mark">${marks}</g></g>`;
}

function panel({ title, axis, series }, offset) {
  const lengths = series.flatMap(({ points }) => points.map(([length]) => length));
  const times = series.flatMap(({ points }) => points.map(([, ms]) => ms));
  const ticks = decades(Math.min(...times), Math.max(...times));
  const [left, right] = [PLOT.left, PANEL.width - PLOT.right];
  const [top, bottom] = [PLOT.top, PANEL.height - PLOT.bottom];
  const x = logScale([Math.min(...lengths), Math.max(...lengths)], [left, right]);
  const y = logScale([ticks[0], ticks.at(-1)], [bottom, top]);
  const parts = [
    `<text class="title" x="${left}" y="18">${escape(title)}</text>`,
    `<text x="${left - 6}" y="${top - 10}" text-anchor="end">ms</text>`,
  ];
  for (const ms of ticks) {
    const at = round(y(ms));
    parts.push(`<line class="grid" x1="${left}" x2="${right}" y1="${at}" y2="${at}" />`);
    parts.push(`<text x="${left - 6}" y="${at + 4}" text-anchor="end">${ms}</text>`);
  }
  for (const length of [...new Set(lengths)].filter((_, i, all) => i % 2 === (all.length - 1) % 2)) {
    const at = round(x(length));
    parts.push(`<line class="grid" x1="${at}" x2="${at}" y1="${top}" y2="${bottom}" />`);
    parts.push(`<text x="${at}" y="${bottom + 16}" text-anchor="middle">${countLabel(length)}</text>`);
  }
  parts.push(`<text x="${(left + right) / 2}" y="${bottom + 34}" text-anchor="middle">${escape(axis)}</text>`);
  const indexOf = indexWithinRole(series);
  parts.push(...series.map((one) => line(one, indexOf.get(one), x, y)));
  series.forEach((one, i) => {
    const at = PANEL.height + i * LEGEND_LINE;
    const key = `<path d="M${left} ${at}H${left + 24}" /><g class="mark">${marker(indexOf.get(one), left + 12, at)}</g>`;
    parts.push(`<g class="${one.role}">${key}</g><text x="${left + 32}" y="${at + 4}">${escape(one.name)}</text>`);
  });
  return `<g transform="translate(${offset} 0)">${parts.join('\n')}</g>`;
}

function indexWithinRole(series) {
  const seen = {};
  return new Map(series.map((one) => [one, (seen[one.role] = (seen[one.role] ?? -1) + 1)]));
}

/** @param charts  [{ title, axis, series: [{ name, role, points: [[length, ms]] }] }]; lengths and times above 0 */
export function lineChart(charts) {
  const width = PANEL.width * charts.length;
  const lines = Math.max(...charts.map(({ series }) => series.length));
  const height = PANEL.height + lines * LEGEND_LINE + 4;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${escape(charts.map(({ title }) => title).join('; '))}: milliseconds against length</title>`,
    `<style>${STYLE}</style>`,
    `<rect class="page" width="${width}" height="${height}" />`,
    ...charts.map((chart, i) => panel(chart, i * PANEL.width)),
    '</svg>\n',
  ].join('\n');
}
