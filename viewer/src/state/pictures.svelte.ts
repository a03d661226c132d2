// The pictures that can be exported now. A view offers its drawing while it is shown; the menu in the bar saves it as
// SVG or PNG. Drawings do not know which of the two they become.
import { canvasPainter, type Frame, type Pen } from '../gl/painter.ts';
import { SvgSheet } from '../gl/svg.ts';
import { fileName } from './file_name.ts';
import { session } from './session.svelte.ts';

export interface Offer {
  /** What it shows, such as "memory map". */
  title: string;
  size(): { width: number; height: number };
  draw(frame: Frame): void;
}

class Pictures {
  offers = $state.raw<Offer[]>([]);

  /** Offers a picture until the returned function is called. */
  offer(picture: Offer): () => void {
    this.offers = [...this.offers, picture];
    return () => (this.offers = this.offers.filter((one) => one !== picture));
  }
}

export const pictures = new Pictures();

/** PNG files are limited: browsers refuse larger canvases. */
const MOST_SIDE = 16000;
const MOST_PIXELS = 120e6;

export function svgOf(offer: Offer, title: string): string {
  const { width, height } = offer.size();
  const sheet = new SvgSheet(width, height);
  offer.draw({ painter: sheet, pen: sheet as unknown as Pen, width: sheet.width, height: sheet.height, ratio: 1 });
  return sheet.toString(title);
}

async function pngOf(offer: Offer): Promise<Blob> {
  const { width, height } = offer.size();
  const ratio = Math.min(2, MOST_SIDE / Math.max(width, height), Math.sqrt(MOST_PIXELS / (width * height)));
  const canvas = new OffscreenCanvas(Math.max(1, Math.round(width * ratio)), Math.max(1, Math.round(height * ratio)));
  const pen = canvas.getContext('2d', { alpha: false, willReadFrequently: true });
  if (!pen) throw new Error('this browser gives no 2D canvas');
  offer.draw({ painter: canvasPainter(pen), pen, width, height, ratio });
  return canvas.convertToBlob({ type: 'image/png' });
}

export function download(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

export async function savePicture(offer: Offer, ending: 'svg' | 'png'): Promise<void> {
  const title = session.program?.title ?? 'program';
  const stage = session.program?.stage ?? '';
  const name = fileName(title, stage, offer.title, ending);
  try {
    const caption = [title, stage, offer.title].filter(Boolean).join(' · ');
    const blob = ending === 'svg' ? new Blob([svgOf(offer, caption)], { type: 'image/svg+xml' }) : await pngOf(offer);
    download(blob, name);
    session.say(`Saved ${name}.`);
  } catch (error) {
    session.say(`${name} could not be saved: ${(error as Error).message}`);
  }
}
