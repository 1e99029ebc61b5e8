import { createHash } from 'node:crypto';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Browser } from 'playwright-core';
import { loadReaders } from 'posenc/reader';
import { shippedWeights } from 'posenc/reader/shipped';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { launch, startServer } from './browser.ts';
import { createPackedProject, resultOf } from './packed_project.ts';
import type { PackedProject } from './packed_project.ts';

// Readers of the packed package in other people's pages.

const POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'";

/** Trains in the page and in a worker, and asks a shipped reader. */
const SCRIPT = `
  import { loadReaders, trainInWorker } from 'posenc/reader';
  import { shippedWeights } from 'posenc/reader/shipped';
  const hash = async (bytes) => [...new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  const options = { encoding: { kind: 'rope' }, mask: { kind: 'causal' }, steps: 30 };
  const workers = () => performance.getEntriesByType('resource').filter(({ name }) => /reader_worker/.test(name)).length;
  try {
    const readers = await loadReaders();
    const here = await hash(await readers.train(options).done);
    let steps = 0;
    const onProgress = ({ history }) => { steps += history.loss.length; };
    const there = await hash(await trainInWorker({ ...options, onProgress }).done);
    const reader = readers.loadWeights(await shippedWeights('rope', 'causal'));
    const { who } = reader.answer(['Jerry', 'chased', 'Tom']);
    globalThis.result = { here, there, steps, workers: workers(), who: [...new Uint32Array(who.buffer)] };
  } catch (error) {
    globalThis.result = { code: error.code, message: error.message };
  }
`;

interface Result {
  readonly here: string;
  readonly there: string;
  readonly steps: number;
  readonly workers: number;
  readonly who: readonly number[];
}

let browser: Browser;
let packed: PackedProject;
let expected: Result;

beforeAll(async () => {
  packed = createPackedProject(SCRIPT, `<meta http-equiv="Content-Security-Policy" content="${POLICY}">`);
  browser = await launch();
  const readers = await loadReaders();
  const file = await readers.train({ encoding: { kind: 'rope' }, mask: { kind: 'causal' }, steps: 30 }).done;
  const sha = createHash('sha256').update(file).digest('hex');
  using reader = readers.loadWeights(await shippedWeights('rope', 'causal'));
  const { who } = reader.answer(['Jerry', 'chased', 'Tom']);
  expected = { here: sha, there: sha, steps: 30, workers: 1, who: [...new Uint32Array(who.buffer)] };
});

afterAll(async () => {
  await browser.close();
  packed.remove();
});

describe('readers in other pages have the bytes of Node', () => {
  it('without a bundler, from a sub-folder', async () => {
    const { work, project } = packed;
    const site = join(work, 'plain');
    cpSync(join(project, 'node_modules/posenc/dist'), join(site, 'lib/posenc'), { recursive: true });
    const imports = {
      'posenc/reader': './lib/posenc/reader.js',
      'posenc/reader/shipped': './lib/posenc/reader_shipped.js',
    };
    const importMap = `<script type="importmap">${JSON.stringify({ imports })}</script>`;
    writeFileSync(join(site, 'index.html'), `<!doctype html>${importMap}<script type="module">${SCRIPT}</script>`);
    const server = await startServer(work);
    try {
      expect(await resultOf<Result>(browser, `${server.url}plain/`)).toEqual(expected);
    } finally {
      await server.close();
    }
  });

  it('built with Vite, under a strict content security policy', async () => {
    await build({ ...packed.vite, base: './', build: { target: 'esnext' }, worker: { format: 'es' } });
    const server = await startServer(join(packed.project, 'dist'));
    try {
      expect(await resultOf<Result>(browser, server.url)).toEqual(expected);
    } finally {
      await server.close();
    }
  });
});
