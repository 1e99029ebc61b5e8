import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launch, settle, startServer, visit, type Server, type Visit, type VisitOptions } from './browser.ts';

let browser: Browser;
let server: Server;

beforeAll(async () => {
  [browser, server] = await Promise.all([launch(), startServer()]);
});

afterAll(async () => {
  await browser.close();
  await server.close();
});

/** Opens the page and goes where the reader answers. */
async function visitReader(hash: string, options: VisitOptions = {}): Promise<Visit> {
  const opened = await visit(browser, `${server.url}#${hash}`, options);
  await opened.page.locator('pos-enc-reader').evaluate((element) => element.scrollIntoView());
  await answered(opened.page);
  return opened;
}

/** The current question has an answer. */
async function answered(page: Page): Promise<void> {
  await settle(page);
  await page.waitForSelector('.answers[aria-busy="false"] .answer-line');
}

/** "who? Tom 100%" of one sentence, line by line. */
const lines = async (page: Page, row: 'a' | 'b'): Promise<string[]> =>
  (await page.locator(`.answer[data-row="${row}"] .answer-line`).allInnerTexts()).map((text) =>
    text.replace(/\s+/gu, ' ').trim(),
  );

const verdict = async (page: Page): Promise<string> => page.locator('.reader-verdict').innerText();

/** Opacities of the arrows of one question, word by word. */
const arrows = async (page: Page, row: 'a' | 'b', ask: 'who' | 'whom'): Promise<number[]> =>
  page
    .locator(`.answer[data-row="${row}"] .question.ask-${ask} > g[data-place]`)
    .evaluateAll((groups) => groups.map((group) => Number(group.getAttribute('opacity'))));

const type = async (page: Page, row: 'a' | 'b', text: string): Promise<void> => {
  await page.locator(`.answer[data-row="${row}"] .sentence-line`).fill(text);
  await answered(page);
};

describe('who chased whom', () => {
  it('comes when it is near, and not before', async () => {
    const { page, foreign, errors, close } = await visit(browser, server.url);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    expect(await page.locator('pos-enc-reader .reader').count()).toBe(0);
    await page.locator('pos-enc-reader').evaluate((element) => element.scrollIntoView());
    await answered(page);
    expect(asked.filter((path) => path.endsWith('.safetensors'))).toHaveLength(1);
    expect(foreign).toEqual([]);
    expect(errors).toEqual([]);
    await close();
  });

  it('splits evenly without encoding and mask, and says why no training can help', async () => {
    const { page, close } = await visitReader('');
    for (const row of ['a', 'b'] as const) {
      for (const line of await lines(page, row))
        for (const [, percent] of line.matchAll(/(\d+)%/gu)) expect(Math.abs(Number(percent) - 33)).toBeLessThan(4);
    }
    expect(await verdict(page)).toContain('equal to the last bit');
    expect(await verdict(page)).toContain('No training can help');
    expect(await arrows(page, 'b', 'who')).toEqual((await arrows(page, 'a', 'who')).toReversed());
    await close();
  });

  it('flips with the order when positions are known', async () => {
    const { page, close } = await visitReader('e=rope');
    expect(await lines(page, 'a')).toEqual([
      expect.stringMatching(/^who\? Tom (>99|100)%$/u),
      expect.stringMatching(/^whom\? Jerry (>99|100)%$/u),
    ]);
    expect(await lines(page, 'b')).toEqual([
      expect.stringMatching(/^who\? Jerry/u),
      expect.stringMatching(/^whom\? Tom/u),
    ]);
    expect(await verdict(page)).toContain('in A Tom did it to Jerry, in B Jerry to Tom');
    await page.locator('.answer[data-row="b"]').getByRole('button').click();
    await answered(page);
    expect(await lines(page, 'b')).toEqual(await lines(page, 'a'));
    expect(await verdict(page)).toContain('same sentence');
    await close();
  });

  it('is certain with a causal mask alone, and says that no encoding was needed', async () => {
    const { page, close } = await visitReader('');
    await page.getByRole('combobox', { name: 'Each word looks' }).selectOption('causal');
    await answered(page);
    await page.waitForFunction(() =>
      document.querySelector('.reader-verdict')?.textContent?.includes('No encoding was needed'),
    );
    expect(await lines(page, 'a')).toEqual([
      expect.stringMatching(/^who\? Tom (>99|100)%$/u),
      expect.stringMatching(/^whom\? Jerry/u),
    ]);
    await page.waitForFunction(() => location.hash.includes('m=causal'));
    await close();
  });

  it('reads Chinese', async () => {
    const { page, close } = await visitReader('e=rope', { locale: 'zh-CN' });
    await type(page, 'a', '猫追狗');
    await type(page, 'b', '狗追猫');
    expect((await lines(page, 'a')).map((line) => line.replace(/\s*(>99|100)%/u, ''))).toEqual([
      '谁？ 猫',
      '对谁？ 狗',
    ]);
    expect((await lines(page, 'b')).map((line) => line.replace(/\s*(>99|100)%/u, ''))).toEqual([
      '谁？ 狗',
      '对谁？ 猫',
    ]);
    expect(await page.locator('#reader-title').textContent()).toBe('谁追谁？');
    await close();
  });

  it('answers every example, and is sure of the one that training showed', async () => {
    const { page, errors, close } = await visitReader('e=kerple_log&m=causal');
    for (const button of await page.locator('.harder button').all()) {
      await button.click();
      await answered(page);
      expect(await lines(page, 'a'), (await button.textContent()) ?? '').toHaveLength(2);
    }
    await page.getByRole('button', { name: 'Passive' }).click();
    await answered(page);
    expect(await verdict(page)).toContain('the same answers: Tom did it to Jerry');
    expect(errors).toEqual([]);
    await close();
  });

  it('has an honest answer for whatever is typed', async () => {
    const { page, errors, close } = await visitReader('e=learned');
    for (const text of [
      'Tom',
      'Tom chased',
      'the by was',
      'Tom chased Tom',
      '🙂 🙃 🙂',
      'a\u00a0b c',
      'x'.repeat(300),
      Array<string>(60).fill('word').join(' '),
    ]) {
      await type(page, 'a', text);
      expect(await lines(page, 'a'), text).toHaveLength(2);
      expect((await lines(page, 'a'))[0], text).toMatch(/\d%$/u);
    }
    expect(await page.locator('.answer[data-row="a"] table tbody tr').count()).toBeLessThan(20);
    await type(page, 'a', 'Tom chased');
    expect(await page.locator('.story').innerText()).toContain('fewer than three words');
    await type(page, 'a', '');
    expect(await verdict(page)).toContain('without a word');
    await type(page, 'a', Array<string>(600).fill('word').join(' '));
    expect(await page.locator('.answer[data-row="a"] .answer-line').count()).toBe(2);
    await type(page, 'a', 'Tom chased Jerry');
    expect(await lines(page, 'a')).toEqual([
      expect.stringMatching(/^who\? Tom/u),
      expect.stringMatching(/^whom\? Jerry/u),
    ]);
    expect(errors).toEqual([]);
    await close();
  });

  it('says that there is no reader for an encoding of images', async () => {
    const { page, close } = await visitReader('e=rope');
    const kind = await page.evaluate(
      () =>
        [...document.querySelectorAll('pos-enc-reader option')]
          .map((option) => (option as HTMLOptionElement).value)
          .find((value) => value.endsWith('2d')) ?? '',
    );
    await page.getByRole('combobox', { name: 'Encoding' }).selectOption(kind);
    await page.waitForSelector('pos-enc-reader .problem');
    expect(await page.locator('pos-enc-reader .problem').innerText()).toMatch(/no reader for .*2 numbers/u);
    await close();
  });

  it('does not compute an unfinished composition', async () => {
    const { page, close } = await visitReader('e=rope', { locale: 'zh-CN' });
    const input = page.locator('.answer[data-row="b"] .sentence-line');
    await input.evaluate((element: HTMLInputElement) => {
      element.dispatchEvent(new CompositionEvent('compositionstart'));
      element.value = 'ni';
      element.dispatchEvent(new InputEvent('input', { bubbles: true }));
    });
    await settle(page);
    expect((await lines(page, 'b')).join()).not.toContain('ni');
    expect(await input.inputValue()).toBe('ni');
    await close();
  });

  for (const width of [320, 390]) {
    it(`fits ${width} pixels`, async () => {
      const { page, close } = await visitReader('e=rope', { viewport: { width, height: 844 }, hasTouch: true });
      for (const text of ['Tom chased Jerry', 'yesterday Tom chased Jerry and Spike saw Tyke', 'x'.repeat(200)]) {
        await type(page, 'a', text);
        const over = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        );
        expect(over, text).toBe(0);
      }
      await close();
    });
  }
});
