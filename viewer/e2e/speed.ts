// How quickly the viewer answers, in Chromium with software GL: search, selection, frames while moving, and the loading
// of a large module. Prints one line of JSON; judging it is the evidence row's.
//   node e2e/speed.ts FILE            search, selection and frames
//   node e2e/speed.ts --load FILE     loading time and memory of all of the browser's processes
import { readdirSync, readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { opened, settled } from './browser.ts';
import { launch } from './browser.ts';
import { openPage } from './harness.ts';

const median = (list: number[]): number => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
const round = (n: number): number => Math.round(n * 10) / 10;

/** From the last letter until what was found is on the screen. */
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

/** From choosing an instruction until the inspector tells of it and the picture is drawn. */
async function selectionTimes(page: Page): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < 12; i++) {
    times.push(
      await page.evaluate(async () => {
        const stage = document.querySelector<HTMLElement>('.stage')!;
        const before = document.querySelector('aside[aria-label=inspector] h2')?.textContent ?? '';
        const begin = performance.now();
        for (const key of ['ArrowDown', 'ArrowRight', 'ArrowUp', 'ArrowLeft']) {
          stage.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
          const changed = (): boolean => (document.querySelector('aside[aria-label=inspector] h2')?.textContent ?? '') !== before;
          const start = performance.now();
          while (!changed() && performance.now() - start < 300) await new Promise(requestAnimationFrame);
          if (changed()) return performance.now() - start;
        }
        return performance.now() - begin;
      }),
    );
  }
  return times;
}

/** Frames a second while the picture is moved and zoomed in every frame. */
async function frames(page: Page, seconds: number): Promise<{ fps: number; slowest: number }> {
  return page.evaluate(async (limit) => {
    const stage = document.querySelector<HTMLElement>('.stage')!;
    const box = stage.getBoundingClientRect();
    const gaps: number[] = [];
    let last = performance.now();
    const begin = last;
    for (let i = 0; performance.now() - begin < limit * 1000; i++) {
      const zoomIn = Math.floor(i / 20) % 2 === 0;
      const common = { bubbles: true, cancelable: true, clientX: box.left + box.width * 0.5, clientY: box.top + box.height * 0.4 };
      stage.dispatchEvent(new WheelEvent('wheel', { ...common, deltaY: zoomIn ? -40 : 40 }));
      stage.dispatchEvent(new WheelEvent('wheel', { ...common, deltaX: Math.floor(i / 30) % 2 === 0 ? 24 : -24, deltaY: 0 }));
      await new Promise(requestAnimationFrame);
      const now = performance.now();
      gaps.push(now - last);
      last = now;
    }
    gaps.sort((a, b) => a - b);
    return { fps: (gaps.length * 1000) / (last - begin), slowest: gaps[Math.floor(gaps.length * 0.95)] };
  }, seconds);
}

/** Resident bytes of a process and all that it started. */
function residentOfTree(root: number): number {
  const children = new Map<number, number[]>();
  const resident = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const status = readFileSync(`/proc/${name}/status`, 'utf8');
      const parent = Number(/PPid:\s*(\d+)/.exec(status)?.[1]);
      // What a process has for itself: pages shared with others would be counted many times.
      const own = ['RssAnon', 'RssShmem'].reduce((sum, key) => sum + Number(new RegExp(`${key}:\\s*(\\d+)`).exec(status)?.[1] ?? 0), 0);
      resident.set(Number(name), own * 1024);
      children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
    } catch {
      // it ended meanwhile
    }
  }
  let total = 0;
  const walk = (pid: number): void => {
    total += resident.get(pid) ?? 0;
    for (const child of children.get(pid) ?? []) walk(child);
  };
  walk(root);
  return total;
}

async function measureUse(file: string): Promise<void> {
  const browser = await launch();
  const { page, said } = await openPage(browser, { files: [file] });
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
  const graph = await frames(page, 3);
  await page.locator('.stage').focus();
  await page.keyboard.press('f');
  await settled(page);
  const graphAll = await frames(page, 3);
  await page.locator('body').press('2');
  await page.waitForSelector('[data-view=memory] .stage');
  await settled(page);
  const memory = await frames(page, 3);
  console.log(
    JSON.stringify({
      search_ms: { median: round(median(search)), worst: round(Math.max(...search)) },
      select_ms: { median: round(median(select)), worst: round(Math.max(...select)) },
      graph_fps: round(graph.fps),
      graph_all_fps: round(graphAll.fps),
      memory_fps: round(memory.fps),
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
  const timer = setInterval(() => (most = Math.max(most, residentOfTree(process.pid))), 200);
  const own = residentOfTree(process.pid);
  const begin = performance.now();
  await page.locator('input[type=file]').setInputFiles([file]);
  await opened(page, 120000);
  const seconds = (performance.now() - begin) / 1000;
  await page.locator('body').press('3');
  await page.waitForFunction(() => /nodes|holds/.test(document.querySelector('.toolbar')?.textContent ?? ''), undefined, { timeout: 60000 });
  await settled(page);
  const graphSeconds = (performance.now() - begin) / 1000 - seconds;
  const search = await searchTimes(page);
  const graph = await frames(page, 2);
  clearInterval(timer);
  console.log(
    JSON.stringify({
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
