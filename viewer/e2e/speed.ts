// Measures the viewer's response times in Chromium with software GL: search, selection, frames while moving, and the
// loading of a large module. Prints one line of JSON; the evidence row checks it.
//   node e2e/speed.ts FILE            search, selection and frames
//   node e2e/speed.ts --load FILE     loading time and memory of all of the browser's processes
import type { Page } from 'playwright-core';
import { opened, settled } from './browser.ts';
import { launch } from './browser.ts';
import { framesOf, ofTree } from './frames.ts';
import { openPage } from './harness.ts';

const median = (list: number[]): number => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
const round = (n: number): number => Math.round(n * 10) / 10;

/** Times from the last letter until the results are on the screen. */
async function searchTimes(page: Page): Promise<number[]> {
  const times: number[] = [];
  for (const query of ['fusion', 'all-reduce', 'bf16[', 'transpose', 'loop_convert', 'dot', 'jit(train_step)', 'opcode:custom-call', 'zzz-nothing', 'add.1']) {
    times.push(
      await page.evaluate(async (text) => {
        const box = document.querySelector<HTMLInputElement>('input[role=combobox]')!;
        box.focus();
        const begin = performance.now();
        box.value = text;
        box.dispatchEvent(new Event('input', { bubbles: true }));
        const told = (): string => document.querySelector('.list p')?.getAttribute('data-query') ?? '';
        while (told() !== text) await new Promise(requestAnimationFrame);
        await new Promise(requestAnimationFrame);
        return performance.now() - begin;
      }, query),
    );
  }
  await page.keyboard.press('Escape');
  return times;
}

/** Milliseconds from a key until the inspector shows another instruction, or undefined after `limit`. */
async function selectionTime(page: Page, key: string, limit: number): Promise<number | undefined> {
  return page.evaluate(
    async ([key, limit]) => {
      const stage = document.querySelector<HTMLElement>('.stage')!;
      const shown = (): string => document.querySelector('aside[aria-label=inspector] h2')?.textContent ?? '';
      const before = shown();
      const begin = performance.now();
      stage.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
      while (shown() === before) {
        if (performance.now() - begin > limit) return undefined;
        await new Promise(requestAnimationFrame);
      }
      return performance.now() - begin;
    },
    [key, limit] as [string, number],
  );
}

/** Times from selecting an instruction until the inspector shows it. A key may lead nowhere, so two that lead back and
 * forth are looked for first. Of these every press counts, however long it takes. */
async function selectionTimes(page: Page): Promise<number[]> {
  const pairs = [
    ['ArrowDown', 'ArrowUp'],
    ['ArrowUp', 'ArrowDown'],
    ['ArrowRight', 'ArrowLeft'],
    ['ArrowLeft', 'ArrowRight'],
  ];
  for (const pair of pairs) {
    if ((await selectionTime(page, pair[0], 3000)) === undefined) continue;
    if ((await selectionTime(page, pair[1], 3000)) === undefined) continue;
    const times: number[] = [];
    for (let i = 0; i < 12; i++) times.push((await selectionTime(page, pair[i % 2], 20000)) ?? 20000);
    return times;
  }
  throw new Error('no key selects another instruction');
}

/** The number of instructions that the overview shows. */
async function instructions(page: Page): Promise<number> {
  await page.locator('body').press('1');
  const text = await page.locator('section.view').innerText();
  return Number(/\ninstructions\s+([\d,]+)/.exec(text)?.[1].replaceAll(',', '') ?? -1);
}

async function measureUse(file: string): Promise<void> {
  const browser = await launch();
  const { page, said } = await openPage(browser, { files: [file] });
  const count = await instructions(page);
  await page.locator('body').press('3');
  await page.waitForSelector('.stage');
  await page.waitForFunction(() => /nodes/.test(document.querySelector('.toolbar')?.textContent ?? ''));
  await settled(page);
  const search = await searchTimes(page);
  await page.locator('.stage').focus();
  await page.keyboard.press('ArrowDown');
  await page.waitForTimeout(300);
  const select = await selectionTimes(page);
  await page.keyboard.press('Escape');
  const graph = await framesOf(browser, page, 3);
  await page.locator('.stage').focus();
  await page.keyboard.press('f');
  await settled(page);
  const graphAll = await framesOf(browser, page, 3);
  await page.locator('body').press('2');
  await page.waitForSelector('[data-view=memory] .stage');
  await settled(page);
  const memory = await framesOf(browser, page, 3);
  console.log(
    JSON.stringify({
      instructions: count,
      search_ms: { median: round(median(search)), worst: round(Math.max(...search)) },
      select_ms: { median: round(median(select)), worst: round(Math.max(...select)) },
      graph_fps: round(graph.fps),
      graph_cpu_ms: round(graph.cpu_ms),
      graph_all_fps: round(graphAll.fps),
      graph_all_cpu_ms: round(graphAll.cpu_ms),
      memory_fps: round(memory.fps),
      memory_cpu_ms: round(memory.cpu_ms),
      said,
    }),
  );
  await browser.close();
}

async function measureLoad(file: string): Promise<void> {
  const browser = await launch();
  const watched = await openPage(browser, {});
  const { page } = watched;
  let most = 0;
  const timer = setInterval(() => (most = Math.max(most, ofTree(process.pid, 'own'))), 200);
  const own = ofTree(process.pid, 'own');
  const begin = performance.now();
  await page.locator('input[type=file]').setInputFiles([file]);
  await opened(page, 120000);
  const seconds = (performance.now() - begin) / 1000;
  const count = await instructions(page);
  const shown = performance.now();
  await page.locator('body').press('3');
  await page.waitForFunction(() => /nodes|holds/.test(document.querySelector('.toolbar')?.textContent ?? ''), undefined, { timeout: 60000 });
  await settled(page);
  const graphSeconds = (performance.now() - shown) / 1000;
  const search = await searchTimes(page);
  const graph = await framesOf(browser, page, 2);
  clearInterval(timer);
  console.log(
    JSON.stringify({
      instructions: count,
      load_s: round(seconds),
      graph_s: round(graphSeconds),
      search_ms: { median: round(median(search)), worst: round(Math.max(...search)) },
      graph_fps: round(graph.fps),
      peak_mib: Math.round(most / 2 ** 20),
      before_mib: Math.round(own / 2 ** 20),
      said: watched.said,
    }),
  );
  await browser.close();
}

const files = process.argv.slice(2).filter((one) => !one.startsWith('--'));
if (process.argv.includes('--load')) await measureLoad(files[0]);
else await measureUse(files[0]);
