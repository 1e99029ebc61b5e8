/**
 * The state as a link: `v=1&e=rope&theta=5e5&a=Tom+chased+Jerry&m=causal`. Defaults are left out, the order of the
 * parts does not matter, parts of other versions are kept. The parameters come from the description of the encodings.
 */
import type { EncodingInfo } from 'posenc';
import { tokenize } from 'posenc/text';
import {
  activeParams,
  checkField,
  fieldText,
  isActive,
  kDims,
  type ParamValue,
  type Params,
  type Rule,
} from '../logic/fields.ts';
import { formatParam } from '../logic/format.ts';
import {
  kLargestOffset,
  kLargestSeed,
  kMostTrainSteps,
  kReaderLayers,
  initialState,
  type Sentences,
  type State,
} from './state.ts';

/** Something in a link that could not be taken as it stands. */
export interface Notice {
  readonly code: 'unknown_value' | 'wrong_type' | 'out_of_range';
  /** Key in the link; for a parameter its id. */
  readonly field: string;
  readonly value: string;
  readonly rule: Rule;
  /** What is used instead. */
  readonly used: string;
}

export interface Decoded {
  readonly state: State;
  readonly notices: readonly Notice[];
}

const kVersion = '1';

interface Choice {
  readonly key: string;
  readonly values: readonly string[];
}

const kChoices = {
  mask: { key: 'm', values: ['none', 'causal'] },
  weights: { key: 'g', values: ['seeded', 'reader'] },
  split: { key: 't', values: ['auto', 'char', 'word'] },
  align: { key: 'w', values: ['word', 'slot'] },
  scale: { key: 'z', values: ['fixed', 'fit'] },
  sort: { key: 'r', values: ['family', 'change'] },
  view: { key: 'p', values: ['picture', 'table'] },
  lang: { key: 'lang', values: ['en', 'zh'] },
  theme: { key: 'theme', values: ['light', 'dark'] },
} as const satisfies Partial<Record<keyof State, Choice>>;

interface NumberRow {
  readonly key: string;
  /** Default 0. */
  readonly min?: number;
  readonly max: number;
}

const kNumbers = {
  seed: { key: 's', max: kLargestSeed },
  head: { key: 'h', max: kDims.nHeads - 1 },
  layer: { key: 'l', max: kReaderLayers - 1 },
  offset: { key: 'o', max: kLargestOffset },
  query: { key: 'q', min: -1, max: 511 },
  key: { key: 'k', min: -1, max: 511 },
  trainSeed: { key: 'ts', max: kLargestSeed },
  trainSteps: { key: 'tn', min: 1, max: kMostTrainSteps },
} as const satisfies Partial<Record<keyof State, NumberRow>>;

type ChoiceName = keyof typeof kChoices;
type NumberName = keyof typeof kNumbers;

const names = <T extends object>(table: T): (keyof T & string)[] =>
  Object.keys(table).filter((name): name is keyof T & string => name in table);

const kReserved = new Set([
  'v',
  'e',
  'a',
  'b',
  ...Object.values(kChoices).map((row) => row.key),
  ...Object.values(kNumbers).map((row) => row.key),
]);

/** Key of a parameter in a link: its id, unless the page uses that name itself. */
const paramKey = (id: string): string => (kReserved.has(id) ? `p.${id}` : id);

/** The text after `#`; empty when everything is as it comes. */
export function encodeState(state: State, encodings: readonly EncodingInfo[], sentences: Sentences): string {
  const initial = initialState(encodings, sentences);
  const parts = new URLSearchParams();
  if (state.encoding !== initial.encoding) parts.set('e', state.encoding);
  const info = encodings.find((candidate) => candidate.kind === state.encoding);
  if (info) {
    for (const [id, value] of Object.entries(activeParams(info, state.params[info.kind] ?? {})))
      parts.set(paramKey(id), paramText(value));
  }
  if (state.a !== initial.a || state.b !== initial.b) {
    parts.set('a', state.a);
    parts.set('b', state.b);
  }
  for (const name of names(kChoices)) {
    const value = state[name];
    if (value !== null && value !== initial[name]) parts.set(kChoices[name].key, value);
  }
  for (const name of names(kNumbers)) {
    const value = state[name];
    if (value !== null && value !== initial[name]) parts.set(kNumbers[name].key, String(value));
  }
  for (const [key, value] of state.unknown) if (!parts.has(key)) parts.append(key, value);
  const text = parts.toString();
  return text === '' ? '' : `v=${kVersion}&${text}`;
}

const paramText = (value: ParamValue): string =>
  typeof value === 'boolean' ? (value ? '1' : '0') : fieldText(value, formatParam).replace(/, /gu, ',');

/** Reads a link; `hash` with or without `#`. Never throws: what cannot be taken is replaced, and noted. */
export function decodeState(hash: string, encodings: readonly EncodingInfo[], sentences: Sentences): Decoded {
  const parts = new URLSearchParams(hash.replace(/^#/u, ''));
  const notices: Notice[] = [];
  const initial = initialState(encodings, sentences);
  const known = new Set(['v']);
  const take = (key: string): string | null => {
    known.add(key);
    return parts.get(key);
  };

  const encoding = takeEncoding(take('e'), encodings, initial.encoding, notices);
  const info = encodings.find((candidate) => candidate.kind === encoding);
  const params: Params = info ? takeParams(info, take, notices) : {};
  // A parameter that has no meaning beside the others is handed on like any unknown part.
  for (const field of info?.fields ?? []) if (info && !isActive(info, field, params)) known.delete(paramKey(field.id));
  const texts = takeSentences(take('a'), take('b'), sentences);

  const choices: Partial<Record<ChoiceName, string>> = {};
  for (const name of names(kChoices)) {
    const { key, values } = kChoices[name];
    const value = take(key);
    if (value === null) continue;
    const match = values.find((candidate) => candidate === value);
    if (match === undefined) {
      notices.push({
        code: 'unknown_value',
        field: key,
        value,
        rule: { kind: 'choice', choices: values },
        used: initial[name] ?? 'auto',
      });
    } else choices[name] = match;
  }
  const numbers: Partial<Record<NumberName, number>> = {};
  for (const name of names(kNumbers)) {
    const row = kNumbers[name];
    const value = take(row.key);
    if (value !== null) numbers[name] = takeNumber(row, value, initial[name] ?? 0, notices);
  }
  const unknown = [...parts].filter(([key]) => !known.has(key));
  // Each value was compared with the list of its own row.
  const state = {
    ...initial,
    ...texts,
    ...choices,
    ...numbers,
    encoding,
    params: info && Object.keys(params).length > 0 ? { [info.kind]: params } : {},
    unknown,
  } as State;
  return { state, notices };
}

function takeEncoding(
  value: string | null,
  encodings: readonly EncodingInfo[],
  initial: string,
  notices: Notice[],
): string {
  if (value === null || encodings.some((info) => info.kind === value)) return value ?? initial;
  notices.push({
    code: 'unknown_value',
    field: 'e',
    value,
    rule: { kind: 'choice', choices: encodings.map((info) => info.kind) },
    used: initial,
  });
  return initial;
}

function takeParams(info: EncodingInfo, take: (key: string) => string | null, notices: Notice[]): Params {
  const params: Record<string, ParamValue> = {};
  for (const field of info.fields) {
    const text = take(paramKey(field.id));
    if (text === null) continue;
    const checked = checkField(field, text);
    params[field.id] = checked.ok ? checked.value : checked.nearest;
    if (!checked.ok)
      notices.push({
        code: checked.code,
        field: field.id,
        value: text,
        rule: checked.rule,
        used: paramText(checked.nearest),
      });
  }
  return activeParams(info, params);
}

/** A link with one sentence compares it with its mirror image. */
function takeSentences(a: string | null, b: string | null, sentences: Sentences): Sentences {
  if (a === null) return { a: sentences.a, b: b ?? sentences.b };
  return { a, b: b ?? tokenize(a).reverse().join(' ') };
}

function takeNumber({ key, min = 0, max }: NumberRow, text: string, initial: number, notices: Notice[]): number {
  const rule: Rule = { kind: 'number', integer: true, min, max, multipleOf: 1 };
  const value = /^\d+(\.\d+)?(e\d+)?$|^-\d+$/u.test(text) ? Number(text) : NaN;
  if (Number.isNaN(value)) {
    notices.push({ code: 'wrong_type', field: key, value: text, rule, used: String(initial) });
    return initial;
  }
  const used = Math.min(max, Math.max(min, Math.round(value)));
  if (used !== value) notices.push({ code: 'out_of_range', field: key, value: text, rule, used: String(used) });
  return used;
}
