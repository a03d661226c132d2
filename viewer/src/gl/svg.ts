// A sheet on which drawings are recorded as SVG: a painter of batches and the part of a 2D context that drawings use,
// so that a view draws itself on it as on a canvas. Shapes and text stay vectors and text. All text is escaped.
import type { LineBatch, RectBatch } from './batch.ts';
import type { Painter } from './painter.ts';

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' };
// Characters that XML 1.0 does not allow, and halves of surrogate pairs.
const ILLEGAL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

export function escaped(text: string): string {
  return text.replace(ILLEGAL, '\ufffd').replace(/[&<>"']/g, (c) => ENTITIES[c]);
}

function num(value: number): string {
  return String(Math.round(value * 100) / 100);
}

/** Attributes for a packed color (0xAABBGGRR), as `fill` or `stroke`. */
function paint(kind: 'fill' | 'stroke', color: number): string {
  const hex = [color & 255, (color >> 8) & 255, (color >> 16) & 255].map((c) => c.toString(16).padStart(2, '0')).join('');
  const alpha = (color >>> 24) / 255;
  return `${kind}="#${hex}"${alpha < 1 ? ` ${kind}-opacity="${num(alpha)}"` : ''}`;
}

interface Saved {
  fillStyle: string;
  strokeStyle: string;
  lineWidth: number;
  globalAlpha: number;
  font: string;
  textAlign: string;
  textBaseline: string;
  at: [number, number, number, number];
}

export class SvgSheet implements Painter {
  readonly width: number;
  readonly height: number;
  private readonly parts: string[] = [];
  private readonly stack: Saved[] = [];
  private path: string[] = [];
  private dash: number[] = [];
  /** Scale and offset of both axes. */
  private at: [number, number, number, number] = [1, 1, 0, 0];
  fillStyle = '#000000';
  strokeStyle = '#000000';
  lineWidth = 1;
  globalAlpha = 1;
  font = '12px monospace';
  textAlign = 'left';
  textBaseline = 'alphabetic';
  lineJoin = 'miter';
  lineCap = 'butt';

  constructor(width: number, height: number) {
    this.width = Math.max(1, Math.ceil(width));
    this.height = Math.max(1, Math.ceil(height));
  }

  /** The document. `title` is shown by browsers and read by screen readers. */
  toString(title: string): string {
    const size = `width="${this.width}" height="${this.height}" viewBox="0 0 ${this.width} ${this.height}"`;
    return `<?xml version="1.0" encoding="UTF-8"?>\n<svg xmlns="http://www.w3.org/2000/svg" ${size}>\n<title>${escaped(title)}</title>\n${this.parts.join('\n')}\n</svg>\n`;
  }

  resize(): void {
    return;
  }

  begin(background: number): void {
    this.parts.push(`<rect width="${this.width}" height="${this.height}" ${paint('fill', (background | 0xff000000) >>> 0)}/>`);
  }

  rects(batch: RectBatch, radius: number, strokeWidth: number): void {
    const b = batch.bounds;
    for (let i = 0; i < batch.count; i++) {
      const [x, y, w, h] = [b[4 * i], b[4 * i + 1], b[4 * i + 2], b[4 * i + 3]];
      if (x > this.width || y > this.height || x + w < 0 || y + h < 0) continue;
      const framed = strokeWidth > 0 && Math.min(w, h) > 4;
      const inset = framed ? strokeWidth / 2 : 0;
      const box = `x="${num(x + inset)}" y="${num(y + inset)}" width="${num(w - 2 * inset)}" height="${num(h - 2 * inset)}"`;
      const round = radius > 0 && Math.min(w, h) > 4 ? ` rx="${num(Math.min(radius, Math.min(w, h) / 2))}"` : '';
      const frame = framed ? ` ${paint('stroke', batch.strokes[i])} stroke-width="${num(strokeWidth)}"` : '';
      this.parts.push(`<rect ${box}${round} ${paint('fill', batch.fills[i])}${frame}/>`);
    }
  }

  lines(batch: LineBatch, width: number): void {
    const e = batch.ends;
    for (let i = 0; i < batch.count; ) {
      const color = batch.colors[i];
      const path: string[] = [];
      let x = NaN;
      let y = NaN;
      for (; i < batch.count && batch.colors[i] === color; i++) {
        if (e[4 * i] !== x || e[4 * i + 1] !== y) path.push(`M${num(e[4 * i])} ${num(e[4 * i + 1])}`);
        path.push(`L${num((x = e[4 * i + 2]))} ${num((y = e[4 * i + 3]))}`);
      }
      this.parts.push(`<path d="${path.join('')}" fill="none" ${paint('stroke', color)} stroke-width="${num(width)}" stroke-linejoin="round"/>`);
    }
  }

  // From here on, the part of CanvasRenderingContext2D that drawings use.

  private x(x: number): number {
    return x * this.at[0] + this.at[2];
  }

  private y(y: number): number {
    return y * this.at[1] + this.at[3];
  }

  private alpha(): string {
    return this.globalAlpha < 1 ? ` opacity="${num(this.globalAlpha)}"` : '';
  }

  setTransform(a: number, _b: number, _c: number, d: number, e: number, f: number): void {
    this.at = [a, d, e, f];
  }

  translate(x: number, y: number): void {
    this.at = [this.at[0], this.at[1], this.x(x), this.y(y)];
  }

  scale(x: number, y: number): void {
    this.at = [this.at[0] * x, this.at[1] * y, this.at[2], this.at[3]];
  }

  save(): void {
    const { fillStyle, strokeStyle, lineWidth, globalAlpha, font, textAlign, textBaseline, at } = this;
    this.stack.push({ fillStyle, strokeStyle, lineWidth, globalAlpha, font, textAlign, textBaseline, at });
  }

  restore(): void {
    Object.assign(this, this.stack.pop());
  }

  setLineDash(dash: number[]): void {
    this.dash = dash;
  }

  clearRect(): void {
    return;
  }

  fillRect(x: number, y: number, w: number, h: number): void {
    const box = `x="${num(this.x(x))}" y="${num(this.y(y))}" width="${num(w * this.at[0])}" height="${num(h * this.at[1])}"`;
    this.parts.push(`<rect ${box} fill="${escaped(this.fillStyle)}"${this.alpha()}/>`);
  }

  strokeRect(x: number, y: number, w: number, h: number): void {
    const box = `x="${num(this.x(x))}" y="${num(this.y(y))}" width="${num(w * this.at[0])}" height="${num(h * this.at[1])}"`;
    this.parts.push(`<rect ${box} fill="none" ${this.outline()}/>`);
  }

  private outline(): string {
    const dash = this.dash.length > 0 ? ` stroke-dasharray="${this.dash.map(num).join(' ')}"` : '';
    return `stroke="${escaped(this.strokeStyle)}" stroke-width="${num(this.lineWidth * this.at[0])}"${dash}${this.alpha()}`;
  }

  fillText(text: string, x: number, y: number): void {
    const { size, rest } = this.fontParts();
    // Not every program that reads SVG knows baselines other than the alphabetic one.
    const down = this.textBaseline === 'middle' ? 0.35 : this.textBaseline === 'top' || this.textBaseline === 'hanging' ? 0.8 : 0;
    const anchor = this.textAlign === 'right' || this.textAlign === 'end' ? ' text-anchor="end"' : this.textAlign === 'center' ? ' text-anchor="middle"' : '';
    const place = `x="${num(this.x(x))}" y="${num(this.y(y) + down * size * this.at[1])}"`;
    this.parts.push(`<text ${place} font-size="${num(size * this.at[1])}"${rest}${anchor} fill="${escaped(this.fillStyle)}"${this.alpha()} xml:space="preserve">${escaped(text)}</text>`);
  }

  measureText(text: string): { width: number } {
    return { width: text.length * this.fontParts().size * 0.602 };
  }

  private fontParts(): { size: number; rest: string } {
    const match = /^(?:(\d+|bold|normal) )?([\d.]+)px (.*)$/.exec(this.font);
    if (!match) return { size: 12, rest: ' font-family="monospace"' };
    const weight = match[1] && match[1] !== 'normal' ? ` font-weight="${match[1]}"` : '';
    return { size: Number(match[2]), rest: ` font-family="${escaped(match[3])}"${weight}` };
  }

  beginPath(): void {
    this.path = [];
  }

  moveTo(x: number, y: number): void {
    this.path.push(`M${num(this.x(x))} ${num(this.y(y))}`);
  }

  lineTo(x: number, y: number): void {
    this.path.push(`L${num(this.x(x))} ${num(this.y(y))}`);
  }

  rect(x: number, y: number, w: number, h: number): void {
    this.moveTo(x, y);
    this.path.push(`h${num(w * this.at[0])}v${num(h * this.at[1])}h${num(-w * this.at[0])}z`);
  }

  /** A whole circle; drawings use no other arcs. */
  arc(x: number, y: number, radius: number): void {
    const r = num(radius * this.at[0]);
    this.moveTo(x - radius, y);
    this.path.push(`a${r} ${r} 0 1 0 ${num(2 * radius * this.at[0])} 0a${r} ${r} 0 1 0 ${num(-2 * radius * this.at[0])} 0`);
  }

  closePath(): void {
    this.path.push('z');
  }

  /** Everything drawn is clipped by the sheet already. */
  clip(): void {
    return;
  }

  fill(): void {
    this.parts.push(`<path d="${this.path.join('')}" fill="${escaped(this.fillStyle)}"${this.alpha()}/>`);
  }

  stroke(): void {
    this.parts.push(`<path d="${this.path.join('')}" fill="none" ${this.outline()}/>`);
  }
}
