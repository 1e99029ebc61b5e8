import { readFileSync } from 'node:fs';

import { load } from 'posenc';
import * as readerEntry from 'posenc/reader';
import * as shippedEntry from 'posenc/reader/shipped';
import { describe, expect, it } from 'vitest';

import { JERRY, projectPath, TOM } from './support.ts';

const readme = readFileSync(projectPath('README.md'), 'utf8');
const posenc = await load();

/** Lines `posenc.something(...); // result: remark` of the first example. */
const claims = [...readme.matchAll(/^(posenc\.(?:compare|invariances).*); \/\/ ([^:\n]+)/gm)].map(
  ([, code, result]) => ({
    code: code ?? '',
    result: result ?? '',
  }),
);

const AsyncFunction = (async () => undefined).constructor as new (
  ...text: string[]
) => (...values: unknown[]) => Promise<unknown>;

describe('the README', () => {
  it('makes claims', () => {
    expect(claims.length).toBe(4);
  });

  it.each(claims)('is right that $code is $result', ({ code, result }) => {
    // The text is our own README: running it is the test.
    // eslint-disable-next-line no-new-func
    const value: unknown = new Function('posenc', 'a', 'b', `return ${code}`)(posenc, TOM, JERRY);
    const shown = typeof value === 'number' ? String(Number(value.toFixed(2))) : String(value);
    expect(shown).toBe(result.trim());
  });

  it('lists every encoding with its parameters, but for those of one choice', () => {
    for (const { kind, fields } of posenc.encodings) {
      const row = readme.split('\n').find((line) => line.startsWith(`| \`${kind}\``));
      expect(row, kind).toBeDefined();
      const own = fields.filter(({ id, onlyWith }) => id !== 'seed' && id !== 'stddev' && onlyWith === null);
      for (const { id } of own) expect(row, kind).toContain(id);
    }
  });

  it('shows how a reader is asked and trained, and what it answers', async () => {
    const [, snippet = ''] = /```js\n(import \{ loadReaders[^`]*)```/.exec(readme) ?? [];
    const [, question = '', result] = /^(reader\.answer.*); \/\/ ([\d.]+)/m.exec(snippet) ?? [];
    const body = snippet.replace(/^import .*\n/gm, '').replace(question, `const claimed = ${question}`);
    const steps: number[] = [];
    const names = { ...readerEntry, ...shippedEntry, console: { log: (step: number) => steps.push(step) } };
    // The text is our own README: running it is the test.
    const run = new AsyncFunction(...Object.keys(names), `${body}\nreturn claimed;`);
    const claimed: unknown = await run(...Object.values(names));
    expect(Number(claimed).toFixed(2)).toBe(result);
    expect(steps.at(-1)).toBe(500);
  });
});
