// The curve of live bytes as a separate picture, for export: axes, curve, peak. On the page uPlot draws it.
import type { Frame } from '../gl/painter.ts';
import { bytes, count } from '../state/format.ts';

export interface LiveData {
  /** Temporary bytes at each position; `held` is there all the time. */
  live: Float64Array;
  held: number;
  peak: { position: number; bytes: number } | null;
  reserved: number;
  /** The positions in sight. */
  x0: number;
  x1: number;
}

export interface LiveColors {
  background: number;
  ink: string;
  line: string;
  curve: string;
  area: string;
  mark: string;
  font: string;
}

const LEFT = 84;
const BOTTOM = 26;
const TOP = 22;
const RIGHT = 12;

function steps(high: number, most: number): number[] {
  let step = 1;
  while (high / step > most) step *= 2;
  const list: number[] = [];
  for (let at = 0; at <= high; at += step) list.push(at);
  return list;
}

export function drawLive({ painter, pen, width, height, ratio }: Frame, data: LiveData, colors: LiveColors): void {
  painter.begin(colors.background);
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  const top = Math.max(data.reserved, data.peak?.bytes ?? 0, 1) * 1.04;
  const x = (position: number): number => LEFT + ((position - data.x0) / Math.max(data.x1 - data.x0, 1e-9)) * (width - LEFT - RIGHT);
  const y = (size: number): number => height - BOTTOM - (size / top) * (height - BOTTOM - TOP);
  pen.font = `11px ${colors.font}`;
  pen.textBaseline = 'middle';
  pen.textAlign = 'right';
  for (const at of steps(top, 4)) {
    pen.fillStyle = colors.line;
    pen.fillRect(LEFT, y(at), width - LEFT - RIGHT, 1);
    pen.fillStyle = colors.ink;
    pen.fillText(bytes(at), LEFT - 8, y(at));
  }
  const from = Math.max(0, Math.floor(data.x0));
  const to = Math.min(data.live.length, Math.ceil(data.x1) + 1);
  const stride = Math.max(1, Math.ceil((to - from) / Math.max(width, 1)));
  const points: [number, number][] = [];
  for (let i = from; i < to; i += stride) {
    let most = 0;
    for (let k = i; k < Math.min(i + stride, to); k++) most = Math.max(most, data.live[k]);
    points.push([Math.max(x(i), LEFT), y(most + data.held)], [Math.min(x(Math.min(i + stride, to)), width - RIGHT), y(most + data.held)]);
  }
  const trace = (): void => {
    pen.beginPath();
    points.forEach(([px, py], i) => (i === 0 ? pen.moveTo(px, py) : pen.lineTo(px, py)));
  };
  if (points.length > 0) {
    trace();
    pen.lineTo(points[points.length - 1][0], y(0));
    pen.lineTo(points[0][0], y(0));
    pen.closePath();
    pen.fillStyle = colors.area;
    pen.fill();
    trace();
    pen.strokeStyle = colors.curve;
    pen.lineWidth = 1.25;
    pen.stroke();
  }
  pen.fillStyle = colors.ink;
  pen.textAlign = 'left';
  pen.fillText(count(Math.max(data.x0, 0)), LEFT, height - BOTTOM / 2);
  pen.textAlign = 'right';
  pen.fillText(count(data.x1), width - RIGHT, height - BOTTOM / 2);
  pen.textAlign = 'center';
  pen.fillText('program order', (LEFT + width - RIGHT) / 2, height - BOTTOM / 2);
  if (!data.peak || data.peak.position < data.x0 || data.peak.position > data.x1) return;
  const px = x(data.peak.position + 0.5);
  pen.fillStyle = colors.mark;
  pen.fillRect(px - 0.75, TOP, 1.5, height - TOP - BOTTOM);
  pen.beginPath();
  pen.arc(px, y(data.peak.bytes), 4, 0, 7);
  pen.fill();
  const right = px > width * 0.7;
  pen.textAlign = right ? 'right' : 'left';
  pen.fillText(`peak ${bytes(data.peak.bytes)}`, px + (right ? -6 : 6), TOP / 2);
}
