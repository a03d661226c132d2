// The camera: which part of a world is on the canvas, in 64-bit numbers. Zooming keeps the point under the pointer
// fixed. The axes are either tied (a graph) or free (program order against bytes). The camera never shows more than
// the world with a margin, and never less than `least` of it.

export interface Span {
  x0: number;
  y0: number;
  x1: number;
  y1: number;
}

export class Camera {
  /** World coordinates of the canvas's corners. */
  x0 = 0;
  y0 = 0;
  x1 = 1;
  y1 = 1;
  world: Span = { x0: 0, y0: 0, x1: 1, y1: 1 };
  width = 1;
  height = 1;
  /** Width in pixels of the covered area on the left; fit() places its part to the right of it. */
  left = 0;
  private readonly tied: boolean;
  private readonly leastX: number;
  private readonly leastY: number;
  /** Whether y grows upwards on the canvas. */
  private readonly up: boolean;

  constructor(tied: boolean, leastX: number, leastY: number, up = false) {
    this.up = up;
    this.tied = tied;
    this.leastX = leastX;
    this.leastY = leastY;
  }

  get scaleX(): number {
    return this.width / (this.x1 - this.x0);
  }

  get scaleY(): number {
    return this.height / (this.y1 - this.y0);
  }

  /** Sets the canvas size in pixels. A tied camera keeps its scale, a free one its span. */
  resize(width: number, height: number): void {
    if (this.tied) {
      const scale = this.scaleX;
      const cx = (this.x0 + this.x1) / 2;
      const cy = (this.y0 + this.y1) / 2;
      this.width = Math.max(width, 1);
      this.height = Math.max(height, 1);
      this.center(cx, cy, scale);
    } else {
      this.width = Math.max(width, 1);
      this.height = Math.max(height, 1);
    }
  }

  /** Shows `part` (default: the world) with a margin in pixels. */
  fit(part: Span = this.world, margin = 0): void {
    const w = Math.max(part.x1 - part.x0, 1e-9);
    const h = Math.max(part.y1 - part.y0, 1e-9);
    if (this.tied) {
      const scale = Math.min((this.width - 2 * margin) / w, (this.height - 2 * margin) / h);
      this.center((part.x0 + part.x1) / 2, (part.y0 + part.y1) / 2, Math.max(scale, 1e-9));
    } else {
      const mx = w / Math.max(this.width - this.left - 2 * margin, 1);
      const my = (h * margin) / Math.max(this.height - 2 * margin, 1);
      this.x0 = part.x0 - mx * (margin + this.left);
      this.x1 = part.x1 + mx * margin;
      this.y0 = part.y0 - my;
      this.y1 = part.y1 + my;
    }
  }

  center(x: number, y: number, scale = this.scaleX): void {
    const w = this.width / scale / 2;
    const h = this.height / (this.tied ? scale : this.scaleY) / 2;
    this.x0 = x - w;
    this.x1 = x + w;
    this.y0 = y - h;
    this.y1 = y + h;
  }

  pan(dx: number, dy: number): void {
    const x = dx / this.scaleX;
    const y = (this.up ? -dy : dy) / this.scaleY;
    this.x0 -= x;
    this.x1 -= x;
    this.y0 -= y;
    this.y1 -= y;
    this.hold();
  }

  /** Zooms by `factor` (above 1: closer) about a point of the canvas. A free camera can zoom each axis separately. */
  zoom(factor: number, px: number, fromTop: number, axes: { x: boolean; y: boolean } = { x: true, y: true }): void {
    const py = this.up ? this.height - fromTop : fromTop;
    const wx = this.x0 + px / this.scaleX;
    const wy = this.y0 + py / this.scaleY;
    let fx = axes.x || this.tied ? factor : 1;
    let fy = axes.y || this.tied ? factor : 1;
    const limit = (f: number, span: number, whole: number, least: number): number =>
      Math.min(Math.max(f, span / (whole * 1.5)), Math.max(span / least, 1e-9));
    if (this.tied) {
      const most = Math.max((this.world.x1 - this.world.x0) * 1.5, ((this.world.y1 - this.world.y0) * 1.5 * this.width) / this.height);
      fx = fy = Math.min(Math.max(factor, (this.x1 - this.x0) / most), (this.x1 - this.x0) / this.leastX);
    } else {
      fx = limit(fx, this.x1 - this.x0, this.world.x1 - this.world.x0, this.leastX);
      fy = limit(fy, this.y1 - this.y0, this.world.y1 - this.world.y0, this.leastY);
    }
    const w = (this.x1 - this.x0) / fx;
    const h = (this.y1 - this.y0) / fy;
    this.x0 = wx - (px / this.width) * w;
    this.x1 = this.x0 + w;
    this.y0 = wy - (py / this.height) * h;
    this.y1 = this.y0 + h;
    this.hold();
  }

  /** Keeps part of the world visible. */
  private hold(): void {
    const w = this.x1 - this.x0;
    const h = this.y1 - this.y0;
    const into = (low: number, span: number, from: number, to: number): number =>
      Math.min(Math.max(low, from - span * 0.8), to - span * 0.2);
    this.x0 = into(this.x0, w, this.world.x0, this.world.x1);
    this.x1 = this.x0 + w;
    this.y0 = into(this.y0, h, this.world.y0, this.world.y1);
    this.y1 = this.y0 + h;
  }
}
