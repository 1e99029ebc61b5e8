import type { Encoding } from '../generated/encodings.ts';
import { toSnakeCase } from '../names.ts';
import type { EncodingInfo, Posenc } from '../types.ts';
import type { ConfigNote, ConfigNoteLevel, LayerEncoding, ModelEncoding } from './types.ts';

/** First numbers that the engine computes for an encoding. */
export interface Sample {
  /** What the numbers are, with their unit. */
  readonly label: string;
  readonly values: readonly number[];
}

const kSampleSize = 6;

/** The first numbers of an encoding whose numbers are not learned; nothing for the others. */
export function sampleOf(posenc: Posenc, layer: LayerEncoding): Sample | undefined {
  const { encoding, dims } = layer;
  const info = posenc.encodings.find(({ kind }) => kind === encoding.kind);
  if (info === undefined || info.learned) return undefined;
  if (info.seams.includes('rotary')) return angles(posenc, layer);
  if (info.seams.includes('bias') && info.axes === 1) {
    const { data } = posenc.bias(encoding, { queries: 1, keys: 2, offset: 1, dims });
    const values = Array.from({ length: Math.min(kSampleSize, dims.nHeads) }, (_, head) => {
      return (data[2 * head] ?? NaN) - (data[2 * head + 1] ?? NaN);
    });
    return { label: 'bias of the previous token against the own one, by head', values };
  }
  if (info.seams.includes('input')) {
    const { data } = posenc.table(encoding, { positions: positionOne(info), axes: info.axes, dims });
    return { label: 'row of position 1, first dimensions', values: [...data.subarray(0, kSampleSize)] };
  }
  return undefined;
}

const positionOne = ({ axes }: EncodingInfo) => Array.from({ length: axes }, () => 1);

function angles(posenc: Posenc, { encoding, dims }: LayerEncoding): Sample {
  const { invFreq } = posenc.frequencies(encoding, { dims });
  return {
    label: 'inverse frequencies, radians per token, by pair',
    values: [...invFreq.subarray(0, kSampleSize)],
  };
}

/** Six digits, without noise of float32 behind them. */
const shortNumber = (value: number) => String(Number(value.toPrecision(6)));

function parametersOf(encoding: Encoding): string {
  const entries = Object.entries(encoding).filter(([name]) => name !== 'kind');
  const text = entries.map(([name, value]) => `${toSnakeCase(name)} ${shortValue(value)}`).join(', ');
  return text === '' ? encoding.kind : `${encoding.kind}: ${text}`;
}

function shortValue(value: unknown): string {
  if (!Array.isArray(value)) return String(value);
  const shown = value.slice(0, 3).map((item) => shortNumber(Number(item)));
  return `[${shown.join(' ')}${value.length > shown.length ? ` … ${value.length} numbers` : ''}]`;
}

function maskOf({ mask }: LayerEncoding): string {
  if (mask.kind === 'none') return 'none: attention looks both ways';
  return mask.kind === 'window' ? `causal, within ${mask.size} tokens` : 'causal';
}

/** 0, 2–5, 7: which layers. */
function layersOf(layers: readonly number[]): string {
  const runs: string[] = [];
  let start = layers[0];
  layers.forEach((layer, index) => {
    if (layers[index + 1] === layer + 1) return;
    runs.push(start === layer ? String(layer) : `${start}–${layer}`);
    start = layers[index + 1];
  });
  return `${layers.length}: ${runs.join(', ')}`;
}

const line = (label: string, text: string) => `  ${label.padEnd(13)} ${text}`;

const valueLines = ({ values }: Sample) => (values.length === 0 ? [] : [line('', values.map(shortNumber).join('  '))]);

function layerLines(layer: LayerEncoding, sample: Sample | undefined): readonly string[] {
  const { dModel, nHeads, headDim } = layer.dims;
  return [
    layer.kind,
    line('encoding', parametersOf(layer.encoding)),
    line('layer', `d_model ${dModel}, n_heads ${nHeads}, head_dim ${headDim}`),
    line('mask', maskOf(layer)),
    ...(layer.layers === undefined ? [] : [line('layers', layersOf(layer.layers))]),
    ...(sample === undefined ? [] : [line('computed', sample.label), ...valueLines(sample)]),
    '',
  ];
}

/** Messages that begin with the key get the path before it; the others the whole field. */
function withPath({ field, message }: ConfigNote): string {
  if (field === '') return message;
  const key = field.slice(field.lastIndexOf('.') + 1);
  return message.startsWith(`${key} `)
    ? `${field.slice(0, field.length - key.length)}${message}`
    : `${field}: ${message}`;
}

const kLevels: readonly ConfigNoteLevel[] = ['warning', 'used', 'default', 'ignored'];

function noteLines(model: ModelEncoding): readonly string[] {
  return kLevels.flatMap((level) => {
    const notes = model.notes.filter((note) => note.level === level);
    return notes.map((note) => line(level, withPath(note)));
  });
}

/** The whole result as text for a terminal. */
export function reportOf(model: ModelEncoding, samples: readonly (Sample | undefined)[]): string {
  const length = model.trainLength === null ? 'the file does not say for how many' : `${model.trainLength} tokens`;
  const head = [`model_type ${model.modelType === '' ? 'not given' : model.modelType}, trained for: ${length}`, ''];
  const layers = model.layers.flatMap((layer, index) => layerLines(layer, samples[index]));
  return [...head, ...layers, 'notes', ...noteLines(model)].join('\n');
}
