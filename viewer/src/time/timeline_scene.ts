// The slices of a timeline on the canvas: where the tracks are, which slice is under a point, hatching, and which part
// must be asked for. Pure functions; the caller provides the colors.
import type { LineBatch, RectBatch } from '../gl/batch.ts';
import type { Camera } from '../gl/camera.ts';
import { mixed } from '../gl/color.ts';
import { FRAMES, KERNELS, MANY, TRANSFER, WAIT, type Timeline } from './types.ts';

export const GUTTER = 134;
export const AXIS = 22;
const ROW = 16;

export interface Band {
  track: number;
  name: string;
  y: number;
  h: number;
}

export interface Bands {
  tracks: Band[];
  /** Null if the memory is unknown. */
  memory: Band | null;
}

/** Divides the height among the tracks; kernels get more than queues. */
export function bandsOf(timeline: Timeline, height: number): Bands {
  const gap = 7;
  const hasMemory = timeline.memory_at.length > 0;
  const tracks: Band[] = [];
  const frames = timeline.tracks.some((one) => one.track === FRAMES) ? Math.max(timeline.rows, 1) * ROW + gap : 0;
  const queues = timeline.tracks.filter((one) => one.track > KERNELS).length;
  const space = Math.max(height - AXIS - frames - 6, 60);
  const memory = hasMemory ? Math.min(Math.max(space * 0.28, 26), 150) : 0;
  const unit = (space - memory - gap * (queues + 1)) / (1.6 + queues);
  let y = AXIS + 2;
  for (const { track, name } of timeline.tracks) {
    const h = track === FRAMES ? frames - gap : Math.max(14, Math.min(track === KERNELS ? unit * 1.6 : unit, track === KERNELS ? 110 : 64));
    tracks.push({ track, name, y, h });
    y += h + gap;
  }
  return { tracks, memory: hasMemory ? { track: -1, name: 'memory', y: y + 2, h: Math.max(height - y - 6, 20) } : null };
}

export interface Colors {
  /** Packed color of a slice. */
  fill: (slice: number) => number;
  faded: (slice: number) => boolean;
  background: number;
  edge: number;
  hatch: number;
}

export interface SliceLabel {
  slice: number;
  x: number;
  y: number;
  w: number;
  h: number;
}

/** Draws diagonal lines inside a rectangle, all in device pixels. */
export function hatch(x: number, y: number, w: number, h: number, pitch: number, color: number, lines: LineBatch): void {
  if (w < 2 || h < 2) return;
  // Lines are at fixed positions of the canvas, so that neighbours match.
  const first = Math.ceil((x + y) / pitch) * pitch;
  for (let sum = first; sum < x + w + y + h; sum += pitch) {
    const x0 = Math.max(x, sum - (y + h));
    const x1 = Math.min(x + w, sum - y);
    if (x1 > x0) lines.push(x0, sum - x0, x1, sum - x1, color);
  }
}

function trackOf(bands: Bands): Map<number, Band> {
  return new Map(bands.tracks.map((one) => [one.track, one]));
}

/** Top and height of a slice in CSS pixels. */
export function extentOf(timeline: Timeline, band: Band, slice: number): [number, number] {
  return band.track === FRAMES ? [band.y + timeline.row[slice] * ROW, ROW - 2] : [band.y, band.h];
}

/** Fills the batches with what is visible, in device pixels; returns slices that are wide enough for a label. */
export function drawSlices(timeline: Timeline, camera: Camera, bands: Bands, ratio: number, colors: Colors, rects: RectBatch, lines: LineBatch): SliceLabel[] {
  const labels: SliceLabel[] = [];
  const tracks = trackOf(bands);
  const scale = camera.scaleX * ratio;
  for (let i = 0; i < timeline.begin.length; i++) {
    const begin = timeline.begin[i];
    const end = timeline.end[i];
    if (begin >= camera.x1 || end <= camera.x0) continue;
    const band = tracks.get(timeline.track[i]);
    if (!band) continue;
    const [top, height] = extentOf(timeline, band, i);
    const x = Math.max((begin - camera.x0) * scale, -10);
    const w = Math.max(Math.min((end - camera.x0) * scale, (camera.width + 10) * ratio) - x, 1);
    const y = top * ratio;
    const h = height * ratio;
    const fade = colors.faded(i);
    const hatching = fade ? mixed(colors.background, colors.hatch, 0.35) : colors.hatch;
    if (timeline.kind[i] === WAIT) {
      // Too narrow for hatching, it is filled.
      const ground = mixed(colors.background, hatching, w < 5 * ratio ? 0.55 : 0.13);
      rects.push(x, y, w, h, ground, mixed(colors.background, hatching, 0.45));
      hatch(x, y, w, h, 6 * ratio, hatching, lines);
    } else {
      const full = mixed(colors.background, colors.fill(i), fade ? 0.2 : 0.9);
      // Of several, the height tells how busy the track is.
      const span = Math.max(end - begin, 1e-15);
      const share = timeline.kind[i] === MANY ? Math.min(timeline.busy[i] / span, 1) : 1;
      const waits = timeline.kind[i] === MANY ? Math.min(timeline.waiting[i] / span, 1 - share) : 0;
      if (share > 0) rects.push(x, y + h * (1 - share), w, h * share, full, w > 6 ? mixed(full, colors.edge, 0.5) : full);
      if (waits > 0.01) {
        rects.push(x, y + h * (1 - share - waits), w, h * waits, mixed(colors.background, hatching, 0.3), mixed(colors.background, hatching, 0.3));
        hatch(x, y + h * (1 - share - waits), w, h * waits, 6 * ratio, hatching, lines);
      }
      if (timeline.kind[i] === TRANSFER && timeline.done[i] >= 0 && timeline.done[i] < end) {
        const from = Math.max((Math.max(timeline.done[i], begin) - camera.x0) * scale, x);
        hatch(from, y, x + w - from, h, 6 * ratio, mixed(colors.fill(i), colors.edge, 0.55), lines);
      }
    }
    if (!fade && w > 44 * ratio && height >= 11) labels.push({ slice: i, x: x / ratio, y: top, w: w / ratio, h: height });
  }
  return labels;
}

/** Draws how transfers are connected with kernels: from the start to the transfer, from its end to the done. */
export function drawFlows(timeline: Timeline, camera: Camera, bands: Bands, ratio: number, shown: (slice: number) => number, lines: LineBatch): void {
  const tracks = trackOf(bands);
  const kernels = tracks.get(KERNELS);
  if (!kernels) return;
  const bottom = (kernels.y + kernels.h) * ratio;
  const at = (time: number): number => (time - camera.x0) * camera.scaleX * ratio;
  for (let i = 0; i < timeline.begin.length; i++) {
    if (timeline.kind[i] !== TRANSFER || timeline.issued[i] < 0) continue;
    if (timeline.begin[i] >= camera.x1 || timeline.end[i] <= camera.x0) continue;
    const color = shown(i);
    const band = tracks.get(timeline.track[i]);
    if (color === 0 || !band) continue;
    const top = band.y * ratio;
    lines.push(at(timeline.issued[i]), bottom, at(timeline.begin[i]), top, color);
    if (timeline.done[i] < 0) continue;
    lines.push(at(timeline.end[i]), top, at(Math.max(timeline.done[i], timeline.end[i])), bottom, color);
  }
}

/** Returns the slice under a point of the canvas (CSS pixels), or -1. Narrow ones can be hit within two pixels. */
export function sliceAt(timeline: Timeline, camera: Camera, bands: Bands, px: number, py: number): number {
  const time = camera.x0 + px / camera.scaleX;
  const slack = 2 / camera.scaleX;
  let near = -1;
  let nearest = slack;
  for (let i = 0; i < timeline.begin.length; i++) {
    const band = bands.tracks.find((one) => one.track === timeline.track[i]);
    if (!band) continue;
    const [y, h] = extentOf(timeline, band, i);
    if (py < y || py >= y + h) continue;
    if (time >= timeline.begin[i] && time < timeline.end[i]) return i;
    const far = Math.max(timeline.begin[i] - time, time - timeline.end[i]);
    if (far < nearest) {
      nearest = far;
      near = i;
    }
  }
  return near;
}

/** Returns the next slice of the same track, or the one at the same time of another track. */
export function nextSlice(timeline: Timeline, from: number, dx: number, dy: number): number {
  const tracks = [...new Set(timeline.track)].sort((a, b) => a - b);
  const track = tracks[tracks.indexOf(timeline.track[from]) + dy] ?? timeline.track[from];
  const middle = (timeline.begin[from] + timeline.end[from]) / 2;
  let best = from;
  let nearest = Infinity;
  for (let i = 0; i < timeline.begin.length; i++) {
    if (timeline.track[i] !== track || i === from) continue;
    const step = dx !== 0 ? (timeline.begin[i] - timeline.begin[from]) * dx : Math.max(timeline.begin[i] - middle, middle - timeline.end[i], 0);
    if (dx !== 0 && step <= 0) continue;
    if (step < nearest) {
      nearest = step;
      best = i;
    }
  }
  return best;
}

/** What to ask for so that `x0` to `x1` can be drawn on `width` pixels; null if what is loaded is enough. */
export function wanted(loaded: { from: number; to: number; pixels: number; seconds: number } | null, x0: number, x1: number, width: number): { from: number; to: number; pixels: number } | null {
  const span = x1 - x0;
  if (loaded) {
    const covers = loaded.from <= Math.max(x0, 0) && loaded.to >= Math.min(x1, loaded.seconds);
    const detail = (loaded.to - loaded.from) / loaded.pixels / (span / width);
    if (covers && detail < 1.3 && detail > 0.08) return null;
  }
  const whole = loaded?.seconds ?? x1;
  const from = Math.max(x0 - span / 2, 0);
  const to = Math.min(x1 + span / 2, whole);
  if (to <= from) return null;
  return { from, to, pixels: Math.min(Math.max(Math.ceil(((to - from) / span) * width), 100), 20000) };
}
