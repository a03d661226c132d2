// Draws batches of rectangles and lines with WebGL2, or with a 2D canvas where there is no WebGL2. Decides nothing
// about what is drawn. A lost context is rebuilt when the browser gives it back.
import { cssColor } from './color.ts';
import type { LineBatch, RectBatch } from './batch.ts';

export interface Painter {
  readonly canvas: HTMLCanvasElement;
  begin(background: number): void;
  rects(batch: RectBatch, radius: number, strokeWidth: number): void;
  lines(batch: LineBatch, width: number): void;
}

const RECT_VERTEX = `#version 300 es
in vec4 bounds; in vec4 fill; in vec4 stroke;
uniform vec2 size;
out vec2 at; flat out vec2 extent; flat out vec4 inside; flat out vec4 edge;
void main() {
  vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
  vec2 place = bounds.xy + corner * bounds.zw;
  at = corner * bounds.zw; extent = bounds.zw; inside = fill; edge = stroke;
  gl_Position = vec4(place / size * 2.0 - 1.0, 0.0, 1.0);
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
  vec2 place = mix(ends.xy, ends.zw, float(gl_VertexID >> 1)) + side * across;
  inside = fill;
  gl_Position = vec4(place / size * 2.0 - 1.0, 0.0, 1.0);
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
  readonly canvas: HTMLCanvasElement;
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
      const place = gl.getAttribLocation(program, name);
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.enableVertexAttribArray(place);
      if (i === 0) gl.vertexAttribPointer(place, 4, gl.FLOAT, false, 0, 0);
      else gl.vertexAttribPointer(place, 4, gl.UNSIGNED_BYTE, true, 0, 0);
      gl.vertexAttribDivisor(place, 1);
      return buffer;
    });
    const found = new Map(uniforms.map((name) => [name, gl.getUniformLocation(program, name)!]));
    return { program, array, buffers, uniforms: found };
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

class CanvasPainter implements Painter {
  readonly canvas: HTMLCanvasElement;
  private readonly pen: CanvasRenderingContext2D;

  constructor(canvas: HTMLCanvasElement, pen: CanvasRenderingContext2D) {
    this.canvas = canvas;
    this.pen = pen;
  }

  begin(background: number): void {
    this.pen.fillStyle = cssColor(background | 0xff000000);
    this.pen.fillRect(0, 0, this.canvas.width, this.canvas.height);
  }

  rects(batch: RectBatch, _radius: number, strokeWidth: number): void {
    const b = batch.bounds;
    for (let i = 0; i < batch.count; i++) {
      const [x, y, w, h] = [b[4 * i], b[4 * i + 1], b[4 * i + 2], b[4 * i + 3]];
      this.pen.fillStyle = cssColor(batch.fills[i]);
      this.pen.fillRect(x, y, w, h);
      if (Math.min(w, h) <= 4) continue;
      this.pen.strokeStyle = cssColor(batch.strokes[i]);
      this.pen.lineWidth = strokeWidth;
      this.pen.strokeRect(x + strokeWidth / 2, y + strokeWidth / 2, w - strokeWidth, h - strokeWidth);
    }
  }

  lines(batch: LineBatch, width: number): void {
    const e = batch.ends;
    this.pen.lineWidth = width;
    for (let i = 0; i < batch.count; i++) {
      this.pen.strokeStyle = cssColor(batch.colors[i]);
      this.pen.beginPath();
      this.pen.moveTo(e[4 * i], e[4 * i + 1]);
      this.pen.lineTo(e[4 * i + 2], e[4 * i + 3]);
      this.pen.stroke();
    }
  }
}

export function makePainter(canvas: HTMLCanvasElement, repaint: () => void): Painter {
  const gl = canvas.getContext('webgl2', { antialias: false, alpha: false, depth: false, powerPreference: 'high-performance' });
  if (gl) return new GlPainter(canvas, gl, repaint);
  const pen = canvas.getContext('2d');
  if (!pen) throw new Error('this browser gives neither WebGL2 nor a 2D canvas');
  return new CanvasPainter(canvas, pen);
}
