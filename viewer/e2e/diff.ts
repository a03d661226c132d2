// End-to-end tests of two programs in the viewer: opening the second one, causes, texts, the merged graph, memory maps,
// stages of one compilation, reports.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { opened, settled, type Watched } from './browser.ts';
import { editedSeed, report, smallPair, stages, type DiffPair } from './diff_pairs.ts';
import { hashBecomes, must, openPage, quiet, runChecks, scratch } from './harness.ts';

/** Opens the second program of a pair, and then the first one through the card of the overview. */
async function openPair(browser: Browser, pair: DiffPair): Promise<Watched> {
  const watched = await openPage(browser, { files: pair.after });
  await watched.page.locator('input[data-for=against]').setInputFiles(pair.before);
  await hashBecomes(watched.page, /against=1/);
  await watched.page.waitForSelector('[aria-label="What changed?"] .more', { timeout: 60000 });
  return watched;
}

async function goDiff(page: Page, pane = ''): Promise<void> {
  await page.evaluate((to) => (location.hash = to), `#/diff?against=1${pane ? `&pane=${pane}` : ''}`);
  await page.waitForSelector('.causes .verdict', { timeout: 60000 });
}

const cellsOf = (page: Page, tone: string): Promise<string[]> => page.locator(`.cell[data-tone=${tone}] code`).allInnerTexts();

await runChecks({
  'the card asks for a second file and says what changed': async (browser) => {
    const watched = await openPair(browser, smallPair());
    const card = await watched.page.locator('[aria-label="What changed?"]').innerText();
    must(/different programs/.test(card), `the verdict is told: ${card}`);
    must(/only now/.test(card) && /KiB/.test(card), 'the memory is told term by term');
    await watched.page.getByText('open diff').click();
    await watched.page.waitForSelector('[data-view=diff] .causes');
    quiet(watched);
    await watched.context.close();
  },

  'files dropped on the card are the second program': async (browser) => {
    const pair = smallPair();
    const watched = await openPage(browser, { files: pair.after });
    const text = readFileSync(pair.before[0], 'utf8');
    const data = await watched.page.evaluateHandle((given) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([given], 'old.hlo'));
      return transfer;
    }, text);
    await watched.page.dispatchEvent('[data-drop=against]', 'drop', { dataTransfer: data });
    await hashBecomes(watched.page, /against=1/);
    await watched.page.waitForSelector('[aria-label="What changed?"] .more');
    quiet(watched);
    await watched.context.close();
  },

  'changed lines are side by side and unchanged ones folded': async (browser) => {
    const watched = await openPair(browser, smallPair());
    const { page } = watched;
    await goDiff(page);
    await page.waitForFunction(() => document.querySelectorAll('.cell[data-tone=gone] code').length > 0);
    await page.waitForFunction(() => !document.querySelector('.cell code')?.textContent?.includes('…'));
    must((await cellsOf(page, 'gone')).some((text) => text.includes('gone_sine')), 'what is gone is marked');
    must((await cellsOf(page, 'new')).some((text) => text.includes('new_tanh')), 'what is new is marked');
    must((await cellsOf(page, 'changed')).some((text) => text.includes('maximum')), 'what changed is marked');
    must((await page.locator('mark').allInnerTexts()).includes('multiply'), 'the word that differs is marked');
    must((await page.locator('.fold').count()) > 0, 'unchanged lines are folded');
    const before = await page.locator('.row').count();
    await page.locator('.fold').last().click();
    await page.waitForFunction((least) => document.querySelectorAll('.row').length > least, before);
    quiet(watched);
    await watched.context.close();
  },

  'pointing at a line marks the corresponding one, a click shows both': async (browser) => {
    const watched = await openPair(browser, smallPair());
    const { page } = watched;
    await goDiff(page);
    await page.waitForFunction(() => [...document.querySelectorAll('.cell[data-side=before] code')].some((one) => one.textContent?.includes('multiply')));
    await page.locator('.cell[data-side=before]', { hasText: 'multiply' }).first().hover();
    await page.waitForFunction(() => document.querySelectorAll('.cell.marked').length === 2);
    must(/maximum/.test(await page.locator('.cell.marked[data-side=after]').innerText()), 'the counterpart is marked');
    await page.locator('.cell[data-side=before]', { hasText: 'multiply' }).first().click();
    await page.waitForSelector('[aria-label="picked instruction"] mark');
    quiet(watched);
    await watched.context.close();
  },

  'a cause selects what it is about': async (browser) => {
    const watched = await openPair(browser, editedSeed());
    const { page } = watched;
    await goDiff(page);
    const cause = page.locator('.causes li button', { hasText: 'exponential became tanh' }).first();
    await cause.click();
    await hashBecomes(page, /cause=\d+/);
    await page.waitForFunction(() => [...document.querySelectorAll('.row.focus code')].some((one) => one.textContent?.includes('tanh(')), undefined, { timeout: 20000 });
    await page.getByRole('button', { name: 'Graph', exact: true }).last().click();
    await page.waitForFunction(() => /changed · \d/.test(document.querySelector('.pane .bar')?.textContent ?? ''), undefined, { timeout: 20000 });
    quiet(watched);
    await watched.context.close();
  },

  'the merged graph is colored, and a click shows the instruction': async (browser) => {
    const watched = await openPair(browser, smallPair());
    const { page } = watched;
    await goDiff(page, 'graph');
    await page.waitForFunction(() => /nodes/.test(document.querySelector('.pane .bar')?.textContent ?? ''));
    await settled(page);
    const box = (await page.locator('.pane .stage').boundingBox())!;
    const seen = new Set<string>();
    for (let y = 0.04; y < 1; y += 0.05)
      for (let x = 0.06; x < 1; x += 0.06) {
        await page.mouse.move(box.x + box.width * x, box.y + box.height * y);
        const text = await page.locator('footer .where').innerText();
        for (const word of ['gone', 'new', 'changed inside', 'unchanged']) if (text.startsWith(`${word} ·`)) seen.add(word);
      }
    must(seen.has('gone') && seen.has('new'), `gone and new nodes are shown: ${[...seen].join(', ')}`);
    quiet(watched);
    await watched.context.close();
    return [...seen].join(', ');
  },

  'memory maps are side by side and linked': async (browser) => {
    const watched = await openPair(browser, editedSeed());
    const { page } = watched;
    await goDiff(page, 'memory');
    await page.waitForFunction(() => document.querySelectorAll('.pane .stage').length === 2, undefined, { timeout: 60000 });
    await settled(page);
    const captions = await page.locator('.pane .caption').allInnerTexts();
    must(captions.length === 2 && captions.every((text) => /GiB/.test(text)), `sizes are told: ${captions.join(' | ')}`);
    const box = (await page.locator('.pane .stage').last().boundingBox())!;
    let linked = '';
    for (let y = 0.95; y > 0.05 && !linked; y -= 0.03) {
      await page.mouse.move(box.x + box.width * 0.6, box.y + box.height * y);
      const text = await page.locator('footer .where').innerText();
      if (/· before /.test(text)) linked = text;
    }
    must(linked, 'a value names its counterpart');
    quiet(watched);
    await watched.context.close();
    return linked.slice(0, 90);
  },

  'stages of one compilation are chosen in the bar': async (browser) => {
    const watched = await openPage(browser, { files: stages() });
    const { page } = watched;
    await page.getByRole('button', { name: 'Diff', exact: true }).click();
    await page.waitForSelector('.causes .verdict', { timeout: 60000 });
    const first = await page.locator('.causes .verdict').innerText();
    await page.getByLabel('swap').click();
    await page.waitForFunction((text) => {
      const now = document.querySelector('.causes .verdict')?.textContent;
      return now !== undefined && now !== text;
    }, first);
    must((await page.getByLabel('after', { exact: true }).inputValue()) === '0', 'the first stage is the second program now');
    quiet(watched);
    await watched.context.close();
  },

  'a program is the same as itself': async (browser) => {
    const { before } = smallPair();
    const watched = await openPair(browser, { before, after: before });
    must(/the same program/.test(await watched.page.locator('[aria-label="What changed?"]').innerText()), 'the verdict says so');
    await goDiff(watched.page);
    must((await watched.page.locator('.cell[data-tone=changed]').count()) === 0, 'nothing is marked');
    quiet(watched);
    await watched.context.close();
  },

  'a saved report compares by itself': async (browser) => {
    const watched = await openPair(browser, smallPair());
    await goDiff(watched.page);
    const [download] = await Promise.all([watched.page.waitForEvent('download'), watched.page.getByText('Save report').click()]);
    const path = join(scratch(), 'saved.html');
    await download.saveAs(path);
    const again = await openPage(browser, { page: path });
    await opened(again.page);
    await again.page.waitForSelector('[data-view=diff] .causes .verdict', { timeout: 60000 });
    must(/different programs/.test(await again.page.locator('.causes .verdict').innerText()), 'both programs are inside');
    quiet(again);
    await watched.context.close();
    await again.context.close();
  },

  'a report against an earlier version says what changed': async (browser) => {
    const watched = await openPage(browser, { page: report('versions') });
    const { page } = watched;
    await opened(page);
    await page.waitForSelector('[aria-label="What changed?"] .more', { timeout: 60000 });
    const card = await page.locator('[aria-label="What changed?"]').innerText();
    must(/different programs/.test(card) && /earlier/.test(card), `the card tells: ${card.slice(0, 200)}`);
    must(/\+[\d.]+KiB/.test(card), 'and how the memory grew');
    quiet(watched);
    await watched.context.close();
    return card.split('\n')[1];
  },
});
