// The rectangles of a memory map on the canvas: which are visible and their style at this scale, which one is under a
// point, and which are neighbours. Pure functions over the result's arrays; the caller provides the colors.
import type { MemoryMap } from '../core/requests.ts';
import type { Camera } from '../gl/camera.ts';
import type { RectBatch } from '../gl/batch.ts';
import { mixed, withAlpha } from '../gl/color.ts';

export interface Look {
  /** Packed color of each rectangle's group. */
  fill: (rect: number) => number;
  /** Whether a rectangle is faded because something else is in focus. */
  faded: (rect: number) => boolean;
  background: number;
  edge: number;
}

export interface Label {
  rect: number;
  x: number;
  y: number;
  w: number;
  h: number;
}

/** Fills `batch` with the visible rectangles in device pixels; returns those large enough for a label. */
export function mapRects(map: MemoryMap, camera: Camera, ratio: number, look: Look, batch: RectBatch): Label[] {
  const labels: Label[] = [];
  const sx = camera.scaleX * ratio;
  const sy = camera.scaleY * ratio;
  const { begin, end, offset, size } = map;
  const bottom = camera.height * ratio;
  // Rectangles of about a pixel are drawn once per position: remembers the last such pixel.
  let lastX = -1;
  let lastY = -1;
  for (let i = 0; i < begin.length; i++) {
    if (begin[i] >= camera.x1 || end[i] <= camera.x0) continue;
    if (offset[i] >= camera.y1 || offset[i] + size[i] <= camera.y0) continue;
    const x = (begin[i] - camera.x0) * sx;
    let w = (end[i] - begin[i]) * sx;
    let h = size[i] * sy;
    const y = bottom - (offset[i] - camera.y0) * sy - h;
    if (w < 1.5 && h < 1.5) {
      const px = x | 0;
      const py = y | 0;
      if (px === lastX && py === lastY) continue;
      lastX = px;
      lastY = py;
    }
    const fade = look.faded(i);
    const full = look.fill(i);
    const fill = mixed(look.background, full, fade ? 0.2 : 0.88);
    if (w < 1) w = 1;
    if (h < 0.75) h = 0.75;
    batch.push(x, y, w, h, fill, fade ? withAlpha(fill, 0.6) : mixed(fill, look.edge, 0.55));
    if (!fade && w > 46 * ratio && h > 11 * ratio) labels.push({ rect: i, x: x / ratio, y: y / ratio, w: w / ratio, h: h / ratio });
  }
  return labels;
}

/** Returns the rectangle under a point of the canvas (CSS pixels), or -1. Thin ones can be hit within two pixels. */
export function rectAt(map: MemoryMap, camera: Camera, px: number, py: number): number {
  const x = camera.x0 + px / camera.scaleX;
  const y = camera.y0 + (camera.height - py) / camera.scaleY;
  const slackX = 1.5 / camera.scaleX;
  const slackY = 1.5 / camera.scaleY;
  let near = -1;
  for (let i = map.begin.length - 1; i >= 0; i--) {
    if (x >= map.begin[i] && x < map.end[i] && y >= map.offset[i] && y < map.offset[i] + map.size[i]) return i;
    if (
      near < 0 &&
      x >= map.begin[i] - slackX &&
      x < map.end[i] + slackX &&
      y >= map.offset[i] - slackY &&
      y < map.offset[i] + map.size[i] + slackY
    )
      near = i;
  }
  return near;
}

/** Returns the next rectangle in a direction: by program order sideways, by address among those live with it up. */
export function neighbour(map: MemoryMap, from: number, dx: number, dy: number): number {
  let best = -1;
  let nearest = Infinity;
  for (let i = 0; i < map.begin.length; i++) {
    if (i === from) continue;
    let far: number;
    if (dx !== 0) {
      const step = (map.begin[i] - map.begin[from]) * dx;
      const tie = (i - from) * dx;
      if (step < 0 || (step === 0 && tie <= 0)) continue;
      far = step + Math.abs(map.offset[i] - map.offset[from]) * 1e-15 + (step === 0 ? tie * 1e-9 : 0);
    } else {
      const meets = map.begin[i] < map.end[from] && map.end[i] > map.begin[from];
      const step = (map.offset[i] - map.offset[from]) * dy;
      if (!meets || step <= 0) continue;
      far = step;
    }
    if (far < nearest) {
      nearest = far;
      best = i;
    }
  }
  return best < 0 ? from : best;
}

/** Returns the largest rectangle at the peak; the first if nothing is live then, or -1 if there is none. */
export function largestAtPeak(map: MemoryMap): number {
  let best = -1;
  const at = map.peak?.position ?? 0;
  for (let i = 0; i < map.begin.length; i++)
    if (map.begin[i] <= at && map.end[i] > at && (best < 0 || map.size[i] > map.size[best])) best = i;
  return best < 0 && map.begin.length > 0 ? 0 : best;
}
