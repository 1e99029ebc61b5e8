import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launch, startServer, visit, type Server } from './browser.ts';

let browser: Browser;
let server: Server;
let axe: string;

beforeAll(async () => {
  [browser, server, axe] = await Promise.all([
    launch(),
    startServer(),
    readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'),
  ]);
});

afterAll(async () => {
  await browser.close();
  await server.close();
});

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

const states = [
  ['at rest', ''],
  ['with a change, a mask and the table', '#e=rope&m=causal&p=table'],
  ['with a mirror', '#e=alibi'],
  ['with notices', '#e=t5_bias&num_buckets=7&h=9'],
  ['with words that have no partner', '#e=learned&a=the+cat+saw+the+dog&b=a+dog'],
] as const;

describe('axe finds nothing', () => {
  for (const locale of ['en-US', 'zh-CN']) {
    for (const colorScheme of ['light', 'dark'] as const) {
      it.each(states)(`${locale}, ${colorScheme}, %s`, async (_name, hash) => {
        const { page, close } = await visit(browser, server.url + hash, { locale, colorScheme, bypassCSP: true });
        await page.evaluate(() => document.querySelectorAll('details').forEach((details) => (details.open = true)));
        await page.evaluate(axe);
        const violations = await page.evaluate(async () => {
          const { axe: tool } = window as unknown as { axe: { run(): Promise<{ violations: Violation[] }> } };
          return (await tool.run()).violations;
        });
        expect(
          violations.map(
            ({ id, nodes }) =>
              `${id}: ${nodes.map((node) => `${node.html.slice(0, 160)} ${node.failureSummary}`).join(' | ')}`,
          ),
        ).toEqual([]);
        await close();
      });
    }
  }

  it.each([
    ['en-US', 'light', 1440, 'e=rope'],
    ['en-US', 'dark', 390, ''],
    ['zh-CN', 'dark', 1440, 'e=rope&m=causal'],
    ['zh-CN', 'light', 390, 'e=rope&a=one+two+three+four+five+six+seven+eight&b=two+one'],
  ] as const)('where a reader answers and learns: %s, %s, %i pixels', async (locale, colorScheme, width, hash) => {
    const { page, close } = await visit(browser, `${server.url}#${hash}&tn=3`, {
      locale,
      colorScheme,
      viewport: { width, height: 900 },
      bypassCSP: true,
    });
    await page.locator('pos-enc-reader').evaluate((element) => element.scrollIntoView());
    await page.waitForSelector('.answer-line');
    await page.locator('.training-tools .button').nth(1).click();
    await page.waitForSelector('.run');
    await page.evaluate(axe);
    const ids = await page.evaluate(async () => {
      const { axe: tool } = window as unknown as { axe: { run(): Promise<{ violations: Violation[] }> } };
      return (await tool.run()).violations.map(
        ({ id, nodes }) =>
          `${id}: ${nodes.map((node) => `${node.html.slice(0, 160)} ${node.failureSummary}`).join(' | ')}`,
      );
    });
    expect(ids).toEqual([]);
    await close();
  });

  it('on a phone', async () => {
    const { page, close } = await visit(browser, `${server.url}#e=rope`, {
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
      bypassCSP: true,
    });
    await page.locator('.row-a .chip').first().tap();
    await page.evaluate(axe);
    const ids = await page.evaluate(async () => {
      const { axe: tool } = window as unknown as { axe: { run(): Promise<{ violations: Violation[] }> } };
      return (await tool.run()).violations.map(
        ({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 160)).join(' | ')}`,
      );
    });
    expect(ids).toEqual([]);
    await close();
  });
});
