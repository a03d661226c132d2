// Nodes painted by the bytes of their result: one color in six strengths, a factor of four from one to the next. The
// largest node of the drawing has the strongest.

export const BYTES_COLOR = '#6a3d9a';
const STRENGTHS = [0.6, 0.45, 0.32, 0.2, 0.11, 0.03];
const FACTOR = 4;

/** Returns the least bytes of each band but the last, which is everything smaller. Empty if nothing has bytes. */
export function bandsOf(bytes: ArrayLike<number>): number[] {
  let most = 0;
  for (let i = 0; i < bytes.length; i++) most = Math.max(most, bytes[i]);
  if (most <= 0) return [];
  // Whole powers of two are easy to read, and the same in every drawing.
  const top = 2 ** Math.floor(Math.log2(most));
  return Array.from({ length: STRENGTHS.length - 1 }, (_, i) => top / FACTOR ** i).filter((least) => least >= 1);
}

/** Returns the band of a size: its position in `bands`, or the number of bands if it is smaller. */
export function bandOf(bands: readonly number[], bytes: number): number {
  const found = bands.findIndex((least) => bytes >= least);
  return found < 0 ? bands.length : found;
}

export function strengthOf(band: number): number {
  return STRENGTHS[Math.min(band, STRENGTHS.length - 1)];
}
