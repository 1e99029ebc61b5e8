import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { load } from 'posenc';
import type { Browser } from 'playwright-core';
import { build, createServer } from 'vite';
import type { InlineConfig } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { launch, startServer } from './browser.ts';
import { createPackedProject, resultOf } from './packed_project.ts';
import type { PackedProject } from './packed_project.ts';

// The packed package in other people's pages: without a bundler, and with Vite, built and served.

let browser: Browser;
let packed: PackedProject;

/** Prints the bytes of results in the page's title, computed in the page and in a worker. */
const SCRIPT = `
  import { load } from 'posenc';
  const options = { encoding: { kind: 'rope' }, a: ['Tom', 'chased', 'Jerry'], b: ['Jerry', 'chased', 'Tom'] };
  const bytes = ({ bInOrderOfA, a }) => [...new Uint32Array(bInOrderOfA.data.buffer), ...new Uint32Array(a.output.data.buffer)];
  try {
    const here = await load();
    const there = await load({ engine: 'worker' });
    globalThis.result = { here: bytes(here.compare(options)), there: bytes(await there.compare(options)) };
  } catch (error) {
    globalThis.result = { code: error.code, message: error.message, hint: error.hint };
  }
`;

async function expected(): Promise<number[]> {
  const posenc = await load();
  const { bInOrderOfA, a } = posenc.compare({
    encoding: { kind: 'rope' },
    a: ['Tom', 'chased', 'Jerry'],
    b: ['Jerry', 'chased', 'Tom'],
  });
  return [...new Uint32Array(bInOrderOfA.data.buffer), ...new Uint32Array(a.output.data.buffer)];
}

interface Result {
  readonly here?: number[];
  readonly there?: number[];
  readonly code?: string;
  readonly hint?: string;
}

beforeAll(async () => {
  packed = createPackedProject(SCRIPT);
  browser = await launch();
});

afterAll(async () => {
  await browser.close();
  packed.remove();
});

describe('the package in other pages gives the bytes of Node', () => {
  it('without a bundler, from a sub-folder', async () => {
    const { work, project } = packed;
    const site = join(work, 'plain');
    cpSync(join(project, 'node_modules/posenc/dist'), join(site, 'lib/posenc'), { recursive: true });
    const importMap = '{ "imports": { "posenc": "./lib/posenc/index.js" } }';
    const page = `<!doctype html><script type="importmap">${importMap}</script><script type="module">${SCRIPT}</script>`;
    writeFileSync(join(site, 'index.html'), page);
    const server = await startServer(work);
    try {
      const numbers = await expected();
      expect(await resultOf<Result>(browser, `${server.url}plain/`)).toEqual({ here: numbers, there: numbers });
    } finally {
      await server.close();
    }
  });

  it('built with Vite', async () => {
    await build({ ...packed.vite, base: './', build: { target: 'esnext' }, worker: { format: 'es' } });
    const server = await startServer(join(packed.project, 'dist'));
    try {
      const numbers = await expected();
      expect(await resultOf<Result>(browser, server.url)).toEqual({ here: numbers, there: numbers });
    } finally {
      await server.close();
    }
  });

  async function inDevServer(config: InlineConfig): Promise<Result> {
    const server = await createServer({ ...packed.vite, ...config, server: { host: '127.0.0.1', port: 0 } });
    try {
      await server.listen();
      return (await resultOf<Result>(browser, server.resolvedUrls?.local[0] ?? '')) ?? {};
    } finally {
      await server.close();
    }
  }

  it("served by Vite's dev server, with the line that the hint gives", async () => {
    const numbers = await expected();
    const result = await inDevServer({ optimizeDeps: { exclude: ['posenc'] } });
    expect(result).toEqual({ here: numbers, there: numbers });
  });

  it("served by Vite's dev server without it: works, or says which line is missing", async () => {
    const numbers = await expected();
    const result = await inDevServer({ cacheDir: join(packed.work, 'cache') });
    if (result.code === undefined) expect(result).toEqual({ here: numbers, there: numbers });
    else expect(result.hint).toContain("optimizeDeps: { exclude: ['posenc'] }");
  });
});
