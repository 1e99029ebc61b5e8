/**
 * Largest error of cos and sin over all rotary pairs, at positions up to 1,048,575: posenc beside what an implementation
 * in float32 gives (inverse frequencies and products rounded to float32, as Hugging Face computes them).
 *
 * The exact value is taken in double: its angle is off by 1e-10 radians at most, a thousandth of what is measured.
 */
import { load } from '../../dist/node.js';
import { table } from './measure.mjs';

const POSITIONS = [1, 100, 4095, 32767, 131071, 1048575];
const MODELS = [
  { headDim: 64, theta: 1e4 },
  { headDim: 128, theta: 1e4 },
  { headDim: 128, theta: 5e5 },
];

/** A few neighbours of each position, so that one lucky angle does not count. */
const around = (position) => Array.from({ length: 16 }, (_, i) => Math.max(1, position - i));

function errors(posenc, { headDim, theta }, position) {
  const positions = around(position);
  const { cos, sin } = posenc.rotation({ kind: 'rope', theta }, { positions, dims: { headDim } });
  let own = 0;
  let single = 0;
  for (let row = 0; row < positions.length; row++) {
    for (let pair = 0; pair < headDim / 2; pair++) {
      const invFreq = theta ** ((-2 * pair) / headDim);
      const angle = positions[row] * invFreq;
      const rounded = Math.fround(positions[row] * Math.fround(invFreq));
      const at = row * cos.cols + pair;
      own = Math.max(own, Math.abs(cos.data[at] - Math.cos(angle)), Math.abs(sin.data[at] - Math.sin(angle)));
      single = Math.max(
        single,
        Math.abs(Math.fround(Math.cos(rounded)) - Math.cos(angle)),
        Math.abs(Math.fround(Math.sin(rounded)) - Math.sin(angle)),
      );
    }
  }
  return { own, single };
}

/** Rows of a table: a line for each model and kind, a column for each position. */
export async function accuracyTable() {
  const posenc = await load();
  const rows = [['largest error of cos and sin', ...POSITIONS.map((position) => position.toLocaleString('en-US'))]];
  for (const model of MODELS) {
    const measured = POSITIONS.map((position) => errors(posenc, model, position));
    const name = `head_dim ${model.headDim}, theta ${model.theta.toLocaleString('en-US')}`;
    rows.push([`posenc,  ${name}`, ...measured.map(({ own }) => own.toExponential(1))]);
    rows.push([`float32, ${name}`, ...measured.map(({ single }) => single.toExponential(1))]);
  }
  return table(rows);
}
