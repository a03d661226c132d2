// Takes screenshots of every view for the seeds. `--write FOLDER` writes them; `--compare FOLDER` compares them with
// the stored ones. Two pictures match if, at half size, at most 2% of their pixels differ in brightness by more than a
// tenth of the full range. This allows different fonts and drivers, but not different layouts.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { launch, opened, settled } from './browser.ts';
import { editedSeed, report, smallPair, type DiffPair } from './diff_pairs.ts';
import { example, openPage, seed, SHARED } from './harness.ts';

interface Shot {
  name: string;
  files?: () => string[];
  hash: string;
  dark?: boolean;
  width?: number;
  /** The files of an earlier program to compare with. */
  before?: () => string[];
  /** A report instead of the empty page. */
  page?: () => string;
  /** Actions before the picture is taken. */
  act?: (page: Page) => Promise<void>;
}

const TOLERANCE = { share: 0.02, brightness: 0.1 };

const walk = (keys: string[]) => async (page: Page): Promise<void> => {
  await page.locator('.stage').first().focus();
  for (const key of keys) {
    await page.keyboard.press(key);
    await page.waitForTimeout(250);
  }
};

const find = (words: string) => async (page: Page): Promise<void> => {
  await page.keyboard.press('Escape');
  await page.keyboard.press('/');
  await page.keyboard.type(words);
  await page.waitForSelector('#found [role=option]');
  await page.keyboard.press('Enter');
  await page.waitForSelector('aside[aria-label=inspector] dl');
};

const seeds = (number: string) => (): string[] => [seed(number)];
const pair = (): string[] => [
  example('h100x4_fsdp_mlp_train', 'gpu_after_optimizations.txt'),
  example('h100x4_fsdp_mlp_train', '-buffer-assignment.txt'),
  example('h100x4_fsdp_mlp_train', '-live-range.txt'),
];

export const SHOTS: Shot[] = [
  { name: '001-overview', files: seeds('001'), hash: '#/overview' },
  { name: '001-memory', files: seeds('001'), hash: '#/memory', act: walk(['ArrowRight']) },
  { name: '001-memory-packed', files: seeds('001'), hash: '#/memory?plan=both&kinds=temp' },
  { name: '001-table', files: seeds('001'), hash: '#/table' },
  { name: '002-overview', files: seeds('002'), hash: '#/overview' },
  { name: '002-memory', files: seeds('002'), hash: '#/memory' },
  { name: '002-memory-dark', files: seeds('002'), hash: '#/memory?by=role', dark: true },
  { name: '002-graph', files: seeds('002'), hash: '#/graph' },
  { name: '002-graph-search', files: seeds('002'), hash: '#/graph', act: find('all-gather') },
  { name: '002-graph-dark', files: seeds('002'), hash: '#/graph?around=2', dark: true, act: find('custom-call') },
  { name: '002-text', files: seeds('002'), hash: '#/text', act: find('loop_convert_fusion.10') },
  { name: '002-table', files: seeds('002'), hash: '#/table?of=collectives' },
  { name: '003-overview', files: seeds('003'), hash: '#/overview' },
  { name: '003-memory', files: seeds('003'), hash: '#/memory' },
  { name: '003-memory-packed', files: seeds('003'), hash: '#/memory?plan=both&kinds=temp' },
  { name: '003-table', files: seeds('003'), hash: '#/table', dark: true },
];

const tpu = (): string[] => [join(SHARED, 'corpus/jax/tpu/v4_2x2x1/transformer_fsdp4_adam/module_0000.jit_transformer_fsdp4_adam.cl_1003875606.after_optimizations.txt')];
const near = async (page: Page): Promise<void> => {
  const box = (await page.locator('.stage').first().boundingBox())!;
  await page.mouse.move(box.x + box.width * 0.5, box.y + 90);
  for (let i = 0; i < 5; i++) {
    await page.mouse.wheel(0, -240);
    await page.waitForTimeout(80);
  }
};

/** The time view, on two seeds and on a TPU program of the corpus. */
export const TIME_SHOTS: Shot[] = [
  { name: '000-time', files: seeds('000'), hash: '#/time' },
  { name: '002-time', files: seeds('002'), hash: '#/time' },
  { name: '002-time-dark', files: seeds('002'), hash: '#/time?pane=exposed', dark: true, act: near },
  { name: '002-time-roofline', files: seeds('002'), hash: '#/time?pane=roofline' },
  { name: '002-time-h100', files: seeds('002'), hash: '#/time?pane=advice&device=h100&paint=bound' },
  { name: 'tpu-time', files: tpu, hash: '#/time?pane=lines' },
];

/** Pictures that need no seeds: the same views on an example of this repository. */
export const EXAMPLE_SHOTS: Shot[] = [
  { name: 'example-overview', files: pair, hash: '#/overview' },
  { name: 'example-memory', files: pair, hash: '#/memory' },
  { name: 'example-graph', files: pair, hash: '#/graph' },
  { name: 'example-text', files: pair, hash: '#/text' },
  { name: 'example-table', files: pair, hash: '#/table' },
  { name: 'example-time', files: pair, hash: '#/time' },
];

/** Two programs: seed 002 against an edited copy, and reports of one program compiled by two versions. */
export const DIFF_SHOTS: Shot[] = [
  { name: 'diff-text', ...pairOf(editedSeed), hash: '#/diff?against=1&cause=0' },
  { name: 'diff-graph', ...pairOf(editedSeed), hash: '#/diff?against=1&pane=graph&cause=0' },
  { name: 'diff-memory', ...pairOf(editedSeed), hash: '#/diff?against=1&pane=memory' },
  { name: 'diff-versions-overview', page: () => report('versions'), hash: '#/overview?against=2' },
  { name: 'diff-versions-text-narrow', page: () => report('versions'), hash: '#/diff?against=2', width: 800 },
  { name: 'diff-versions-graph-dark', page: () => report('versions'), hash: '#/diff?against=2&pane=graph', dark: true },
  { name: 'diff-versions-memory-dark', page: () => report('versions'), hash: '#/diff?against=2&pane=memory', dark: true },
  { name: 'diff-small-graph', ...pairOf(smallPair), hash: '#/diff?against=1&pane=graph' },
];

function pairOf(make: () => DiffPair): Pick<Shot, 'files' | 'before'> {
  let made: DiffPair | undefined;
  return { files: () => (made ??= make()).after, before: () => (made ??= make()).before };
}

async function take(browser: Browser, shot: Shot): Promise<Buffer> {
  const { page, context, said } = await openPage(browser, { files: shot.files?.(), page: shot.page?.(), dark: shot.dark, width: shot.width });
  await opened(page);
  if (shot.before) {
    await page.locator('input[data-for=against]').setInputFiles(shot.before());
    await page.waitForSelector('[aria-label="What changed?"] .more', { timeout: 60000 });
  }
  await page.evaluate((hash) => (location.hash = hash), shot.hash);
  await page.waitForTimeout(300);
  await page.waitForFunction(() => !document.querySelector('[role=status]'), undefined, { timeout: 30000 });
  await page.waitForTimeout(700);
  await shot.act?.(page);
  await page.mouse.move(2, 300);
  await page.waitForTimeout(500);
  await settled(page);
  const picture = await page.screenshot();
  await context.close();
  if (said.length > 0) throw new Error(`${shot.name}: the console says ${said[0]}`);
  return picture;
}

/** Returns the share of pixels that differ. */
async function difference(page: Page, a: Buffer, b: Buffer): Promise<number> {
  return page.evaluate(
    async ([one, other, limit]) => {
      const pixels = async (base64: string): Promise<ImageData> => {
        const image = new Image();
        image.src = `data:image/png;base64,${base64}`;
        await image.decode();
        const canvas = new OffscreenCanvas(Math.ceil(image.width / 2), Math.ceil(image.height / 2));
        const pen = canvas.getContext('2d')!;
        pen.imageSmoothingQuality = 'high';
        pen.drawImage(image, 0, 0, canvas.width, canvas.height);
        return pen.getImageData(0, 0, canvas.width, canvas.height);
      };
      const [p, q] = [await pixels(one as string), await pixels(other as string)];
      if (p.width !== q.width || p.height !== q.height) return 1;
      let differ = 0;
      for (let i = 0; i < p.data.length; i += 4) {
        const bright = (d: Uint8ClampedArray): number => 0.299 * d[i] + 0.587 * d[i + 1] + 0.114 * d[i + 2];
        if (Math.abs(bright(p.data) - bright(q.data)) > 255 * (limit as number)) differ++;
      }
      return differ / (p.data.length / 4);
    },
    [a.toString('base64'), b.toString('base64'), TOLERANCE.brightness] as const,
  );
}

async function main(): Promise<void> {
  const [mode, folder, ...only] = process.argv.slice(2);
  if (mode !== '--write' && mode !== '--compare') throw new Error('gallery.ts --write|--compare FOLDER [NAME...]');
  mkdirSync(folder, { recursive: true });
  const all = [...SHOTS, ...TIME_SHOTS, ...EXAMPLE_SHOTS, ...DIFF_SHOTS];
  // A whole name means that picture alone, a part of a name every one that has it.
  const isWhole = (one: string): boolean => all.some((shot) => shot.name === one);
  const isMeant = (shot: Shot) => (one: string): boolean => (isWhole(one) ? shot.name === one : shot.name.includes(one));
  const list = all.filter((shot) => (only.length === 0 ? SHOTS.includes(shot) : only.some(isMeant(shot))));
  const browser = await launch();
  const blank = await browser.newPage();
  let failed = 0;
  let worst = 0;
  for (const shot of list) {
    const picture = await take(browser, shot);
    const path = join(folder, `${shot.name}.png`);
    if (mode === '--write') {
      writeFileSync(path, picture);
      console.log(`wrote ${shot.name}.png, ${picture.length} bytes`);
      continue;
    }
    const share = existsSync(path) ? await difference(blank, picture, readFileSync(path)) : 1;
    worst = Math.max(worst, share);
    if (share > TOLERANCE.share) {
      failed++;
      const beside = process.env.HALO_GALLERY_NEW;
      if (beside) writeFileSync(join(beside, `${shot.name}.png`), picture);
    }
    console.log(`${share > TOLERANCE.share ? 'DIFFERS' : 'alike  '} ${shot.name}: ${(100 * share).toFixed(2)}% of pixels`);
  }
  await browser.close();
  console.log(JSON.stringify({ pictures: list.length, differ: failed, worst_share: worst, tolerance: TOLERANCE }));
  process.exit(failed > 0 ? 1 : 0);
}

await main();
