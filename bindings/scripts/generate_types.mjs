/**
 * Writes bindings/src/generated/encodings.ts, the union of all encodings, and description.ts, the registry as data, from
 * what posenc-describe prints. `node bindings/scripts/generate_types.mjs DESCRIPTION.json FOLDER`
 */
import { readFile, writeFile } from 'node:fs/promises';

import { toCamelCase } from './names.mjs';

const pascalCase = (id) => toCamelCase(`_${id}`);
const typeName = ({ id }) => `${pascalCase(id)}Encoding`;

function valueType(field) {
  if (field.type === 'bool') return 'boolean';
  if (field.type === 'list') return 'readonly number[]';
  if (field.type === 'choice') return field.choices.map(({ id }) => `'${id}'`).join(' | ');
  return 'number';
}

function rules(field) {
  if (field.type !== 'number') return '';
  const max = field.max_from === '' ? field.max : toCamelCase(field.max_from);
  const parts = [field.integer ? 'Whole number' : 'Number'];
  if (field.multiple_of > 1) parts.push(`a multiple of ${field.multiple_of}`);
  if (field.min !== null || max !== null) parts.push(`from ${field.min ?? '-∞'} to ${max ?? '∞'}`);
  return ` ${parts.join(', ')}.`;
}

function defaultText(field) {
  if (field.default === null) return field.default_from === '' ? 'computed' : toCamelCase(field.default_from);
  return JSON.stringify(field.default).replaceAll('"', "'");
}

function member(field) {
  const unit = field.unit === '' ? '' : `, ${field.unit}`;
  const { field: choice, values } = field.only_with;
  const condition = choice === '' ? '' : ` Only with ${toCamelCase(choice)} ${values.split(' ').join(' or ')}.`;
  const doc = `${field.label}${unit}. ${field.doc}${rules(field)} Default ${defaultText(field)}.${condition}`;
  return `  /** ${doc} */\n  readonly ${toCamelCase(field.name)}?: ${valueType(field)};`;
}

function encodingType(info) {
  const members = [`  readonly kind: '${info.id}';`, ...info.fields.map(member)];
  if (info.weights_shape !== '') {
    members.push(
      `  /** Its numbers, \`${info.weights_shape}\` row by row; left out: seeded. */\n  readonly weights?: ArrayLike<number>;`,
    );
  }
  const doc = `/** ${info.name}. ${info.summary} ${info.authors} ${info.year}, ${info.url} */`;
  return `${doc}\nexport interface ${typeName(info)} {\n${members.join('\n')}\n}`;
}

function fileText({ encodings }) {
  const union = encodings.map((info) => `  | ${typeName(info)}`).join('\n');
  return [
    '// Made by bindings/scripts/generate_types.mjs from the registry of the C++ library.',
    ...encodings.map(encodingType),
    `/** A positional encoding with its parameters. */\nexport type Encoding =\n${union};`,
    "/** Id of an encoding. */\nexport type EncodingKind = Encoding['kind'];",
    '',
  ].join('\n\n');
}

/** A field as the package has it; what its type does not need is left out. */
function fieldData(field) {
  const { name, type, label, unit, doc } = field;
  const { field: choice, values } = field.only_with;
  const onlyWith = choice === '' ? null : { field: choice, values: values.split(' ') };
  const common = { name: toCamelCase(name), id: name, type, label, unit, doc, onlyWith, default: field.default };
  if (type === 'choice') return { ...common, choices: field.choices };
  // JSON has no infinity: a bound that another size gives is written as null.
  const bounds = { min: field.min ?? -Infinity, max: field.max ?? Infinity };
  if (type === 'list') return { ...common, ...bounds };
  if (type === 'bool') return common;
  const dim = (id) => (id === '' ? null : toCamelCase(id));
  return {
    ...common,
    ...bounds,
    integer: field.integer,
    multipleOf: field.multiple_of,
    logScale: field.log_scale,
    defaultFrom: dim(field.default_from),
    maxFrom: dim(field.max_from),
  };
}

function encodingData(info) {
  const { id, name, family, seams, summary, authors, year, url, axes, weights_shape: shape } = info;
  const facts = { kind: id, name, family, seams, summary, authors, year, url, axes, learned: shape !== '' };
  return { ...facts, fields: info.fields.map(fieldData) };
}

/** JavaScript source of plain data: JSON, and the two infinities that it lacks. */
function source(value) {
  if (typeof value === 'number') return String(value);
  if (Array.isArray(value)) return `[${value.map(source).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value).map(([key, item]) => `${key}:${source(item)}`)}}`;
}

function descriptionText({ encodings }) {
  return [
    '// Made by bindings/scripts/generate_types.mjs from the registry of the C++ library.',
    "import type { EncodingInfo } from '../types.ts';",
    `/** The registry: all encodings with their parameters, in the order in which people meet them. */\nexport const encodings: readonly EncodingInfo[] = ${source(encodings.map(encodingData))};`,
    '',
  ].join('\n\n');
}

const [input, folder] = process.argv.slice(2);
const description = JSON.parse(await readFile(input, 'utf8'));
await writeFile(`${folder}/encodings.ts`, fileText(description));
await writeFile(`${folder}/description.ts`, descriptionText(description));
