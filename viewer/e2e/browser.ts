// Chromium for the tests: a page that records console messages, requests and violations of its Content-Security-Policy.
// Uses Debian's Chromium, or the one that HALO_CHROMIUM names.
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';

export interface Watched {
  page: Page;
  context: BrowserContext;
  /** Console errors and warnings, and uncaught exceptions. */
  said: string[];
  /** Requested URLs other than the page itself, data: and blob:. */
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
    const driver = /GPU stall due to ReadPixels/.test(message.text()); // the software driver warns about screenshots
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

/** Opens files on the page through its file input. */
export async function dropFiles(page: Page, files: string[]): Promise<void> {
  await page.locator('input[type=file]:not([data-for])').setInputFiles(files);
}

/** Waits until the open program is shown. */
export async function opened(page: Page, timeout = 60000): Promise<void> {
  await page.waitForSelector('section.view', { timeout });
}

/** Waits a moment until drawing has settled. */
export async function settled(page: Page): Promise<void> {
  await page.evaluate(() => new Promise((done) => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(done)), 120)));
}

/** For each row of pixels of the first picture, the share of it that has nearly the color of a style sheet variable. */
export async function sharesOfColor(page: Page, variable: string, tolerance: number): Promise<number[]> {
  const picture = (await page.locator('.stage').first().screenshot()).toString('base64');
  return page.evaluate(
    async ([data, name, most]) => {
      const probe = document.createElement('canvas').getContext('2d', { willReadFrequently: true })!;
      probe.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
      probe.fillRect(0, 0, 1, 1);
      const want = probe.getImageData(0, 0, 1, 1).data;
      const bytes = Uint8Array.from(atob(data), (one) => one.charCodeAt(0));
      const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
      const pen = new OffscreenCanvas(image.width, image.height).getContext('2d', { willReadFrequently: true })!;
      pen.drawImage(image, 0, 0);
      return Array.from({ length: image.height }, (_, y) => {
        const row = pen.getImageData(0, y, image.width, 1).data;
        let alike = 0;
        for (let i = 0; i < row.length; i += 4) if ([0, 1, 2].every((c) => Math.abs(row[i + c] - want[c]) < most)) alike++;
        return alike / image.width;
      });
    },
    [picture, variable, tolerance] as const,
  );
}
