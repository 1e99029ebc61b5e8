import { readFileSync } from 'node:fs';
import { load } from '../../dist/node.js';
import type { EncodingInfo, Posenc } from 'posenc';
import { tokenizePair } from 'posenc/text';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Content } from '../../web/src/content/content.ts';
import { en } from '../../web/src/content/en.ts';
import { zh } from '../../web/src/content/zh.ts';
import { compareOptions, invarianceOptions, type Question } from '../../web/src/engine/compute.ts';
import { cellFacts, factsOf, type Facts, type Verdict } from '../../web/src/logic/facts.ts';
import { formatSize, formatWeight } from '../../web/src/logic/format.ts';
import { matrixModel } from '../../web/src/logic/matrix_model.ts';
import {
  choiceLabel,
  encodingInSentence,
  encodingName,
  encodingSummary,
  fieldDoc,
  fieldLabel,
  fieldUnit,
  valueText,
} from '../../web/src/logic/names.ts';
import { plain } from '../../web/src/logic/rich.ts';
import { isReverse, sameWords } from '../../web/src/logic/words.ts';
import type { PageMask } from '../../web/src/state/state.ts';

let engine: Posenc;

beforeAll(async () => {
  engine = await load();
});

function ask(
  info: EncodingInfo,
  a: string,
  b: string,
  mask: PageMask,
): { question: Question; facts: Facts; comparison: ReturnType<Posenc['compare']> } {
  const question: Question = { ...tokenizePair(a, b), mask, seed: 7, head: 0, offset: 0 };
  const comparison = engine.compare(compareOptions(info, {}, question));
  const invariances = engine.invariances(invarianceOptions(info, {}, question));
  return { question, comparison, facts: factsOf(comparison, invariances, info, mask, question.a, question.b) };
}

const pairs = [
  ['Tom chased Jerry', 'Jerry chased Tom'],
  ['yesterday Tom chased Jerry', 'yesterday Jerry chased Tom'],
  ['我爱你', '你爱我'],
  ['屡战屡败', '屡败屡战'],
  ['the cat saw the dog', 'the dog saw the cat'],
  ['Tom ran', 'Jerry ran home'],
  ['Tom', 'Tom'],
  ['one two', 'three four'],
] as const;

describe('every sentence with a claim follows from the numbers beside it', () => {
  it.each(pairs)('%s / %s', (a, b) => {
    for (const info of engine.encodings) {
      for (const mask of ['none', 'causal'] as const) {
        const { facts, question, comparison } = ask(info, a, b, mask);
        const where = `${info.kind} ${mask}`;
        const checks: Readonly<Record<Verdict, boolean>> = {
          nothing_shared: comparison.mapping.every((index) => index < 0),
          same: sameWords(question.a, question.b) && comparison.maxDelta === 0,
          order_blind: comparison.exact && comparison.maxDelta === 0,
          mirror_blind: comparison.exact && isReverse(question.a, question.b) && mask === 'none',
          zero: comparison.exact,
          change: !comparison.exact && comparison.maxDelta > 0,
        };
        expect(checks[facts.verdict], `${where}: ${facts.verdict}`).toBe(true);
        for (const content of [en, zh]) {
          const text = plain(content.verdict(facts, encodingInSentence(content, info), question.a));
          if (facts.verdict === 'change') expect(text, where).toContain(formatSize(comparison.maxDelta));
          if (facts.verdict === 'order_blind') expect(text, where).toContain(String(facts.compared));
        }
      }
    }
  });

  it('says that the mask alone gives order away only without any encoding', () => {
    for (const info of engine.encodings) {
      for (const mask of ['none', 'causal'] as const) {
        const { facts } = ask(info, 'Tom chased Jerry', 'Jerry chased Tom', mask);
        expect(facts.maskAlone).toBe(info.seams.length === 0 && mask === 'causal');
      }
    }
  });

  it('has a mirror that the page can explain, and the two ways out of it', () => {
    const mirrored = engine.encodings.filter(
      (info) => ask(info, 'Tom chased Jerry', 'Jerry chased Tom', 'none').facts.verdict === 'mirror_blind',
    );
    expect(mirrored.length).toBeGreaterThan(0);
    for (const info of mirrored) {
      expect(ask(info, 'Tom chased Jerry', 'Jerry chased Tom', 'causal').facts.verdict).toBe('change');
      for (const content of [en, zh]) {
        const { word, separator } = content.padding;
        const { a, b } = content.sentences;
        expect(ask(info, word + separator + a, word + separator + b, 'none').facts.verdict).toBe('change');
      }
    }
  });

  it('prints the weights of the pinned pair as the engine has them', () => {
    for (const info of engine.encodings) {
      const { comparison, question } = ask(info, 'Tom chased Jerry', 'Jerry chased Tom', 'none');
      const cell = cellFacts(comparison, 'none', 0, 2);
      if (!cell) throw new Error('no cell');
      const text = plain(en.pair(cell, { query: question.a[0] ?? '', key: question.a[2] ?? '' }));
      expect(text).toContain(cell.delta === 0 ? formatWeight(cell.weightA) : 'instead of');
      // The parts are floats of their own: three roundings.
      expect(Math.abs(cell.a.content + cell.a.position + cell.a.bias - cell.a.logit)).toBeLessThan(1e-5);
    }
  });
});

describe('matrices', () => {
  it('by word, B is laid over A; by slot, it is itself', () => {
    const info = engine.encodings[0];
    if (!info) throw new Error('empty registry');
    const { comparison, question } = ask(info, 'Tom chased Jerry', 'Jerry chased Tom', 'none');
    const a = matrixModel('a', comparison, question.a, question.b, 'word');
    const b = matrixModel('b', comparison, question.a, question.b, 'word');
    const slots = matrixModel('b', comparison, question.a, question.b, 'slot');
    for (let row = 0; row < 3; row += 1)
      for (let col = 0; col < 3; col += 1) expect(b.value(row, col)).toBe(a.value(row, col));
    expect(slots.labels).toEqual(['Jerry', 'chased', 'Tom']);
    expect(slots.places).toEqual([2, 1, 0]);
    // The same cell has the same name in both arrangements: that is what slides.
    expect(slots.keys[0]).toBe(b.keys[2]);
    expect(slots.value(0, 2)).toBe(b.value(2, 0));
  });
});

describe('the two languages', () => {
  const shape = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return typeof value;
    if (Array.isArray(value)) return 'list';
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shape(inner)]));
  };
  // Translations of the description: what is missing comes from the description itself.
  const own = ({ encodings: _e, fields: _f, choices: _c, units: _u, ...rest }: Content): unknown => shape(rest);

  it('have the same keys', () => {
    expect(own(zh)).toEqual(own(en));
    expect(zh.presets).toHaveLength(en.presets.length);
  });

  it('translate every name, parameter, choice and unit of the registry into Chinese', () => {
    const missing: string[] = [];
    const need = (key: string, text: string | undefined): void => {
      if (!text) missing.push(key);
    };
    for (const info of engine.encodings) {
      const { kind } = info;
      need(`${kind} name`, zh.encodings[kind]?.name);
      need(`${kind} summary`, zh.encodings[kind]?.summary);
      for (const field of info.fields) {
        const { id, unit } = field;
        const words = { ...zh.fields[id], ...zh.fields[`${kind}.${id}`] };
        need(`${kind}.${id} label`, words.label);
        need(`${kind}.${id} doc`, words.doc);
        if (unit !== '') need(`${kind}.${id} unit`, zh.units[unit]);
        if (field.type !== 'choice') continue;
        for (const choice of field.choices)
          need(
            `${kind}.${id}.${choice.id}`,
            zh.choices[`${kind}.${id}.${choice.id}`] ?? zh.choices[`${id}.${choice.id}`],
          );
      }
    }
    expect(missing).toEqual([]);
  });

  it('have no words for what the registry does not have', () => {
    const known = new Set<string>();
    for (const { kind, fields } of engine.encodings) {
      known.add(kind);
      for (const field of fields) {
        const ids = [field.id, ...(field.type === 'choice' ? field.choices.map(({ id }) => `${field.id}.${id}`) : [])];
        for (const id of ids) known.add(id).add(`${kind}.${id}`);
        known.add(field.unit);
      }
    }
    for (const { encodings, fields, choices, units } of [en, zh])
      expect(
        [encodings, fields, choices, units].flatMap((part) => Object.keys(part)).filter((key) => !known.has(key)),
      ).toEqual([]);
  });

  it('have no English prose in Chinese: sentences are Chinese, and only names stay Latin', () => {
    const names = new Set([
      ...['d_model', 'half', 'mscale', 'mscale_all_dim'],
      ...['fairseq', 'ggml', 'gpt', 'oss', 'lucidrains', 'rope', 'vit', 'transformers', 'log'],
    ]);
    const check = (text: string): void => {
      const words = text.match(/\b[a-z][a-z_]{2,}\b/gu) ?? [];
      expect(
        words.filter((word) => !names.has(word)),
        text,
      ).toEqual([]);
    };
    const sentence = (text: string): void => {
      check(text);
      expect(text).toMatch(/^[^\n]*\p{Script=Han}[^\n]*。$/u);
      expect(text.match(/。/gu), text).toHaveLength(1);
    };
    for (const info of engine.encodings) {
      check(encodingName(zh, info));
      check(encodingInSentence(zh, info));
      sentence(encodingSummary(zh, info));
      for (const field of info.fields) {
        check(fieldLabel(zh, info, field));
        sentence(fieldDoc(zh, info, field));
        check(fieldUnit(zh, field));
        if (field.type === 'choice') for (const choice of field.choices) check(choiceLabel(zh, info, field, choice));
      }
    }
  });

  it('gives different encodings different names, and the choices of a field different labels', () => {
    const differ = (texts: readonly string[]): void => {
      expect(new Set(texts).size, texts.join(' ')).toBe(texts.length);
    };
    for (const content of [en, zh]) {
      differ(engine.encodings.map((info) => encodingName(content, info)));
      for (const info of engine.encodings)
        for (const field of info.fields)
          if (field.type === 'choice') differ(field.choices.map((choice) => choiceLabel(content, info, field, choice)));
    }
  });

  it('looks words up by encoding and field, then by field, then in the description', () => {
    const fire = engine.encodings.find(({ kind }) => kind === 'fire');
    const alibi = engine.encodings.find(({ kind }) => kind === 'alibi');
    const form = fire?.fields.find(({ id }) => id === 'form');
    if (!fire || !alibi || form?.type !== 'choice') throw new Error('no FIRE with a form');
    const causal = form.choices.find(({ id }) => id === 'causal');
    if (!causal) throw new Error('no causal form');
    const words: Content = {
      ...en,
      fields: { form: { label: 'any form', doc: 'any doc' }, 'fire.form': { label: 'of FIRE' } },
      choices: { 'form.causal': 'any causal', 'fire.form.causal': 'causal of FIRE' },
    };
    expect(fieldLabel(words, fire, form)).toBe('of FIRE');
    // The label has its own words; the doc has not, and takes the shared ones.
    expect(fieldDoc(words, fire, form)).toBe('any doc');
    expect(fieldLabel(words, alibi, form)).toBe('any form');
    expect(choiceLabel(words, fire, form, causal)).toBe('causal of FIRE');
    expect(choiceLabel(words, alibi, form, causal)).toBe('any causal');
    expect(choiceLabel(words, null, form, causal)).toBe('any causal');
    expect(valueText(words, fire, form, 'causal')).toBe('causal of FIRE');
    const none: Content = { ...en, fields: {}, choices: {} };
    expect(fieldLabel(none, fire, form)).toBe(form.label);
    expect(fieldDoc(none, fire, form)).toBe(form.doc);
    expect(choiceLabel(none, fire, form, causal)).toBe(causal.label);
  });

  it('uses full-width punctuation and corner brackets in Chinese', () => {
    const texts: string[] = [];
    const collect = (value: unknown): void => {
      if (typeof value === 'string') texts.push(value);
      else if (typeof value === 'object' && value !== null) Object.values(value).forEach(collect);
    };
    collect(zh);
    for (const text of texts) expect(text).not.toMatch(/\p{Script=Han}[,;:!?]|[“”]/u);
    // The source has the sentences with numbers too.
    const source = readFileSync(new URL('../../web/src/content/zh.ts', import.meta.url), 'utf8');
    expect(source.match(/\p{Script=Han} ?[,.;:!?()] ?\p{Script=Han}/gu)).toBeNull();
  });
});
