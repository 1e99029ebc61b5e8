import type { Notes } from './notes.ts';
import { refused, textOf } from './notes.ts';

/** What a number must be. */
export interface NumberRule {
  /** Completes "<field> must ...". */
  readonly rule: string;
  readonly accepts: (value: number) => boolean;
}

export const kCount: NumberRule = {
  rule: 'be a whole number from 1',
  accepts: (value) => Number.isSafeInteger(value) && value >= 1,
};
export const kPositive: NumberRule = { rule: 'be more than 0', accepts: (value) => value > 0 };
export const kNotNegative: NumberRule = { rule: 'be 0 or more', accepts: (value) => value >= 0 };
export const kWhole: NumberRule = { rule: 'be a whole number', accepts: Number.isSafeInteger };

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A value and the path it was found at. */
export interface Found<T> {
  readonly value: T;
  readonly field: string;
}

/** Names of a value, the usual one first: what one model calls `hidden_size` is `n_embd` in another. */
export type Names = string | readonly string[];

/**
 * Reads an object of a config.json: checks types, knows the other names of a value, fills in the defaults of the model,
 * and notes what was read and what was not. `null` counts as not given, as in Hugging Face.
 */
export class Reader {
  readonly notes: Notes;
  readonly #values: Readonly<Record<string, unknown>>;
  readonly #path: string;
  readonly #defaults: Readonly<Record<string, unknown>>;
  readonly #owner: string;
  readonly #read = new Set<string>();

  constructor(
    values: Readonly<Record<string, unknown>>,
    context: { notes: Notes; path?: string; defaults?: Readonly<Record<string, unknown>>; owner?: string },
  ) {
    this.#values = values;
    this.notes = context.notes;
    this.#path = context.path ?? '';
    this.#defaults = context.defaults ?? {};
    this.#owner = context.owner ?? 'Hugging Face';
  }

  /** Path of a key of this object. */
  field(key: string): string {
    return this.#path === '' ? key : `${this.#path}.${key}`;
  }

  keys(): readonly string[] {
    return Object.keys(this.#values).filter((key) => this.#values[key] !== undefined);
  }

  /** A value as it stands, unchecked; looking does not count as reading. */
  peek(key: string): unknown {
    return this.#values[key];
  }

  /** Keys that nothing has asked for. */
  unread(): readonly string[] {
    return this.keys().filter((key) => !this.#read.has(key));
  }

  markRead(key: string): void {
    this.#read.add(key);
  }

  /** Whether the file itself gives a value; asking does not count as reading. */
  gives(names: Names): boolean {
    return namesOf(names).some((name) => this.#isSet(name));
  }

  /** Whether the key is there with `null` in it. */
  isNull(key: string): boolean {
    return this.#values[key] === null;
  }

  number(names: Names, rule: NumberRule): Found<number> | undefined {
    return this.#value(names, (value, field) => checkNumber(value, field, rule));
  }

  boolean(names: Names): Found<boolean> | undefined {
    return this.#value(names, (value, field) => {
      if (typeof value === 'boolean') return value;
      throw refused('wrong_type', field, 'be true or false', value);
    });
  }

  string(names: Names): Found<string> | undefined {
    return this.#value(names, (value, field) => {
      if (typeof value === 'string') return value;
      throw refused('wrong_type', field, 'be text', value);
    });
  }

  /** A list of which each element is a number. */
  numbers(names: Names, rule: NumberRule): Found<readonly number[]> | undefined {
    return this.#value(names, (value, field) =>
      checkList(value, field).map((element, index) => checkNumber(element, `${field}[${index}]`, rule)),
    );
  }

  strings(names: Names): Found<readonly string[]> | undefined {
    return this.#value(names, (value, field) =>
      checkList(value, field).map((element, index) => {
        if (typeof element === 'string') return element;
        throw refused('wrong_type', `${field}[${index}]`, 'be text', element);
      }),
    );
  }

  /** A value of any type. */
  any(names: Names): Found<unknown> | undefined {
    return this.#value(names, (value) => value);
  }

  /** An object inside this one; the defaults are those for its own keys. */
  object(key: string, defaults: Readonly<Record<string, unknown>> = {}): Reader | undefined {
    this.#read.add(key);
    if (!this.#isSet(key)) return undefined;
    const value = this.#values[key];
    if (!isRecord(value)) throw refused('wrong_type', this.field(key), 'be an object', value);
    return new Reader(value, { notes: this.notes, path: this.field(key), defaults, owner: this.#owner });
  }

  /** The default object of a key that the file does not give, as if it stood there. */
  defaultObject(key: string): Reader | undefined {
    const value = this.#defaults[key];
    if (!isRecord(value)) return undefined;
    return new Reader({}, { notes: this.notes, path: this.field(key), defaults: value, owner: this.#owner });
  }

  #isSet(key: string): boolean {
    return this.#values[key] !== undefined && this.#values[key] !== null;
  }

  /** The first name that is given; the others are held against it. */
  #value<T>(names: Names, check: (value: unknown, field: string) => T): Found<T> | undefined {
    const given = namesOf(names).filter((name) => this.#isSet(name));
    for (const name of namesOf(names)) this.#read.add(name);
    const [first, ...others] = given;
    if (first === undefined) return this.#default(namesOf(names), check);
    const field = this.field(first);
    const value = check(this.#values[first], field);
    this.notes.add('used', field, `${first} = ${textOf(value)}`);
    for (const other of others) {
      if (textOf(this.#values[other]) === textOf(value)) continue;
      const message = `${other} = ${textOf(this.#values[other])} contradicts ${first}; ${first} wins`;
      this.notes.add('warning', this.field(other), message);
    }
    return { value, field };
  }

  #default<T>(names: readonly string[], check: (value: unknown, field: string) => T): Found<T> | undefined {
    const name = names.find((candidate) => this.#defaults[candidate] !== undefined);
    if (name === undefined) return undefined;
    const field = this.field(name);
    const value = check(this.#defaults[name], field);
    this.notes.add('default', field, `${name} = ${textOf(value)}: not given, the default of ${this.#owner}`);
    return { value, field };
  }
}

function namesOf(names: Names): readonly string[] {
  return typeof names === 'string' ? [names] : names;
}

function checkList(value: unknown, field: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw refused('wrong_type', field, 'be a list', value);
}

/** Refuses what is not a number, or not one that the rule accepts. */
export function checkNumber(value: unknown, field: string, rule: NumberRule): number {
  if (typeof value !== 'number') throw refused('wrong_type', field, `${rule.rule}, as a number`, value);
  if (!Number.isFinite(value)) throw refused('not_finite', field, rule.rule, value);
  if (!rule.accepts(value)) throw refused('out_of_range', field, rule.rule, value);
  return value;
}
