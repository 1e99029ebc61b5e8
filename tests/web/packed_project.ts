/** An empty project with the packed package in it, and pages that use it. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { Browser } from 'playwright-core';
import type { InlineConfig } from 'vite';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface PackedProject {
  /** A folder for this test alone. */
  readonly work: string;
  /** The project in it. */
  readonly project: string;
  /** Vite's options for the project. */
  readonly vite: InlineConfig;
  remove(): void;
}

/** Its page `index.html` runs `script`, which sets `globalThis.result`. */
export function createPackedProject(script: string, head = ''): PackedProject {
  const work = mkdtempSync(join(tmpdir(), 'posenc-'));
  const project = join(work, 'project');
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(project, 'index.html'), `<!doctype html>${head}<script type="module" src="./main.js"></script>`);
  writeFileSync(join(project, 'main.js'), script);
  const packed = execFileSync('npm', ['pack', '--silent', '--pack-destination', work], { cwd: root, encoding: 'utf8' });
  execFileSync('npm', ['install', '--silent', '--no-audit', '--no-fund', join(work, packed.trim())], { cwd: project });
  return {
    work,
    project,
    vite: { root: project, configFile: false, logLevel: 'error' },
    remove: () => rmSync(work, { recursive: true, force: true }),
  };
}

/** What the page at `address` has set as `globalThis.result`. */
export async function resultOf<Result>(browser: Browser, address: string): Promise<Result | undefined> {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    await page.goto(address);
    const result = await page.waitForFunction(() => (globalThis as { result?: unknown }).result, undefined, {
      timeout: 60_000,
    });
    // It is what the script of the test has made.
    return (await result.jsonValue()) as Result | undefined;
  } finally {
    await context.close();
  }
}
