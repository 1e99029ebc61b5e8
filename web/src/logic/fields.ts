/** Values of parameters, by their description: parsing, limits, steps. */
import type { Dims, EncodingInfo, FieldInfo } from 'posenc';

export type ParamValue = boolean | number | string | readonly number[];
/** By field id; only what the reader changed. */
export type Params = Readonly<Record<string, ParamValue>>;
export type NumberField = Extract<FieldInfo, { type: 'number' }>;

/** What a value must be, as data: the page says it in the reader's language. */
export type Rule =
  | {
      readonly kind: 'number';
      readonly integer: boolean;
      readonly min: number;
      readonly max: number;
      readonly multipleOf: number;
    }
  | { readonly kind: 'choice'; readonly choices: readonly string[] }
  | { readonly kind: 'list'; readonly min: number; readonly max: number }
  | { readonly kind: 'bool' }
  | { readonly kind: 'engine'; readonly text: string };

export type Checked =
  | { readonly ok: true; readonly value: ParamValue }
  | {
      readonly ok: false;
      readonly code: 'wrong_type' | 'out_of_range';
      readonly rule: Rule;
      readonly nearest: ParamValue;
    };

/** Sizes of the layer on this page. */
export const kDims: Required<Dims> = { dModel: 64, nHeads: 4, headDim: 16 };

/** A field of the page itself, which no encoding describes. */
export const wholeNumber = (id: string, min: number, max: number, value: number): NumberField => ({
  type: 'number',
  id,
  name: id,
  onlyWith: null,
  label: id,
  unit: '',
  doc: '',
  integer: true,
  default: value,
  min,
  max,
  multipleOf: 1,
  logScale: false,
  defaultFrom: null,
  maxFrom: null,
});

/** A number that is computed from others unless somebody gives it. */
export const isComputed = (field: FieldInfo): boolean =>
  field.type === 'number' && field.default === null && field.defaultFrom === null;

/** What stands in the field of a computed number: nothing. */
export const kComputed = '';

export function fieldDefault(field: FieldInfo, dims: Required<Dims> = kDims): ParamValue {
  if (field.type !== 'number') return field.default;
  if (isComputed(field)) return kComputed;
  return field.default ?? (field.defaultFrom === null ? field.min : dims[field.defaultFrom]);
}

export function fieldMax(field: NumberField, dims: Required<Dims> = kDims): number {
  return field.maxFrom === null ? field.max : Math.min(field.max, dims[field.maxFrom]);
}

export function paramOf(field: FieldInfo, params: Params | undefined, dims: Required<Dims> = kDims): ParamValue {
  return params?.[field.id] ?? fieldDefault(field, dims);
}

export function sameValue(a: ParamValue, b: ParamValue): boolean {
  if (typeof a !== 'object' || typeof b !== 'object') return a === b;
  return a.length === b.length && a.every((value, index) => value === b[index]);
}

export function sameParams(a: Params, b: Params): boolean {
  const ids = Object.keys(a);
  return (
    ids.length === Object.keys(b).length &&
    ids.every((id) => {
      const [one, other] = [a[id], b[id]];
      return one !== undefined && other !== undefined && sameValue(one, other);
    })
  );
}

/** Whether a field has a meaning now: some depend on the value of a choice. */
export function isActive(info: EncodingInfo, field: FieldInfo, params: Params | undefined): boolean {
  const { onlyWith } = field;
  const choice = onlyWith && info.fields.find(({ id }) => id === onlyWith.field);
  return !choice || onlyWith.values.includes(String(paramOf(choice, params)));
}

/** What the engine and a link get: no defaults, and nothing that has no meaning now. */
export function activeParams(info: EncodingInfo, params: Params): Params {
  const active = info.fields.filter((field) => isActive(info, field, params));
  return changedParams({ ...info, fields: active }, params);
}

/** Params without those that equal their default. */
export function changedParams(info: EncodingInfo, params: Params): Params {
  return Object.fromEntries(
    info.fields.flatMap((field): [string, ParamValue][] => {
      const value = params[field.id];
      return value === undefined || sameValue(value, fieldDefault(field)) ? [] : [[field.id, value]];
    }),
  );
}

export function ruleOf(field: FieldInfo, dims: Required<Dims> = kDims): Rule {
  switch (field.type) {
    case 'bool':
      return { kind: 'bool' };
    case 'choice':
      return { kind: 'choice', choices: field.choices.map((choice) => choice.id) };
    case 'list':
      return { kind: 'list', min: field.min, max: field.max };
    case 'number':
      return {
        kind: 'number',
        integer: field.integer,
        min: field.min,
        max: fieldMax(field, dims),
        multipleOf: field.multipleOf,
      };
  }
}

/** Reads what a reader typed or a link says. */
export function checkField(field: FieldInfo, text: string, dims: Required<Dims> = kDims): Checked {
  const rule = ruleOf(field, dims);
  const fallback = fieldDefault(field, dims);
  switch (field.type) {
    case 'bool':
      if (/^(1|true|on)$/u.test(text)) return { ok: true, value: true };
      if (/^(0|false|off)$/u.test(text)) return { ok: true, value: false };
      return { ok: false, code: 'wrong_type', rule, nearest: fallback };
    case 'choice':
      if (field.choices.some((choice) => choice.id === text)) return { ok: true, value: text };
      return { ok: false, code: 'out_of_range', rule, nearest: fallback };
    case 'list':
      return checkList(field, text, rule);
    case 'number':
      return checkNumber(field, text, rule, fallback, dims);
  }
}

function checkList(field: Extract<FieldInfo, { type: 'list' }>, text: string, rule: Rule): Checked {
  const values = text
    .split(/[\s,，;]+/u)
    .filter((part) => part !== '')
    .map(parseNumber);
  if (values.some(Number.isNaN)) return { ok: false, code: 'wrong_type', rule, nearest: field.default };
  if (values.every((value) => value >= field.min && value <= field.max)) return { ok: true, value: values };
  return {
    ok: false,
    code: 'out_of_range',
    rule,
    nearest: values.map((value) => Math.min(field.max, Math.max(field.min, value))),
  };
}

function checkNumber(
  field: NumberField,
  text: string,
  rule: Rule,
  fallback: ParamValue,
  dims: Required<Dims>,
): Checked {
  if (text === '' && isComputed(field)) return { ok: true, value: kComputed };
  const value = parseNumber(text);
  if (Number.isNaN(value)) return { ok: false, code: 'wrong_type', rule, nearest: fallback };
  const nearest = nearestAllowed(field, value, dims);
  return nearest === value ? { ok: true, value } : { ok: false, code: 'out_of_range', rule, nearest };
}

/** A number as readers write it: `1e4`, `−2`, `10 000`; NaN when it is none. */
export function parseNumber(text: string): number {
  const clean = text
    .replace(/[\u2212\u2013]/gu, '-')
    .replace(/(?<=\d)[\s_](?=\d{3})/gu, '')
    .trim();
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/iu.test(clean) ? Number(clean) : NaN;
}

/** The allowed value closest to `value`. */
export function nearestAllowed(field: NumberField, value: number, dims: Required<Dims> = kDims): number {
  const max = fieldMax(field, dims);
  const clamped = Math.min(max, Math.max(field.min, value));
  const grid = gridOf(field);
  if (grid === 0) return clamped;
  const rounded = Math.round(clamped / grid) * grid;
  if (rounded > max) return Math.floor(max / grid) * grid;
  return rounded < field.min ? Math.ceil(field.min / grid) * grid : rounded;
}

/** One step up or down from `value`, inside the limits. */
export function stepped(field: NumberField, value: number, direction: 1 | -1, dims: Required<Dims> = kDims): number {
  return nearestAllowed(field, value + direction * (gridOf(field) || 1), dims);
}

function gridOf(field: NumberField): number {
  return field.multipleOf > 0 ? field.multipleOf : field.integer ? 1 : 0;
}

/** Positions of a slider. */
export const kSliderSteps = 1000;

export function toSlider(field: NumberField, value: number, dims: Required<Dims> = kDims): number {
  const { low, high, map } = sliderScale(field, dims);
  return Math.round(((map(value) - low) / (high - low || 1)) * kSliderSteps);
}

export function fromSlider(field: NumberField, position: number, dims: Required<Dims> = kDims): number {
  const { low, high, unmap } = sliderScale(field, dims);
  const raw = unmap(low + ((high - low) * position) / kSliderSteps);
  // Two digits are as fine as a hand can set; the ends are exact.
  const rounded =
    position <= 0 ? field.min : position >= kSliderSteps ? fieldMax(field, dims) : Number(raw.toPrecision(2));
  return nearestAllowed(field, rounded, dims);
}

function sliderScale(
  field: NumberField,
  dims: Required<Dims>,
): { low: number; high: number; map: (v: number) => number; unmap: (v: number) => number } {
  const max = fieldMax(field, dims);
  if (!field.logScale) return { low: field.min, high: max, map: (value) => value, unmap: (value) => value };
  const floor = field.min > 0 ? field.min : Math.min(1e-6, max / 1e6);
  return {
    low: Math.log(floor),
    high: Math.log(max),
    map: (value) => Math.log(Math.max(floor, value)),
    unmap: Math.exp,
  };
}

/** Text of a value in a field or a link. */
export function fieldText(value: ParamValue, format: (value: number) => string = String): string {
  if (typeof value === 'object') return value.map(format).join(', ');
  return typeof value === 'number' ? format(value) : String(value);
}
