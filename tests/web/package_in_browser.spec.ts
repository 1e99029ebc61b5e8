import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { load } from 'posenc';
import type { Browser } from 'playwright-core';
import { build, createServer } from 'vite';
import type { InlineConfig } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { launch, startServer } from './browser.ts';

// The packed package in other people's pages: without a bundler, and with Vite, built and served.

const root = fileURLToPath(new URL('../..', import.meta.url));
const work = mkdtempSync(join(tmpdir(), 'posenc-'));
const project = join(work, 'project');
let browser: Browser;

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

async function resultOf(address: string): Promise<Result> {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    await page.goto(address);
    const result = await page.waitForFunction(() => (globalThis as { result?: Result }).result, undefined, {
      timeout: 30_000,
    });
    return (await result.jsonValue()) ?? {};
  } finally {
    await context.close();
  }
}

beforeAll(async () => {
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(project, 'index.html'), '<!doctype html><script type="module" src="./main.js"></script>');
  writeFileSync(join(project, 'main.js'), SCRIPT);
  const packed = execFileSync('npm', ['pack', '--silent', '--pack-destination', work], { cwd: root, encoding: 'utf8' });
  execFileSync('npm', ['install', '--silent', '--no-audit', '--no-fund', join(work, packed.trim())], { cwd: project });
  browser = await launch();
});

afterAll(async () => {
  await browser.close();
  rmSync(work, { recursive: true, force: true });
});

const common = { root: project, configFile: false, logLevel: 'error' } satisfies InlineConfig;

describe('the package in other pages gives the bytes of Node', () => {
  it('without a bundler, from a sub-folder', async () => {
    const site = join(work, 'plain');
    cpSync(join(project, 'node_modules/posenc/dist'), join(site, 'lib/posenc'), { recursive: true });
    const importMap = '{ "imports": { "posenc": "./lib/posenc/index.js" } }';
    const page = `<!doctype html><script type="importmap">${importMap}</script><script type="module">${SCRIPT}</script>`;
    writeFileSync(join(site, 'index.html'), page);
    const server = await startServer(work);
    try {
      const numbers = await expected();
      expect(await resultOf(`${server.url}plain/`)).toEqual({ here: numbers, there: numbers });
    } finally {
      await server.close();
    }
  });

  it('built with Vite', async () => {
    await build({ ...common, base: './', build: { target: 'esnext' }, worker: { format: 'es' } });
    const server = await startServer(join(project, 'dist'));
    try {
      const numbers = await expected();
      expect(await resultOf(server.url)).toEqual({ here: numbers, there: numbers });
    } finally {
      await server.close();
    }
  });

  async function inDevServer(config: InlineConfig): Promise<Result> {
    const server = await createServer({ ...common, ...config, server: { host: '127.0.0.1', port: 0 } });
    try {
      await server.listen();
      return await resultOf(server.resolvedUrls?.local[0] ?? '');
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
    const result = await inDevServer({ cacheDir: join(work, 'cache') });
    if (result.code === undefined) expect(result).toEqual({ here: numbers, there: numbers });
    else expect(result.hint).toContain("optimizeDeps: { exclude: ['posenc'] }");
  });
});
