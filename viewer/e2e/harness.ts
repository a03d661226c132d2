// Helpers shared by the browser tests: the page under test, the dumps they open, the runner of a list of checks.
// A check that throws has failed. The run ends with a count, and with exit code 1 if a check failed.
import { existsSync, mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { dropFiles, launch, opened, watch, type Watched } from './browser.ts';

export const ROOT = resolve(import.meta.dirname, '..', '..');
export const SHARED = process.env.HALO_SHARED ?? resolve(ROOT, '..', 'shared');
export const PAGE = process.env.HALO_VIEWER_PAGE ?? join(ROOT, 'build/release/share/haloscope/viewer.html');

export function example(folder: string, ending: string): string {
  const path = join(ROOT, 'examples', folder);
  const name = readdirSync(path).find((one) => one.endsWith(ending));
  if (!name) throw new Error(`no example ${folder}/*${ending}`);
  return join(path, name);
}

export function seed(number: string): string {
  const folder = join(SHARED, 'seeds');
  const name = existsSync(folder) ? readdirSync(folder).find((one) => one.startsWith(`${number}_`)) : undefined;
  if (!name) throw new Error(`seed ${number} is missing (${folder})`);
  return join(folder, name);
}

export function scratch(): string {
  return mkdtempSync(join(tmpdir(), 'halo-viewer-'));
}

export function must(holds: unknown, what: string): asserts holds {
  if (!holds) throw new Error(what);
}

export type Check = (browser: Browser) => Promise<string | void>;

export async function runChecks(checks: Record<string, Check>): Promise<void> {
  const only = process.argv.slice(2).filter((one) => !one.startsWith('-'));
  must(existsSync(PAGE), `no page to test: ${PAGE}; run scripts/build_viewer`);
  const browser = await launch();
  let passed = 0;
  let failed = 0;
  for (const [name, check] of Object.entries(checks)) {
    if (only.length > 0 && !only.some((one) => name.includes(one))) continue;
    const begin = Date.now();
    try {
      const said = await check(browser);
      passed++;
      console.log(`ok    ${name} (${Date.now() - begin} ms)${said ? `: ${said}` : ''}`);
    } catch (error) {
      failed++;
      console.log(`FAIL  ${name}: ${(error as Error).message.split('\n').slice(0, 12).join('\n      ')}`);
    }
  }
  await browser.close();
  console.log(`${passed} passed, ${failed} failed`);
  process.exit(failed > 0 || passed === 0 ? 1 : 0);
}

export interface Opening {
  files?: string[];
  hash?: string;
  page?: string;
  width?: number;
  height?: number;
  dark?: boolean;
}

/** Opens the page with files and waits until it is ready. */
export async function openPage(browser: Browser, options: Opening): Promise<Watched> {
  const watched = await watch(browser, options);
  await watched.page.goto(pathToFileURL(options.page ?? PAGE).href + (options.hash ?? ''));
  if (options.files) {
    await dropFiles(watched.page, options.files);
    await opened(watched.page);
  }
  return watched;
}

/** Checks that there were no console messages and no network requests. */
export function quiet(watched: Watched): void {
  must(watched.said.length === 0, `the console says: ${watched.said.slice(0, 5).join(' | ')}`);
  must(watched.requests.length === 0, `requests were made: ${watched.requests.slice(0, 5).join(', ')}`);
}

export async function hash(page: Page): Promise<string> {
  return page.evaluate(() => location.hash);
}

/** Waits until the text of an element stays as it is: results of a search that is still going on replace each other. */
export async function steady(page: Page, selector: string): Promise<void> {
  for (let before = '', now = ''; now === '' || now !== before; ) {
    before = now;
    await page.waitForTimeout(300);
    now = await page.locator(selector).innerText();
  }
}

/** Waits until the hash matches. */
export async function hashBecomes(page: Page, pattern: RegExp, timeout = 10000): Promise<void> {
  await page.waitForFunction((source) => new RegExp(source).test(location.hash), pattern.source, { timeout });
}
