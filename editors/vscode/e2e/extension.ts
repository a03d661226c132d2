// The packaged extension in a real VS Code (code-server), driven by Chromium: every feature, as a user meets it.
// HALO_SHOTS names a folder for screenshots.
import { must, runChecks, type Check } from '../../../viewer/e2e/harness.ts';
import type { Page } from '../../../viewer/node_modules/playwright-core/index.js';
import { command, cursorLine, goTo, HALO, openFile, shot, SMALL, until, viewer, Workbench } from './workbench.ts';
import { spawnSync } from 'node:child_process';

const hasServer = /Usage: halo lsp/.test(spawnSync(HALO, ['lsp', '--help'], { encoding: 'utf8' }).stdout);
const bench = new Workbench();
let page: Page;

const problems = async (): Promise<string> => (await page.locator('.markers-panel .monaco-list-row').allInnerTexts()).join('\n');

const checks: Record<string, Check> = {
  'the package installs and VS Code starts': async (browser) => {
    bench.install();
    bench.set({ 'haloscope.path': HALO, 'haloscope.languageServer.enabled': hasServer });
    await bench.start(process.env.PATH ?? '');
    page = await bench.open(browser);
  },
  'HLO has its language and colors': async () => {
    await openFile(page, 'small.hlo', 11);
    await until('the language', async () => /HLO/.test(await page.locator('#status\\.editor\\.mode').innerText()));
    const kinds = await until('several colors in a line', async () => {
      const line = page.locator('.view-line', { hasText: 'product' }).first();
      const classes = await line.locator('span span').evaluateAll((spans) => [...new Set(spans.map((span) => span.className))]);
      return classes.length >= 5 ? classes.length : null;
    });
    await shot(page, '1-colors');
    return `${kinds} kinds of tokens in a line`;
  },
  'a dump named .txt is recognized by its first line': async () => {
    await openFile(page, 'notes.txt');
    await until('the language', async () => /HLO/.test(await page.locator('#status\\.editor\\.mode').innerText()));
  },
  'Open Memory Map shows the map beside the text': async () => {
    await openFile(page, 'small.hlo', 11);
    await command(page, 'Haloscope: Open Memory Map');
    const frame = await viewer(page, 'memory');
    await frame.locator('canvas').first().waitFor();
    await shot(page, '2-memory');
  },
  'a line selected in the text is selected in the map': async () => {
    await openFile(page, 'small.hlo', 12);
    const frame = await viewer(page, 'memory');
    await until('activation in the inspector', async () => /activation/.test(await frame.locator('aside').first().innerText()));
    await shot(page, '3-text-to-map');
    await goTo(page, 11);
    await until('product in the inspector', async () => /product/.test(await frame.locator('aside').first().innerText()));
  },
  'a value selected in the map is selected in the text': async () => {
    const frame = await viewer(page, 'memory');
    const search = frame.locator('input[type=search]').first();
    await search.fill('rows');
    await frame.locator('[role=option]', { hasText: 'rows' }).first().waitFor();
    await search.press('Enter');
    await until('the cursor in line 14', async () => (await cursorLine(page)) === 14);
    await shot(page, '4-map-to-text');
  },
  'a saved edit is shown in the panel': async () => {
    await openFile(page, 'small.hlo', 11);
    await goTo(page, 11, SMALL.split('\n')[10].indexOf('layer/dot') + 1);
    await page.keyboard.type('edited_');
    await page.keyboard.press('Control+S');
    await until('the new op_name in the inspector', async () => {
      const frame = await viewer(page, 'memory');
      return /edited_layer/.test(await frame.locator('aside').first().innerText());
    });
  },
  'Compare With… shows what changed': async () => {
    await openFile(page, 'earlier.hlo');
    await openFile(page, 'small.hlo');
    await command(page, 'Haloscope: Compare With…');
    await page.locator('.quick-input-list .monaco-list-row', { hasText: 'earlier.hlo' }).click();
    const frame = await viewer(page, 'diff');
    await until('the changed operation', async () => /tanh|activation/.test(await frame.locator('section.view').innerText()));
    await shot(page, '5-compare');
  },
  'Check lists the problems of a file': async () => {
    await openFile(page, 'wrong.hlo');
    await command(page, 'Haloscope: Check');
    const found = await until('the problem', async () => {
      const text = await problems();
      return /absent/.test(text) ? text : null;
    });
    await shot(page, '6-check');
    return found.replace(/\s+/g, ' ').slice(0, 100);
  },
  'Run computes the program': async () => {
    await openFile(page, 'small.hlo');
    await command(page, 'Haloscope: Run');
    const said = await until('the result in the terminal', async () => {
      const text = (await page.locator('.terminal-wrapper.active .xterm-rows').allInnerTexts()).join('\n').replaceAll('\u00a0', ' ');
      return /f32\[256\]/.test(text) ? text : null;
    });
    await shot(page, '7-run');
    return said.replace(/\s+/g, ' ').trim().slice(0, 100);
  },
};

const serverChecks: Record<string, Check> = {
  'problems appear without a command': async () => {
    await openFile(page, 'wrong.hlo', 11);
    await until('an underlined word', async () => (await page.locator('.squiggly-error').count()) > 0);
    await shot(page, '8-problems');
  },
  'a hover tells bytes': async () => {
    await openFile(page, 'small.hlo', 11);
    await goTo(page, 11, 5);
    await command(page, 'Show or Focus Hover');
    const text = await until('a hover with bytes', async () => {
      const said = (await page.locator('.monaco-hover:visible').allInnerTexts()).join(' ');
      return /KiB|bytes|256/.test(said) ? said : null;
    });
    await shot(page, '9-hover');
    await page.keyboard.press('Escape');
    return text.replace(/\s+/g, ' ').slice(0, 100);
  },
  'Go to Definition': async () => {
    await openFile(page, 'small.hlo', 12);
    await goTo(page, 12, 43);
    await command(page, 'Go to Definition');
    await until('the cursor in line 11', async () => (await cursorLine(page)) === 11);
  },
  'symbols are listed': async () => {
    await openFile(page, 'small.hlo');
    await page.keyboard.press('Control+Shift+O');
    await until('the computation sum', async () => /sum/.test((await page.locator('.quick-input-list .monaco-list-row').allInnerTexts()).join(' ')));
    await shot(page, '10-symbols');
    await page.keyboard.press('Escape');
  },
  'completion offers opcodes': async () => {
    await openFile(page, 'earlier.hlo', 13);
    await goTo(page, 13, 200);
    await page.keyboard.press('Enter');
    await page.keyboard.type('%new = f32[256,256]{1,0} ta');
    await page.keyboard.press('Control+Space');
    await until('tanh among the suggestions', async () => /tanh/.test((await page.locator('.suggest-widget:visible .monaco-list-row').allInnerTexts()).join(' ')));
    await shot(page, '11-completion');
    await page.keyboard.press('Escape');
    await command(page, 'File: Revert File');
  },
};

const last: Record<string, Check> = {
  'in the browser, the WebAssembly core shows the map and compares': async (browser) => {
    await page.context().close();
    bench.set({ 'remote.extensionKind': { 'haloscope.haloscope': ['web'] } });
    page = await bench.open(browser);
    await openFile(page, 'earlier.hlo', 11);
    await openFile(page, 'small.hlo', 11);
    await command(page, 'Haloscope: Open Memory Map');
    await viewer(page, 'memory');
    await page.keyboard.press('F1');
    await page.locator('.quick-input-widget input[type=text]').fill('>Haloscope: ');
    await page.locator('.quick-input-list .monaco-list-row', { hasText: 'Compare With' }).first().waitFor();
    const offered = (await page.locator('.quick-input-list .monaco-list-row').allInnerTexts()).join(' ');
    must(!/Haloscope: (Run|Check)/.test(offered), `commands that cannot run are offered: ${offered}`);
    await shot(page, '14-browser');
    await page.keyboard.press('Escape');
    await command(page, 'Haloscope: Compare With…');
    await page.locator('.quick-input-list .monaco-list-row', { hasText: 'earlier.hlo' }).click();
    const frame = await viewer(page, 'diff');
    await until('the changed operation', async () => /sine became tanh/.test(await frame.locator('section.view').innerText()));
    await shot(page, '15-browser-compare');
  },
  'without the command, it says what to do, and the map still works': async (browser) => {
    await page.context().close();
    bench.set({ 'haloscope.path': '/absent/halo' });
    page = await bench.open(browser);
    await openFile(page, 'small.hlo', 11);
    await until('the message', async () => /no halo command at .absent/.test((await page.locator('.notifications-toasts').innerText())));
    await page.locator('.notifications-toasts', { hasText: 'How to Install' }).first().waitFor();
    await shot(page, '12-missing');
    await command(page, 'Haloscope: Open Memory Map');
    await viewer(page, 'memory');
    await shot(page, '13-memory-without-command');
  },
};

/** A failure leaves a picture of what was there instead. */
function pictured(all: Record<string, Check>): Record<string, Check> {
  const wrap = (check: Check, at: number): Check => async (browser) => {
    try {
      return await check(browser);
    } catch (error) {
      await shot(page, `failed-${at}`).catch(() => undefined);
      throw error;
    }
  };
  return Object.fromEntries(Object.entries(all).map(([name, check], at) => [name, wrap(check, at)]));
}

process.on('exit', () => bench.stop());
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => process.exit(1));
await runChecks(pictured({ ...checks, ...(hasServer ? serverChecks : {}), ...last }));
