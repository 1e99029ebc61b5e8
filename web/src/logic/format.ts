/** Numbers as the page prints them: U+2212 for minus, and an exact zero never looks like a small number. */

const kMinus = '\u2212';

function withMinus(text: string): string {
  return text.replace('-', kMinus);
}

/** A weight between 0 and 1: `0`, `<0.01`, `0.31`, `>0.99`, `1`. */
export function formatWeight(value: number): string {
  if (Number.isNaN(value)) return '–';
  if (value === 0 || value === 1) return String(value);
  if (value < 0.005) return '<0.01';
  if (value > 0.995) return '>0.99';
  return value.toFixed(2);
}

/** A share of one: `0%`, `<1%`, `34%`, `>99%`, `100%`. */
export function formatPercent(value: number): string {
  if (Number.isNaN(value)) return '–';
  if (value === 0 || value === 1) return `${value * 100}%`;
  if (value < 0.005) return '<1%';
  if (value > 0.995) return '>99%';
  return `${Math.round(value * 100)}%`;
}

/** A change: `= 0` when exactly nothing, `≈0` when too small to print, else with its sign. */
export function formatChange(value: number): string {
  if (Number.isNaN(value)) return '–';
  if (value === 0) return '= 0';
  if (Math.abs(value) < 0.005) return '≈0';
  return (value > 0 ? '+' : kMinus) + Math.abs(value).toFixed(2);
}

/** Without the leading zero, for narrow cells: `.31`, `+.07`. */
export function compact(text: string): string {
  return text.replace('= 0', '=').replace('0.', '.');
}

/** Size of a change in running text: two digits after the point, more when it is small. */
export function formatSize(value: number): string {
  if (Number.isNaN(value)) return '–';
  if (value === 0) return '0';
  if (value >= 0.01) return value.toFixed(2);
  if (value >= 0.0001) return value.toPrecision(1);
  const [digits = '', exponent = '0'] = value.toExponential(0).split('e');
  return `${digits} × 10${superscript(Number(exponent))}`;
}

/** A logit or a part of one. */
export function formatLogit(value: number): string {
  if (Number.isNaN(value)) return '–';
  if (value === 0) return '0';
  return withMinus(value.toFixed(2)).replace(/^\u22120\.00$/u, `${kMinus}0.00`);
}

/** All digits of a float, to copy. */
export function formatExact(value: number): string {
  return Number.isNaN(value) ? '' : String(Number(value.toPrecision(9)));
}

/** A parameter as people read it: `10000`, `0.25`, `5e7`. */
export function formatNumber(value: number): string {
  const size = Math.abs(value);
  return size !== 0 && (size < 1e-3 || size >= 1e6) && !Number.isSafeInteger(value)
    ? formatParam(value)
    : size >= 1e6
      ? formatParam(value)
      : String(value);
}

/** A parameter in a link: the shortest form that reads back to the same number (`5e5`, `1e4`, `0.25`). */
export function formatParam(value: number): string {
  const plain = String(value).replace('e+', 'e');
  const short = value.toExponential().replace('e+', 'e');
  return short.length < plain.length ? short : plain;
}

function superscript(value: number): string {
  return Array.from(String(value), (sign) => (sign === '-' ? '⁻' : ('⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(sign)] ?? ''))).join('');
}

/** Two weights with as many digits as it takes to tell them apart. */
export function formatPair(from: number, to: number): readonly [string, string] {
  const plain = [formatWeight(from), formatWeight(to)] as const;
  if (plain[0] !== plain[1]) return plain;
  for (let digits = 3; digits <= 9; digits += 1) {
    if (from.toFixed(digits) !== to.toFixed(digits)) return [from.toFixed(digits), to.toFixed(digits)];
  }
  return [String(from), String(to)];
}
