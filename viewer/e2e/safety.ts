// Tests the page with malformed and hostile input: the strict Content-Security-Policy is enforced, names may contain
// markup or bidi controls. Also uses every view with the keyboard alone.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { opened, settled } from './browser.ts';
import { example, hash, hashBecomes, must, openPage, PAGE, quiet, runChecks, scratch } from './harness.ts';

const PAIR = [
  example('h100x4_fsdp_mlp_train', 'gpu_after_optimizations.txt'),
  example('h100x4_fsdp_mlp_train', '-buffer-assignment.txt'),
  example('h100x4_fsdp_mlp_train', '-live-range.txt'),
];

const LONG = 'n'.repeat(1_000_000);
const MARKUP = '<script>window.hurt=1</script><img src=x onerror=window.hurt=1>';
const BIDI = 'a\u202eevil\u2066\u200b';

/** Writes a module with hostile names, op_names and sources. */
function hostileModule(): string {
  const path = join(scratch(), "module_0000.hostile'\"<b>.txt");
  const lines = [
    'HloModule hostile, entry_computation_layout={(f32[4]{0})->f32[4]{0}}',
    '',
    'ENTRY %main (p: f32[4]) -> f32[4] {',
    `  %p = f32[4]{0} parameter(0), metadata={op_name="${MARKUP.replaceAll('"', '\\"')}" source_file="</td><svg/onload=window.hurt=1>" source_line=1}`,
    `  %${LONG} = f32[4]{0} negate(f32[4]{0} %p), metadata={op_name="${BIDI}" source_file="javascript:window.hurt=1" source_line=2}`,
    `  %c = f32[4]{0} custom-call(f32[4]{0} %${LONG}), custom_call_target="<img src=x onerror=window.hurt=1>", backend_config="{{constructor.constructor('window.hurt=1')()}}"`,
    `  ROOT %r = f32[4]{0} add(f32[4]{0} %c, f32[4]{0} %${LONG}), metadata={op_name="=cmd|' /C calc'!A0" source_file="x" source_line=3}`,
    '}',
    '',
  ];
  writeFileSync(path, lines.join('\n'));
  return path;
}

async function unharmed(page: Page): Promise<void> {
  must(!(await page.evaluate(() => 'hurt' in window)), 'script from a name ran');
  must((await page.locator('img:not(.cm-widgetBuffer), svg').count()) === 0, 'markup from a name became elements');
  const wide = await page.evaluate(() => {
    if (document.documentElement.scrollWidth <= document.documentElement.clientWidth) return '';
    const over = [...document.querySelectorAll('body *')].filter((one) => !one.closest('.scroller') && one.getBoundingClientRect().right > innerWidth + 1);
    return `${document.querySelector('section.view')?.getAttribute('data-view')}: ${over.map((one) => one.outerHTML.slice(0, 80)).join(' ')} ${document.documentElement.scrollWidth} ${document.documentElement.clientWidth}`;
  });
  must(wide === '', `the page grew sideways (${wide})`);
}

await runChecks({
  'the policy is strict': async () => {
    const html = readFileSync(PAGE, 'utf8');
    const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1] ?? '';
    must(policy.startsWith("default-src 'none'"), 'nothing is allowed by default');
    must(/script-src 'sha256-[\w+/=]+' 'wasm-unsafe-eval';/.test(policy), 'one script, by its hash');
    must(/style-src 'sha256-[\w+/=]+';/.test(policy), 'one style, by its hash');
    must(/require-trusted-types-for 'script'/.test(policy), 'trusted types');
    must(!/unsafe-inline|unsafe-eval'(?!;)|https?:|\*/.test(policy.replaceAll("'wasm-unsafe-eval'", '')), 'nothing unsafe, nothing remote');
    return policy;
  },

  'the policy holds in the browser': async (browser) => {
    const watched = await openPage(browser, { files: PAIR });
    const { page } = watched;
    quiet(watched);
    const tried = await page.evaluate(async () => {
      const broken: string[] = [];
      document.addEventListener('securitypolicyviolation', (event) => broken.push(event.effectiveDirective));
      await fetch('https://example.com/').catch(() => undefined);
      const image = new Image();
      image.src = 'https://example.com/a.png';
      let injected = false;
      try {
        document.body.insertAdjacentHTML('beforeend', '<p id="injected"></p>');
        injected = document.getElementById('injected') !== null;
      } catch {
        injected = false;
      }
      await new Promise((done) => setTimeout(done, 300));
      // The test driver's own calls may use eval; an event handler of the page may not.
      document.addEventListener('click', () => {
        try {
          (0, eval)('window.ran = 1');
        } catch {
          document.body.dataset.refused = 'yes';
        }
      });
      return { broken, injected };
    });
    await page.mouse.click(640, 400);
    must(tried.broken.includes('connect-src') && tried.broken.includes('img-src'), `remote is refused: ${tried.broken.join(' ')}`);
    const refused = await page.evaluate(() => document.body.dataset.refused === 'yes' && !('ran' in window));
    must(refused, 'eval is refused');
    must(!tried.injected, 'markup from text is refused');
    await watched.context.close();
    return `refused: ${[...new Set(tried.broken)].join(', ')}`;
  },

  'hostile names are shown harmlessly in every view': async (browser) => {
    const watched = await openPage(browser, { files: [hostileModule()] });
    const { page } = watched;
    for (const view of ['1', '2', '3', '4', '5', '7']) {
      await page.locator('body').press(view);
      await page.waitForTimeout(400);
      await unharmed(page);
    }
    await page.keyboard.press('Escape');
    await page.keyboard.press('/');
    await page.keyboard.type('negate');
    await page.waitForSelector('#found [role=option]');
    await unharmed(page);
    await page.keyboard.press('Enter');
    await page.waitForSelector('aside[aria-label=inspector] dl');
    await page.waitForTimeout(300);
    const text = await page.locator('aside[aria-label=inspector]').innerText();
    must(text.includes('⟨202e⟩'), 'what turns text is spelled out');
    must(text.length < 20000, 'a name of a million letters is cut');
    await unharmed(page);
    for (const view of ['2', '3', '4', '5', '7']) {
      await page.locator('body').press(view);
      await page.waitForTimeout(300);
      await unharmed(page);
    }
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByText('Save report').click()]);
    const path = join(scratch(), 'hostile.html');
    await download.saveAs(path);
    const again = await openPage(browser, { page: path });
    await opened(again.page);
    await unharmed(again.page);
    quiet(watched);
    quiet(again);
    await watched.context.close();
    await again.context.close();
  },

  'every view by the keyboard alone': async (browser) => {
    const watched = await openPage(browser, { files: PAIR });
    const { page } = watched;
    const press = (key: string): Promise<void> => page.keyboard.press(key);
    const label = (): Promise<string> =>
      page.evaluate(() => {
        let element = document.activeElement;
        while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
        return element?.getAttribute('aria-label') ?? element?.textContent?.trim().slice(0, 40) ?? '';
      });
    // Overview: Tab reaches a link, Enter follows it.
    for (let i = 0; i < 40 && !/^open memory/.test(await label()); i++) await press('Tab');
    must(/^open memory/.test(await label()), 'Tab reaches the first question');
    const ring = await page.evaluate(() => getComputedStyle(document.activeElement!).outlineStyle);
    must(ring !== 'none', 'the focus is visible');
    await press('Enter');
    await page.waitForSelector('.stage');
    // Memory: arrow keys move the selection; zooming and panning change the picture.
    await settled(page);
    must(/memory map/.test(await label()), `the map has the focus, not "${await label()}"`);
    await press('ArrowRight');
    await hashBecomes(page, /value=\d+/);
    const first = await hash(page);
    await press('ArrowRight');
    await page.waitForFunction((before) => location.hash !== before, first);
    const before = await page.locator('.stage').screenshot();
    await page.keyboard.down('w');
    await page.waitForTimeout(400);
    await page.keyboard.up('w');
    await settled(page);
    must(!before.equals(await page.locator('.stage').screenshot()), 'W zooms');
    await press('f');
    // Graph: arrow keys move the selection, Enter opens.
    await press('Escape');
    await press('3');
    await page.waitForSelector('[data-view=graph] .stage');
    await settled(page);
    must(/^graph/.test(await label()), 'the graph has the focus');
    await press('ArrowDown');
    await hashBecomes(page, /inst=\d+/);
    // Text: the editor handles the cursor keys, Enter follows a name.
    await press('4');
    await page.waitForFunction(() => document.querySelector('.editor')?.shadowRoot?.querySelector('.cm-line'));
    await settled(page);
    must((await label()) === 'HLO text', `the text has the focus, not "${await label()}"`);
    await press('ArrowDown');
    // Escape leaves the editor and returns the keys to the page.
    await press('Escape');
    await press('5');
    await page.waitForSelector('[role=gridcell]');
    for (let i = 0; i < 30 && (await page.evaluate(() => document.activeElement?.getAttribute('role'))) !== 'grid'; i++) await press('Tab');
    must((await page.evaluate(() => document.activeElement?.getAttribute('role'))) === 'grid', 'Tab reaches the table');
    await press('ArrowDown');
    await press('ArrowDown');
    const old = await hash(page);
    await press('Enter');
    await page.waitForFunction((was) => location.hash !== was, old);
    // Help and theme.
    await press('?');
    await page.waitForSelector('dialog[open]');
    await press('Escape');
    await page.waitForSelector('dialog[open]', { state: 'detached' });
    const theme = await page.evaluate(() => document.documentElement.dataset.theme);
    await press('t');
    must((await page.evaluate(() => document.documentElement.dataset.theme)) !== theme, 'T changes the theme');
    quiet(watched);
    await watched.context.close();
  },

  'roles and names for those who do not see': async (browser) => {
    const watched = await openPage(browser, { files: PAIR });
    const { page } = watched;
    for (const view of ['1', '2', '3', '5', '7']) {
      await page.locator('body').press(view);
      await page.waitForTimeout(300);
      const nameless = await page.evaluate(() =>
        [...document.querySelectorAll('button, input, select, [role=application], [role=grid]')]
          .filter((one) => !(one as HTMLElement).hidden)
          .filter((one) => !(one.getAttribute('aria-label') || one.textContent?.trim() || one.closest('label')?.textContent?.trim()))
          .map((one) => one.outerHTML.slice(0, 80)),
      );
      must(nameless.length === 0, `without a name: ${nameless.join(' ')}`);
    }
    must((await page.locator('main').count()) === 1 && (await page.locator('nav').count()) === 1, 'landmarks');
    await watched.context.close();
  },
});
