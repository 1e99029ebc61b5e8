/** In Chromium: from a typed letter to painted matrices, beside the same letter typed into an empty page. */
import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { serve } from '../../scripts/serve.mjs';
import { median, percentile } from './measure.mjs';

const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync']; // prettier-ignore
const LETTERS = 60;
/** Milliseconds from letter to letter: ten a second, as the fastest typists. */
const PACE = 100;
const A = 'the quick brown fox jumps over lazy dogs';
const B = 'the fox brown quick jumps over lazy dogs';

/** Runs in the page: milliseconds from each input event to the frame after it was handled. */
function watchInput() {
  window.inputToPaint = [];
  addEventListener(
    'input',
    () => {
      const start = performance.now();
      const channel = new MessageChannel();
      // A frame callback runs before the frame is painted; a message sent from it arrives after.
      channel.port1.onmessage = () => window.inputToPaint.push(performance.now() - start);
      requestAnimationFrame(() => channel.port2.postMessage(0));
    },
    true,
  );
}

/** At the end of the text, so that a word grows and shrinks by a letter. */
async function typeLetters(page, field) {
  await page.evaluate(watchInput);
  await field.focus();
  await field.press('End');
  for (let i = 0; i < LETTERS; i++) {
    await page.keyboard.press(i % 2 === 0 ? 'x' : 'Backspace');
    await page.waitForTimeout(PACE);
  }
  return page.evaluate(() => window.inputToPaint);
}

export async function measureTyping(dist) {
  const executablePath = process.env.POSENC_CHROMIUM ?? '/usr/bin/chromium';
  if (!existsSync(executablePath)) return null;
  const { url, close } = await serve({ dir: dist, port: 0 });
  const browser = await chromium.launch({ executablePath, args: FLAGS });
  try {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    const empty = await context.newPage();
    await empty.setContent('<input>');
    const baseline = await typeLetters(empty, empty.locator('input'));
    await empty.close();
    const page = await context.newPage();
    const hash = new URLSearchParams({ v: '1', a: A, b: B });
    await page.goto(`${url}#${hash}`);
    await page.waitForFunction(() => document.documentElement.dataset.engine === 'ready', undefined, {
      timeout: 20_000,
    });
    const field = await openEditor(page);
    const samples = await typeLetters(page, field);
    const own = await page.evaluate(() =>
      performance.getEntriesByName('posenc:input-to-paint').map((entry) => entry.duration),
    );
    return { version: browser.version(), baseline: median(baseline), typed: median(samples), worst: percentile(samples, 0.95), own: own.length > 0 ? median(own) : NaN }; // prettier-ignore
  } finally {
    await browser.close();
    await close();
  }
}

/** Sentence A as text. */
async function openEditor(page) {
  await page.locator('.row-a .chip').first().click();
  return page.locator('.row-a input');
}
