// Points on two logarithmic axes: their range, ticks, and which one is under the pointer. Pure functions.
import type { Camera } from '../gl/camera.ts';

export interface Point {
  /** Logarithms to base 10. */
  x: number;
  y: number;
  /** Radius in CSS pixels. */
  size: number;
  color: string;
  inst: number;
  name: string;
}

/** A line of the diagram: from one point to another, in logarithms. */
export interface Guide {
  x0: number;
  y0: number;
  x1: number;
  y1: number;
  label: string;
  dashed: boolean;
}

export interface Range {
  x0: number;
  y0: number;
  x1: number;
  y1: number;
}

/** The range of all points and of given values, with a margin. */
export function rangeOf(points: readonly Point[], xs: readonly number[], ys: readonly number[]): Range {
  let [x0, x1, y0, y1] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const { x, y } of points) {
    x0 = Math.min(x0, x);
    x1 = Math.max(x1, x);
    y0 = Math.min(y0, y);
    y1 = Math.max(y1, y);
  }
  for (const x of xs) [x0, x1] = [Math.min(x0, x), Math.max(x1, x)];
  for (const y of ys) [y0, y1] = [Math.min(y0, y), Math.max(y1, y)];
  if (!(x1 >= x0) || !(y1 >= y0)) return { x0: 0, y0: 0, x1: 1, y1: 1 };
  return { x0: x0 - 0.3, y0: y0 - 0.3, x1: x1 + 0.3, y1: y1 + 0.6 };
}

/** Powers of ten in sight; every second or third if there are many. */
export function powers(low: number, high: number, most: number): number[] {
  const step = Math.max(1, Math.ceil((high - low) / Math.max(most, 1)));
  const list: number[] = [];
  for (let at = Math.ceil(low / step) * step; at <= high; at += step) list.push(at + 0);
  return list;
}

export function pointAt(points: readonly Point[], camera: Camera, px: number, py: number): number {
  let best = -1;
  let nearest = 49;
  points.forEach((point, i) => {
    const dx = (point.x - camera.x0) * camera.scaleX - px;
    const dy = camera.height - (point.y - camera.y0) * camera.scaleY - py;
    const far = dx * dx + dy * dy - point.size * point.size;
    if (far < nearest) {
      nearest = far;
      best = i;
    }
  });
  return best;
}

/** The roof of a device: its bandwidth and each peak above the point where they meet. */
export function roofs(bandwidth: number, peaks: readonly { name: string; value: number }[], x0: number, x1: number): Guide[] {
  if (!(bandwidth > 0)) return [];
  const slope = Math.log10(bandwidth);
  const guides: Guide[] = [];
  const highest = Math.max(...peaks.map((one) => Math.log10(one.value)), slope + x0);
  guides.push({ x0, y0: x0 + slope, x1: highest - slope, y1: highest, label: 'memory', dashed: false });
  for (const { name, value } of peaks) {
    const y = Math.log10(value);
    guides.push({ x0: y - slope, y0: y, x1: Math.max(x1, y - slope + 0.5), y1: y, label: name, dashed: false });
  }
  return guides;
}

const WIDER: Record<string, string[]> = {
  f32: ['tf32', 'f32'],
  bf16: ['bf16', 'f32'],
  f16: ['f16', 'bf16', 'f32'],
  f64: ['f64'],
  s8: ['s8'],
  u8: ['s8'],
};

/** The peaks of the types that the program multiplies in, and that of other arithmetic. */
export function peaksOf(types: readonly string[], figures: readonly { name: string; value: number }[]): { name: string; value: number }[] {
  const names = new Set<string>(['f32']);
  for (const type of types) {
    const list = type.startsWith('f8') ? ['f8', 'bf16'] : type.startsWith('f4') ? ['f4', 'f8'] : (WIDER[type] ?? [type]);
    const found = list.find((one) => figures.some((each) => each.name === one && each.value > 0));
    if (found) names.add(found);
  }
  return figures.filter((one) => names.has(one.name) && one.value > 0).map(({ name, value }) => ({ name, value }));
}
