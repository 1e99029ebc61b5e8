import { toEncoding } from './draft.ts';
import { saysAlibi, unknownAlibi } from './families.ts';
import { kElsewhere, kPositional, nearestKey } from './keys.ts';
import type { Model } from './models.ts';
import { kModels, kUnknownRope } from './models.ts';
import { Notes, refused } from './notes.ts';
import { isRecord, Reader } from './reader.ts';
import { kRopeKeys } from './rope.ts';
import type { LayerEncoding, ModelEncoding } from './types.ts';

type Values = Readonly<Record<string, unknown>>;

/**
 * The positional encoding of a model, from its `config.json` of Hugging Face.
 *
 * Nothing is guessed in silence: `notes` says which fields were read, which defaults were taken, which keys were not
 * used, and how contradictions were settled.
 *
 * @param json  the object, or its JSON text
 * @throws PosencError `wrong_type`, `not_finite`, `out_of_range`, `shape_mismatch` with the path of the field;
 *   `missing_value` when a method lacks a number that it needs, or nothing in the file speaks of positions
 * @example
 * const model = fromConfig({ model_type: 'llama', hidden_size: 4096, num_attention_heads: 32, rope_theta: 500000 });
 * model.encoding // { kind: 'rope', layout: 'half', theta: 500000 }
 * posenc.rotation(model.encoding, { length: 8, dims: model.dims })
 */
export function fromConfig(json: unknown): ModelEncoding {
  const notes = new Notes();
  const root = toRecord(json);
  const { values, path } = textPart(root, notes);
  const modelType = readModelType(values, root);
  const model = findModel(modelType, values, notes);
  const owner = modelType === '' ? 'Hugging Face' : modelType;
  const reader = new Reader(values, { notes, path, owner, ...(model.defaults ? { defaults: model.defaults } : {}) });
  const draft = model.read(reader);
  remarkUnread(reader, owner);
  const layers = draft.layers.map(({ draft: encoding, ...rest }) => ({ ...rest, encoding: toEncoding(encoding) }));
  const first = firstOf(layers);
  return {
    modelType,
    encoding: first.encoding,
    dims: first.dims,
    trainLength: draft.trainLength ?? null,
    layers,
    notes: notes.list(),
  };
}

function firstOf(layers: readonly LayerEncoding[]): LayerEncoding {
  const [first] = layers;
  if (first !== undefined) return first;
  throw refused('missing_value', 'layer_types', 'name at least one layer with attention', undefined);
}

function toRecord(json: unknown): Values {
  const value = typeof json === 'string' ? parse(json) : json;
  if (isRecord(value)) return value;
  throw refused('wrong_type', 'config', 'be an object, or the JSON text of one', value);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw refused('wrong_type', 'config', `be JSON (${String(error)})`, text);
  }
}

/** Where multimodal models keep their language model. */
const kTextParts = ['text_config', 'language_config', 'llm_config', 'thinker_config'];

/** Models of models keep it two levels down; nobody goes further. */
const kDeepest = 3;

function textPart(root: Values, notes: Notes): { values: Values; path: string } {
  let values = root;
  let path = '';
  for (let depth = 0; depth < kDeepest; depth += 1) {
    const key = kTextParts.find((name) => isRecord(values[name]));
    const inner = key === undefined ? undefined : values[key];
    if (key === undefined || !isRecord(inner)) break;
    remarkBeside(values, path, key, notes);
    path = pathTo(path, key);
    values = { ...inner, model_type: inner['model_type'] ?? values['model_type'] };
  }
  return { values, path };
}

const pathTo = (path: string, key: string) => (path === '' ? key : `${path}.${key}`);
const isPart = (key: string, value: unknown) => isRecord(value) && key.endsWith('_config') && !kElsewhere.has(key);

/** What stands beside the language model of a multimodal one. */
function remarkBeside(values: Values, path: string, text: string, notes: Notes): void {
  notes.add('used', pathTo(path, text), 'the language model of a multimodal one');
  const others = Object.keys(values).filter((key) => key !== text && key !== 'model_type');
  for (const key of others) {
    if (isPart(key, values[key])) notes.add('ignored', pathTo(path, key), kOtherPart);
    else if (kPositional.has(key))
      notes.add('warning', pathTo(path, key), `${key} stands outside ${text}: it was not used`);
  }
  const rest = others.filter((key) => !isPart(key, values[key]) && !kPositional.has(key));
  if (rest.length > 0) notes.add('ignored', path, `outside ${text}: ${rest.join(', ')}`);
}

const kOtherPart = 'another part of the model, with positions of its own';

function readModelType(values: Values, root: Values): string {
  const type = values['model_type'] ?? root['model_type'];
  if (type === undefined || type === null) return '';
  if (typeof type === 'string') return type;
  throw refused('wrong_type', 'model_type', 'be text', type);
}

function findModel(modelType: string, values: Values, notes: Notes): Model {
  const known = Object.hasOwn(kModels, modelType) ? kModels[modelType] : undefined;
  if (known !== undefined) return known;
  const subject = modelType === '' ? 'the file names no model_type' : `model_type ${modelType} is not in the table`;
  if (saysAlibi(values)) {
    notes.add(
      'warning',
      'model_type',
      `${subject}; its keys say ALiBi, taken as that of the paper under a causal mask`,
    );
    return { read: unknownAlibi };
  }
  if (kRopeKeys.some((key) => values[key] !== undefined)) {
    notes.add('warning', 'model_type', `${subject}; its keys say RoPE, taken with the half layout of LLaMA`);
    return { read: kUnknownRope };
  }
  const rule = `be one of the ${Object.keys(kModels).length} known ones, or a key say which encoding it is: ${kRopeKeys.join(', ')}, alibi`;
  throw refused('missing_value', 'model_type', rule, modelType === '' ? undefined : modelType);
}

/** Remarks about keys that nothing has read: those that never matter in one line, the others one by one. */
function remarkUnread(reader: Reader, owner: string): void {
  const unread = reader.unread().filter((key) => key !== 'model_type' && !key.startsWith('_comment'));
  const elsewhere = unread.filter((key) => kElsewhere.has(key) && !kPositional.has(key));
  for (const key of unread) {
    if (isPart(key, reader.peek(key))) {
      reader.notes.add('ignored', reader.field(key), kOtherPart);
    } else if (kPositional.has(key)) {
      const message = `${key} says something about positions, but ${owner} does not read it here`;
      reader.notes.add('ignored', reader.field(key), message);
    } else if (!kElsewhere.has(key)) {
      const nearest = nearestKey(key);
      const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`;
      const level = nearest === undefined ? 'ignored' : 'warning';
      reader.notes.add(level, reader.field(key), `${key} is not known: it was not used${hint}`);
    }
  }
  if (elsewhere.length > 0) {
    reader.notes.add('ignored', '', `nothing about positions in ${elsewhere.join(', ')}`);
  }
}
