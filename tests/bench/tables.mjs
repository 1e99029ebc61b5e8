/** Tables and rotations of 4096 positions x 128 channels through the npm API, and reading a config.json, in Node. */
import { load } from '../../dist/node.js';
import { fromConfig, presets } from '../../dist/presets.js';
import { measure, ms, table } from './measure.mjs';

const SIDE = 64;
const LENGTH = SIDE * SIDE;
const WIDTH = 128;
const LIMIT = 2;
const CONFIG_LIMIT = 1;
const DIMS = { dModel: WIDTH, nHeads: 1, headDim: WIDTH };

/** What an encoding is measured with besides its defaults. */
const VARIANTS = [
  { kind: 'sinusoidal', convention: 'concatenated' },
  { kind: 'sinusoidal', convention: 'concatenated_half_1' },
  { kind: 'sincos2d', convention: 'detr', height: SIDE, width: SIDE },
  { kind: 'rope', scaling: 'yarn' },
  { kind: 'mrope', order: 'interleaved' },
  { kind: 'rope_2d', convention: 'pixtral' },
  { kind: 'rope_2d', coordinates: 'centres', height: SIDE, width: SIDE },
];

/** Every place of a picture, row by row; the last two axes are the row and the column, those before are 0. */
function grid(axes) {
  const positions = new Float64Array(LENGTH * axes);
  for (let at = 0; at < LENGTH; at++) {
    positions[at * axes + axes - 1] = axes === 1 ? at : at % SIDE;
    if (axes > 1) positions[at * axes + axes - 2] = Math.floor(at / SIDE);
  }
  return positions;
}

/** A table has a row for each position that is asked for. */
function longEnough({ fields }, encoding) {
  return fields.some(({ name }) => name === 'maxPosition') && encoding.scaling === undefined
    ? { maxPosition: LENGTH, ...encoding }
    : encoding;
}

/** { what, run } for every encoding that is added or rotates. */
function tablesOf(posenc) {
  return posenc.encodings
    .filter(({ seams }) => seams.includes('input') || seams.includes('rotary'))
    .flatMap((info) => {
      const method = info.seams.includes('input') ? 'table' : 'rotation';
      const positions = grid(info.axes);
      const variants = [{ kind: info.kind }, ...VARIANTS.filter(({ kind }) => kind === info.kind)];
      return variants.map((variant) => {
        const names = Object.values(variant).filter((value) => typeof value === 'string');
        const encoding = info.seams.includes('input') ? longEnough(info, variant) : variant;
        return {
          what: names.join(' '),
          run: () => posenc[method](encoding, { positions, dims: DIMS }),
        };
      });
    });
}

function configs() {
  return presets.map(({ id, config }) => ({ id, text: JSON.stringify(config) }));
}

/** Rows of a table: what was measured, its time, and whether that is within the limit. */
export async function tablesTable() {
  const posenc = await load();
  const tables = tablesOf(posenc);
  const times = measure(Object.fromEntries(tables.map(({ what, run }) => [what, run])));
  const texts = configs();
  const { all } = measure({
    all() {
      for (const { text } of texts) fromConfig(text);
    },
  });
  const line = (what, time, limit) => [what, ms(time), time < limit ? `< ${limit} ms` : `NOT < ${limit} ms`];
  return table([
    [`${LENGTH} x ${WIDTH} through the npm API, in Node`, 'median', 'goal'],
    ...tables.map(({ what }) => line(what, times[what], LIMIT)),
    line('fromConfig, mean of all presets', all / texts.length, CONFIG_LIMIT),
  ]);
}
