import type { Draft } from './draft.ts';
import { readLength } from './dims.ts';
import { refused } from './notes.ts';
import type { NumberRule, Reader } from './reader.ts';
import { kCount, kNotNegative, kPositive } from './reader.ts';

/** What a scaling adds to the parameters of RoPE. */
export interface Scaling {
  readonly params: Omit<Draft, 'kind'>;
  /** Tokens that the model had before the scaling; `undefined` when the file does not say. */
  readonly original?: number | undefined;
}

/** What surrounds a scaling. */
export interface Surroundings {
  /** The object around it. */
  readonly top: Reader;
  /** Frequencies that the lists of longrope must have. */
  readonly pairs: number;
  /** mscale_all_dim multiplies the logits as well. */
  readonly magnitude?: 'logits';
}

interface Context extends Surroundings {
  /** The object with the scaling in it. */
  readonly section: Reader;
}

type Method = (context: Context) => Scaling;

const kOriginal = 'original_max_position_embeddings';

const kMethods: Readonly<Record<string, Method>> = {
  default: () => ({ params: {} }),
  linear: (context) => readUniform(context, 'linear'),
  ntk: (context) => readUniform(context, 'ntk'),
  dynamic: readDynamic,
  yarn: readYarn,
  longrope: readLongrope,
  llama3: readLlama3,
  proportional: readProportional,
};

/** Other names of the same methods. */
const kAliases: Readonly<Record<string, string>> = { su: 'longrope', mrope: 'default', none: 'default' };

/** Keys that mean something to one method only, for the remark when another method is chosen. */
const kKeysOf: Readonly<Record<string, readonly string[]>> = {
  'yarn and longrope': ['attention_factor'],
  yarn: ['beta_fast', 'beta_slow', 'mscale', 'mscale_all_dim', 'truncate'],
  longrope: ['short_factor', 'long_factor', 'short_mscale', 'long_mscale'],
  llama3: ['low_freq_factor', 'high_freq_factor'],
  'a scaling': ['factor', kOriginal],
};

/** Keys that are read elsewhere, or say nothing about the result. */
const kHarmless = ['finetuned'];

/** Names of all scalings, for messages. */
export const kScalingNames = [...Object.keys(kMethods), ...Object.keys(kAliases)].sort();

/** At which lengths a scaling changes anything. */
const kActs: Readonly<Record<string, (original: number | undefined) => string>> = {
  linear: () => 'linear changes angles at every length, also of short texts',
  ntk: () => 'ntk changes angles at every length, also of short texts',
  dynamic: (original) => `dynamic changes nothing up to ${original} tokens, and grows from there`,
  yarn: (original) => `yarn changes angles and logits at every length, also below ${original} tokens`,
  longrope: (original) => `longrope uses short_factor up to ${original} tokens, long_factor beyond`,
  llama3: (original) => `llama3 changes slow angles at every length, also below ${original} tokens`,
};

/** Name of the method that a section chooses, without its alias. */
export function scalingName(section: Reader): string {
  const chosen = section.string(['rope_type', 'type']);
  if (chosen === undefined) {
    if (section.gives(['factor', 'short_factor', 'low_freq_factor'])) {
      const message = 'neither rope_type nor type is given: no scaling, whatever else stands there';
      section.notes.add('warning', section.field('rope_type'), message);
    }
    return 'default';
  }
  const name = kAliases[chosen.value] ?? chosen.value;
  if (Object.hasOwn(kMethods, name)) return name;
  throw refused('out_of_range', chosen.field, `be one of ${kScalingNames.join(', ')}`, chosen.value);
}

/** Reads a `rope_scaling` or `rope_parameters` object. */
export function readScaling(section: Reader, surroundings: Surroundings): Scaling {
  const name = scalingName(section);
  const scaling = kMethods[name]?.({ ...surroundings, section }) ?? { params: {} };
  const acts = kActs[name]?.(scaling.original);
  if (acts !== undefined) section.notes.add('used', section.field('rope_type'), acts);
  remarkUnread(section, name);
  return scaling;
}

function remarkUnread(section: Reader, name: string): void {
  for (const key of section.unread()) {
    const owner = Object.entries(kKeysOf).find(([, keys]) => keys.includes(key))?.[0];
    const message =
      owner !== undefined
        ? `${key} belongs to ${owner}; the type is ${name}`
        : kHarmless.includes(key)
          ? `${key} does not change the encoding`
          : `${key} is not known: it was not used`;
    section.notes.add('ignored', section.field(key), message);
  }
}

function missing(section: Reader, key: string, rule: string): never {
  throw refused('missing_value', section.field(key), rule, undefined);
}

/** Factor, if there is one. `null` is refused: who writes the key means a number. */
function readFactor({ section }: Context): number | undefined {
  if (section.isNull('factor')) throw refused('wrong_type', section.field('factor'), 'be a number above 0', null);
  const factor = section.number('factor', kPositive);
  if (factor !== undefined && factor.value < 1) {
    const message = `factor ${factor.value} is below 1: positions are spread, not squeezed; computed as it stands`;
    section.notes.add('warning', factor.field, message);
  }
  return factor?.value;
}

function requiredFactor(context: Context): number {
  return readFactor(context) ?? missing(context.section, 'factor', 'be given, a number above 0');
}

/** The length before scaling: beside the section or in it. Beside it wins, as in Hugging Face. */
function readOriginal({ section, top }: Context): number | undefined {
  const outer = top.number(kOriginal, kCount);
  const inner = section.number(kOriginal, kCount);
  if (outer !== undefined && inner !== undefined && outer.value !== inner.value) {
    const message = `${kOriginal} = ${inner.value} contradicts ${outer.value} at ${outer.field}, which wins`;
    section.notes.add('warning', inner.field, message);
  }
  return outer?.value ?? inner?.value;
}

function requiredOriginal(context: Context, method: string): number {
  const rule = `be given, the length before scaling: ${method} needs it`;
  return readOriginal(context) ?? missing(context.section, kOriginal, rule);
}

/** YaRN without its original length: Hugging Face takes the length of the model for it. */
function lengthAsOriginal(context: Context): number {
  const { section, top } = context;
  const length = section.gives('factor') ? readLength(top) : undefined;
  if (length === undefined) return requiredOriginal(context, 'yarn');
  const message = `${kOriginal} = ${length}: not given, max_position_embeddings is taken for it, as in Hugging Face; if that is the length after scaling, the result is wrong`;
  section.notes.add('warning', section.field(kOriginal), message);
  return length;
}

/** An explicit factor wins over the ratio of the two lengths, which stands in when there is none. */
function factorOrRatio(context: Context, original: number): number {
  const { section, top } = context;
  const explicit = readFactor(context);
  const length = readLength(top);
  if (explicit === undefined) {
    if (length === undefined) return missing(section, 'factor', 'be given, or max_position_embeddings');
    const ratio = length / original;
    const message = `factor = ${ratio}: not given, max_position_embeddings / ${kOriginal} (${length} / ${original})`;
    section.notes.add('default', section.field('factor'), message);
    return ratio;
  }
  const stretched = explicit * original;
  if (length !== undefined && section.gives(kOriginal) && Math.abs(stretched - length) > 1e-6 * length) {
    const product = `factor × ${kOriginal} is ${stretched}, not max_position_embeddings (${length})`;
    section.notes.add('warning', section.field('factor'), `${product}; the explicit factor ${explicit} wins`);
  }
  return explicit;
}

/** Methods that need nothing but a factor; the original length is good to know. */
function readUniform(context: Context, scaling: string): Scaling {
  return { params: { scaling, factor: requiredFactor(context) }, original: readOriginal(context) };
}

function readDynamic(context: Context): Scaling {
  const factor = requiredFactor(context);
  const given = readOriginal(context);
  const length = readLength(context.top);
  if (given !== undefined && length !== undefined && given !== length) {
    const message = `${kOriginal} ${given} is used; Hugging Face would take max_position_embeddings (${length})`;
    context.section.notes.add('warning', context.section.field(kOriginal), message);
  }
  const original = given ?? length ?? missing(context.section, kOriginal, 'be given, or max_position_embeddings');
  return { params: { scaling: 'dynamic', factor, originalMaxPosition: original }, original };
}

function readYarn(context: Context): Scaling {
  const { section } = context;
  const original = readOriginal(context) ?? lengthAsOriginal(context);
  const factor = factorOrRatio(context, original);
  const betaFast = section.number('beta_fast', kPositive)?.value;
  const betaSlow = section.number('beta_slow', kPositive)?.value;
  if ((betaFast ?? 32) < (betaSlow ?? 1)) {
    const rule = `be at least beta_slow (${betaSlow ?? 1})`;
    throw refused('out_of_range', section.field('beta_fast'), rule, betaFast ?? 32);
  }
  const truncate = section.boolean('truncate')?.value;
  const magnitude = readMagnitude(section);
  const onLogits = context.magnitude === 'logits' && magnitude['mscaleAllDim'] !== undefined && truncate !== false;
  if (onLogits) {
    const message =
      "mscale_all_dim multiplies the logits too, squared, as in DeepSeek's code; Hugging Face's port of V2 leaves that out";
    section.notes.add('used', section.field('mscale_all_dim'), message);
  }
  const params = {
    scaling: onLogits ? 'yarn_deepseek' : 'yarn',
    factor,
    originalMaxPosition: original,
    ...(betaFast === undefined ? {} : { betaFast }),
    ...(betaSlow === undefined ? {} : { betaSlow }),
    ...(truncate === undefined || onLogits ? {} : { truncate }),
    ...magnitude,
  };
  return { params, original };
}

/** An explicit attention_factor replaces the computed one; mscale counts only together with mscale_all_dim. */
function readMagnitude(section: Reader): Omit<Draft, 'kind'> {
  const attentionFactor = section.number('attention_factor', kPositive)?.value;
  const mscale = section.number('mscale', kNotNegative)?.value;
  const mscaleAllDim = section.number('mscale_all_dim', kNotNegative)?.value;
  const both = (mscale ?? 0) > 0 && (mscaleAllDim ?? 0) > 0;
  if (attentionFactor !== undefined) {
    if (both) section.notes.add('warning', section.field('mscale'), 'an explicit attention_factor wins over mscale');
    return { attentionFactor };
  }
  if (both) return { mscale: mscale ?? 1, mscaleAllDim: mscaleAllDim ?? 1 };
  if (mscale !== undefined || mscaleAllDim !== undefined) {
    const message = 'mscale counts only when mscale and mscale_all_dim are both above 0, as in Hugging Face';
    section.notes.add('ignored', section.field(mscale === undefined ? 'mscale_all_dim' : 'mscale'), message);
  }
  return {};
}

function readLongrope(context: Context): Scaling {
  const { section } = context;
  const shortFactor = readFactors(context, 'short_factor');
  const longFactor = readFactors(context, 'long_factor');
  const original = requiredOriginal(context, 'longrope');
  const factor = factorOrRatio(context, original);
  const attentionFactor = section.number('attention_factor', kPositive)?.value ?? readMscalePair(section);
  const params = {
    scaling: 'longrope',
    shortFactor,
    longFactor,
    factor,
    originalMaxPosition: original,
    ...(attentionFactor === undefined ? {} : { attentionFactor }),
  };
  return { params, original };
}

function readFactors({ section, pairs }: Context, key: string): readonly number[] {
  const list = section.numbers(key, kPositive) ?? missing(section, key, `be given, a list of ${pairs} numbers`);
  if (list.value.length === pairs) return list.value;
  const rule = `have ${pairs} numbers, one for each pair of channels`;
  throw refused('shape_mismatch', list.field, rule, list.value.length);
}

/** Phi-3.5-MoE spells its attention factor as two numbers. */
function readMscalePair(section: Reader): number | undefined {
  const short = section.number('short_mscale', kPositive);
  const long = section.number('long_mscale', kPositive);
  if (short !== undefined && long !== undefined && short.value !== long.value) {
    const message = `long_mscale ${long.value} differs from short_mscale ${short.value}; the short one is used throughout`;
    section.notes.add('warning', long.field, message);
  }
  return (short ?? long)?.value;
}

function readLlama3(context: Context): Scaling {
  const { section } = context;
  const factor = requiredFactor(context);
  const low = requiredNumber(section, 'low_freq_factor');
  const high = requiredNumber(section, 'high_freq_factor');
  if (high < low) {
    const rule = `be at least low_freq_factor (${low})`;
    throw refused('out_of_range', section.field('high_freq_factor'), rule, high);
  }
  const original = requiredOriginal(context, 'llama3');
  const params = {
    scaling: 'llama3',
    factor,
    originalMaxPosition: original,
    lowFreqFactor: low,
    highFreqFactor: high,
  };
  return { params, original };
}

function requiredNumber(section: Reader, key: string, rule: NumberRule = kPositive): number {
  return section.number(key, rule)?.value ?? missing(section, key, 'be given, a number above 0');
}

function readProportional(context: Context): Scaling {
  const factor = readFactor(context);
  const scaled = factor !== undefined && factor !== 1;
  return { params: { partial: 'proportional', ...(scaled ? { scaling: 'linear', factor } : {}) } };
}
