/**
 * Writes bindings/src/generated/encodings.ts: the union of all encodings, from the description that posenc-describe
 * prints. `node bindings/scripts/generate_types.mjs DESCRIPTION.json OUT.ts`
 */
import { readFile, writeFile } from 'node:fs/promises';
import ts from 'typescript';

/** The functions of names.ts, so that names are translated by the same code here and in the package. */
async function importNames() {
  const source = await readFile(new URL('../src/names.ts', import.meta.url), 'utf8');
  const options = { compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 } };
  const { outputText } = ts.transpileModule(source, options);
  return import(`data:text/javascript,${encodeURIComponent(outputText)}`);
}

const { toCamelCase } = await importNames();

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

const [input, output] = process.argv.slice(2);
await writeFile(output, fileText(JSON.parse(await readFile(input, 'utf8'))));
