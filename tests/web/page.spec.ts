import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cells, choose, launch, settle, startServer, typeSentence, visit, type Server } from './browser.ts';

let browser: Browser;
let server: Server;

beforeAll(async () => {
  [browser, server] = await Promise.all([launch(), startServer()]);
});

afterAll(async () => {
  await browser.close();
  await server.close();
});

describe('the experiment', () => {
  it('starts computed, without an error and without a request to another origin', async () => {
    const { page, errors, foreign, close } = await visit(browser, server.url);
    expect(await page.title()).toContain('same words');
    expect(await cells(page, 'delta')).toEqual(Array(9).fill('= 0'));
    expect(await page.locator('.verdict').textContent()).toContain('every one of the 9 weights is unchanged');
    expect(await page.locator('.card').count()).toBeGreaterThanOrEqual(6);
    expect(errors).toEqual([]);
    expect(foreign).toEqual([]);
    await close();
  });

  it('shows the experiment and the top of the scoreboard on a screen of 1440 by 900', async () => {
    const { page, close } = await visit(browser, server.url);
    const card = await page.locator('.card').first().boundingBox();
    expect(card?.y ?? Infinity).toBeLessThan(880);
    await close();
  });

  it('changes when an encoding with positions is chosen, and says how much', async () => {
    const { page, close } = await visit(browser, server.url);
    await choose(page, 'RoPE');
    const changes = await cells(page, 'delta');
    expect(changes.some((text) => /^[+\u2212]0\.\d\d$/u.test(text))).toBe(true);
    expect(await page.locator('.verdict').textContent()).toMatch(/Largest change 0\.\d\d/u);
    expect(await page.locator('.pair-line').textContent()).toMatch(/Tom now gives Jerry 0\.\d\d instead of 0\.\d\d\./u);
    await close();
  });

  it('takes both sentences as the reader types them', async () => {
    const { page, close } = await visit(browser, server.url);
    await typeSentence(page, 'a', 'cats like milk');
    await typeSentence(page, 'b', 'milk likes cats');
    expect(await page.locator('.row-a .chip-word').allTextContents()).toEqual(['cats', 'like', 'milk']);
    expect(await page.locator('.row-b .chip-word').allTextContents()).toEqual(['milk', 'likes', 'cats']);
    expect(await page.locator('.panel-delta .cell[aria-label*="no partner"]').count()).toBe(5);
    expect(await page.locator('.findings').textContent()).toContain('like has no partner');
    await close();
  });

  it('says that the mask alone gives the order away', async () => {
    const { page, close } = await visit(browser, server.url);
    await choose(page, 'only backwards');
    expect(await page.locator('.verdict').textContent()).toContain('No encoding was needed');
    expect((await cells(page, 'a')).filter((text) => text === '= 0').length).toBe(3);
    await close();
  });

  it('explains the mirror, and its two buttons take the reader out of it', async () => {
    for (const [button, check] of [
      ['Look only backwards', 'backwards'],
      ['Add “yesterday” in front', 'yesterday'],
    ] as const) {
      const { page, close } = await visit(browser, `${server.url}#e=alibi`);
      expect(await page.locator('.verdict').textContent()).toContain('mirror image');
      await page.getByRole('button', { name: button }).click();
      await settle(page);
      expect(await page.locator('.mirror-actions').count()).toBe(0);
      expect((await cells(page, 'delta')).some((text) => text !== '= 0')).toBe(true);
      if (check === 'yesterday')
        expect(await page.locator('.row-a .chip-word').first().textContent()).toBe('yesterday');
      await close();
    }
  });

  it('speaks Chinese, and starts with Chinese sentences', async () => {
    const { page, close } = await visit(browser, server.url, { locale: 'zh-CN' });
    expect(await page.locator('h1').textContent()).toBe('词还是那些词，次序换了');
    expect(await page.locator('html').getAttribute('lang')).toBe('zh-Hans');
    expect(await page.locator('.row-a .chip-word').allTextContents()).toEqual(['我', '爱', '你']);
    expect(await page.locator('.row-b .chip-word').allTextContents()).toEqual(['你', '爱', '我']);
    await typeSentence(page, 'a', '汤姆追杰瑞');
    await typeSentence(page, 'b', '杰瑞追汤姆');
    expect(await page.locator('.row-b .chip-word').allTextContents()).toEqual(['杰瑞', '追', '汤姆']);
    await close();
  });

  it('keeps the sentences of the reader when the language changes', async () => {
    const { page, close } = await visit(browser, server.url);
    await typeSentence(page, 'b', 'Tom was chased');
    await choose(page, '中文');
    expect(await page.locator('.row-b .chip-word').allTextContents()).toEqual(['Tom', 'was', 'chased']);
    expect(page.url()).not.toContain('lang=en');
    await close();
  });

  it('slides to slots and back without changing a number', async () => {
    const { page, close } = await visit(browser, server.url);
    const byWord = await cells(page, 'b');
    await choose(page, 'by slot');
    expect((await cells(page, 'b')).toSorted()).toEqual(byWord.toSorted());
    expect((await cells(page, 'delta')).some((text) => text !== '= 0')).toBe(true);
    await choose(page, 'by word');
    expect(await cells(page, 'b')).toEqual(byWord);
    await close();
  });

  it('unfolds the arithmetic of the pinned cell', async () => {
    const { page, close } = await visit(browser, `${server.url}#e=rope`);
    await page.locator('.arithmetic-box summary').click();
    const row = await page.locator('.arithmetic tbody tr').first().locator('.number').allTextContents();
    const [content = NaN, position = NaN, bias = NaN, logit = NaN] = row.map((text) =>
      Number(text.replace('\u2212', '-').replace(/[+=\s]/gu, '')),
    );
    // Each number is printed with two digits.
    expect(Math.abs(content + position + bias - logit)).toBeLessThan(0.021);
    await close();
  });
});

describe('words', () => {
  it('moves a word by drag', async () => {
    const { page, close } = await visit(browser, `${server.url}#e=rope`);
    const from = await page.locator('.row-b .chip').nth(0).boundingBox();
    const to = await page.locator('.row-b .chip').nth(2).boundingBox();
    if (!from || !to) throw new Error('no chips');
    await page.mouse.move(from.x + 10, from.y + 10);
    await page.mouse.down();
    await page.mouse.move(to.x + to.width / 2, to.y + 12, { steps: 8 });
    await page.mouse.up();
    await settle(page);
    expect(await page.locator('.row-b .chip-word').allTextContents()).toEqual(['chased', 'Tom', 'Jerry']);
    expect(await page.locator('.sentence-input').count()).toBe(0);
    await page.getByRole('button', { name: 'Undo' }).click();
    await settle(page);
    expect(await page.locator('.row-b .chip-word').allTextContents()).toEqual(['Jerry', 'chased', 'Tom']);
    await close();
  });

  it('moves a word by keyboard, and says so', async () => {
    const { page, close } = await visit(browser, server.url);
    await page.locator('.row-b .chip').first().focus();
    await page.keyboard.press('Shift+ArrowRight');
    await settle(page);
    expect(await page.locator('.row-b .chip-word').allTextContents()).toEqual(['chased', 'Jerry', 'Tom']);
    expect(await page.locator('.row-b .chip:focus .chip-word').textContent()).toBe('Jerry');
    await page.waitForFunction(() => document.querySelector('#live')?.textContent !== '');
    await close();
  });

  it('loses nothing to an example: undo and redo', async () => {
    const { page, close } = await visit(browser, server.url);
    const b = (): Promise<string[]> => page.locator('.row-b .chip-word').allTextContents();
    await typeSentence(page, 'b', 'mine alone');
    await page.locator('.examples select').selectOption({ index: 3 });
    await settle(page);
    expect(await b()).not.toContain('mine');
    await page.getByRole('button', { name: 'Undo' }).click();
    await settle(page);
    expect(await b()).toEqual(['mine', 'alone']);
    await page.getByRole('button', { name: 'Undo' }).click();
    await settle(page);
    expect(await b()).toEqual(['Jerry', 'chased', 'Tom']);
    await page.getByRole('button', { name: 'Redo' }).click();
    await settle(page);
    expect(await b()).toEqual(['mine', 'alone']);
    await close();
  });

  it('swaps, reverses, shuffles, shifts', async () => {
    const { page, close } = await visit(browser, `${server.url}#a=one+two+three+four&b=one+two+three+four`);
    const b = (): Promise<string[]> => page.locator('.row-b .chip-word').allTextContents();
    await page.getByRole('button', { name: 'Swap two' }).click();
    await settle(page);
    expect(await b()).toEqual(['four', 'two', 'three', 'one']);
    await page.getByRole('button', { name: 'Reverse' }).click();
    await settle(page);
    expect(await b()).toEqual(['one', 'three', 'two', 'four']);
    await page.getByRole('button', { name: 'Shuffle' }).click();
    await settle(page);
    expect(await b()).not.toEqual(['one', 'three', 'two', 'four']);
    expect((await b()).toSorted()).toEqual(['four', 'one', 'three', 'two']);
    await page.getByRole('button', { name: 'Shift' }).click();
    await settle(page);
    expect(await page.locator('.row-a .chip').first().getAttribute('data-position')).toBe('1');
    await close();
  });

  it('joins and splits words in both sentences', async () => {
    const { page, close } = await visit(browser, `${server.url}#a=New+York+is+big&b=big+is+New+York`);
    await page.locator('.row-a .chip').first().click();
    await page.getByRole('button', { name: 'Join next' }).click();
    await page.getByRole('button', { name: 'Done' }).click();
    await settle(page);
    expect(await page.locator('.row-a .chip-word').allTextContents()).toEqual(['New York', 'is', 'big']);
    expect(await page.locator('.row-b .chip-word').allTextContents()).toEqual(['big', 'is', 'New York']);
    await page.locator('.row-a .chip').first().click();
    await page.getByRole('button', { name: 'Split' }).click();
    await page.getByRole('button', { name: 'Done' }).click();
    await settle(page);
    expect(await page.locator('.row-b .chip-word').allTextContents()).toEqual(['big', 'is', 'New', 'York']);
    await close();
  });

  it('takes a click on a button while a sentence is being edited', async () => {
    const { page, close } = await visit(browser, `${server.url}#e=rope`);
    await page.locator('.row-b .chip').first().click();
    await page.keyboard.press('End');
    await page.keyboard.type(' today');
    await page.getByRole('button', { name: 'Reverse' }).click();
    await settle(page);
    expect(await page.locator('.row-b .chip-word').allTextContents()).toEqual(['today', 'Tom', 'chased', 'Jerry']);
    await page.locator('.row-b .chip').first().click();
    await page.locator('.row-a .chip').first().click();
    expect(await page.locator('.row-a .sentence-input').count()).toBe(1);
    expect(await page.locator('.row-b .chip').count()).toBe(4);
    await close();
  });

  it('marks repetitions', async () => {
    const { page, close } = await visit(browser, `${server.url}#a=the+cat+saw+the+dog&b=the+dog+saw+the+cat`);
    expect(await page.locator('.row-a .chip-mark').allTextContents()).toEqual(['①', '②']);
    await close();
  });

  it('does not compute an unfinished composition', async () => {
    const { page, close } = await visit(browser, server.url, { locale: 'zh-CN' });
    await page.locator('.row-b .chip').first().click();
    const input = page.locator('.sentence-input');
    await input.evaluate((element: HTMLInputElement) => {
      element.dispatchEvent(new CompositionEvent('compositionstart'));
      element.value = 'ni';
      element.dispatchEvent(new InputEvent('input', { bubbles: true }));
    });
    await settle(page);
    expect(page.url()).not.toContain('ni');
    expect(await page.locator('.row-a .chip-word').allTextContents()).toEqual(['我', '爱', '你']);
    await input.evaluate((element: HTMLInputElement) => {
      element.value = '你';
      element.dispatchEvent(new CompositionEvent('compositionend'));
    });
    await page.keyboard.press('Enter');
    await settle(page);
    expect(await page.locator('.row-b .chip-word').allTextContents()).toEqual(['你']);
    await close();
  });

  it('shows markup, emoji and right-to-left words as words', async () => {
    const { page, errors, close } = await visit(browser, server.url);
    await typeSentence(page, 'b', '<img src=x onerror=alert(1)> 👨‍👩‍👧 שלום');
    expect(await page.locator('.row-b img').count()).toBe(0);
    const words = await page.locator('.row-b .chip-word').allTextContents();
    expect(words).toContain('<img');
    expect(words).toContain('👨‍👩‍👧');
    expect(words).toContain('שלום');
    expect(errors).toEqual([]);
    await close();
  });
});

describe('links', () => {
  it('writes the state into the address and reads it back', async () => {
    const { page, close } = await visit(
      browser,
      `${server.url}#v=1&e=rope&theta=5e5&m=causal&s=9&q=0&k=1&a=Tom+ran&b=ran+Tom&later=kept`,
    );
    expect(await page.locator('.weights-note').textContent()).toContain('seed 9');
    expect(await page.locator('input[name="encoding"]:checked').inputValue()).toBe('rope');
    await choose(page, 'both ways');
    await page.waitForFunction(() => !location.hash.includes('m=causal'));
    const hash = new URLSearchParams(new URL(page.url()).hash.slice(1));
    expect(Object.fromEntries(hash)).toEqual({
      v: '1',
      e: 'rope',
      theta: '5e5',
      s: '9',
      q: '0',
      k: '1',
      a: 'Tom ran',
      b: 'ran Tom',
      later: 'kept',
    });
    const before = await cells(page, 'delta');
    await page.reload();
    await page.waitForSelector('html[data-engine="ready"]');
    expect(await cells(page, 'delta')).toEqual(before);
    await close();
  });

  it('follows a changed address', async () => {
    const { page, close } = await visit(browser, server.url);
    await page.evaluate(() => {
      location.hash = '#e=alibi&a=x+y&b=y+x';
    });
    await page.waitForFunction(() => document.querySelector('.row-a .chip-word')?.textContent === 'x');
    expect(await page.locator('input[name="encoding"]:checked').inputValue()).toBe('alibi');
    await close();
  });

  it('replaces what it cannot take, and says so', async () => {
    const { page, close } = await visit(browser, `${server.url}#e=rope&theta=-5&h=99&m=sideways&s=abc`);
    const notices = await page.locator('.notices li').allTextContents();
    expect(notices).toHaveLength(4);
    expect(notices.join('\n')).toContain('“-5”');
    await page.getByRole('button', { name: 'Dismiss' }).click();
    expect(await page.locator('.notices').count()).toBe(0);
    await close();
  });

  it('names a parameter that the reader typed wrongly beside it, and keeps the text', async () => {
    const { page, close } = await visit(browser, `${server.url}#e=rope`);
    const field = page.getByRole('textbox', { name: /Base/u });
    await field.fill('many');
    await settle(page);
    expect(await page.locator('.field-problem').textContent()).toContain('You typed “many”');
    expect(await field.inputValue()).toBe('many');
    await field.fill('500');
    await settle(page);
    expect(await page.locator('.field-problem').count()).toBe(0);
    await page.waitForFunction(() => location.hash.includes('theta=500'));
    await page.getByRole('button', { name: 'Reset' }).click();
    await settle(page);
    expect(await field.inputValue()).toBe('10000');
    await close();
  });
});

describe('theme and language', () => {
  it('are in the address once they are chosen, and only then', async () => {
    const { page, close } = await visit(browser, server.url, { colorScheme: 'dark' });
    expect(page.url()).not.toContain('theme');
    const surface = (): Promise<string> =>
      page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    const dark = await surface();
    await page.getByRole('button', { name: 'Theme' }).click();
    await page.waitForFunction(() => location.hash.includes('theme=light'));
    expect(await surface()).not.toBe(dark);
    await choose(page, '中文');
    await page.waitForFunction(() => location.hash.includes('lang=zh'));
    await page.reload();
    await page.waitForSelector('html[data-engine="ready"][data-theme="light"][lang="zh-Hans"]');
    expect(await page.evaluate(() => localStorage.length + document.cookie.length)).toBe(0);
    await close();
  });
});

describe('bad input', () => {
  it('keeps the last picture and the text when a sentence is empty', async () => {
    const { page, errors, close } = await visit(browser, `${server.url}#e=rope`);
    const before = await cells(page, 'a');
    await typeSentence(page, 'b', '');
    expect(await page.locator('.problem').textContent()).toContain('Sentence B is empty');
    expect(await cells(page, 'a')).toEqual(before);
    await page.locator('.row-b .chip').click();
    await page.keyboard.type('Jerry ran');
    await page.keyboard.press('Enter');
    await settle(page);
    expect(await page.locator('.problem').count()).toBe(0);
    expect(errors).toEqual([]);
    await close();
  });

  it('takes one word', async () => {
    const { page, close } = await visit(browser, `${server.url}#e=rope&a=Tom&b=Tom`);
    expect(await cells(page, 'a')).toEqual(['1']);
    await page.locator('.card').first().getByText('no other order to try').waitFor();
    await close();
  });

  it('says which position does not exist', async () => {
    const { page, close } = await visit(browser, `${server.url}#e=learned&max_position=3`);
    const before = await cells(page, 'a');
    await page.getByRole('button', { name: 'Shift' }).click();
    await settle(page);
    expect(await page.locator('.problem').textContent()).toContain('no position 3');
    expect(await cells(page, 'a')).toEqual(before);
    await close();
  });

  it('computes the first 512 of more words, in a worker, and keeps the text', async () => {
    const words = Array.from({ length: 600 }, (_, index) => `w${index}`);
    const { page, errors, close } = await visit(browser, server.url);
    await page.locator('.row-a .chip').first().click();
    await page.locator('.sentence-input').fill(words.join(' '));
    await page.keyboard.press('Enter');
    await page.locator('.row-b .chip').first().click();
    await page.locator('.sentence-input').fill(words.toReversed().join(' '));
    await page.keyboard.press('Enter');
    await page.waitForSelector('.panel-delta .matrix-canvas canvas');
    await page.waitForSelector('.panels[aria-busy="false"]');
    expect(await page.locator('.sentences [role="note"]').textContent()).toContain('600');
    expect(await page.locator('.panel-a [role="grid"]').getAttribute('aria-rowcount')).toBe('512');
    await page.locator('.row-a .chip').first().click();
    expect((await page.locator('.sentence-input').inputValue()).split(' ')).toHaveLength(600);
    expect(errors).toEqual([]);
    await close();
  });
});

describe('keyboard and screen reader', () => {
  it('walks through a matrix with arrows, Home and End, and pins with Enter', async () => {
    const { page, close } = await visit(browser, `${server.url}#e=rope`);
    const name = (): Promise<string | null> =>
      page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? null);
    await page.locator('.panel-b [role="gridcell"][tabindex="0"]').focus();
    await page.keyboard.press('Control+Home');
    expect(await name()).toMatch(/^Tom attends to Tom, 0\.\d\d, was 0\.\d\d$/u);
    await page.keyboard.press('ArrowRight');
    expect(await name()).toMatch(/^Tom attends to chased/u);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('End');
    expect(await name()).toMatch(/^chased attends to Jerry/u);
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => location.hash.includes('q=1') && location.hash.includes('k=2'));
    expect(await page.locator('.panel-a [role="gridcell"][tabindex="0"]').count()).toBe(1);
    await close();
  });

  it('announces what changed, once it has been still', async () => {
    const { page, close } = await visit(browser, server.url);
    await choose(page, 'RoPE');
    await page.waitForFunction(() => document.querySelector('#live')?.textContent?.includes('Largest change'));
    await close();
  });

  it('shows the numbers as a table', async () => {
    const { page, close } = await visit(browser, `${server.url}#e=rope`);
    const drawn = await cells(page, 'delta');
    await choose(page, 'Table');
    expect(await page.locator('.panel-delta td').allTextContents()).toEqual(['', ...drawn]);
    await close();
  });
});

describe('a narrow page', () => {
  const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

  it('never scrolls sideways, at 390 and 320 pixels, in both languages', async () => {
    for (const width of [390, 320]) {
      for (const locale of ['en-US', 'zh-CN']) {
        const { page, close } = await visit(browser, `${server.url}#e=rope`, {
          ...phone,
          viewport: { width, height: 844 },
          locale,
        });
        expect(
          await page.evaluate(() => document.documentElement.scrollWidth),
          `${width} ${locale}`,
        ).toBeLessThanOrEqual(width);
        await page.evaluate(() => document.querySelectorAll('details').forEach((details) => (details.open = true)));
        await page.locator('.row-a .chip').first().tap();
        expect(
          await page.evaluate(() => document.documentElement.scrollWidth),
          `${width} ${locale}, editing`,
        ).toBeLessThanOrEqual(width);
        await close();
      }
    }
  });

  it('shows the change first, and the chosen encoding in sight', async () => {
    const { page, close } = await visit(browser, `${server.url}#e=t5_bias`, phone);
    expect(await page.locator('.panel').count()).toBe(1);
    expect(await page.locator('.panel-delta').count()).toBe(1);
    const box = await page.locator('.encoding:has(input:checked)').boundingBox();
    expect(box?.x ?? -1).toBeGreaterThanOrEqual(0);
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(390);
    await choose(page, 'A');
    expect(await page.locator('.panel-a').count()).toBe(1);
    await close();
  });

  it('has targets of 44 pixels', async () => {
    const { page, close } = await visit(browser, server.url, phone);
    const heights = await page
      .locator('.button:visible, .chip:visible, .segment:visible, .encoding:visible, select:visible')
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height));
    expect(Math.min(...heights)).toBeGreaterThanOrEqual(43.5);
    await close();
  });
});
