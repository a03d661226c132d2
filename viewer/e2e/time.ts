// End-to-end tests of the time view: the totals, the timeline and what one can do in it, layers and source lines, what is
// exposed, advice, the roofline, devices, and profiles. On the seeds and on examples of this repository.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { opened, settled, sharesOfColor } from './browser.ts';
import { example, hash, hashBecomes, must, openPage, quiet, runChecks, scratch, seed } from './harness.ts';

interface Open {
  page: Page;
  done: () => Promise<void>;
}

const EXAMPLE = example('h100x4_fsdp_mlp_train', 'gpu_after_optimizations.txt');
const TPU = example('v5e_2x2_fsdp_mlp_train', '.after_optimizations.txt');

async function timeOf(browser: Browser, files: string[], settings = '', width = 1600, height = 900): Promise<Open> {
  const watched = await openPage(browser, { files, width, height });
  const { page } = watched;
  await page.evaluate((to) => (location.hash = to), `#/time${settings}`);
  await page.waitForSelector('[data-view=time] .stage', { timeout: 30000 });
  await page.waitForTimeout(300);
  await settled(page);
  return {
    page,
    done: async () => {
      quiet(watched);
      await watched.context.close();
    },
  };
}

/** A time as the page writes it, in seconds. */
function secondsOf(text: string): number {
  const [, number, unit] = /(-?[\d.]+)\s*(s|ms|us|ns)\b/.exec(text) ?? [];
  must(unit, `no time in: ${text}`);
  return Number(number) * { s: 1, ms: 1e-3, us: 1e-6, ns: 1e-9 }[unit as 's']!;
}

async function total(page: Page, name: string): Promise<number> {
  const text = await page.locator('[aria-label=totals]').innerText();
  return secondsOf(text.slice(text.indexOf(name)));
}

async function status(page: Page): Promise<string> {
  return page.locator('.where').innerText();
}

/** Moves over the canvas at a height until the status bar matches; returns the point. */
async function find(page: Page, pattern: RegExp, y: number, step = 4): Promise<[number, number]> {
  const box = (await page.locator('.stage').first().boundingBox())!;
  for (let x = box.x + 140; x < box.x + box.width - 2; x += step) {
    await page.mouse.move(x, box.y + y);
    if (pattern.test(await status(page))) return [x, box.y + y];
  }
  throw new Error(`nothing at height ${y} matches ${pattern}`);
}

/** The time below the pointer on the axis. */
async function timeAt(page: Page, share: number): Promise<number> {
  const box = (await page.locator('.stage').first().boundingBox())!;
  await page.mouse.move(box.x + 140 + (box.width - 150) * share, box.y + 8);
  return secondsOf(await status(page));
}

/** How much of the drawing has the color of a variable. */
async function shareOfColor(page: Page, name: string): Promise<number> {
  const rows = await sharesOfColor(page, name, 40);
  return rows.reduce((sum, one) => sum + one, 0) / rows.length;
}

/** The height of a track on the canvas, from where a name of its slices is found. */
const KERNELS_Y = 90;

await runChecks({
  'the overview tells the step and leads to the time view': async (browser) => {
    const watched = await openPage(browser, { files: [seed('002')], width: 1600, height: 1000 });
    const { page } = watched;
    await opened(page);
    const card = page.locator('section[aria-label="Is it fast?"]');
    await card.locator('canvas').waitFor({ timeout: 30000 });
    const text = await card.innerText();
    must(/about 2\.61 s per step on mi355x/.test(text), `the total: ${text}`);
    must(/61% bound by compute/.test(text) && /most in \S/.test(text), 'what limits it and where most of it is');
    await card.getByRole('button', { name: /open time/ }).click();
    await hashBecomes(page, /#\/time/);
    await page.waitForSelector('[data-view=time] .stage');
    quiet(watched);
    await watched.context.close();
    return text.split('\n')[1];
  },

  'three totals in order, and their parts': async (browser) => {
    const { page, done } = await timeOf(browser, [seed('002')]);
    const [floor, estimate, serial] = [await total(page, 'floor'), await total(page, 'estimate'), await total(page, 'serial')];
    must(floor < estimate && estimate < serial, `${floor} ${estimate} ${serial}`);
    must(Math.abs(estimate - 2.61) < 0.02, `the estimate is ${estimate}`);
    const legend = await page.locator('[aria-label=legend]').innerText();
    must(/kernels wait\s+389 ms/.test(legend) && /product\s+61%/.test(legend), `the legend: ${legend.replace(/\s+/g, ' ')}`);
    await done();
    return `${floor} ${estimate} ${serial} s`;
  },

  'pointing at a slice tells its time, source and confidence': async (browser) => {
    const { page, done } = await timeOf(browser, [seed('002')]);
    await find(page, /^custom-call\.\d+ · [\d.]+ ms/, KERNELS_Y);
    await page.waitForSelector('[role=tooltip] .title');
    const text = await page.locator('[role=tooltip]').innerText();
    must(/from model, confidence medium/.test(text), `where the figure comes from: ${text}`);
    must(/bound by (compute|memory)/.test(text) && /flop\/s/.test(text) && /at least/.test(text), 'what limits it');
    must(/layers\/\w+\.py:\d+/.test(text), 'its source line');
    await done();
    return text.split('\n').slice(0, 2).join(' ');
  },

  'a click selects, in every view': async (browser) => {
    const { page, done } = await timeOf(browser, [seed('002')]);
    const at = await find(page, /^custom-call\.\d+ · [\d.]+ ms/, KERNELS_Y);
    const name = (await status(page)).split(' ')[0];
    await page.mouse.click(...at);
    await hashBecomes(page, /inst=\d+/);
    await page.waitForFunction((wanted) => document.querySelector('aside[aria-label=inspector] h2')?.textContent === wanted, name);
    await settled(page);
    must((await shareOfColor(page, '--select')) > 0.0004, 'it is outlined');
    await page.locator('aside[aria-label=inspector]').getByRole('button', { name: 'Graph' }).click();
    await hashBecomes(page, /#\/graph\?inst=\d+/);
    await page.keyboard.press('Escape');
    await page.locator('body').press('7');
    await hashBecomes(page, /#\/time/);
    await done();
    return name;
  },

  'what is selected elsewhere comes into sight': async (browser) => {
    const { page, done } = await timeOf(browser, [seed('002')]);
    const whole = (await timeAt(page, 0.9)) - (await timeAt(page, 0.1));
    await page.keyboard.press('/');
    await page.keyboard.type('loop_convert_fusion.10');
    await page.waitForSelector('#found [role=option]');
    await page.keyboard.press('Enter');
    await hashBecomes(page, /inst=\d+/);
    await page.waitForTimeout(600);
    await settled(page);
    must((await shareOfColor(page, '--select')) > 0.0001, 'it is outlined');
    await done();
    return `of ${whole.toFixed(2)} s`;
  },

  'the wheel zooms, dragging moves, F shows all': async (browser) => {
    const { page, done } = await timeOf(browser, [seed('002')]);
    const before = (await timeAt(page, 0.9)) - (await timeAt(page, 0.1));
    const box = (await page.locator('.stage').first().boundingBox())!;
    await page.mouse.move(box.x + box.width / 2, box.y + KERNELS_Y);
    for (let i = 0; i < 10; i++) {
      await page.mouse.wheel(0, -240);
      await page.waitForTimeout(40);
    }
    await page.waitForTimeout(500);
    const near = [await timeAt(page, 0.1), await timeAt(page, 0.9)];
    must(near[1] - near[0] < before / 20, `closer: ${before} to ${near[1] - near[0]}`);
    // Names appear once slices are wide enough: what was one slice of many is now told apart.
    await find(page, /^\S+ · [\d.]+ (us|ms) · from/, KERNELS_Y, 12);
    // Far enough for the two decimals that times are shown with.
    await page.mouse.move(box.x + 1000, box.y + KERNELS_Y);
    await page.mouse.down();
    await page.mouse.move(box.x + 200, box.y + KERNELS_Y, { steps: 4 });
    await page.mouse.up();
    must((await timeAt(page, 0.1)) > near[0], 'it moved');
    await page.locator('.stage').first().focus();
    await page.keyboard.press('f');
    await page.waitForTimeout(400);
    const after = (await timeAt(page, 0.9)) - (await timeAt(page, 0.1));
    must(Math.abs(after - before) < 0.02 * before, 'all again');
    await done();
    return `${before.toFixed(2)} s to ${(1e3 * (near[1] - near[0])).toFixed(0)} ms`;
  },

  'exposed communication is listed and hatched': async (browser) => {
    const { page, done } = await timeOf(browser, [seed('002')], '?pane=exposed');
    const rows = page.locator('table[aria-label=exposed] tbody tr');
    must((await rows.count()) >= 10, `${await rows.count()} rows`);
    const first = await rows.first().innerText();
    must(/85\.7 ms/.test(first) && /collective-permute-start\.2/.test(first) && /pipeline\.py:300/.test(first), first);
    must((await shareOfColor(page, '--bad')) > 0.002, 'waits are hatched');
    const name = await rows.first().locator('button').innerText();
    await rows.first().locator('button').click();
    await page.waitForFunction((wanted) => document.querySelector('aside[aria-label=inspector] h2')?.textContent === wanted, name);
    await page.locator('.stage').first().focus();
    await page.keyboard.press('Escape');
    await page.locator('.stage').first().focus();
    await page.keyboard.press('e');
    await page.waitForFunction(() => /^kernels wait/.test(document.querySelector('.where')?.textContent ?? ''));
    await done();
    return `${first.replace(/\s+/g, ' ').slice(0, 80)}`;
  },

  'layers and source lines add up': async (browser) => {
    const { page, done } = await timeOf(browser, [seed('002')]);
    for (const [pane, label] of [
      ['', 'layers'],
      ['lines', 'source lines'],
    ]) {
      if (pane) await page.getByRole('button', { name: 'Source lines' }).click();
      await page.locator(`table[aria-label="${label}"] tbody tr`).first().waitFor();
      const cells = await page.locator(`table[aria-label="${label}"] tbody tr td:first-child`).allInnerTexts();
      const sum = cells.reduce((all, one) => all + secondsOf(one), 0);
      must(cells.length > 20 && Math.abs(sum - (await total(page, 'serial'))) < 0.02, `${label}: ${cells.length} rows, ${sum} s`);
    }
    await page.locator('table[aria-label="source lines"] .row').first().click();
    must((await page.locator('tr.inner').count()) > 1, 'a line opens to its instructions');
    await page.locator('tr.inner button').first().click();
    await hashBecomes(page, /inst=\d+/);
    await done();
  },

  'what would help is told in seconds': async (browser) => {
    const { page, done } = await timeOf(browser, [seed('002')], '?pane=advice');
    await page.locator('[aria-label="time advice"] li').first().waitFor({ timeout: 30000 });
    const first = await page.locator('[aria-label="time advice"] li').first().innerText();
    must(/77\.9 ms/.test(first) && /3\.0%/.test(first), first);
    await done();
    return first.replace(/\s+/g, ' ').slice(0, 80);
  },

  'the roofline has the roofs of the device': async (browser) => {
    const { page, done } = await timeOf(browser, [seed('002')], '?pane=roofline');
    await page.waitForSelector('[aria-label=roofline]');
    must(/4\d\d instructions/.test(await page.locator('.pane').innerText()), 'it tells how many');
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    const row = page.locator('.export .menu span', { hasText: 'roofline' }).first();
    const [download] = await Promise.all([page.waitForEvent('download'), row.locator('xpath=following-sibling::button[text()="SVG"][1]').click()]);
    const path = join(scratch(), 'roofline.svg');
    await download.saveAs(path);
    const svg = readFileSync(path, 'utf8');
    must(/bf16 2\.\d+ Pflop\/s/.test(svg) && /memory 8 TB\/s/.test(svg), 'both roofs are named');
    must((svg.match(/<path [^>]*fill="#/g) ?? []).length > 200, 'points are drawn');
    await done();
  },

  'another device gives another step': async (browser) => {
    const { page, done } = await timeOf(browser, [seed('002')]);
    const before = await total(page, 'estimate');
    await page.locator('.toolbar').getByLabel('device').selectOption('h100');
    await hashBecomes(page, /device=h100/);
    await page.waitForFunction(() => /on h100/.test(document.querySelector('.verdict')?.textContent ?? ''));
    const after = await total(page, 'estimate');
    must(after > 1.3 * before, `${before} to ${after}`);
    await page.waitForTimeout(300);
    must(Math.abs((await timeAt(page, 0.999)) / after - 1) < 0.1, 'the timeline is as long');
    await page.locator('.toolbar').getByLabel('device').selectOption('');
    await page.waitForFunction(() => /on mi355x/.test(document.querySelector('.verdict')?.textContent ?? ''));
    await done();
    return `${before} s, ${after} s`;
  },

  'another scale gives another step': async (browser) => {
    const { page, done } = await timeOf(browser, [seed('002')]);
    const before = await total(page, 'estimate');
    await page.locator('.toolbar summary', { hasText: 'scale' }).click();
    await page.locator('.toolbar').getByLabel('links', { exact: true }).fill('40');
    await page.locator('.toolbar').getByLabel('copies', { exact: true }).fill('64');
    await page.keyboard.press('Tab');
    await hashBecomes(page, /data_parallel=64/);
    await page.waitForFunction(() => /at this scale/.test(document.querySelector('[aria-label=totals]')?.textContent ?? ''));
    const after = await total(page, 'estimate');
    must(after > 1.1 * before, `${before} to ${after} with slower links`);
    await done();
    return `${before} s, ${after} s`;
  },

  'the critical path, and colors by what limits': async (browser) => {
    const { page, done } = await timeOf(browser, [seed('002')], '?paint=bound');
    must(/compute\s+61%/.test(await page.locator('[aria-label=legend]').innerText()), 'colors by bound');
    const before = await page.locator('.stage').first().screenshot();
    await page.getByText('critical path').click();
    await settled(page);
    must(!before.equals(await page.locator('.stage').first().screenshot()), 'others fade');
    await page.locator('[aria-label=legend] button', { hasText: 'memory' }).click();
    must((await page.locator('[aria-label=legend] [aria-pressed=true]').count()) === 1, 'an entry of the legend is in focus');
    await done();
  },

  'a profile beside the module: measured against predicted': async (browser) => {
    const names = [...readFileSync(EXAMPLE, 'utf8').matchAll(/^\s+%?((?:\w*fusion|custom-call|dot)[\w.-]*) = /gm)].map((one) => one[1]);
    must(names.length > 5, `${names.length} kernels`);
    const csv = join(scratch(), 'steps.csv');
    writeFileSync(csv, `hlo_op,duration_us,step\n${names.map((one, i) => `${one},${10 + i},0`).join('\n')}\n`);
    const { page, done } = await timeOf(browser, [EXAMPLE, csv], '?pane=measured');
    await page.locator('table[aria-label=measured] tbody tr').first().waitFor();
    const rows = await page.locator('table[aria-label=measured] tbody tr').count();
    must(rows > 5, `${rows} rows`);
    must((await total(page, 'measured')) > 0, 'the measured step is among the totals');
    must((await page.locator('[aria-label="measured against predicted"]').count()) === 1, 'there is a diagram');
    await done();
    return `${rows} instructions`;
  },

  'a TPU program has separate tracks for links and copies': async (browser) => {
    const { page, done } = await timeOf(browser, [TPU]);
    must(/assumed/.test(await page.locator('.verdict').innerText()), 'which TPU is an assumption');
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    const row = page.locator('.export .menu span', { hasText: 'timeline' }).first();
    const [download] = await Promise.all([page.waitForEvent('download'), row.locator('xpath=following-sibling::button[text()="SVG"][1]').click()]);
    const path = join(scratch(), 'timeline.svg');
    await download.saveAs(path);
    const words = [...readFileSync(path, 'utf8').matchAll(/<text [^>]*>([^<]*)<\/text>/g)].map((match) => match[1]);
    must(words.includes('kernels') && words.includes('links'), words.slice(0, 12).join(', '));
    await done();
  },

  'a program without a schedule says so': async (browser) => {
    const { page, done } = await timeOf(browser, [example('h100x4_fsdp_mlp_train', 'before_optimizations.txt')]);
    must(/not scheduled/.test(await page.locator('.verdict').innerText()), 'it says so');
    await done();
  },

  'a saved report opens with the time view': async (browser) => {
    const { page, done } = await timeOf(browser, [EXAMPLE]);
    const before = await total(page, 'estimate');
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByText('Save report').click()]);
    const path = join(scratch(), 'time.html');
    await download.saveAs(path);
    await done();
    const second = await openPage(browser, { page: path });
    await opened(second.page);
    await second.page.waitForSelector('[data-view=time] .stage');
    must(/^#\/time/.test(await hash(second.page)), 'the same view');
    must((await total(second.page, 'estimate')) === before, 'the same step');
    quiet(second);
    await second.context.close();
  },

  'narrow windows keep the timeline and the lists': async (browser) => {
    const { page, done } = await timeOf(browser, [seed('002')], '', 760, 560);
    const stage = (await page.locator('.stage').first().boundingBox())!;
    must(stage.height >= 140 && stage.width > 600, `${stage.width} × ${stage.height}`);
    must((await page.locator('table[aria-label=layers] tbody tr').count()) > 10, 'layers');
    const over = await page.evaluate(() => {
      const view = document.querySelector('section.view')!;
      return [...view.querySelectorAll('.toolbar, .verdict, .legend, .tabs')].filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.className);
    });
    must(over.length === 0, `too wide: ${over.join(', ')}`);
    await done();
  },
});
