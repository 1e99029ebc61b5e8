/** Names in the reader's language; what the content does not translate comes from the description. */
import type { Choice, EncodingInfo, FieldInfo, PosencErrorData } from 'posenc';
import type { Content } from '../content/content.ts';
import { checkField, fieldText, type ParamValue } from './fields.ts';
import { formatNumber } from './format.ts';

export const encodingName = (content: Content, info: EncodingInfo): string =>
  content.encodings[info.kind]?.name ?? info.name;

export const encodingInSentence = (content: Content, info: EncodingInfo): string =>
  content.encodings[info.kind]?.inSentence ?? encodingName(content, info);

export const encodingSummary = (content: Content, info: EncodingInfo): string =>
  content.encodings[info.kind]?.summary ?? info.summary;

/** What the content says about a field of this encoding (`kind.field`), or else about the field wherever it occurs. */
function fieldWords(content: Content, info: EncodingInfo, field: FieldInfo, part: 'label' | 'doc'): string {
  return content.fields[`${info.kind}.${field.id}`]?.[part] ?? content.fields[field.id]?.[part] ?? field[part];
}

export const fieldLabel = (content: Content, info: EncodingInfo, field: FieldInfo): string =>
  fieldWords(content, info, field, 'label');

export const fieldDoc = (content: Content, info: EncodingInfo, field: FieldInfo): string =>
  fieldWords(content, info, field, 'doc');

export const fieldUnit = (content: Content, field: FieldInfo): string => content.units[field.unit] ?? field.unit;

export const choiceLabel = (content: Content, info: EncodingInfo | null, field: FieldInfo, choice: Choice): string =>
  (info && content.choices[`${info.kind}.${field.id}.${choice.id}`]) ??
  content.choices[`${field.id}.${choice.id}`] ??
  choice.label;

/** A value as the page shows it; `info` is `null` for a field of the layer. */
export function valueText(content: Content, info: EncodingInfo | null, field: FieldInfo, value: ParamValue): string {
  if (field.type === 'choice') {
    const choice = field.choices.find((candidate) => candidate.id === value);
    return choice ? choiceLabel(content, info, field, choice) : String(value);
  }
  return fieldText(value, formatNumber);
}

/** Why the engine refused, in the reader's language: by the description of the field where that says it. */
export function problemText(content: Content, info: EncodingInfo | null, problem: PosencErrorData): string {
  const field = info?.fields.find(({ id }) => id === problem.field);
  const label =
    info && field ? fieldLabel(content, info, field) : (content.problems.fieldNames[problem.field] ?? problem.field);
  const checked = field ? checkField(field, problem.value) : null;
  const rule = checked && !checked.ok ? content.problems.rule(checked.rule) : null;
  return content.problems.engine(problem, label, rule);
}

/** Families in the order of the registry, each with its encodings. */
export function byFamily(
  encodings: readonly EncodingInfo[],
): readonly (readonly [EncodingInfo['family'], readonly EncodingInfo[]])[] {
  const families = new Map<EncodingInfo['family'], EncodingInfo[]>();
  for (const info of encodings) {
    const list = families.get(info.family);
    if (list) list.push(info);
    else families.set(info.family, [info]);
  }
  return [...families];
}
