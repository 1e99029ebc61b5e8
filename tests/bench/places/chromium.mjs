/** Runs cases in Chromium: a new page with a fresh profile for each. */
import { existsSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { chromium } from 'playwright-core';

import { serve } from '../../../scripts/serve.mjs';
import { LANGUAGE_MODEL_WASM, LIMITS_WASM, OUTPUT, project, TF_WASM_FOLDER } from '../paths.mjs';
import { bundle } from '../peers/bundle.mjs';

const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync']; // prettier-ignore

/** As openNode() of node.mjs; null where there is no Chromium. */
export async function openChromium({ peers = [], why = {} } = {}) {
  const executablePath = process.env.POSENC_CHROMIUM ?? '/usr/bin/chromium';
  if (!existsSync(executablePath)) return null;
  const there = peers.filter((id) => why[id] === undefined);
  for (const library of ['posenc', ...there]) await bundle(library, 'chromium');
  const { url, close: closeServer } = await serve({ dir: project('.'), port: 0 });
  const browser = await chromium.launch({ executablePath, args: FLAGS });

  async function ask(request, onResponse) {
    const context = await browser.newContext();
    try {
      const page = await context.newPage();
      if (onResponse !== undefined) page.on('response', onResponse);
      const paths = {
        bundles: `/${OUTPUT}/bundles`,
        limitsWasm: `/${LIMITS_WASM}`,
        languageModelWasm: `/${LANGUAGE_MODEL_WASM}`,
        tfWasmFolder: `/${TF_WASM_FOLDER}`,
      };
      await page.goto(`${url}tests/bench/places/page.html?${new URLSearchParams(paths)}`);
      await page.waitForFunction(() => window.answer !== undefined);
      return await page.evaluate((asked) => window.answer(asked), request);
    } finally {
      await context.close();
    }
  }

  return {
    id: 'chromium',
    name: `Chromium ${browser.version()}`,
    peers: there,
    run: (request) => ask({ ...request, peers, why }),
    /** Also what the library downloads until then, compressed. */
    async ready(library) {
      const files = new Set();
      const ms = await ask({ library }, (response) => files.add(new URL(response.url()).pathname.slice(1)));
      const own = [...files].filter((file) => file.startsWith(`${OUTPUT}/bundles/`) || file.startsWith(TF_WASM_FOLDER));
      const gzipKB =
        own.reduce((sum, file) => sum + gzipSync(readFileSync(project(file)), { level: 9 }).length, 0) / 1000;
      return { ms, gzipKB };
    },
    async close() {
      await browser.close();
      await closeServer();
    },
  };
}
