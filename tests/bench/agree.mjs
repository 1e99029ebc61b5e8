/** Do contenders compute the same? A race against somebody who does something else says nothing. */
import { firstLine } from './race.mjs';

const SAMPLES = 5000;

/** Numbers at even distances, the first and the last among them. */
export function sampleOf(values, length = values.length) {
  const count = Math.min(SAMPLES, length);
  const step = count > 1 ? (length - 1) / (count - 1) : 0;
  return Float64Array.from({ length: count }, (_, i) => values[Math.round(i * step)]);
}

export function largestDifference(a, b) {
  let largest = 0;
  for (let i = 0; i < a.length; i++) {
    const difference = Math.abs(a[i] - b[i]);
    if (Number.isNaN(difference)) return NaN;
    if (difference > largest) largest = difference;
  }
  return largest;
}

/**
 * The contenders, with a reason in place of those whose numbers are not those of plain JavaScript. posenc must be right.
 *
 * @param tolerance  largest difference that is allowed
 * @param compared   how many of the numbers count, from the first; default all
 */
export async function agreeing(contenders, tolerance, compared) {
  const reference = contenders.find(({ role, value }) => role === 'plain' && value !== undefined);
  if (reference === undefined) return contenders;
  const expected = sampleOf(await reference.value(), compared);
  const checked = [];
  for (const contender of contenders) {
    if (contender === reference || contender.value === undefined) checked.push(contender);
    else checked.push(await check(contender, expected, tolerance, compared));
  }
  return checked;
}

async function check(contender, expected, tolerance, compared) {
  const { role, name } = contender;
  try {
    const difference = largestDifference(sampleOf(await contender.value(), compared), expected);
    if (difference <= tolerance) return contender;
    const missing = `computes something else: off by ${difference.toPrecision(2)}`;
    if (role === 'posenc') throw new Error(`posenc, ${name}, ${missing}`);
    return { role, name, missing };
  } catch (error) {
    if (role === 'posenc') throw error;
    return { role, name, missing: `fails: ${firstLine(error)}` };
  }
}
