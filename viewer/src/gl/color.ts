// Colors of drawings: the Okabe-Ito palette, which is distinct for color-blind users, and its packed form.
// Groups get colors in order of size, so that the largest groups differ the most.

/** Okabe-Ito without black and yellow's extremes. Grey is reserved for "other", and pink and red for the selection
    (--select) and for what does not fit (--bad). */
export const PALETTE = ['#0072b2', '#e69f00', '#009e73', '#56b4e9', '#7a6fb0', '#b8ad1e', '#8c6d46', '#d55e00'] as const;
export const OTHER = '#8a8f98';

/** Returns `#rrggbb` as 0xAABBGGRR. */
export function packed(hex: string, alpha = 1): number {
  const n = Number.parseInt(hex.slice(1), 16);
  const r = n >> 16;
  const g = (n >> 8) & 255;
  const b = n & 255;
  return ((Math.round(alpha * 255) << 24) | (b << 16) | (g << 8) | r) >>> 0;
}

export function withAlpha(color: number, alpha: number): number {
  return ((color & 0xffffff) | (Math.round(alpha * 255) << 24)) >>> 0;
}

/** Interpolates between two packed colors, channel by channel. */
export function mixed(a: number, b: number, share: number): number {
  let out = 0;
  for (let shift = 0; shift < 32; shift += 8) {
    const x = (a >>> shift) & 255;
    const y = (b >>> shift) & 255;
    out |= Math.round(x + (y - x) * share) << shift;
  }
  return out >>> 0;
}

export function cssColor(color: number): string {
  const alpha = (color >>> 24) / 255;
  return `rgba(${color & 255},${(color >> 8) & 255},${(color >> 16) & 255},${alpha.toFixed(3)})`;
}

export function groupColor(rank: number): string {
  return rank < PALETTE.length ? PALETTE[rank] : OTHER;
}

/** Returns black or white, whichever is more legible on `hex`. */
export function inkOn(hex: string): string {
  const n = Number.parseInt(hex.slice(1), 16);
  const light = 0.2126 * (n >> 16) + 0.7152 * ((n >> 8) & 255) + 0.0722 * (n & 255);
  return light > 125 ? '#14171c' : '#ffffff';
}
