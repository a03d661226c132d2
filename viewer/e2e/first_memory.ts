// End-to-end tests of the overview and the memory view on the seeds: what a click selects, what advice would do, whether
// a device is large enough, what is in memory at a position and in a range, and how numbers and names are written.
import type { Browser, Page } from 'playwright-core';
import { opened, settled, sharesOfColor } from './browser.ts';
import { hash, hashBecomes, must, openPage, quiet, runChecks, seed } from './harness.ts';

interface Open {
  page: Page;
  done: () => Promise<void>;
}

async function memoryOf(browser: Browser, number: string, settings = ''): Promise<Open> {
  const watched = await openPage(browser, { files: [seed(number)], width: 1600, height: 900 });
  const { page } = watched;
  await page.evaluate((to) => (location.hash = to), `#/memory${settings}`);
  await page.waitForSelector('[data-view=memory] .stage', { timeout: 30000 });
  await settled(page);
  return {
    page,
    done: async () => {
      quiet(watched);
      await watched.context.close();
    },
  };
}

async function overviewOf(browser: Browser, number: string): Promise<Open> {
  const watched = await openPage(browser, { files: [seed(number)], width: 1600, height: 1400 });
  await opened(watched.page);
  await watched.page.waitForSelector('.questions .card');
  return {
    page: watched.page,
    done: async () => {
      quiet(watched);
      await watched.context.close();
    },
  };
}

/** Moves the pointer over the map until the status bar names `value`; returns the point. */
async function pointAt(page: Page, value: string, share: number): Promise<{ x: number; y: number }> {
  const box = (await page.locator('.stage').first().boundingBox())!;
  const x = box.x + 72 + (box.width - 72) * share;
  for (let y = box.y + box.height - 3; y > box.y; y -= 5) {
    await page.mouse.move(x, y);
    const text = await page.locator('footer .where').innerText();
    if (text.startsWith(`${value} ·`)) return { x, y };
  }
  throw new Error(`${value} is nowhere in the map`);
}

const inspector = (page: Page): Promise<string> => page.locator('aside[aria-label=inspector]').innerText();

/** The largest share of a row of pixels of the map that has nearly the color of a style sheet variable. */
async function rowOfColor(page: Page, name: string): Promise<number> {
  return Math.max(...(await sharesOfColor(page, name, 24)));
}

await runChecks({
  'a click selects the value, and every place tells the same range': async (browser) => {
    const { page, done } = await memoryOf(browser, '002');
    const at = await pointAt(page, 'while.74{12}', 0.5);
    const bar = await page.locator('footer .where').innerText();
    const range = /alive ([\d,]+–[\d,]+)/.exec(bar)?.[1];
    must(range, `the status bar tells a range: ${bar}`);
    await page.waitForFunction((text) => document.querySelector('.tip')?.textContent?.includes(text), 'while.74{12}');
    const tip = await page.locator('.tip').innerText();
    must(tip.includes(`alive ${range}`), `the tip tells ${range}: ${tip}`);
    await page.mouse.click(at.x, at.y);
    await hashBecomes(page, /value=\d+/);
    await page.waitForFunction(() => document.querySelector('aside[aria-label=inspector] h2')?.textContent === 'while.74{12}');
    await page.waitForSelector('aside[aria-label=inspector] h3');
    const text = await inspector(page);
    must(text.includes(range), `the inspector tells ${range}`);
    must(/3\.38GiB/.test(text), 'the inspector tells the size of the value');
    must(text.indexOf('3.38GiB') < text.indexOf('Defined by'), 'the value comes before the instruction');
    await settled(page);
    // Only that value is outlined: its shape has one row of the selection's color above and one below.
    must((await rowOfColor(page, '--select')) > 0.2, 'the value is outlined');
    await done();
    return range;
  },

  'the advice is listed, shown in the map, and left again': async (browser) => {
    const { page, done } = await memoryOf(browser, '002');
    await page.waitForSelector('[aria-label=advice] li', { timeout: 30000 });
    const saving = await page.locator('[aria-label=advice] .saved').first().innerText();
    must(/^-[\d.]+[GM]iB$/.test(saving), `the first advice saves ${saving}`);
    await page.locator('[aria-label=advice] button').first().click();
    await hashBecomes(page, /plan=advice-0/);
    await page.waitForSelector('.banner', { timeout: 30000 });
    const banner = await page.locator('.banner').innerText();
    const [, before, after] = /before\s+([\d.]+)GiB\s+→\s+after\s+([\d.]+)GiB/.exec(banner) ?? [];
    must(before && after, `the banner tells both totals: ${banner}`);
    const less = Number(before) - Number(after);
    must(Math.abs(less - Number(/[\d.]+/.exec(saving)![0])) < 0.02, `${before} − ${after} is ${saving}`);
    must((await page.locator('[aria-label=advice] .current').count()) === 1, 'the list marks it');
    const link = await hash(page);
    await page.locator('.banner button').click();
    await page.waitForFunction(() => !document.querySelector('.banner'));
    must(!/plan=/.test(await hash(page)), 'the link is the plain one again');
    await page.evaluate((to) => (location.hash = to), link);
    await page.waitForSelector('.banner');
    await done();
    return `${before} → ${after} GiB`;
  },

  'every advice of the overview leads to its map': async (browser) => {
    const { page, done } = await overviewOf(browser, '002');
    await page.waitForSelector('[aria-label="what would help"] button', { timeout: 30000 });
    const many = await page.locator('[aria-label="what would help"] button').count();
    must(many >= 3, `${many} pieces of advice`);
    await page.locator('[aria-label="what would help"] button').nth(1).click();
    await hashBecomes(page, /#\/memory\?.*plan=advice-1/);
    await page.waitForSelector('.banner', { timeout: 30000 });
    await done();
    return `${many} pieces`;
  },

  'a capacity line: the program fits the device': async (browser) => {
    const { page, done } = await memoryOf(browser, '002');
    must((await rowOfColor(page, '--good')) < 0.2, 'no line without a device');
    const list = await page.getByLabel('device').locator('option').allInnerTexts();
    must(list.some((one) => one.startsWith('h100 · 80.00GiB')) && !list.some((one) => one.startsWith('v5e')), 'devices of its backend');
    await page.getByLabel('device').selectOption('h100');
    await hashBecomes(page, /device=h100/);
    await page.waitForSelector('.fit.good');
    const text = await page.locator('.fit').innerText();
    must(/^fits h100: 56\.88GiB of 80\.00GiB, 23\.1\dGiB free$/.test(text), text);
    await settled(page);
    must((await rowOfColor(page, '--good')) > 0.5, 'the line is drawn');
    await done();
    return text;
  },

  'a program larger than the device does not fit': async (browser) => {
    const { page, done } = await memoryOf(browser, '002', '?device=l4');
    await page.waitForSelector('.fit.bad');
    const text = await page.locator('.fit').innerText();
    must(/^does not fit l4: 56\.88GiB of 24\.00GiB, 32\.88GiB too much$/.test(text), text);
    await settled(page);
    must((await rowOfColor(page, '--bad')) > 0.5, 'the line is drawn');
    await done();
    return text;
  },

  'a TPU program is compared with TPUs': async (browser) => {
    const { page, done } = await memoryOf(browser, '003', '?device=v5e');
    await page.waitForSelector('.fit.good');
    must(/fits v5e/.test(await page.locator('.fit').innerText()), 'it fits');
    await done();
  },

  'parameters have a color': async (browser) => {
    const { page, done } = await memoryOf(browser, '002', '?by=scope');
    const row = page.locator('aside[aria-label=groups] button', { hasText: '(parameters)' });
    must(/7\.28GiB/.test(await row.innerText()), 'all of them are one group');
    const color = await row.locator('i').evaluate((one) => getComputedStyle(one).backgroundColor);
    const [r, g, b] = color.match(/\d+/g)!.map(Number);
    must(Math.max(r, g, b) - Math.min(r, g, b) > 60, `${color} is no grey`);
    await done();
    return color;
  },

  'rows of the sidebar are told apart': async (browser) => {
    const { page, done } = await memoryOf(browser, '002', '?by=scope');
    const names = await page.locator('aside[aria-label=groups] li .name').allInnerTexts();
    must(names.length > 20, `${names.length} groups`);
    must(new Set(names).size === names.length, `some look the same: ${names.filter((one, i) => names.indexOf(one) !== i).join(' | ')}`);
    must(names.some((one) => /^\S.+…\S+/.test(one)), 'long ones are shortened in the middle');
    const overflow = await page.evaluate(() => [...document.querySelectorAll('aside[aria-label=groups] li .name')].filter((one) => one.scrollWidth > one.clientWidth + 1).length);
    must(overflow === 0, `${overflow} rows are cut off at their end`);
    must((await page.getByRole('button', { name: 'Fit', exact: true }).count()) === 1, 'the button that fits says so');
    await done();
    return `${names.length} rows`;
  },

  'sizes and counts are written in one way': async (browser) => {
    for (const number of ['000', '001', '002', '003']) {
      const { page, done } = await overviewOf(browser, number);
      await page.waitForTimeout(1500);
      for (const view of ['1', '2']) {
        await page.locator('body').press(view);
        await page.waitForTimeout(1200);
        const text = await page.locator('section.view').innerText();
        must(/\d/.test(text), 'there are numbers');
        const sizes = text.match(/[\d.,]+\s*[KMGT]iB/g) ?? [];
        const odd = sizes.filter((one) => !/^\d+\.\d(KiB|\d[MGT]iB)$/.test(one));
        must(sizes.length > 3 && odd.length === 0, `${number}: ${odd.slice(0, 5).join(', ')} of ${sizes.length} sizes`);
        must(!/\d[\u202f\u00a0]\d/.test(text), `${number}: a space inside a number`);
      }
      await done();
    }
  },

  'warnings: the largest first, and links': async (browser) => {
    const { page, done } = await overviewOf(browser, '002');
    must(!/What changed/.test(await page.locator('.page').innerText()), 'no card without an answer');
    const texts = await page.locator('.columns .warnings li').allInnerTexts();
    const sizes = texts.map((one) => /copies ([\d.]+)(M|G)iB/.exec(one)).filter((one) => one !== null).map((one) => Number(one[1]) * (one[2] === 'G' ? 1024 : 1));
    must(sizes.length >= 5 && sizes[0] === 1536, `the first is about ${sizes[0]} MiB`);
    must(sizes.every((one, i) => i === 0 || one <= sizes[i - 1]), 'they descend');
    const link = page.locator('.card .warnings button').first();
    const name = await link.innerText();
    await link.click();
    await hashBecomes(page, /#\/text\?.*inst=\d+/);
    await page.waitForFunction((wanted) => document.querySelector('aside[aria-label=inspector] h2')?.textContent === wanted, name);
    await done();
    return `${sizes.length} copies, ${name} first`;
  },

  'the verdict comes first': async (browser) => {
    const { page, done } = await overviewOf(browser, '002');
    await page.waitForSelector('.verdict', { timeout: 30000 });
    const text = await page.locator('.verdict').innerText();
    must(/56\.\d+GiB/.test(text), text);
    const above = await page.evaluate(() => document.querySelector('.verdict')!.getBoundingClientRect().bottom <= document.querySelector('.questions')!.getBoundingClientRect().top);
    must(above, 'it is above the questions');
    await done();
    return text;
  },

  'the cursor: a table of what is in memory, sorted and copied': async (browser) => {
    const { page, done } = await memoryOf(browser, '002');
    const curve = (await page.locator('.curve').boundingBox())!;
    await page.mouse.click(curve.x + 72 + (curve.width - 72) * 0.4, curve.y + 40);
    await hashBecomes(page, /at=\d+(&|$)/);
    const table = page.locator('section[aria-label="values in memory"]');
    await table.locator('tbody tr').first().waitFor();
    const total = Number(/in ([\d,]+) values/.exec(await table.locator('header').innerText())?.[1].replace(/,/g, ''));
    must(total > 50, `${total} values`);
    const cells = async (column: number): Promise<string[]> => table.locator(`tbody tr td:nth-child(${column})`).allInnerTexts();
    const scopes = await cells(5);
    must(scopes.some((one) => one.includes('decoder')), 'rows tell their scope');
    must((await cells(6)).some((one) => /\.py:\d+/.test(one)), 'rows tell their source');
    await table.getByRole('button', { name: 'value', exact: true }).click();
    const names = await cells(2);
    must(names.length > 50 && names.every((one, i) => i === 0 || one.localeCompare(names[i - 1], 'en', { numeric: true }) >= 0), 'sorted by name');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']).catch(() => undefined);
    await table.getByText('Copy table').click();
    await page.waitForSelector('.note');
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    const lines = copied.trimEnd().split('\n');
    must(lines.length === total + 1 && lines[0].startsWith('bytes\tvalue'), `${lines.length} lines copied`);
    const sum = lines.slice(1).reduce((all, one) => all + Number(one.split('\t')[0]), 0) / 2 ** 30;
    const told = Number(/([\d.]+)GiB/.exec(await table.locator('header').innerText())?.[1]);
    must(Math.abs(sum - told) < 0.02, `rows add up to ${sum.toFixed(2)} of ${told} GiB`);
    await table.locator('tbody button').first().click();
    await hashBecomes(page, /value=\d+/);
    await table.getByLabel('close the table').click();
    await page.waitForFunction(() => !/at=/.test(location.hash));
    await done();
    return `${total} values, ${told} GiB`;
  },

  'a range on the curve tells what comes and goes': async (browser) => {
    const { page, done } = await memoryOf(browser, '002');
    const curve = (await page.locator('.curve').boundingBox())!;
    const x = (share: number): number => curve.x + 72 + (curve.width - 72) * share;
    await page.mouse.move(x(0.3), curve.y + 40);
    await page.mouse.down();
    await page.mouse.move(x(0.4), curve.y + 42, { steps: 4 });
    await page.mouse.move(x(0.6), curve.y + 42, { steps: 4 });
    await page.mouse.up();
    await hashBecomes(page, /at=\d+-\d+/);
    const table = page.locator('section[aria-label="values in memory"]');
    await table.locator('.change').first().waitFor();
    const header = await table.locator('header').innerText();
    for (const word of ['alive throughout', 'allocated, stay', 'freed', 'allocated and freed']) must(header.includes(word), `it tells what is ${word}`);
    must(/56\.69GiB\s+at the most/.test(header), `the peak of the range: ${header}`);
    await done();
    return header.replace(/\s+/g, ' ').slice(0, 160);
  },

  'a range on the map, with Shift': async (browser) => {
    const { page, done } = await memoryOf(browser, '001');
    const box = (await page.locator('.stage').boundingBox())!;
    await page.keyboard.down('Shift');
    await page.mouse.move(box.x + box.width * 0.4, box.y + box.height * 0.5);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.7, box.y + box.height * 0.5, { steps: 6 });
    await page.mouse.up();
    await page.keyboard.up('Shift');
    await hashBecomes(page, /at=\d+-\d+/);
    await page.locator('section[aria-label="values in memory"] tbody tr').first().waitFor();
    await done();
  },

  'the keyboard places the cursor and moves it': async (browser) => {
    const { page, done } = await memoryOf(browser, '003');
    await page.locator('.stage').first().focus();
    await page.keyboard.press('c');
    await hashBecomes(page, /at=\d+/);
    const at = Number(/at=(\d+)/.exec(await hash(page))![1]);
    await page.keyboard.press('.');
    await hashBecomes(page, new RegExp(`at=${at + 1}`));
    await page.keyboard.press(',');
    await hashBecomes(page, new RegExp(`at=${at}(&|$)`));
    await done();
  },

  'an unscheduled program has a map, a device and a cursor too': async (browser) => {
    const { page, done } = await memoryOf(browser, '000', '?at=100');
    await page.locator('section[aria-label="values in memory"] tbody tr').first().waitFor({ timeout: 30000 });
    must((await page.getByLabel('device').locator('option').count()) > 5, 'there are devices to choose from');
    await done();
  },
});
