import type { Draft } from './draft.ts';
import { readLength } from './dims.ts';
import { refused } from './notes.ts';
import type { Found, NumberRule, Reader } from './reader.ts';
import { isRecord, kCount } from './reader.ts';
import type { Scaling } from './scaling.ts';
import { readScaling } from './scaling.ts';
import type { LayerKind } from './types.ts';

export type Layout = 'half' | 'interleaved' | 'interleaved_to_half';

/** How a model uses RoPE, as far as its file does not say. */
export interface RopeOptions {
  readonly layout: Layout;
  /** Where mscale_all_dim of YaRN acts; DeepSeek multiplies the logits by it. Default on cos and sin alone. */
  readonly magnitude?: 'logits';
  /** Another θ for some layers, and the key that holds it. */
  readonly thetaOf?: Partial<Record<LayerKind, string>>;
}

export interface Rope {
  readonly draft: Draft;
  readonly trainLength: number | undefined;
}

const kTheta = ['rope_theta', 'rotary_emb_base', 'rope_base'];
const kDefaultTheta = 10000;
const kPartial = ['partial_rotary_factor', 'rotary_pct', 'rope_pct', 'rope_percentage'];

const kThetaRule: NumberRule = { rule: 'be at least 1', accepts: (value) => value >= 1 };
const kFraction: NumberRule = {
  rule: 'be more than 0 and at most 1',
  accepts: (value) => value > 0 && value <= 1,
};

/** Keys that say: this is a model with RoPE. */
export const kRopeKeys = [
  ...kTheta,
  ...kPartial,
  'rope_scaling',
  'rope_parameters',
  'rotary_dim',
  'rope_ratio',
  'head_dim',
  'mrope_section',
] as const;

/** The RoPE of one kind of layer. */
export function readRope(reader: Reader, headDim: number, options: RopeOptions, kind: LayerKind): Rope {
  const sections = findSections(reader, kind);
  const ownTheta = options.thetaOf?.[kind];
  // A θ of its own comes without the scaling of the other layers, unless the file has a section for these layers.
  const plain = ownTheta !== undefined && !sections.perLayer;
  const section = plain ? undefined : sections.section;
  const theta = plain ? readTheta(reader, undefined, [ownTheta]) : readTheta(reader, sections, kTheta);
  const rotaryDim = readRotaryDim(reader, section, headDim);
  const scaling = section === undefined ? { params: {} } : readScaledSection(section, reader, rotaryDim / 2, options);
  const whole = rotaryDim === headDim;
  const axes = readAxes(reader, section, rotaryDim / 2);
  if (axes !== undefined && scaling.params['scaling'] !== undefined) {
    const message = `${scaling.params['scaling']} over three axes cannot be computed here: the angles are those without scaling`;
    reader.notes.add('warning', section?.field('rope_type') ?? '', message);
  }
  const draft = {
    kind: axes === undefined ? 'rope' : 'mrope',
    layout: options.layout,
    theta,
    ...(whole ? {} : { rotaryDim }),
    ...(axes ?? scaling.params),
  };
  const length = readLength(reader);
  return { draft, trainLength: scaling.original ?? length };
}

interface Sections {
  readonly section?: Reader | undefined;
  /** The other of the two objects, when both are given. */
  readonly second?: Reader | undefined;
  /** It belongs to this kind of layer alone. */
  readonly perLayer: boolean;
}

/** `rope_scaling` (old) or `rope_parameters` (new), for all layers or for each kind of layer. */
function findSections(reader: Reader, kind: LayerKind): Sections {
  const old = sectionFor(reader, 'rope_scaling', kind);
  const recent = sectionFor(reader, 'rope_parameters', kind) ?? { perLayer: false };
  if (old?.section === undefined || old.section.keys().length === 0) {
    if (recent.section !== undefined) return recent;
    const standard = reader.gives('rope_scaling') ? undefined : reader.defaultObject('rope_parameters');
    if (standard !== undefined) return { section: standard, perLayer: false };
    return old ?? recent;
  }
  if (recent.section === undefined || recent.section.keys().length === 0) return old;
  const message = 'rope_scaling and rope_parameters are both given; rope_scaling wins, as in Hugging Face';
  reader.notes.add('warning', reader.field('rope_parameters'), message);
  for (const key of recent.section.keys()) if (key !== 'rope_theta') recent.section.markRead(key);
  return { ...old, second: recent.section };
}

function sectionFor(reader: Reader, key: string, kind: LayerKind): Sections | undefined {
  const object = reader.object(key);
  if (object === undefined) return undefined;
  const nested = object.keys().filter((name) => isRecord(object.peek(name)));
  if (nested.length === 0) return { section: object, perLayer: false };
  if (!nested.includes(kind)) {
    const message = `nothing is said about ${kind}; RoPE without scaling is taken`;
    reader.notes.add('warning', reader.field(key), message);
    return { perLayer: true };
  }
  return { section: object.object(kind), perLayer: true };
}

function readScaledSection(section: Reader, top: Reader, pairs: number, options: RopeOptions): Scaling {
  section.markRead('mrope_section');
  section.markRead('mrope_interleaved');
  const { magnitude } = options;
  return readScaling(section, { top, pairs, ...(magnitude === undefined ? {} : { magnitude }) });
}

/** θ stands in the section (new) or beside it (old); in the section wins, as in Hugging Face. */
function readTheta(reader: Reader, sections: Sections | undefined, names: readonly string[]): number {
  const inner =
    sections?.section?.number('rope_theta', kThetaRule) ?? sections?.second?.number('rope_theta', kThetaRule);
  const given = reader.gives(names);
  if (inner !== undefined) {
    const outer = given ? reader.number(names, kThetaRule) : undefined;
    if (outer !== undefined && outer.value !== inner.value) {
      const message = `${outer.field} = ${outer.value} contradicts ${inner.field} = ${inner.value}, which wins`;
      reader.notes.add('warning', outer.field, message);
    }
    return scaledByRatio(reader, inner.value);
  }
  const outer = reader.number(names, kThetaRule);
  if (outer !== undefined) return scaledByRatio(reader, outer.value);
  const message = `theta = ${kDefaultTheta}: not given, the usual default`;
  reader.notes.add('default', reader.field(names[0] ?? 'rope_theta'), message);
  return scaledByRatio(reader, kDefaultTheta);
}

/** GLM-4 and ChatGLM3 stretch θ by a factor of its own name. */
function scaledByRatio(reader: Reader, theta: number): number {
  const ratio = reader.number('rope_ratio', { rule: 'be more than 0', accepts: (value) => value > 0 });
  if (ratio === undefined) return theta;
  const stretched = theta * ratio.value;
  if (Number.isFinite(stretched) && stretched >= 1) return stretched;
  throw refused('out_of_range', ratio.field, `keep θ (${theta}) finite and at least 1`, ratio.value);
}

/** Channels that turn: given, or a part of the head, rounded down as Python's int() does. */
function readRotaryDim(reader: Reader, section: Reader | undefined, headDim: number): number {
  const explicit = reader.number('rotary_dim', kCount);
  if (explicit !== undefined) return checkRotaryDim(explicit, explicit.value, headDim);
  const inner = section?.number('partial_rotary_factor', kFraction);
  const factor = inner ?? reader.number(kPartial, kFraction);
  if (inner !== undefined) for (const name of kPartial) reader.markRead(name);
  if (factor === undefined) return checkRotaryDim({ field: reader.field('head_dim') }, headDim, headDim);
  return checkRotaryDim(factor, Math.trunc(headDim * factor.value), headDim);
}

function checkRotaryDim(found: Pick<Found<number>, 'field'>, rotaryDim: number, headDim: number): number {
  if (rotaryDim % 2 === 0 && rotaryDim >= 2 && rotaryDim <= headDim) return rotaryDim;
  const rule = `leave an even number of channels to turn, from 2 to head_dim (${headDim})`;
  throw refused('out_of_range', found.field, rule, rotaryDim);
}

/** Qwen-VL gives the frequencies to time, height and width. */
function readAxes(reader: Reader, section: Reader | undefined, pairs: number): Omit<Draft, 'kind'> | undefined {
  const sections = section?.numbers('mrope_section', kCount) ?? reader.numbers('mrope_section', kCount);
  if (sections === undefined) return undefined;
  const total = sections.value.reduce((sum, value) => sum + value, 0);
  if (total !== pairs) {
    throw refused('shape_mismatch', sections.field, `add up to the ${pairs} pairs that turn`, total);
  }
  const interleaved = (section?.boolean('mrope_interleaved') ?? reader.boolean('mrope_interleaved'))?.value ?? false;
  return { mropeSection: sections.value, order: interleaved ? 'interleaved' : 'contiguous' };
}
