import { load } from '../../dist/node.js';
import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const source = fileURLToPath(new URL('../../web/src', import.meta.url));
const files = readdirSync(source, { recursive: true, encoding: 'utf8' });
const text = (name: string): string => readFileSync(join(source, name), 'utf8');

describe('source of the page', () => {
  it('names no encoding outside its texts', async () => {
    const engine = await load();
    const names = engine.encodings.flatMap(({ kind, name }) => [kind, name]).filter((name) => name !== 'none');
    for (const file of files.filter((name) => name.endsWith('.ts') && !name.startsWith('content'))) {
      for (const name of names)
        expect(
          new RegExp(`['"\`]${name.replace(/[\\^$.*+?()[\]{}|]/gu, '\\$&')}['"\`]`, 'iu').test(text(file)),
          `${name} in ${file}`,
        ).toBe(false);
    }
  });

  it('takes every colour from the tokens', () => {
    for (const file of files.filter((name) => name.endsWith('.css') && !name.endsWith('tokens.css'))) {
      expect(text(file).replace(/url\([^)]*\)/gu, ''), file).not.toMatch(
        /#[0-9a-f]{3,8}\b|\brgba?\(|\bhsla?\(|\boklch\(/iu,
      );
    }
  });

  it('uses only tokens that exist', () => {
    const defined = new Set(Array.from(text('styles/tokens.css').matchAll(/(--posenc-[\w-]+):/gu), ([, name]) => name));
    for (const file of files.filter((name) => name.endsWith('.css'))) {
      for (const [, name] of text(file).matchAll(/var\((--[\w-]+)/gu))
        expect(defined.has(name), `${name ?? ''} in ${file}`).toBe(true);
    }
  });
});
