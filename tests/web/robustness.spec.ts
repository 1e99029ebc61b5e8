import { cp, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  cells,
  choose,
  kPageFolder,
  launch,
  settle,
  startServer,
  typeSentence,
  visit,
  type Server,
} from './browser.ts';

let browser: Browser;
let server: Server;

beforeAll(async () => {
  [browser, server] = await Promise.all([launch(), startServer()]);
});

afterAll(async () => {
  await browser.close();
  await server.close();
});

describe('the page anywhere', () => {
  it('works in a sub-folder', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'posenc-page-'));
    await cp(kPageFolder, join(folder, 'deep', 'er'), { recursive: true });
    const nested = await startServer(folder);
    const { page, errors, close } = await visit(browser, `${nested.url}deep/er/#e=rope`);
    expect((await cells(page, 'delta')).some((text) => text !== '= 0')).toBe(true);
    expect(errors).toEqual([]);
    await close();
    await nested.close();
    await rm(folder, { recursive: true });
  });

  it('works as ?embed in a frame that may only run scripts, and tells its height', async () => {
    const host = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(`<!doctype html><script>addEventListener('message', (event) => { if (event.data?.type === 'posenc:size') window.size = event.data; });</script>
        <iframe sandbox="allow-scripts" width="720" height="640" src="${server.url}?embed&id=one#e=rope&theme=dark"></iframe>`);
    });
    await new Promise<void>((done) => host.listen(0, '127.0.0.1', done));
    const address = host.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`http://127.0.0.1:${port}/`);
    const frame = page.frameLocator('iframe');
    await frame.locator('html[data-engine="ready"] .panel').first().waitFor();
    expect(await frame.locator('header').count()).toBe(0);
    expect(await frame.locator('.scoreboard').count()).toBe(0);
    await page.waitForFunction(() => 'size' in window);
    const size = await page.evaluate(() => (window as unknown as { size: { height: number; id: string } }).size);
    expect(size.id).toBe('one');
    expect(size.height).toBeGreaterThan(300);
    // No worker may start here: long text is computed on the page.
    await frame.locator('.row-a .chip').first().click();
    await frame.locator('.sentence-input').fill(Array.from({ length: 40 }, (_, index) => `w${index}`).join(' '));
    await frame.locator('.panel-a .matrix-canvas[aria-rowcount="40"]').waitFor();
    await context.close();
    await new Promise((done) => host.close(done));
  });
});

describe('without an engine', () => {
  const failures = [
    { name: '404', code: 'wasm_not_found', says: 'did not arrive', fulfil: { status: 404, body: 'no' } },
    {
      name: 'an HTML page',
      code: 'wasm_not_wasm',
      says: 'something else',
      fulfil: { status: 200, contentType: 'text/html', body: '<!doctype html><title>home</title>' },
    },
    {
      name: 'an empty file',
      code: 'wasm_not_wasm',
      says: 'something else',
      fulfil: { status: 200, contentType: 'application/wasm', body: '' },
    },
  ] as const;

  it.each(failures)(
    'keeps the saved picture and the reader’s text when the file is $name',
    async ({ code, says, fulfil }) => {
      const { page, close } = await visit(browser, server.url, {
        withoutEngine: true,
        before: (target) => target.route('**/*.wasm', (route) => route.fulfill(fulfil)),
      });
      expect(await page.locator('.failure').getAttribute('data-code')).toBe(code);
      expect(await page.locator('.failure').textContent()).toContain(says);
      expect(await page.locator('.failure').textContent()).toContain('saved picture');
      expect(await cells(page, 'delta')).toEqual(Array(9).fill('= 0'));
      await typeSentence(page, 'b', 'my own words');
      await choose(page, 'RoPE');
      expect(await page.locator('.row-b .chip-word').allTextContents()).toEqual(['my', 'own', 'words']);
      expect(await cells(page, 'delta')).toEqual(Array(9).fill('= 0'));
      await page.unroute('**/*.wasm');
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.waitForSelector('html[data-engine="ready"]');
      await settle(page);
      expect(await page.locator('.failure').count()).toBe(0);
      expect(await page.locator('.row-b .chip-word').allTextContents()).toEqual(['my', 'own', 'words']);
      await close();
    },
  );

  it('says so when WebAssembly is blocked', async () => {
    const html = await readFile(join(kPageFolder, 'index.html'), 'utf8');
    const folder = await mkdtemp(join(tmpdir(), 'posenc-blocked-'));
    await cp(kPageFolder, folder, { recursive: true });
    expect(html).toContain("'wasm-unsafe-eval'");
    await writeFile(join(folder, 'index.html'), html.replace(" 'wasm-unsafe-eval'", ''));
    const blocked = await startServer(folder);
    const { page, close } = await visit(browser, blocked.url, { withoutEngine: true, locale: 'zh-CN' });
    expect(await page.locator('.failure').getAttribute('data-code')).toBe('wasm_blocked');
    expect(await page.locator('.failure').textContent()).toContain('禁用了 WebAssembly');
    expect(await page.locator('.panel-a .cell').count()).toBe(9);
    await close();
    await blocked.close();
    await rm(folder, { recursive: true });
  });
});

describe('the built files', () => {
  it('hold no inline script, no inline style and no foreign address', async () => {
    const html = await readFile(join(kPageFolder, 'index.html'), 'utf8');
    expect(html).not.toMatch(/<script(?![^>]*\bsrc=)/u);
    expect(html).not.toMatch(/\sstyle=|<style/u);
    for (const [, address] of html.matchAll(/(?:src|href)="([^"]+)"/gu)) expect(address).toMatch(/^\.\//u);
  });

  it.each([
    ['of the page', 120_000, (name: string) => !name.includes('worker')],
    ['of its workers', 20_000, (name: string) => name.includes('worker')],
  ] as const)('stay small, compressed: HTML, CSS and JavaScript %s below %i bytes', async (_whose, most, isIt) => {
    const { gzipSync } = await import('node:zlib');
    const names = await readdir(kPageFolder, { recursive: true });
    const files = names.filter((name) => /\.(html|css|js)$/u.test(name) && isIt(name));
    const sizes = await Promise.all(
      files.map(async (name) => gzipSync(await readFile(join(kPageFolder, name)), { level: 9 }).length),
    );
    expect(files.length).toBeGreaterThan(0);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(most);
  });
});
