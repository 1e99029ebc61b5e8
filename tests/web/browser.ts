/** A Chromium with a fresh profile, and the built page behind a small static server. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';

export const kPageFolder = fileURLToPath(new URL('../../web/dist', import.meta.url));
const kFlags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export async function launch(): Promise<Browser> {
  if (!existsSync(kPageFolder)) throw new Error('web/dist is missing: build the page first');
  return chromium.launch({ executablePath: process.env['POSENC_CHROMIUM'] ?? '/usr/bin/chromium', args: kFlags });
}

export interface Server {
  readonly url: string;
  close(): Promise<unknown>;
}

type Serve = (options: { dir: string; port: number }) => Promise<{ url: string; close(): unknown }>;

export async function startServer(dir = kPageFolder): Promise<Server> {
  // A script without types of its own.
  const { serve } = (await import(new URL('../../scripts/serve.mjs', import.meta.url).href)) as { serve: Serve };
  const { url, close } = await serve({ dir, port: 0 });
  return { url: url.endsWith('/') ? url : `${url}/`, close: async () => close() };
}

/** A page with everything that went wrong on it. */
export interface Visit {
  readonly page: Page;
  readonly errors: string[];
  readonly foreign: string[];
  close(): Promise<void>;
}

export interface VisitOptions extends BrowserContextOptions {
  /** The engine cannot arrive in this test. */
  readonly withoutEngine?: boolean;
  readonly before?: (page: Page) => Promise<unknown>;
}

/** Opens `address` and waits until the engine has answered. */
export async function visit(browser: Browser, address: string, options: VisitOptions = {}): Promise<Visit> {
  const { withoutEngine = false, before, ...contextOptions } = options;
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    locale: 'en-US',
    ...contextOptions,
  });
  const page = await context.newPage();
  const errors: string[] = [];
  const foreign: string[] = [];
  const { origin } = new URL(address);
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('request', (request) => {
    if (!/^(data|blob|about):/u.test(request.url()) && new URL(request.url()).origin !== origin)
      foreign.push(request.url());
  });
  await page.addInitScript(rememberPrinted);
  await before?.(page);
  await page.goto(address);
  await page.waitForSelector(withoutEngine ? '.failure' : 'html[data-engine="ready"]');
  return { page, errors, foreign, close: () => context.close() };
}

/** A canvas that remembers what was printed on it since it was cleared. */
interface Printed extends HTMLCanvasElement {
  printed?: string[];
}

/** Runs in the page, before anything is drawn. */
function rememberPrinted(): void {
  const proto = CanvasRenderingContext2D.prototype;
  const { clearRect, fillText } = proto;
  proto.clearRect = function (...box) {
    (this.canvas as Printed).printed = [];
    clearRect.apply(this, box);
  };
  proto.fillText = function (text, ...place) {
    ((this.canvas as Printed).printed ??= []).push(text);
    fillText.call(this, text, ...place);
  };
}

/** What is printed in the cells of a matrix, row by row. */
export async function cells(page: Page, panel: 'a' | 'b' | 'delta'): Promise<string[]> {
  const matrix = page.locator(`.panel-${panel} .matrix canvas`);
  return matrix.evaluateAll((canvases) => canvases.flatMap((canvas) => (canvas as Printed).printed ?? []));
}

/** Replaces a sentence as a reader does: click, select all, type, Enter. */
export async function typeSentence(page: Page, row: 'a' | 'b', text: string): Promise<void> {
  await page.locator(`.row-${row} .chip`).first().click();
  const input = page.locator('.sentence-input');
  await input.press('Control+a');
  if (text === '') await input.press('Delete');
  else await page.keyboard.type(text);
  await input.press('Enter');
  await settle(page);
}

export async function choose(page: Page, name: string): Promise<void> {
  await page.getByRole('radio', { name, exact: true }).check({ force: true });
  await settle(page);
}

/** Three frames: the matrices are painted, then what surrounds them, then both are there. */
export async function settle(page: Page): Promise<void> {
  await page.evaluate(async () => {
    for (let frame = 0; frame < 3; frame += 1) await new Promise(requestAnimationFrame);
  });
}
