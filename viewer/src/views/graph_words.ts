// The text of the graph: titles of frames, and up to three lines in a node, cut to the space there is.
import type { Pen } from '../gl/painter.ts';
import { css } from '../state/theme.svelte.ts';
import type { Picture } from './graph_picture.ts';
import type { Label } from './graph_scene.ts';

/** The width of a letter of the page's fixed-width fonts, for each pixel of their size. */
const LETTER = 0.602;

function cut(pen: Pen, text: string, x: number, y: number, space: number, size: number): void {
  const letters = Math.floor(space / (size * LETTER));
  if (letters < 2) return;
  if (text.length <= letters) pen.fillText(text, x, y);
  else {
    // The end of a name tells instructions apart.
    const end = Math.floor((letters - 1) / 3);
    pen.fillText(`${text.slice(0, letters - 1 - end)}…${end > 0 ? text.slice(-end) : ''}`, x, y);
  }
}

export function drawWords(pen: Pen, picture: Picture, labels: readonly Label[], scale: number, width: number, height: number): void {
  const size = Math.min(13, Math.max(7, 12 * scale));
  const mono = css('--mono');
  pen.textBaseline = 'middle';
  pen.textAlign = 'left';
  for (const label of labels) {
    if (label.x > width || label.y > height || label.x + label.w < 0 || label.y + label.h < 0) continue;
    const text = picture.words(label.node);
    if (text.open) {
      const x = Math.max(label.x, 0);
      const titleSize = Math.max(9, Math.min(12, size));
      pen.font = `600 ${titleSize}px ${mono}`;
      pen.fillStyle = css('--ink-soft');
      cut(pen, text.times ? `${text.title} ${text.times}` : text.title, x + 8, Math.max(label.y, 0) + 11, Math.min(label.x + label.w, width) - x - 16, titleSize);
      continue;
    }
    let space = label.w - 12 * Math.min(scale, 1);
    const x = label.x + 6 * Math.min(scale, 1);
    pen.font = `600 ${size}px ${mono}`;
    if (text.times) {
      const wide = text.times.length * size * LETTER;
      pen.fillStyle = css('--select');
      pen.fillText(text.times, x + space - wide, label.y + label.h / 2);
      space -= wide + 6;
    }
    const line = size * 1.3;
    const two = label.h > 24 && text.detail !== '';
    const three = label.h > 3 * line && text.more !== '';
    const middle = label.y + label.h / 2;
    const first = middle - (three ? line : two ? line / 2 : 0);
    pen.fillStyle = css('--ink');
    cut(pen, text.title, x, first, space, size);
    if (!two) continue;
    pen.font = `${size * 0.92}px ${mono}`;
    pen.fillStyle = css('--ink-soft');
    cut(pen, text.detail, x, first + line, space, size * 0.92);
    if (three) cut(pen, text.more, x, first + 2 * line, space, size * 0.92);
  }
}
