// End-to-end tests of the program's side: scopes and bytes in the graph, buffers in the table, the entry in the text,
// the passes of a dump, exported pictures, dropped source files.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { opened, settled } from './browser.ts';
import { example, hashBecomes, must, openPage, quiet, runChecks, scratch } from './harness.ts';

const PAIR = [
  example('h100x4_fsdp_mlp_train', 'gpu_after_optimizations.txt'),
  example('h100x4_fsdp_mlp_train', '-buffer-assignment.txt'),
  example('h100x4_fsdp_mlp_train', '-live-range.txt'),
];

const named = (scope: string, line: number): string => `, metadata={op_name="jit(f)/net/${scope}" source_file="/srv/code/net/model.py" source_line=${line}}`;

/** Comparators first, a fusion, and an entry of two layers of two parts each. */
const LAYERED = `HloModule layered

less {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT lt = pred[] compare(a, b), direction=LT
}
${'\n'.repeat(80)}
inside {
  p = f32[64] parameter(0)
  huge = f32[64,1048576] broadcast(p), dimensions={0}
  ROOT cut = f32[64] slice(p), slice={[0:64]}
}

ENTRY main {
  x = f32[64] parameter(0)
  a0 = f32[64] sine(x)${named('layer_0/attention/sin', 3)}
  a1 = f32[64] cosine(a0)${named('layer_0/attention/cos', 4)}
  m0 = f32[64] negate(a1)${named('layer_0/mlp/neg', 7)}
  m1 = f32[64] fusion(m0), kind=kLoop, calls=inside${named('layer_0/mlp/cut', 8)}
  a2 = f32[64] sine(m1)${named('layer_1/attention/sin', 3)}
  a3 = f32[64] cosine(a2)${named('layer_1/attention/cos', 4)}
  m2 = f32[64] negate(a3)${named('layer_1/mlp/neg', 7)}
  m3 = f32[64] sort(m2), dimensions={0}, to_apply=less${named('layer_1/mlp/sort', 8)}
  sum = f32[64] add(m1, m3)${named('add', 11)}
  ROOT both = (f32[64], f32[64]) tuple(sum, m3)
}
`;

const SOURCE = ['import jax', '', 'def attention(x):  # <script>window.hurt=1</script>', '  return jnp.cos(jnp.sin(x))', '', '', 'def mlp(x):', '  return cut(-x)', '', '', 'def net(x): pass', ''].join('\n');

function layered(): string {
  const path = join(scratch(), 'module_0003.jit_layered.after_optimizations.txt');
  writeFileSync(path, LAYERED);
  return path;
}

/** Saves a picture by the menu; returns its name and bytes. */
async function exported(page: Page, title: string, ending: 'SVG' | 'PNG'): Promise<{ name: string; bytes: Buffer }> {
  await page.getByRole('button', { name: 'Export', exact: true }).click();
  const row = page.locator('.export .menu span', { hasText: title }).first();
  const button = row.locator(`xpath=following-sibling::button[text()="${ending}"][1]`);
  const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
  const path = join(scratch(), 'picture');
  await download.saveAs(path);
  return { name: download.suggestedFilename(), bytes: readFileSync(path) };
}

/** The words of an exported drawing. */
async function words(page: Page): Promise<string[]> {
  const { bytes } = await exported(page, 'graph', 'SVG');
  return [...bytes.toString('utf8').matchAll(/<text [^>]*>([^<]*)<\/text>/g)].map((match) => match[1]);
}

async function drawn(page: Page): Promise<void> {
  await page.waitForFunction(() => /nodes/.test(document.querySelector('.toolbar')?.textContent ?? '') && !/…/.test(document.querySelector('.toolbar .facts')?.textContent ?? ''));
  await settled(page);
}

async function dropText(page: Page, name: string, text: string): Promise<void> {
  await page.evaluate(
    ([as, content]) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([content], as));
      window.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }));
    },
    [name, text] as const,
  );
}

function must_be_svg(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  must(text.startsWith('<?xml') && text.includes('<svg xmlns="http://www.w3.org/2000/svg"'), 'it is an SVG document');
  must((text.match(/<rect /g)?.length ?? 0) > 3 && text.includes('<text '), 'shapes and text are vectors');
  must(!/<image|data:|<foreignObject|NaN/.test(text), 'no bitmap is inside');
  return text;
}

function must_be_png(bytes: Buffer): void {
  must(bytes.subarray(0, 8).toString('hex') === '89504e470d0a1a0a', 'it is a PNG file');
  must(bytes.readUInt32BE(16) > 300 && bytes.readUInt32BE(20) > 100, 'it has a size');
  must(bytes.length > 2000, 'something is drawn');
}

await runChecks({
  'scopes are boxes that open and close': async (browser) => {
    const watched = await openPage(browser, { files: [layered()], hash: '#/graph' });
    const { page } = watched;
    await drawn(page);
    await page.getByRole('button', { name: 'scope', exact: true }).click();
    await hashBecomes(page, /group=scope/);
    await drawn(page);
    let text = await words(page);
    must(text.some((one) => one === 'layer_0') && text.some((one) => one === 'layer_1'), `layers are boxes: ${text.join(' ')}`);
    must(!text.includes('attention') && !text.includes('m2'), 'what is in them is not shown');
    // A selection inside of closed boxes opens them.
    await page.keyboard.press('/');
    await page.keyboard.type('m2');
    await page.waitForSelector('#found [role=option]');
    await page.keyboard.press('Enter');
    await hashBecomes(page, /open=s/);
    await drawn(page);
    text = await words(page);
    must(text.includes('layer_1') && text.includes('mlp') && text.includes('m2') && text.includes('layer_0'), `the way to it is open: ${text.join(' ')}`);
    must(!text.includes('a0'), 'the other layer stays closed');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'close all' }).click();
    await drawn(page);
    must(!(await words(page)).includes('m2'), 'all are closed');
    await page.getByRole('button', { name: 'none', exact: true }).click();
    await drawn(page);
    must((await words(page)).includes('a0'), 'without groups every instruction is shown');
    quiet(watched);
    await watched.context.close();
  },

  'nodes are colored by bytes, the legend covers nothing': async (browser) => {
    const watched = await openPage(browser, { files: PAIR, hash: '#/graph' });
    const { page } = watched;
    await drawn(page);
    const before = await page.locator('.stage').screenshot();
    must(/collective/.test(await page.locator('.legend').innerText()), 'categories are explained');
    await page.getByRole('button', { name: 'bytes', exact: true }).click();
    await hashBecomes(page, /paint=bytes/);
    await settled(page);
    const legend = await page.locator('.legend').innerText();
    must(/[KMG]iB or more/.test(legend) && /less/.test(legend), `sizes are explained: ${legend}`);
    must(!before.equals(await page.locator('.stage').screenshot()), 'the colors change');
    const stage = (await page.locator('.stage').boundingBox())!;
    const box = (await page.locator('.legend').boundingBox())!;
    must(box.y >= stage.y + stage.height - 1, 'the legend is below the picture');
    quiet(watched);
    await watched.context.close();
    return legend.replaceAll('\n', ', ');
  },

  'the table shows buffers; what is hidden is counted': async (browser) => {
    const watched = await openPage(browser, { files: [layered()], hash: '#/table' });
    const { page } = watched;
    await page.waitForSelector('[role=gridcell]');
    const names = async (): Promise<string[]> => page.locator('.rows .row [role=gridcell]:first-child').allInnerTexts();
    must(!(await names()).includes('huge') && !(await names()).includes('both'), 'neither fused rows nor tuples are listed');
    const toggle = page.locator('.toolbar label', { hasText: 'no buffer' });
    must(/show 7 that are no buffers/.test(await toggle.innerText()), `their number is told: ${await toggle.innerText()}`);
    const header = (await page.getByRole('columnheader', { name: 'computation' }).boundingBox())!;
    must(header.x + header.width <= 1280, 'the computation is in sight');
    await toggle.locator('input').check();
    await hashBecomes(page, /hidden=show/);
    await page.waitForFunction(() => [...document.querySelectorAll('.rows .row')].some((row) => row.textContent?.includes('huge')));
    must((await names())[0] === 'huge', 'now the largest is listed first');
    must((await page.locator('.rows .row.unstored').count()) === 7, 'and marked');
    quiet(watched);
    await watched.context.close();
  },

  'offsets of values are whole, long names keep their ends': async (browser) => {
    const watched = await openPage(browser, { files: PAIR, hash: '#/table?of=values' });
    const { page } = watched;
    await page.waitForSelector('[role=gridcell]');
    await settled(page);
    const cut = await page.evaluate(() => [...document.querySelectorAll<HTMLElement>('[role=gridcell]')].filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.textContent));
    must(cut.length === 0, `cells are cut: ${cut.slice(0, 3).join(' | ')}`);
    const numbers = await page.locator('[role=gridcell].num').allInnerTexts();
    must(numbers.length > 20 && numbers.every((one) => !one.includes('…')), 'numbers are whole');
    const texts = await page.locator('[role=gridcell].name').allInnerTexts();
    must(texts.every((one) => !one.endsWith('…')), 'text is shortened in the middle');
    quiet(watched);
    await watched.context.close();
  },

  'the text opens on the entry': async (browser) => {
    const watched = await openPage(browser, { files: [layered()], hash: '#/text' });
    const { page } = watched;
    // Lines are empty until their text has been loaded.
    await page.waitForFunction(() => [...(document.querySelector('.editor')?.shadowRoot?.querySelectorAll('.cm-line') ?? [])].some((line) => line.textContent !== ''));
    await settled(page);
    const first = await page.evaluate(() => {
      const root = document.querySelector('.editor')!.shadowRoot!;
      const top = root.querySelector('.cm-scroller')!.getBoundingClientRect().top;
      // A short entry at the end of the text cannot be scrolled to the top.
      const lines = [...root.querySelectorAll('.cm-line')].filter((line) => line.getBoundingClientRect().bottom > top + 4);
      return lines.map((line) => line.textContent ?? '').find((line) => line.startsWith('ENTRY'));
    });
    must(first?.startsWith('ENTRY'), 'the entry is not in sight');
    quiet(watched);
    await watched.context.close();
  },

  'passes tell what they changed': async (browser) => {
    const folder = scratch();
    const stage = (name: string, text: string): string => {
      const path = join(folder, `module_0003.jit_layered.${name}.txt`);
      writeFileSync(path, text);
      return path;
    };
    const less = LAYERED.replace(/ {2}a0 = .*\n/, '').replace('cosine(a0)', 'cosine(x)');
    const files = [
      stage('sm_9.0a_gpu_after_optimizations', less),
      stage('0002.simplification.after_dce.before_cse', less),
      stage('before_optimizations', LAYERED),
      stage('0001.simplification.after_algsimp.before_dce', less),
      stage('0000.simplification.after_pipeline-start.before_algsimp', LAYERED),
    ];
    const watched = await openPage(browser, { files });
    const { page } = watched;
    await page.keyboard.press('6');
    await page.waitForFunction(() => document.querySelectorAll('table tbody tr[data-change=waiting]').length === 0 && document.querySelectorAll('table tbody tr').length === 5);
    const kinds = await page.locator('tbody tr').evaluateAll((rows) => rows.map((row) => row.getAttribute('data-change')));
    must(kinds.join(' ') === 'first same counts same same', `kinds of change: ${kinds.join(' ')}`);
    const row = (await page.locator('tbody tr').nth(2).innerText()).replaceAll(/\s+/g, ' ');
    must(/algsimp/.test(row) && /−1/.test(row) && /−1 sine/.test(row), `one sine is gone: ${row}`);
    await page.getByText('hide 3 unchanged').click();
    await page.waitForFunction(() => document.querySelectorAll('tbody tr').length === 2);
    await page.locator('tbody tr').nth(1).click();
    await hashBecomes(page, /graph\?program=2/);
    await opened(page);
    await drawn(page);
    quiet(watched);
    await watched.context.close();
    return row;
  },

  'graph, memory map and curve are exported as vectors and as bitmaps': async (browser) => {
    const watched = await openPage(browser, { files: PAIR, hash: '#/graph' });
    const { page } = watched;
    await drawn(page);
    const graph = await exported(page, 'graph', 'SVG');
    must(/^jit_fsdp_mlp_train\..*graph\.svg$/.test(graph.name), `the name tells what it is: ${graph.name}`);
    const text = must_be_svg(graph.bytes);
    must(text.includes('collective'), 'the legend is part of it');
    must_be_png((await exported(page, 'graph', 'PNG')).bytes);
    await page.keyboard.press('2');
    await page.waitForSelector('[data-view=memory] .stage');
    await settled(page);
    const map = await exported(page, 'memory map', 'SVG');
    must(/^jit_fsdp_mlp_train\..*memory-map.*\.svg$/.test(map.name), `the name tells what it is: ${map.name}`);
    must(/peak/.test(must_be_svg(map.bytes)), 'the peak is marked');
    must_be_png((await exported(page, 'memory map', 'PNG')).bytes);
    const curve = await exported(page, 'live bytes', 'SVG');
    must(/live-bytes\.svg$/.test(curve.name), `the name tells what it is: ${curve.name}`);
    must(must_be_svg(curve.bytes).includes('<path '), 'the curve is a path');
    must_be_png((await exported(page, 'live bytes', 'PNG')).bytes);
    // What was saved is a document that a browser draws.
    const path = join(scratch(), 'graph.svg');
    writeFileSync(path, graph.bytes);
    const shown = await watched.context.newPage();
    await shown.goto(`file://${path}`);
    must((await shown.locator('rect').count()) > 3, 'the saved file is well formed');
    quiet(watched);
    await watched.context.close();
    return `${graph.name}, ${graph.bytes.length} bytes`;
  },

  'dropped source files show the line of an instruction': async (browser) => {
    const watched = await openPage(browser, { files: [layered()], hash: '#/text' });
    const { page } = watched;
    await page.keyboard.press('/');
    await page.keyboard.type('m2');
    await page.waitForSelector('#found [role=option]');
    await page.keyboard.press('Enter');
    await page.waitForSelector('aside[aria-label=inspector] dl');
    must(/Drop model\.py/.test(await page.locator('aside[aria-label=inspector]').innerText()), 'the inspector says how to see the line');
    await dropText(page, 'other.py', 'x = 1\n');
    await dropText(page, 'model.py', SOURCE);
    await page.waitForSelector('aside[aria-label=inspector] li[aria-current]');
    must(/def mlp/.test(await page.locator('aside[aria-label=inspector] li[aria-current]').innerText()), 'the line is shown in the inspector');
    const panel = page.locator('section[aria-label="source file"]');
    must(/def mlp/.test(await panel.locator('li[aria-current]').innerText()), 'and beside the text');
    must(/window\.hurt=1/.test(await panel.innerText()) && !(await page.evaluate(() => 'hurt' in window)), 'markup in it is text');
    // A line leads to the first instruction that came from it.
    await panel.locator('li', { hasText: 'jnp.sin' }).click();
    await page.waitForFunction(() => /^a1$/.test(document.querySelector('aside[aria-label=inspector] h2')?.textContent ?? ''));
    must(/jit_layered/.test(await page.locator('header.top').innerText()), 'the program is still open');
    quiet(watched);
    await watched.context.close();
  },
});
