import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cells, choose, launch, settle, startServer, visit, type Server, type Visit } from './browser.ts';

let browser: Browser;
let server: Server;

beforeAll(async () => {
  [browser, server] = await Promise.all([launch(), startServer()]);
});

afterAll(async () => {
  await browser.close();
  await server.close();
});

async function visitDesk(hash: string): Promise<Visit> {
  const opened = await visit(browser, `${server.url}#${hash}`);
  await opened.page.locator('pos-enc-reader').evaluate((element) => element.scrollIntoView());
  await opened.page.waitForSelector('.answer-line');
  return opened;
}

const press = (page: Page, name: string | RegExp): Promise<void> =>
  page.locator('.training-tools').getByRole('button', { name }).click();

/** Steps of the first run in the list. */
const steps = async (page: Page): Promise<number> => Number(await page.locator('.run-step').first().textContent());

const trained = (page: Page, step: number): Promise<unknown> =>
  page.waitForFunction((wanted) => Number(document.querySelector('.run-step')?.textContent) >= wanted, step, {
    timeout: 60_000,
  });

const source = (page: Page): Promise<string> => page.locator('.reader-source .note').innerText();

const points = async (page: Page): Promise<number[]> =>
  page
    .locator('.curve.is-strong')
    .evaluateAll((curves) => curves.map((curve) => (curve.getAttribute('points') ?? '').split(' ').length));

/** As many frames as a training would have used for many steps. */
const manyFrames = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    for (let frame = 0; frame < 30; frame += 1) await new Promise(requestAnimationFrame);
  });

describe('training on the page', () => {
  it('learns the answers, and says whose they are', async () => {
    const { page, errors, foreign, close } = await visitDesk('e=rope&tn=200');
    await press(page, /alone$/u);
    await trained(page, 5);
    expect(await source(page)).toMatch(/trained here, \d+ of 200 steps, seed 7/u);
    await trained(page, 200);
    await page.waitForFunction(() =>
      document.querySelector('.reader-source .note')?.textContent?.includes('200 of 200'),
    );
    expect(await page.locator('.answer[data-row="a"] .answer-line').first().innerText()).toMatch(/Tom/u);
    expect(await page.locator('.reader-verdict').innerText()).toContain('in A Tom did it to Jerry, in B Jerry to Tom');
    expect(await points(page)).toEqual([200, 200]);
    await choose(page, 'as shipped');
    expect(await source(page)).not.toContain('trained here');
    await choose(page, 'trained here');
    await press(page, 'Reset');
    await page.waitForFunction(() => document.querySelectorAll('.run').length === 0);
    await page.waitForFunction(() => !document.querySelector('.reader-source .note')?.textContent?.includes('here'));
    expect(errors).toEqual([]);
    expect(foreign).toEqual([]);
    await close();
  });

  it('no training helps without encoding and mask', async () => {
    const { page, close } = await visitDesk('tn=60');
    await press(page, /alone$/u);
    await trained(page, 60);
    await page.waitForFunction(() => document.querySelector('.reader-source .note')?.textContent?.includes('60 of 60'));
    expect(await page.locator('.reader-verdict').innerText()).toContain('equal to the last bit');
    await close();
  });

  it('pauses, takes one step, goes on', async () => {
    const { page, close } = await visitDesk('e=rope&tn=2000');
    await press(page, /alone$/u);
    await trained(page, 5);
    await press(page, 'Pause');
    await manyFrames(page);
    const paused = await steps(page);
    await manyFrames(page);
    expect(await steps(page)).toBe(paused);
    await press(page, 'One step');
    await trained(page, paused + 1);
    expect(await steps(page)).toBe(paused + 1);
    await press(page, 'Go on');
    await trained(page, paused + 10);
    await close();
  });

  it('begins with one step, and goes through a queue', async () => {
    const { page, close } = await visitDesk('e=rope&tn=3');
    await press(page, 'One step');
    await trained(page, 1);
    expect(await steps(page)).toBe(1);
    await press(page, 'Reset');
    await press(page, 'Train all');
    await page.waitForFunction(
      () => {
        const shown = [...document.querySelectorAll('.run-step')].map((step) => step.textContent);
        return shown.length > 10 && shown.every((step) => step === '3');
      },
      null,
      { timeout: 60_000 },
    );
    expect(await page.locator('.run').first().innerText()).toContain('RoPE');
    await page.waitForFunction(() => document.querySelector('#live')?.textContent?.includes('readers are trained'));
    expect(page.workers().length).toBe(0);
    await close();
  });

  it('waits while the tab is out of sight, and frees its workers when it goes', async () => {
    const { page, close } = await visitDesk('e=rope&tn=2000');
    await press(page, /alone$/u);
    await trained(page, 5);
    const see = (hidden: boolean): Promise<void> =>
      page.evaluate((value) => {
        Object.defineProperty(document, 'hidden', { configurable: true, value });
        document.dispatchEvent(new Event('visibilitychange'));
      }, hidden);
    await see(true);
    await manyFrames(page);
    const waiting = await steps(page);
    await manyFrames(page);
    expect(await steps(page)).toBe(waiting);
    await see(false);
    await trained(page, waiting + 5);
    await page.evaluate(() => document.querySelector('pos-enc-training')?.remove());
    await manyFrames(page);
    expect(page.workers().length).toBe(0);
    await close();
  });

  it('never holds up what is typed', async () => {
    const { page, close } = await visitDesk('e=rope&tn=2000');
    await press(page, 'Train all');
    await trained(page, 5);
    const input = page.locator('.answer[data-row="a"] .sentence-line');
    await input.focus();
    await page.evaluate(() => performance.clearMeasures());
    await page.keyboard.type(' and then some more words', { delay: 20 });
    const frames = await page.evaluate(() =>
      performance.getEntriesByName('posenc:frame').map(({ duration }) => duration),
    );
    expect(frames.length).toBeGreaterThan(5);
    const middle = frames.toSorted((x, y) => x - y)[Math.floor(frames.length / 2)] ?? Infinity;
    // A training of this thread would take seconds; the rest is for machines that share their cores with it.
    expect(middle).toBeLessThan(60);
    expect(await input.inputValue()).toBe('Tom chased Jerry and then some more words');
    await close();
  });

  it('trains with the parameters of the page where the shipped reader has others', async () => {
    const { page, close } = await visitDesk('e=rope&theta=100&tn=5');
    expect(await page.locator('.story').innerText()).toContain('yours are different');
    await page.getByRole('button', { name: 'Train it here with yours' }).click();
    await trained(page, 5);
    await page.waitForFunction(() => document.querySelector('.reader-source .note')?.textContent?.includes('5 of 5'));
    expect(await page.locator('.story').innerText()).not.toContain('yours are different');
    await close();
  });

  it('keeps seed and steps in the link', async () => {
    const { page, close } = await visitDesk('ts=3&tn=7');
    const fields = page.locator('.training-fields input.number-input');
    expect(await fields.evaluateAll((inputs) => inputs.map((input) => (input as HTMLInputElement).value))).toEqual([
      '3',
      '7',
    ]);
    await fields.last().fill('9');
    await fields.last().press('Enter');
    await page.waitForFunction(() => location.hash.includes('tn=9') && location.hash.includes('ts=3'));
    await close();
  });
});

describe('the matrices of the reader', () => {
  it('show the reader that the link asks for, and say so', async () => {
    const { page, errors, close } = await visit(browser, `${server.url}#e=rope&g=reader&l=1&h=2`);
    await page.waitForFunction(() => document.querySelector('.weights-note')?.textContent?.includes('reader'));
    expect(await page.locator('.weights-note').innerText()).toMatch(/trained 500 steps, seed 7, layer 1, head 2/u);
    expect((await cells(page, 'a')).length).toBe(36);
    const before = await cells(page, 'a');
    await choose(page, 'random');
    expect(await page.locator('.weights-note').innerText()).toContain('fixed random numbers');
    expect(await cells(page, 'a')).not.toEqual(before);
    expect(errors).toEqual([]);
    await close();
  });

  it('follow the encoding, and stay exactly equal where order cannot be seen', async () => {
    const { page, close } = await visit(browser, `${server.url}#g=reader`);
    await page.waitForFunction(() => document.querySelector('.weights-note')?.textContent?.includes('reader'));
    await settle(page);
    expect(await cells(page, 'delta')).toEqual(Array(36).fill('= 0'));
    await choose(page, 'RoPE');
    await page.waitForFunction(() => !document.querySelector('.verdict')?.textContent?.includes('none of the'));
    await settle(page);
    expect((await cells(page, 'delta')).some((text) => text !== '= 0')).toBe(true);
    await close();
  });

  it('are random, and say so, where there is no reader', async () => {
    const { page, close } = await visit(browser, `${server.url}#e=rope_2d&g=reader`);
    await page.waitForFunction(() =>
      document.querySelector('.weights-note')?.textContent?.includes('no trained reader'),
    );
    expect(await page.locator('.weights-note').innerText()).toContain('fixed random numbers');
    await close();
  });
});
