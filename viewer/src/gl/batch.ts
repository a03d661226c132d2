// Growing lists of the primitives of one draw call, in device pixels. The scene refills them for each frame. It culls
// and computes in 64-bit arithmetic, so that the painter needs neither a camera nor large numbers.

/** Rectangles with a fill and a stroke. Colors are 0xAABBGGRR. */
export class RectBatch {
  bounds = new Float32Array(4 * 1024);
  fills = new Uint32Array(1024);
  strokes = new Uint32Array(1024);
  count = 0;

  clear(): void {
    this.count = 0;
  }

  push(x: number, y: number, w: number, h: number, fill: number, stroke: number): void {
    const i = this.count++;
    if (i === this.fills.length) this.grow();
    const b = this.bounds;
    b[4 * i] = x;
    b[4 * i + 1] = y;
    b[4 * i + 2] = w;
    b[4 * i + 3] = h;
    this.fills[i] = fill;
    this.strokes[i] = stroke;
  }

  private grow(): void {
    const bounds = new Float32Array(this.bounds.length * 2);
    bounds.set(this.bounds);
    this.bounds = bounds;
    const fills = new Uint32Array(this.fills.length * 2);
    fills.set(this.fills);
    this.fills = fills;
    const strokes = new Uint32Array(this.strokes.length * 2);
    strokes.set(this.strokes);
    this.strokes = strokes;
  }
}

/** Line segments of one width. */
export class LineBatch {
  ends = new Float32Array(4 * 1024);
  colors = new Uint32Array(1024);
  count = 0;

  clear(): void {
    this.count = 0;
  }

  push(x0: number, y0: number, x1: number, y1: number, color: number): void {
    const i = this.count++;
    if (i === this.colors.length) {
      const ends = new Float32Array(this.ends.length * 2);
      ends.set(this.ends);
      this.ends = ends;
      const colors = new Uint32Array(this.colors.length * 2);
      colors.set(this.colors);
      this.colors = colors;
    }
    const e = this.ends;
    e[4 * i] = x0;
    e[4 * i + 1] = y0;
    e[4 * i + 2] = x1;
    e[4 * i + 3] = y1;
    this.colors[i] = color;
  }
}
