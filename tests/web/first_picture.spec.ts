import { load } from '../../dist/node.js';
import { tokenizePair } from '../../dist/text.js';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { en } from '../../web/src/content/en.ts';
import { zh } from '../../web/src/content/zh.ts';
import { pack, unpackPicture } from '../../web/src/engine/picture.ts';
import { makePicture } from '../../web/src/engine/compute.ts';
import { cells, kReady, launch, startServer, visit, type Server } from './browser.ts';

describe('the picture that is drawn before the engine arrives', () => {
  let browser: Browser;
  let server: Server;

  beforeAll(async () => {
    [browser, server] = await Promise.all([launch(), startServer()]);
  });

  afterAll(async () => {
    await browser.close();
    await server.close();
  });

  it('survives packing to the bit', async () => {
    const engine = await load();
    for (const content of [en, zh]) {
      const picture = makePicture(engine, tokenizePair, content.sentences);
      expect(unpackPicture(pack(picture))).toEqual(picture);
    }
  });

  it('is the one that the engine of the browser computes, to the bit', async () => {
    const engine = await load();
    for (const content of [en, zh]) {
      // Packed: floats as base64 of their bytes, so equal text means equal bits.
      const built = pack(makePicture(engine, tokenizePair, content.sentences));
      const { page, close } = await visit(browser, server.url, { locale: content.lang });
      const inPage = await page.evaluate(() =>
        (
          document.querySelector('pos-enc-page') as unknown as { lab: { probe(): { saved: string; computed: string } } }
        ).lab.probe(),
      );
      expect(inPage.saved).toBe(built);
      expect(inPage.computed).toBe(built);
      await close();
    }
  });

  it('is complete: matrices and scoreboard stand before the engine does', async () => {
    const { page, close } = await visit(browser, server.url);
    const computed = [
      await cells(page, 'a'),
      await cells(page, 'delta'),
      await page.locator('.badge').allTextContents(),
      await page.locator('.thumbnail-size').allTextContents(),
    ];
    await close();

    let release = (): void => undefined;
    const held = new Promise<void>((done) => {
      release = done;
    });
    const { page: early, close: closeEarly } = await visit(browser, server.url, {
      until: '.badge',
      before: (page) =>
        page.route('**/*.wasm', async (route) => {
          await held;
          await route.continue();
        }),
    });
    expect(await early.locator('html[data-engine]').count()).toBe(0);
    const saved = [
      await cells(early, 'a'),
      await cells(early, 'delta'),
      await early.locator('.badge').allTextContents(),
      await early.locator('.thumbnail-size').allTextContents(),
    ];
    expect(saved).toEqual(computed);
    release();
    await early.waitForSelector(kReady);
    await closeEarly();
  });
});
