// A real VS Code for the tests: code-server with the packaged extension, a scratch workspace, and steps of a user in its
// workbench. HALO_CODE_SERVER names code-server's program, HALO_COMMAND the halo command, HALO_VSIX the package.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Frame, Page } from '../../../viewer/node_modules/playwright-core/index.js';
import { must, ROOT } from '../../../viewer/e2e/harness.ts';

export const HALO = process.env.HALO_COMMAND ?? join(ROOT, 'build/release/halo');
const VSIX = process.env.HALO_VSIX ?? join(ROOT, 'build/vscode/haloscope.vsix');
const CODE_SERVER = process.env.HALO_CODE_SERVER ?? 'code-server';
const SHOTS = process.env.HALO_SHOTS;

/** A module whose lines the tests know by number, from 1. */
export const SMALL = `HloModule small, is_scheduled=true, entry_computation_layout={(f32[256,256]{1,0})->f32[256]{0}}

%sum (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %total = f32[] add(%a, %b)
}

ENTRY %main (x: f32[256,256]) -> f32[256] {
  %x = f32[256,256]{1,0} parameter(0)
  %product = f32[256,256]{1,0} dot(%x, %x), lhs_contracting_dims={1}, rhs_contracting_dims={0}, metadata={op_name="layer/dot"}
  %activation = f32[256,256]{1,0} tanh(%product), metadata={op_name="layer/tanh"}
  %zero = f32[] constant(0)
  ROOT %rows = f32[256]{0} reduce(%activation, %zero), dimensions={1}, to_apply=%sum
}
`;

export interface Settings {
  [name: string]: unknown;
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

/** One code-server process with its own settings, extensions and files. */
export class Workbench {
  private process: ChildProcess | undefined;
  private readonly home = mkdtempSync(join(tmpdir(), 'halo-vscode-'));
  readonly folder = join(this.home, 'workspace');
  private url = '';

  constructor() {
    mkdirSync(this.folder);
    const example = join(ROOT, 'examples/cpu_mlp_train');
    for (const name of readdirSync(example)) if (name.endsWith('.txt')) copyFileSync(join(example, name), join(this.folder, name));
    writeFileSync(join(this.folder, 'small.hlo'), SMALL);
    writeFileSync(join(this.folder, 'earlier.hlo'), SMALL.replaceAll('tanh', 'sine'));
    writeFileSync(join(this.folder, 'wrong.hlo'), SMALL.replace('dot(%x, %x)', 'dot(%x, %absent)'));
    writeFileSync(join(this.folder, 'notes.txt'), SMALL);
  }

  private get common(): string[] {
    return ['--user-data-dir', join(this.home, 'data'), '--extensions-dir', join(this.home, 'extensions'), '--config', join(this.home, 'config.yaml')];
  }

  install(): void {
    writeFileSync(join(this.home, 'config.yaml'), 'auth: none\n');
    const run = spawnSync(CODE_SERVER, [...this.common, '--install-extension', VSIX], { encoding: 'utf8' });
    must(run.status === 0 && /successfully installed/.test(run.stdout), `the package cannot be installed: ${run.stdout}${run.stderr}${run.error ?? ''}`);
  }

  set(settings: Settings): void {
    const quiet = {
      'chat.disableAIFeatures': true,
      'workbench.startupEditor': 'none',
      'workbench.secondarySideBar.defaultVisibility': 'hidden',
      'terminal.integrated.gpuAcceleration': 'off',
      'editor.minimap.enabled': false,
      'workbench.colorTheme': 'Default Light Modern',
      'files.simpleDialog.enable': true,
      'files.autoSave': 'off', // on in browsers, where it would save what a check types and takes back
    };
    // The path of a program is a setting of the machine, which a browser takes from the server only.
    for (const folder of ['data/User', 'data/Machine']) {
      mkdirSync(join(this.home, folder), { recursive: true });
      writeFileSync(join(this.home, folder, 'settings.json'), JSON.stringify({ ...quiet, ...settings }));
    }
  }

  async start(path: string): Promise<void> {
    const port = await freePort();
    this.url = `http://127.0.0.1:${port}/?folder=${this.folder}`;
    this.process = spawn(CODE_SERVER, [...this.common, '--auth', 'none', '--bind-addr', `127.0.0.1:${port}`, '--disable-telemetry', '--disable-update-check', '--disable-workspace-trust', this.folder], {
      stdio: 'ignore',
      env: { ...process.env, PATH: path },
    });
    for (let tries = 0; tries < 120; tries++) {
      const answers = await fetch(`http://127.0.0.1:${port}/healthz`).then((response) => response.ok, () => false);
      if (answers) return;
      await new Promise((done) => setTimeout(done, 500));
    }
    throw new Error('code-server does not answer');
  }

  async open(browser: Browser): Promise<Page> {
    const context = await browser.newContext({ viewport: { width: 1500, height: 900 }, reducedMotion: 'reduce' });
    const page = await context.newPage();
    page.setDefaultTimeout(180000);
    await page.goto(this.url);
    await page.waitForSelector('.monaco-workbench .explorer-folders-view');
    return page;
  }

  stop(): void {
    this.process?.kill('SIGTERM');
    rmSync(this.home, { recursive: true, force: true, maxRetries: 5 });
  }
}

export async function shot(page: Page, name: string): Promise<void> {
  if (SHOTS) await page.screenshot({ path: join(SHOTS, `${name}.png`) });
}

/** Moves the focus out of a panel into the first group of editors. */
async function focusText(page: Page): Promise<void> {
  const tab = page.locator('.editor-group-container').first().locator('.tab.active');
  if ((await tab.count()) > 0) await tab.first().click();
}

/** Opens the quick input with a key, types, and takes the entry that is proposed, which must be the expected one. The
 *  editor may take the focus back meanwhile, which closes the input: then it is tried again. */
async function quick(page: Page, key: string, typed: string, expected: string): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      await focusText(page);
      await page.waitForTimeout(500);
      await page.keyboard.press(key);
      await page.waitForTimeout(500);
      await until('the quick input has the focus', () => page.evaluate(() => !!document.activeElement?.closest('.quick-input-widget')), 30);
      await page.locator('.quick-input-widget input[type=text]').fill(typed, { timeout: 30000 });
      await until(`${expected} as the first entry`, async () => {
        const row = page.locator('.quick-input-list .monaco-list-row.focused');
        return (await row.count()) > 0 && (await row.first().innerText()).includes(expected);
      }, 60);
      await page.keyboard.press('Enter');
      return;
    } catch (error) {
      if (tries === 4) throw error;
      await page.keyboard.press('Escape');
    }
  }
}

/** Opens a file of the workspace by its name, at a line. */
export async function openFile(page: Page, name: string, line = 1): Promise<void> {
  await quick(page, 'Control+P', `${name}:${line}`, name);
  await page.locator(`.tab.active[data-resource-name="${name}"]`).first().waitFor();
  await page.locator('.quick-input-widget').waitFor({ state: 'hidden' });
}

export async function command(page: Page, name: string): Promise<void> {
  await quick(page, 'F1', `>${name}`, name);
}

/** Moves the cursor of the active editor. */
export async function goTo(page: Page, line: number, column = 1): Promise<void> {
  await quick(page, 'Control+G', `:${line}:${column}`, '');
  await page.locator('.quick-input-widget').waitFor({ state: 'hidden' });
}

/** The number of the line in which the cursor of the text is, whether the text or a panel has the focus. */
export async function cursorLine(page: Page): Promise<number> {
  return Number(await page.locator('.editor-group-container').first().locator('.active-line-number').first().innerText());
}

export async function until<T>(what: string, check: () => Promise<T | null | undefined | false>, seconds = 150): Promise<T> {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    const found = await check().catch(() => null);
    if (found) return found;
    if (Date.now() > end) throw new Error(`not within ${seconds} s: ${what}`);
    await new Promise((done) => setTimeout(done, 250));
  }
}

/** The frame of a panel's page that shows a view. */
export function viewer(page: Page, view: string): Promise<Frame> {
  return until(`a panel with the view ${view}`, async () => {
    for (const frame of page.frames()) if ((await frame.locator(`section.view[data-view=${view}]`).count()) > 0) return frame;
    return null;
  });
}
