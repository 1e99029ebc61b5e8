import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changedParams } from '../../web/src/logic/fields.ts';
import { initialState, type State } from '../../web/src/state/state.ts';
import { decodeState, encodeState } from '../../web/src/state/url.ts';
import { kRegistry } from './registry.ts';

const sentences = { a: 'Tom chased Jerry', b: 'Jerry chased Tom' };
const initial = initialState(kRegistry, sentences);
const encode = (state: State): string => encodeState(state, kRegistry, sentences);
const decode = (hash: string): ReturnType<typeof decodeState> => decodeState(hash, kRegistry, sentences);

describe('link: what it looks like', () => {
  it('is empty when everything is as it comes', () => {
    expect(encode(initial)).toBe('');
    expect(decode('')).toEqual({ state: initial, notices: [] });
    expect(decode('#')).toEqual({ state: initial, notices: [] });
  });

  it('is readable, and leaves defaults out', () => {
    const state: State = {
      ...initial,
      encoding: 'full',
      params: { full: { theta: 500_000, signed: false, factors: [1, 2.5] } },
      a: 'a b',
      mask: 'causal',
      seed: 8,
      query: 0,
      key: 2,
    };
    expect(encode(state)).toBe(
      'v=1&e=full&theta=5e5&signed=0&factors=1%2C2.5&a=a+b&b=Jerry+chased+Tom&m=causal&s=8&q=0&k=2',
    );
  });

  it('gives a parameter that is named like a part of the page a name of its own', () => {
    const state: State = { ...initial, encoding: 'full', params: { full: { q: 4 } }, query: 1 };
    expect(encode(state)).toBe('v=1&e=full&p.q=4&q=1');
    expect(decode(encode(state)).state).toEqual(state);
  });
});

describe('link: parameters that depend on a choice', () => {
  it('are written and read only while they mean something', () => {
    const state: State = { ...initial, encoding: 'full', params: { full: { form: 'two', depends: 5 } } };
    expect(encode(state)).toBe('v=1&e=full&form=two&depends=5');
    expect(decode(encode(state)).state).toEqual(state);
    expect(encode({ ...state, params: { full: { depends: 5 } } })).toBe('v=1&e=full');
  });

  it('are handed on when they mean nothing', () => {
    const { state, notices } = decode('v=1&e=full&depends=5');
    expect(notices).toEqual([]);
    expect(state.params).toEqual({});
    expect(encode(state)).toBe('v=1&e=full&depends=5');
  });
});

describe('link: links that were given away', () => {
  // Never change an expectation here: these links are in other people's articles.
  it.each([
    ['v=1&e=full&theta=5e5', { encoding: 'full', params: { full: { theta: 500_000 } } }],
    ['v=1&a=Tom+chased+Jerry&b=Jerry+chased+Tom', {}],
    ['v=1&a=%E6%88%91%E7%88%B1%E4%BD%A0&b=%E4%BD%A0%E7%88%B1%E6%88%91', { a: '我爱你', b: '你爱我' }],
    ['v=1&a=New%C2%A0York+is+big&b=big', { a: 'New\u00a0York is big', b: 'big' }],
    ['v=1&m=causal&s=9&h=2&o=7&q=0&k=1', { mask: 'causal', seed: 9, head: 2, offset: 7, query: 0, key: 1 }],
    [
      'v=1&w=slot&z=fit&p=table&r=change&t=char&lang=zh&theme=dark',
      { align: 'slot', scale: 'fit', view: 'table', sort: 'change', split: 'char', lang: 'zh', theme: 'dark' },
    ],
    ['v=1&g=reader&l=1&q=-1', { weights: 'reader', layer: 1, query: -1 }],
    ['v=1&ts=3&tn=9', { trainSeed: 3, trainSteps: 9 }],
    ['v=1&a=one+two+three', { a: 'one two three', b: 'three two one' }],
    ['v=1&a=&b=', { a: '', b: '' }],
  ])('%s', (hash, expected) => {
    const { state, notices } = decode(hash);
    expect(notices).toEqual([]);
    expect(state).toEqual({ ...initial, ...expected });
  });

  it('keeps parts that it does not know, in any order', () => {
    const { state, notices } = decode('#later=1&e=other&v=1&x=%3Cb%3E');
    expect(notices).toEqual([]);
    expect(state.unknown).toEqual([
      ['later', '1'],
      ['x', '<b>'],
    ]);
    expect(new URLSearchParams(encode(state)).get('x')).toBe('<b>');
  });
});

describe('link: what cannot be taken', () => {
  it.each([
    ['e=nothing', 'e', 'unknown_value', 'plain'],
    ['m=sideways', 'm', 'unknown_value', 'none'],
    ['h=99', 'h', 'out_of_range', '3'],
    ['s=-1', 's', 'out_of_range', '0'],
    ['s=seven', 's', 'wrong_type', '7'],
    ['g=learned', 'g', 'unknown_value', 'seeded'],
    ['l=2', 'l', 'out_of_range', '1'],
    ['tn=0', 'tn', 'out_of_range', '1'],
    ['q=-2', 'q', 'out_of_range', '-1'],
    ['o=1.5', 'o', 'out_of_range', '2'],
    ['lang=fr', 'lang', 'unknown_value', 'auto'],
    ['e=full&theta=-5', 'theta', 'out_of_range', '1'],
    ['e=full&theta=NaN', 'theta', 'wrong_type', '1e4'],
    ['e=full&rotary_dim=7', 'rotary_dim', 'out_of_range', '8'],
    ['e=full&rotary_dim=64', 'rotary_dim', 'out_of_range', '16'],
    ['e=full&signed=perhaps', 'signed', 'wrong_type', '1'],
    ['e=full&form=three', 'form', 'out_of_range', 'one'],
    ['e=full&factors=1,x', 'factors', 'wrong_type', '1,2'],
    ['e=full&factors=1,200', 'factors', 'out_of_range', '1,100'],
  ])('%s is replaced, and named', (hash, field, code, used) => {
    const { notices } = decode(hash);
    expect(notices).toHaveLength(1);
    expect(notices[0]).toMatchObject({ field, code, used });
  });

  it('never throws, and never gives a state that the page refuses', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.dictionary(
          fc.constantFrom('v', 'e', 'a', 'b', 'm', 's', 'h', 'q', 'k', 'o', 'theta', 'form', 'lang', 'p.q'),
          fc.oneof(fc.string(), fc.constantFrom('full', '1e999', '-0', '%', 'NaN')),
        ),
        (noise, parts) => {
          for (const hash of [noise, new URLSearchParams(parts).toString()]) {
            const { state } = decode(hash);
            expect(kRegistry.map((info) => info.kind)).toContain(state.encoding);
            expect(Number.isSafeInteger(state.seed) && state.seed >= 0).toBe(true);
            expect(state.head).toBeLessThan(4);
          }
        },
      ),
    );
  });
});

describe('link: there and back', () => {
  const states = fc.record({
    encoding: fc.constantFrom('plain', 'full', 'other'),
    a: fc.string({ unit: 'grapheme' }),
    b: fc.string({ unit: 'grapheme' }),
    mask: fc.constantFrom('none' as const, 'causal' as const),
    split: fc.constantFrom('auto' as const, 'char' as const, 'word' as const),
    align: fc.constantFrom('word' as const, 'slot' as const),
    scale: fc.constantFrom('fixed' as const, 'fit' as const),
    sort: fc.constantFrom('family' as const, 'change' as const),
    view: fc.constantFrom('picture' as const, 'table' as const),
    lang: fc.constantFrom(null, 'en' as const, 'zh' as const),
    theme: fc.constantFrom(null, 'light' as const, 'dark' as const),
    weights: fc.constantFrom('seeded' as const, 'reader' as const),
    layer: fc.nat({ max: 1 }),
    trainSeed: fc.maxSafeNat(),
    trainSteps: fc.integer({ min: 1, max: 2000 }),
    seed: fc.maxSafeNat(),
    head: fc.nat({ max: 3 }),
    offset: fc.nat({ max: 100_000 }),
    query: fc.option(fc.integer({ min: -1, max: 511 })),
    key: fc.option(fc.integer({ min: -1, max: 511 })),
    theta: fc.double({ min: 1, max: 1e8, noNaN: true }),
    width: fc.constantFrom(2, 4, 8, 16),
    factors: fc.array(fc.double({ min: 0, max: 100, noNaN: true }).map(Math.abs), { maxLength: 5 }),
    signed: fc.boolean(),
    form: fc.constantFrom('one', 'two'),
  });

  it('loses nothing', () => {
    fc.assert(
      fc.property(states, ({ theta, width, factors, signed, form, ...rest }) => {
        const params = { theta, rotary_dim: width, factors, signed, form, spread: 0.5 };
        const info = kRegistry.find(({ kind }) => String(kind) === rest.encoding);
        if (!info) throw new Error('no such encoding');
        const changed = changedParams(info, params);
        const state: State = {
          ...initial,
          ...rest,
          params: Object.keys(changed).length > 0 ? { [info.kind]: changed } : {},
        };
        expect(decode(encode(state))).toEqual({ state, notices: [] });
      }),
    );
  });

  it('does not depend on the order of the parts', () => {
    fc.assert(
      fc.property(states, fc.infiniteStream(fc.nat()), ({ theta, signed, ...rest }, random) => {
        const state: State = { ...initial, ...rest, encoding: 'full', params: { full: { theta, signed } } };
        const parts = [...new URLSearchParams(encode(state))];
        const mixed = parts.map((part) => [random.next().value, part] as const).toSorted((x, y) => x[0] - y[0]);
        expect(decode(new URLSearchParams(mixed.map(([, [key, value]]) => [key, value])).toString())).toEqual(
          decode(encode(state)),
        );
      }),
    );
  });
});
