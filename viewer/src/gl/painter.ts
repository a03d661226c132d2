// Draws batches of rectangles and lines with WebGL2, or with a 2D canvas if WebGL2 is missing or emulated. Does not
// decide what is drawn. Rebuilds a lost context when the browser restores it.
import { cssColor } from './color.ts';
import type { LineBatch, RectBatch } from './batch.ts';

export type Pen = CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D;

export interface Painter {
  /** The canvas's 2D context, if it has one. Text can then be drawn on the same canvas. */
  readonly pen?: Pen;
  /** Sets the canvas size in device pixels and clears the canvas. */
  resize(width: number, height: number): void;
  begin(background: number): void;
  rects(batch: RectBatch, radius: number, strokeWidth: number): void;
  lines(batch: LineBatch, width: number): void;
}

/** What a drawing is drawn on. */
export interface Frame {
  painter: Painter;
  pen: Pen;
  /** Size in CSS pixels, and device pixels for each of them. */
  width: number;
  height: number;
  ratio: number;
}

const RECT_VERTEX = `#version 300 es
in vec4 bounds; in vec4 fill; in vec4 stroke;
uniform vec2 size;
out vec2 at; flat out vec2 extent; flat out vec4 inside; flat out vec4 edge;
void main() {
  vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
  vec2 position = bounds.xy + corner * bounds.zw;
  at = corner * bounds.zw; extent = bounds.zw; inside = fill; edge = stroke;
  gl_Position = vec4(position / size * 2.0 - 1.0, 0.0, 1.0);
  gl_Position.y = -gl_Position.y;
}`;

const RECT_FRAGMENT = `#version 300 es
precision highp float;
in vec2 at; flat in vec2 extent; flat in vec4 inside; flat in vec4 edge;
uniform float radius; uniform float strokeWidth;
out vec4 color;
void main() {
  float smaller = min(extent.x, extent.y);
  color = inside;
  if (smaller > 4.0) {
    float r = min(radius, smaller * 0.5);
    vec2 q = abs(at - extent * 0.5) - extent * 0.5 + r;
    float d = length(max(q, 0.0)) + min(max(q.x, q.y), 0.0) - r;
    color = mix(inside, edge, step(-strokeWidth, d));
    if (radius > 0.0) color.a *= clamp(0.5 - d, 0.0, 1.0);
  }
  color.rgb *= color.a;
}`;

const LINE_VERTEX = `#version 300 es
in vec4 ends; in vec4 fill;
uniform vec2 size; uniform float width;
flat out vec4 inside; out float across;
void main() {
  vec2 along = ends.zw - ends.xy;
  float far = max(length(along), 0.001);
  vec2 side = vec2(-along.y, along.x) / far;
  float reach = width * 0.5 + 0.75;
  across = (float(gl_VertexID & 1) * 2.0 - 1.0) * reach;
  vec2 position = mix(ends.xy, ends.zw, float(gl_VertexID >> 1)) + side * across;
  inside = fill;
  gl_Position = vec4(position / size * 2.0 - 1.0, 0.0, 1.0);
  gl_Position.y = -gl_Position.y;
}`;

const LINE_FRAGMENT = `#version 300 es
precision highp float;
flat in vec4 inside; in float across;
uniform float width;
out vec4 color;
void main() {
  color = inside;
  color.a *= clamp(width * 0.5 + 0.5 - abs(across), 0.0, 1.0);
  color.rgb *= color.a;
}`;

interface Program {
  program: WebGLProgram;
  array: WebGLVertexArrayObject;
  buffers: WebGLBuffer[];
  uniforms: Map<string, WebGLUniformLocation>;
}

class GlPainter implements Painter {
  private readonly canvas: HTMLCanvasElement;
  private readonly gl: WebGL2RenderingContext;
  private rect!: Program;
  private line!: Program;
  private lost = false;

  constructor(canvas: HTMLCanvasElement, gl: WebGL2RenderingContext, repaint: () => void) {
    this.canvas = canvas;
    this.gl = gl;
    this.build();
    canvas.addEventListener('webglcontextlost', (event) => {
      event.preventDefault();
      this.lost = true;
    });
    canvas.addEventListener('webglcontextrestored', () => {
      this.lost = false;
      this.build();
      repaint();
    });
  }

  private build(): void {
    this.rect = this.make(RECT_VERTEX, RECT_FRAGMENT, ['bounds', 'fill', 'stroke'], ['size', 'radius', 'strokeWidth']);
    this.line = this.make(LINE_VERTEX, LINE_FRAGMENT, ['ends', 'fill'], ['size', 'width']);
  }

  private make(vertex: string, fragment: string, inputs: string[], uniforms: string[]): Program {
    const gl = this.gl;
    const program = gl.createProgram();
    for (const [kind, source] of [
      [gl.VERTEX_SHADER, vertex],
      [gl.FRAGMENT_SHADER, fragment],
    ] as const) {
      const shader = gl.createShader(kind)!;
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    const buffers = inputs.map((name, i) => {
      const buffer = gl.createBuffer();
      const location = gl.getAttribLocation(program, name);
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.enableVertexAttribArray(location);
      if (i === 0) gl.vertexAttribPointer(location, 4, gl.FLOAT, false, 0, 0);
      else gl.vertexAttribPointer(location, 4, gl.UNSIGNED_BYTE, true, 0, 0);
      gl.vertexAttribDivisor(location, 1);
      return buffer;
    });
    const found = new Map(uniforms.map((name) => [name, gl.getUniformLocation(program, name)!]));
    return { program, array, buffers, uniforms: found };
  }

  resize(width: number, height: number): void {
    this.canvas.width = width;
    this.canvas.height = height;
  }

  begin(background: number): void {
    if (this.lost) return;
    const gl = this.gl;
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.clearColor((background & 255) / 255, ((background >> 8) & 255) / 255, ((background >> 16) & 255) / 255, 1);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }

  private run(which: Program, count: number, data: (Float32Array | Uint32Array)[], set: Record<string, number>): void {
    if (this.lost || count === 0) return;
    const gl = this.gl;
    gl.useProgram(which.program);
    gl.bindVertexArray(which.array);
    data.forEach((part, i) => {
      gl.bindBuffer(gl.ARRAY_BUFFER, which.buffers[i]);
      gl.bufferData(gl.ARRAY_BUFFER, part.subarray(0, i === 0 ? 4 * count : count), gl.STREAM_DRAW);
    });
    gl.uniform2f(which.uniforms.get('size')!, this.canvas.width, this.canvas.height);
    for (const [name, value] of Object.entries(set)) gl.uniform1f(which.uniforms.get(name)!, value);
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, count);
  }

  rects(batch: RectBatch, radius: number, strokeWidth: number): void {
    this.run(this.rect, batch.count, [batch.bounds, batch.fills, batch.strokes], { radius, strokeWidth });
  }

  lines(batch: LineBatch, width: number): void {
    this.run(this.line, batch.count, [batch.ends, batch.colors], { width });
  }
}

/** Draws without a GPU: the browser's own rasterizer is faster than an emulated GPU. */
class CanvasPainter implements Painter {
  readonly pen: Pen;
  private readonly colors = new Map<number, string>();

  constructor(pen: Pen) {
    this.pen = pen;
  }

  resize(width: number, height: number): void {
    this.pen.canvas.width = width;
    this.pen.canvas.height = height;
  }

  private color(packed: number): string {
    let text = this.colors.get(packed);
    if (text === undefined) {
      if (this.colors.size > 5000) this.colors.clear();
      this.colors.set(packed, (text = cssColor(packed)));
    }
    return text;
  }

  begin(background: number): void {
    this.pen.setTransform(1, 0, 0, 1, 0, 0);
    this.pen.fillStyle = this.color((background | 0xff000000) >>> 0);
    this.pen.fillRect(0, 0, this.pen.canvas.width, this.pen.canvas.height);
  }

  rects(batch: RectBatch, _radius: number, strokeWidth: number): void {
    const { pen } = this;
    const b = batch.bounds;
    const edge = Math.max(1, Math.round(strokeWidth));
    let last = -1;
    for (let i = 0; i < batch.count; i++) {
      // Rounds to whole pixels: no antialiasing is needed and edges stay sharp.
      const x = Math.round(b[4 * i]);
      const y = Math.round(b[4 * i + 1]);
      const w = Math.max(1, Math.round(b[4 * i] + b[4 * i + 2]) - x);
      const h = Math.max(1, Math.round(b[4 * i + 1] + b[4 * i + 3]) - y);
      const framed = strokeWidth > 0 && Math.min(w, h) > 4;
      const outer = framed ? batch.strokes[i] : batch.fills[i];
      if (outer !== last) pen.fillStyle = this.color((last = outer));
      pen.fillRect(x, y, w, h);
      if (!framed) continue;
      if (batch.fills[i] !== last) pen.fillStyle = this.color((last = batch.fills[i]));
      pen.fillRect(x + edge, y + edge, w - 2 * edge, h - 2 * edge);
    }
  }

  lines(batch: LineBatch, width: number): void {
    const { pen } = this;
    const e = batch.ends;
    pen.lineWidth = width;
    pen.lineJoin = 'round';
    let i = 0;
    while (i < batch.count) {
      const color = batch.colors[i];
      pen.strokeStyle = this.color(color);
      pen.beginPath();
      let x = NaN;
      let y = NaN;
      for (; i < batch.count && batch.colors[i] === color; i++) {
        if (e[4 * i] !== x || e[4 * i + 1] !== y) pen.moveTo(e[4 * i], e[4 * i + 1]);
        pen.lineTo((x = e[4 * i + 2]), (y = e[4 * i + 3]));
      }
      pen.stroke();
    }
  }
}

/** Whether the CPU emulates WebGL here. */
function isEmulated(gl: WebGL2RenderingContext): boolean {
  const info = gl.getExtension('WEBGL_debug_renderer_info');
  const name = String(gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
  return /swiftshader|llvmpipe|software|basic render/i.test(name);
}

let emulated: boolean | undefined;

/** Whether drawing uses no GPU. Canvases are then kept in main memory. */
export function drawsInSoftware(): boolean {
  if (emulated === undefined) {
    const probe = document.createElement('canvas').getContext('webgl2');
    emulated = !probe || isEmulated(probe);
    probe?.getExtension('WEBGL_lose_context')?.loseContext();
  }
  return emulated;
}

/**
 * Returns the 2D context of a canvas that changes in many frames. Call once per canvas. Set the size on the context's
 * own canvas.
 */
export function penOf(canvas: HTMLCanvasElement, alpha: boolean): Pen {
  // In software, an offscreen canvas goes directly to the screen. Any other canvas is first copied into the page's
  // tiles, which costs an emulated GPU as much as everything else.
  const software = drawsInSoftware();
  const surface = software && 'transferControlToOffscreen' in canvas ? canvas.transferControlToOffscreen() : canvas;
  const pen = surface.getContext('2d', { alpha, willReadFrequently: software }) as Pen | null;
  if (!pen) throw new Error('this browser gives no 2D canvas');
  return pen;
}

/** Keeps canvases that a library creates in `make` in main memory if that is faster; libraries do not request it. */
export function inOrdinaryMemory<T>(make: () => T): T {
  if (!drawsInSoftware()) return make();
  const own = HTMLCanvasElement.prototype.getContext;
  const asked = own as (this: HTMLCanvasElement, kind: string, options?: object) => RenderingContext | null;
  HTMLCanvasElement.prototype.getContext = function (this: HTMLCanvasElement, kind: string, options?: object) {
    return asked.call(this, kind, { ...options, willReadFrequently: true });
  } as typeof own;
  try {
    return make();
  } finally {
    HTMLCanvasElement.prototype.getContext = own;
  }
}

/** A painter on any 2D context, for pictures that are saved. */
export function canvasPainter(pen: Pen): Painter {
  return new CanvasPainter(pen);
}

export function makePainter(canvas: HTMLCanvasElement, repaint: () => void): Painter {
  const gl = drawsInSoftware()
    ? null
    : canvas.getContext('webgl2', { antialias: false, alpha: false, depth: false, powerPreference: 'high-performance' });
  if (gl) return new GlPainter(canvas, gl, repaint);
  return new CanvasPainter(penOf(canvas, false));
}
