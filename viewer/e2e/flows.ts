// End-to-end tests of user flows: drop files, search, follow a link, compare with repacking, save a report and open it
// again. Runs on the examples of this repository.
import { writeFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { dropFiles, opened, settled, watch } from './browser.ts';
import { example, hash, hashBecomes, must, openPage, PAGE, quiet, runChecks, scratch, steady } from './harness.ts';

const MODULE = example('h100x4_fsdp_mlp_train', 'gpu_after_optimizations.txt');
const ASSIGNMENT = example('h100x4_fsdp_mlp_train', '-buffer-assignment.txt');
const RANGES = example('h100x4_fsdp_mlp_train', '-live-range.txt');
const PAIR = [MODULE, ASSIGNMENT, RANGES];

/** A program that is entirely inside one call. */
const WRAPPED = `HloModule wrapped

inner {
  p = f32[8] parameter(0)
${Array.from({ length: 30 }, (_, i) => `  s${i} = f32[8] ${['sine', 'cosine', 'negate'][i % 3]}(${i === 0 ? 'p' : `s${i - 1}`})`).join('\n')}
  ROOT r = f32[8] add(s29, p)
}

ENTRY main {
  a = f32[8] parameter(0)
  ROOT c = f32[8] call(a), to_apply=inner
}
`;

await runChecks({
  'drop a module with its assignment': async (browser) => {
    const watched = await openPage(browser, { files: PAIR });
    const { page } = watched;
    await page.waitForSelector('.questions .card');
    must((await page.locator('.questions .card').count()) === 4, 'three questions, and what changed');
    const text = await page.locator('.page').innerText();
    must(text.includes('jit_fsdp_mlp_train'), 'the module is named');
    must(/of device memory/.test(text), 'the first question is answered');
    quiet(watched);
    await watched.context.close();
  },

  'a real drop event opens files': async (browser) => {
    const watched = await openPage(browser, {});
    const { page } = watched;
    await page.evaluate(async () => {
      const transfer = new DataTransfer();
      transfer.items.add(new File(['HloModule dropped\n\nENTRY e {\n  ROOT p = f32[4] parameter(0)\n}\n'], 'dropped.txt'));
      window.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }));
    });
    await opened(page);
    must((await page.locator('h1').innerText()).includes('dropped'), 'the dropped module is shown');
    quiet(watched);
    await watched.context.close();
  },

  'a file that is no dump says so': async (browser) => {
    const watched = await openPage(browser, {});
    const path = join(scratch(), 'notes.txt');
    writeFileSync(path, 'buy milk\n');
    await watched.page.locator('input[type=file]').setInputFiles([path]);
    await watched.page.waitForSelector('.problem, .warnings [data-severity=error], .note', { timeout: 10000 });
    quiet(watched);
    await watched.context.close();
  },

  'search, walk the list, select': async (browser) => {
    const watched = await openPage(browser, { files: PAIR });
    const { page } = watched;
    await page.keyboard.press('3');
    await page.keyboard.press('/');
    await page.keyboard.type('fusion');
    await page.waitForSelector('#found [role=option]');
    await steady(page, '#found');
    must((await page.locator('#found [role=option]').count()) > 3, 'several are found');
    await page.keyboard.press('ArrowDown');
    const name = await page.locator('#found [aria-selected=true] .name').first().innerText();
    await page.keyboard.press('Enter');
    await hashBecomes(page, /inst=\d+/);
    await page.waitForFunction((wanted) => document.querySelector('aside[aria-label=inspector] h2')?.textContent?.includes(wanted), name);
    // The canvas gets the next key: Enter opens the result.
    await page.waitForFunction(() => document.activeElement?.classList.contains('stage'));
    quiet(watched);
    await watched.context.close();
  },

  'what nearly everything is in opens by itself, and closes': async (browser) => {
    const file = join(scratch(), 'wrapped.txt');
    writeFileSync(file, WRAPPED);
    const watched = await openPage(browser, { files: [file], hash: '#/graph' });
    const { page } = watched;
    const nodes = async (): Promise<number> => Number(/(\d+) nodes/.exec((await page.locator('.toolbar').innerText()) ?? '')?.[1]);
    await page.waitForFunction(() => /nodes/.test(document.querySelector('.toolbar')?.textContent ?? ''));
    const opened = await nodes();
    await page.getByRole('button', { name: 'close all' }).click();
    await hashBecomes(page, /open=none/);
    await page.waitForFunction(() => !document.querySelector('.toolbar')?.textContent?.includes('close all'));
    must((await nodes()) < opened, `closed, there are fewer than ${opened} nodes`);
    quiet(watched);
    await watched.context.close();
  },

  'a link leads to view and instruction': async (browser) => {
    const first = await openPage(browser, { files: PAIR });
    await first.page.keyboard.press('4');
    await first.page.waitForSelector('.editor');
    await first.page.keyboard.press('/');
    await first.page.keyboard.type('all-gather');
    await first.page.waitForSelector('#found [role=option]');
    await first.page.keyboard.press('Enter');
    await hashBecomes(first.page, /inst=\d+/);
    await first.page.waitForSelector('aside[aria-label=inspector] dl');
    const name = await first.page.locator('aside[aria-label=inspector] h2').innerText();
    const link = await hash(first.page);
    const [download] = await Promise.all([first.page.waitForEvent('download'), first.page.getByText('Save report').click()]);
    const path = join(scratch(), 'linked.html');
    await download.saveAs(path);
    const second = await openPage(browser, { page: path, hash: link });
    await opened(second.page);
    await second.page.waitForSelector('[data-view=text]');
    await second.page.waitForFunction((wanted) => document.querySelector('aside[aria-label=inspector] h2')?.textContent === wanted, name);
    await second.page.waitForFunction(
      (wanted) => document.querySelector('.editor')?.shadowRoot?.querySelector('.halo-selected')?.textContent?.includes(wanted),
      name.replace(/^%/, ''),
    );
    quiet(second);
    await first.context.close();
    await second.context.close();
  },

  're-packing side by side': async (browser) => {
    const watched = await openPage(browser, { files: PAIR });
    const { page } = watched;
    await page.keyboard.press('2');
    await page.waitForSelector('.stage');
    await page.getByText('side by side').click();
    await page.waitForFunction(() => document.querySelectorAll('.stage').length === 2, undefined, { timeout: 30000 });
    const text = await page.locator('.toolbar').innerText();
    must(/re-packed/.test(text) && /reserved/.test(text), 'both plans are told');
    await settled(page);
    must(/plan=both/.test(await hash(page)), 'the link says so');
    quiet(watched);
    await watched.context.close();
  },

  'pointing at a rectangle tells of its value, a click selects it': async (browser) => {
    const watched = await openPage(browser, { files: PAIR });
    const { page } = watched;
    await page.keyboard.press('2');
    await page.waitForSelector('.stage');
    await settled(page);
    await page.keyboard.press('ArrowRight');
    await hashBecomes(page, /value=\d+/);
    const box = (await page.locator('.stage').boundingBox())!;
    let told = false;
    for (let y = 0.95; y > 0.05 && !told; y -= 0.06) {
      await page.mouse.move(box.x + box.width * 0.5, box.y + box.height * y);
      told = await page.waitForSelector('.tip', { timeout: 400 }).then(() => true, () => false);
    }
    must(told, 'a tip is shown');
    quiet(watched);
    await watched.context.close();
  },

  'a graphics processor draws it too': async (browser) => {
    const watched = await watch(browser);
    const { page } = watched;
    // Makes the emulated GPU look like a real one, so that WebGL does the drawing.
    await page.addInitScript(() => {
      const own = WebGL2RenderingContext.prototype.getParameter;
      WebGL2RenderingContext.prototype.getParameter = function (what: number): unknown {
        const value: unknown = own.call(this, what);
        return typeof value === 'string' ? 'a graphics processor' : value;
      };
    });
    await page.goto(pathToFileURL(PAGE).href);
    await dropFiles(page, PAIR);
    await opened(page);
    await page.keyboard.press('2');
    await page.waitForSelector('[data-view=memory] .stage');
    await settled(page);
    must(await page.evaluate(() => document.querySelector<HTMLCanvasElement>('.stage canvas')!.getContext('webgl2') !== null), 'WebGL draws');
    const picture = (await page.locator('.stage').screenshot()).toString('base64');
    const share = await page.evaluate(async (data) => {
      const bytes = Uint8Array.from(atob(data), (one) => one.charCodeAt(0));
      const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
      const pen = new OffscreenCanvas(image.width, image.height).getContext('2d')!;
      pen.drawImage(image, 0, 0);
      const pixels = pen.getImageData(0, 0, image.width, image.height).data;
      let colored = 0;
      for (let i = 0; i < pixels.length; i += 4) if (Math.max(pixels[i], pixels[i + 1], pixels[i + 2]) - Math.min(pixels[i], pixels[i + 1], pixels[i + 2]) > 60) colored++;
      return colored / (pixels.length / 4);
    }, picture);
    must(share > 0.1, `only ${(100 * share).toFixed(1)}% of the map has a color`);
    quiet(watched);
    await watched.context.close();
    return `${(100 * share).toFixed(0)}% of the map is colored`;
  },

  'the graph opens a fusion in place': async (browser) => {
    const watched = await openPage(browser, { files: [MODULE] });
    const { page } = watched;
    await page.keyboard.press('3');
    await page.keyboard.press('/');
    await page.keyboard.type('fusion');
    await page.waitForSelector('#found [role=option]');
    await page.keyboard.press('Enter');
    await hashBecomes(page, /inst=\d+/);
    await page.locator('.stage').focus();
    await settled(page);
    const nodes = async (): Promise<number> => Number(/([\d,]+) nodes/.exec(await page.locator('.toolbar').innerText())?.[1].replace(/,/g, '') ?? 0);
    const before = await nodes();
    await page.keyboard.press('Enter');
    await hashBecomes(page, /open=i\d+/);
    await page.waitForFunction((least) => Number(/([\d,]+) nodes/.exec(document.querySelector('.toolbar')?.textContent ?? '')?.[1].replace(/,/g, '') ?? 0) > least, before);
    quiet(watched);
    await watched.context.close();
  },

  'tables sort, filter and export': async (browser) => {
    const watched = await openPage(browser, { files: PAIR });
    const { page } = watched;
    await page.keyboard.press('5');
    await page.waitForSelector('[role=gridcell]');
    await page.getByRole('columnheader', { name: 'bytes' }).getByRole('button').click();
    await hashBecomes(page, /sort=bytes/);
    await page.getByLabel('filter rows').fill('all-gather');
    await page.waitForFunction(() => /of/.test(document.querySelector('.toolbar .num')?.textContent ?? ''));
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByText('Export CSV').click()]);
    const path = join(scratch(), 'table.csv');
    await download.saveAs(path);
    must(statSync(path).size > 100, 'the file holds rows');
    quiet(watched);
    await watched.context.close();
  },

  'a saved report opens by itself': async (browser) => {
    const watched = await openPage(browser, { files: PAIR });
    const [download] = await Promise.all([watched.page.waitForEvent('download'), watched.page.getByText('Save report').click()]);
    const path = join(scratch(), 'saved.html');
    await download.saveAs(path);
    const again = await openPage(browser, { page: path });
    await opened(again.page);
    const text = await again.page.locator('.page').innerText();
    must(text.includes('jit_fsdp_mlp_train') && /with its buffer assignment/.test(text), 'both files are inside');
    quiet(again);
    const [second] = await Promise.all([again.page.waitForEvent('download'), again.page.getByText('Save report').click()]);
    const twice = join(scratch(), 'twice.html');
    await second.saveAs(twice);
    must(Math.abs(statSync(twice).size - statSync(path).size) < 2000, 'saving again gives the same');
    await watched.context.close();
    await again.context.close();
    return `${statSync(path).size} bytes`;
  },
});
