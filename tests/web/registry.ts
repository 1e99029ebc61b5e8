/** A registry as the engine describes it, with one field of every type; for tests of code that no encoding may be named in. */
import type { EncodingInfo, FieldInfo } from 'posenc';
import type { NumberField } from '../../web/src/logic/fields.ts';

const number = (id: string, over: Partial<NumberField>): NumberField => ({
  type: 'number',
  id,
  name: id.replace(/_(.)/gu, (_, letter: string) => letter.toUpperCase()),
  label: id,
  unit: '',
  doc: '',
  onlyWith: null,
  integer: false,
  default: 1,
  min: 0,
  max: 10,
  multipleOf: 0,
  logScale: false,
  defaultFrom: null,
  maxFrom: null,
  ...over,
});

export const kFields = {
  theta: number('theta', { default: 10000, min: 1, max: 1e8, logScale: true }),
  width: number('rotary_dim', {
    default: null,
    defaultFrom: 'headDim',
    maxFrom: 'headDim',
    min: 2,
    max: Infinity,
    integer: true,
    multipleOf: 2,
  }),
  spread: number('spread', { default: 0.5 }),
  signed: {
    type: 'bool',
    id: 'signed',
    name: 'signed',
    label: 'Signed',
    unit: '',
    doc: '',
    onlyWith: null,
    default: true,
  },
  form: {
    type: 'choice',
    id: 'form',
    name: 'form',
    label: 'Form',
    unit: '',
    doc: '',
    onlyWith: null,
    default: 'one',
    choices: [
      { id: 'one', label: 'one', doc: '' },
      { id: 'two', label: 'two', doc: '' },
    ],
  },
  factors: {
    type: 'list',
    id: 'factors',
    name: 'factors',
    label: 'Factors',
    unit: '',
    doc: '',
    onlyWith: null,
    default: [1, 2],
    min: 0,
    max: 100,
  },
  // Means something only while the form is `two`.
  depends: number('depends', { default: 2, onlyWith: { field: 'form', values: ['two'] } }),
  // A name that the page uses itself.
  clash: number('q', { default: 3 }),
} as const satisfies Record<string, FieldInfo>;

const info = (kind: string, fields: readonly FieldInfo[]): EncodingInfo =>
  ({
    kind,
    name: kind,
    family: 'bias',
    seams: ['bias'],
    summary: '',
    authors: '',
    year: 2020,
    url: '',
    axes: 1,
    learned: false,
    fields,
  }) as unknown as EncodingInfo;

export const kRegistry: readonly EncodingInfo[] = [
  info('plain', []),
  info('full', Object.values(kFields)),
  info('other', [kFields.spread]),
];
