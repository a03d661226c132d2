// The legend of the graph: what the colors of nodes mean, for the page and for exported pictures.
import { cssColor, mixed, packed } from '../gl/color.ts';
import type { Pen } from '../gl/painter.ts';
import { bytes } from '../state/format.ts';
import { BYTES_COLOR, strengthOf } from './graph_bytes.ts';
import { KINDS } from './graph_kinds.ts';
import type { Paint } from './graph_picture.ts';

export interface Entry {
  title: string;
  color: string;
}

export function legendOf(paint: Paint, bands: readonly number[], background: number): Entry[] {
  if (paint === 'category') return KINDS.map(({ title, color }) => ({ title, color }));
  const color = (band: number): string => cssColor(mixed(background, packed(BYTES_COLOR), strengthOf(band)));
  const list = bands.map((least, band) => ({ title: `${bytes(least)} or more`, color: color(band) }));
  return [...list, { title: 'less', color: color(bands.length) }];
}

/** Draws the legend in one line. */
export function drawLegend(pen: Pen, entries: readonly Entry[], caption: string, x: number, y: number, font: string, ink: string): void {
  pen.font = `12px ${font}`;
  pen.textBaseline = 'middle';
  pen.textAlign = 'left';
  let at = x;
  for (const { title, color } of entries) {
    pen.fillStyle = color;
    pen.fillRect(at, y - 5, 10, 10);
    pen.fillStyle = ink;
    pen.fillText(title, at + 15, y);
    at += 15 + title.length * 7.3 + 14;
  }
  pen.fillStyle = ink;
  pen.fillText(caption, at + 10, y);
}

/** The width that drawLegend needs. */
export function legendWidth(entries: readonly Entry[], caption: string): number {
  return entries.reduce((sum, { title }) => sum + 29 + title.length * 7.3, 0) + 10 + caption.length * 7.3;
}
