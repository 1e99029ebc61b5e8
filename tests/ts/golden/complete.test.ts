import { readFileSync, readdirSync } from 'node:fs';

import { expect, it } from 'vitest';

import { projectPath } from '../support.ts';

const names = (folder: string, suffix: string) =>
  readdirSync(projectPath(folder))
    .filter((file) => file.endsWith(suffix))
    .map((file) => file.slice(0, -suffix.length));

/** Files that the tests of this folder ask `golden()` for; it fails on a file that does not exist or has no cases. */
const used = names('tests/ts/golden', '.test.ts').flatMap((test) => {
  const source = readFileSync(projectPath(`tests/ts/golden/${test}.test.ts`), 'utf8');
  return [...source.matchAll(/\bgolden\('([^']+)'\)/g)].map((match) => match[1] ?? '');
});

it('every golden file is checked through the package', () => {
  const files = names('tests/golden', '.json');
  expect(files.length).toBeGreaterThan(0);
  expect(files.filter((file) => !used.includes(file))).toEqual([]);
});
