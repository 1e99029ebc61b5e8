import { brokenRule } from '../errors.ts';
import type { PosencError, PosencErrorCode } from '../errors.ts';
import type { ConfigNote, ConfigNoteLevel } from './types.ts';

/** What was found, in the order in which it was found; the same remark counts once. */
export class Notes {
  readonly #notes: ConfigNote[] = [];
  readonly #seen = new Set<string>();

  add(level: ConfigNoteLevel, field: string, message: string): void {
    const key = `${level} ${field} ${message}`;
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    this.#notes.push({ level, field, message });
  }

  list(): readonly ConfigNote[] {
    return this.#notes;
  }
}

const kLongestText = 60;

/** A value as one would write it, cut where it gets long. */
export function textOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? typeof value);
  return text.length > kLongestText ? `${text.slice(0, kLongestText)}…` : text;
}

/** The error for a field of a configuration. `rule` completes "<field> must ...". */
export function refused(code: PosencErrorCode, field: string, rule: string, value: unknown): PosencError {
  return brokenRule(code, field, rule, textOf(value));
}
