// Chromium for the tests: a page that records whatever it says on the console, every request, and every broken rule
// of its policy. Debian's Chromium, or the one that HALO_CHROMIUM names.
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';

export interface Watched {
  page: Page;
  context: BrowserContext;
  /** Errors and warnings of the console, and uncaught exceptions. */
  said: string[];
  /** Addresses asked for beside the page itself, data: and blob:. */
  requests: string[];
}

export async function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env.HALO_CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--disable-dev-shm-usage', '--font-render-hinting=none'],
  });
}

export async function watch(browser: Browser, options: { width?: number; height?: number; dark?: boolean } = {}): Promise<Watched> {
  const context = await browser.newContext({
    viewport: { width: options.width ?? 1280, height: options.height ?? 720 },
    colorScheme: options.dark ? 'dark' : 'light',
    reducedMotion: 'reduce',
    acceptDownloads: true,
  });
  const page = await context.newPage();
  const watched: Watched = { page, context, said: [], requests: [] };
  page.on('console', (message) => {
    const driver = /GPU stall due to ReadPixels/.test(message.text()); // the software driver about screenshots
    if ((message.type() === 'error' || message.type() === 'warning') && !driver) watched.said.push(`${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => watched.said.push(`uncaught: ${error.message}`));
  let first = true;
  page.on('request', (request) => {
    const url = request.url();
    if (first && request.isNavigationRequest()) {
      first = false;
      return;
    }
    if (!/^(data|blob):/.test(url) && !request.isNavigationRequest()) watched.requests.push(url);
  });
  return watched;
}

/** Drops files on the page as a user would, by way of its input. */
export async function dropFiles(page: Page, files: string[]): Promise<void> {
  await page.locator('input[type=file]').setInputFiles(files);
}

/** Waits until the open program can be looked at. */
export async function opened(page: Page, timeout = 60000): Promise<void> {
  await page.waitForSelector('section.view', { timeout });
}

/** Waits until nothing was drawn for a moment. */
export async function settled(page: Page): Promise<void> {
  await page.evaluate(() => new Promise((done) => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(done)), 120)));
}
