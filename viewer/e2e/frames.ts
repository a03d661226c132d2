// Measures frames while a picture is moved: how many reached the screen, and the CPU time of each. Does not use the
// page's own count, because a browser that cannot keep up drops frames. CPU time is summed over all processes of the
// browser, so that it is comparable on a busy machine.
import { readdirSync, readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';

export interface Frames {
  /** Frames per second that were put on the screen. */
  fps: number;
  /** CPU time per frame, in milliseconds. */
  cpu_ms: number;
}

interface Process {
  parent: number;
  /** CPU time in milliseconds. */
  cpu: number;
  /** Private bytes; shared pages would be counted several times. */
  own: number;
}

const TICK_MS = 10; // the kernel reports hundredths of a second to all programs

function processes(): Map<number, Process> {
  const found = new Map<number, Process>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const status = readFileSync(`/proc/${name}/status`, 'utf8');
      const kib = ['RssAnon', 'RssShmem'].reduce((sum, key) => sum + Number(new RegExp(`${key}:\\s*(\\d+)`).exec(status)?.[1] ?? 0), 0);
      found.set(Number(name), { parent: Number(fields[1]), cpu: (Number(fields[11]) + Number(fields[12])) * TICK_MS, own: kib * 1024 });
    } catch {
      // The process has ended in the meantime.
    }
  }
  return found;
}

/** Sums over all descendants of a process, without the process itself. */
export function ofTree(root: number, what: 'cpu' | 'own'): number {
  const all = processes();
  let total = 0;
  for (const [pid, one] of all) {
    let at = pid;
    while (at > 1 && at !== root) at = all.get(at)?.parent ?? 0;
    if (at === root && pid !== root) total += one[what];
  }
  return total;
}

async function presented(browser: Browser, during: () => Promise<void>): Promise<number> {
  const session = await browser.newBrowserCDPSession();
  await session.send('Tracing.start', { transferMode: 'ReturnAsStream', traceConfig: { includedCategories: ['viz'] } });
  await during();
  const complete = new Promise<{ stream?: string }>((done) => session.once('Tracing.tracingComplete', done));
  await session.send('Tracing.end');
  const { stream } = await complete;
  let text = '';
  for (let more = true; more; ) {
    const part = await session.send('IO.read', { handle: stream! });
    text += part.data;
    more = !part.eof;
  }
  await session.detach();
  const events = (JSON.parse(text) as { traceEvents: { name: string; ph: string }[] }).traceEvents;
  return events.filter((one) => one.name === 'SkiaOutputSurfaceImplOnGpu::SwapBuffers' && one.ph !== 'E').length;
}

/** Moves and zooms the picture in every animation frame, for some seconds. */
export async function framesOf(browser: Browser, page: Page, seconds: number): Promise<Frames> {
  let elapsed = 0;
  let cpu = 0;
  const count = await presented(browser, async () => {
    const before = ofTree(process.pid, 'cpu');
    elapsed = await page.evaluate(async (limit) => {
      const stage = document.querySelector<HTMLElement>('.stage')!;
      const box = stage.getBoundingClientRect();
      const begin = performance.now();
      for (let i = 0; performance.now() - begin < limit * 1000; i++) {
        const zoomIn = Math.floor(i / 20) % 2 === 0;
        const common = { bubbles: true, cancelable: true, clientX: box.left + box.width * 0.5, clientY: box.top + box.height * 0.4 };
        stage.dispatchEvent(new WheelEvent('wheel', { ...common, deltaY: zoomIn ? -40 : 40 }));
        stage.dispatchEvent(new WheelEvent('wheel', { ...common, deltaX: Math.floor(i / 30) % 2 === 0 ? 24 : -24, deltaY: 0 }));
        await new Promise(requestAnimationFrame);
      }
      return performance.now() - begin;
    }, seconds);
    cpu = ofTree(process.pid, 'cpu') - before;
  });
  if (count === 0) throw new Error('no frame was seen on the screen: the trace lacks what is counted');
  return { fps: (count * 1000) / elapsed, cpu_ms: cpu / count };
}
