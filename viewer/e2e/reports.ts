// Opens reports as file: URLs and prints one line of JSON for each: console messages, network requests, the time of the
// first paint, and whether the embedded program was shown.
import { statSync } from 'node:fs';
import { launch, opened } from './browser.ts';
import { openPage } from './harness.ts';

const browser = await launch();
for (const path of process.argv.slice(2)) {
  const watched = await openPage(browser, { page: path });
  const { page } = watched;
  let shown = true;
  await opened(page, 60000).catch(() => (shown = false));
  const views: string[] = [];
  for (const key of ['1', '2', '3', '4', '5']) {
    if (!shown) break;
    await page.locator('body').press(key);
    await page.waitForTimeout(500);
    views.push((await page.locator('section.view').getAttribute('data-view')) ?? '');
  }
  const paint = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? -1);
  const problem = await page.locator('.problem').count();
  console.log(
    JSON.stringify({
      path,
      bytes: statSync(path).size,
      shown: shown && problem === 0,
      views,
      first_paint_ms: Math.round(paint),
      said: watched.said,
      requests: watched.requests,
    }),
  );
  await watched.context.close();
}
await browser.close();
