// Draws a graph on the canvas: decides which nodes and edges are visible and their style at this scale, which node is
// under a point, and which nodes are neighbours in the picture. The core computes the layout.
import type { LineBatch, RectBatch } from '../gl/batch.ts';
import type { Camera } from '../gl/camera.ts';
import { mixed, withAlpha } from '../gl/color.ts';

export interface Nodes {
  count: number;
  x: Float32Array;
  y: Float32Array;
  w: Float32Array;
  h: Float32Array;
  /** Whether a node contains others, drawn inside it. */
  isOpen: (node: number) => boolean;
  fill: (node: number) => number;
  /** How much of its color fills a node at any scale; without it, that depends on the scale. */
  strength?: (node: number) => number;
}

export interface Edges {
  from: Uint32Array;
  to: Uint32Array;
  /** Whether an edge runs straight across others; such edges are drawn faintly. */
  far: Uint8Array;
  /** The points of all routes, alternating x and y. Those of edge e end before `ends[e]` (counted in points). */
  points: Float32Array;
  ends: Uint32Array;
}

export interface Colors {
  background: number;
  ink: number;
  line: number;
  select: number;
  operand: number;
  user: number;
}

export interface Batches {
  boxes: RectBatch;
  edges: LineBatch;
  strong: LineBatch;
  nodes: RectBatch;
}

export interface Label {
  node: number;
  x: number;
  y: number;
  w: number;
  h: number;
}

const MOST_NODES = 40000;
const MOST_EDGES = 5000;

/** Finds visible nodes quickly: sorts the nodes that are not open by their top and keeps the height of the tallest. */
export class Scene {
  readonly nodes: Nodes;
  readonly edges: Edges;
  private readonly order: Uint32Array;
  private readonly tops: Float32Array;
  private readonly open: number[] = [];
  private tallest = 0;
  /** Edges by node: offsets into `edgeList`. */
  private readonly edgeBegin: Uint32Array;
  private readonly edgeList: Uint32Array;

  constructor(nodes: Nodes, edges: Edges) {
    this.nodes = nodes;
    this.edges = edges;
    const closed: number[] = [];
    for (let i = 0; i < nodes.count; i++) {
      if (nodes.isOpen(i)) this.open.push(i);
      else {
        closed.push(i);
        this.tallest = Math.max(this.tallest, nodes.h[i]);
      }
    }
    closed.sort((a, b) => nodes.y[a] - nodes.y[b] || nodes.x[a] - nodes.x[b]);
    this.order = Uint32Array.from(closed);
    this.tops = Float32Array.from(closed, (i) => nodes.y[i]);
    this.edgeBegin = new Uint32Array(nodes.count + 1);
    for (const list of [edges.from, edges.to]) for (const node of list) this.edgeBegin[node + 1]++;
    for (let i = 0; i < nodes.count; i++) this.edgeBegin[i + 1] += this.edgeBegin[i];
    this.edgeList = new Uint32Array(edges.from.length * 2);
    const next = this.edgeBegin.slice();
    for (let e = 0; e < edges.from.length; e++) {
      this.edgeList[next[edges.from[e]]++] = e;
      this.edgeList[next[edges.to[e]]++] = e;
    }
  }

  edgesOf(node: number): Uint32Array {
    return this.edgeList.subarray(this.edgeBegin[node], this.edgeBegin[node + 1]);
  }

  /** Returns the range in `order` of nodes that may be visible. */
  private range(y0: number, y1: number): [number, number] {
    const find = (y: number): number => {
      let low = 0;
      let high = this.tops.length;
      while (low < high) {
        const mid = (low + high) >> 1;
        if (this.tops[mid] < y) low = mid + 1;
        else high = mid;
      }
      return low;
    };
    return [find(y0 - this.tallest), find(y1)];
  }

  /** Fills the batches in device pixels; returns the nodes large enough for a label. */
  draw(camera: Camera, ratio: number, colors: Colors, selected: number, hovered: number, out: Batches, mostEdges = MOST_EDGES): Label[] {
    const labels: Label[] = [];
    const scale = camera.scaleX * ratio;
    const { x, y, w, h } = this.nodes;
    for (const i of this.open) {
      if (x[i] > camera.x1 || x[i] + w[i] < camera.x0 || y[i] > camera.y1 || y[i] + h[i] < camera.y0) continue;
      const fill = mixed(colors.background, this.nodes.fill(i), 0.07);
      const edge = i === selected ? colors.select : mixed(colors.background, this.nodes.fill(i), 0.6);
      out.boxes.push((x[i] - camera.x0) * scale, (y[i] - camera.y0) * scale, w[i] * scale, h[i] * scale, fill, edge);
      if (w[i] * camera.scaleX > 60) labels.push(this.label(i, camera));
    }
    const [from, to] = this.range(camera.y0, camera.y1);
    const near = scale > 0.35 * ratio;
    const seen: number[] = [];
    const stride = Math.max(1, Math.ceil((to - from) / MOST_NODES / 4));
    let lastX = -1;
    let lastY = -1;
    for (let k = from; k < to && out.nodes.count < MOST_NODES; k += stride) {
      const i = this.order[k];
      if (x[i] > camera.x1 || x[i] + w[i] < camera.x0 || y[i] + h[i] < camera.y0) continue;
      const px = (x[i] - camera.x0) * scale;
      const py = (y[i] - camera.y0) * scale;
      const pw = Math.max(w[i] * scale, 1);
      const ph = Math.max(h[i] * scale, 1);
      if (pw < 2.5) {
        if ((px | 0) === lastX && (py | 0) === lastY) continue;
        lastX = px | 0;
        lastY = py | 0;
      }
      seen.push(i);
      const hue = this.nodes.fill(i);
      const strength = this.nodes.strength?.(i) ?? (near ? 0.2 : 1);
      const fill = strength === 1 ? hue : mixed(colors.background, hue, strength);
      const edge = i === selected ? colors.select : i === hovered ? colors.ink : hue;
      out.nodes.push(px, py, pw, ph, i === selected ? mixed(colors.background, colors.select, 0.3) : fill, edge);
      if (near && pw > 22 * ratio) labels.push(this.label(i, camera));
    }
    this.drawEdges(camera, scale, colors, selected, hovered, seen, out, mostEdges);
    return labels;
  }

  private label(i: number, camera: Camera): Label {
    const { x, y, w, h } = this.nodes;
    const s = camera.scaleX;
    return { node: i, x: (x[i] - camera.x0) * s, y: (y[i] - camera.y0) * s, w: w[i] * s, h: h[i] * s };
  }

  private drawEdges(camera: Camera, scale: number, colors: Colors, selected: number, hovered: number, seen: number[], out: Batches, mostEdges: number): void {
    const done = new Set<number>();
    let total = 0;
    for (const node of seen) total += this.edgeBegin[node + 1] - this.edgeBegin[node];
    const stride = Math.max(1, Math.ceil(total / mostEdges));
    const plain = withAlpha(colors.line, stride > 1 ? 0.4 : 0.95);
    const faint = withAlpha(colors.line, 0.28);
    let n = 0;
    for (const node of seen)
      for (const e of this.edgesOf(node)) {
        if (n++ % stride !== 0 || done.has(e)) continue;
        done.add(e);
        this.curve(e, camera, scale, this.edges.far[e] !== 0 ? faint : plain, out.edges);
      }
    for (const node of [hovered, selected]) {
      if (node < 0) continue;
      for (const e of this.edgesOf(node)) this.curve(e, camera, scale, this.edges.to[e] === node ? colors.operand : colors.user, out.strong);
    }
  }

  /** Draws an edge along its route: a smooth line through its points that leaves downwards and arrives from above. */
  private curve(e: number, camera: Camera, scale: number, color: number, out: LineBatch): void {
    const { points, ends, far } = this.edges;
    const first = e === 0 ? 0 : ends[e - 1];
    const last = ends[e] - 1;
    const bottom = (camera.height * scale) / camera.scaleX;
    const right = (camera.width * scale) / camera.scaleX;
    for (let k = first; k < last; k++) {
      const x0 = (points[2 * k] - camera.x0) * scale;
      const y0 = (points[2 * k + 1] - camera.y0) * scale;
      const x1 = (points[2 * k + 2] - camera.x0) * scale;
      const y1 = (points[2 * k + 3] - camera.y0) * scale;
      if (Math.max(y0, y1) < 0 || Math.min(y0, y1) > bottom || Math.max(x0, x1) < 0 || Math.min(x0, x1) > right) continue;
      if (Math.abs(x1 - x0) < 2 || Math.abs(y1 - y0) < 6 || far[e] !== 0) {
        out.push(x0, y0, x1, y1, color);
        continue;
      }
      // The slopes at both ends follow the neighbouring points of the route; at the nodes they are vertical.
      const slope = (from: number, to: number): number => ((points[2 * to] - points[2 * from]) * scale) / 2;
      const m0 = k === first ? 0 : slope(k - 1, k + 1);
      const m1 = k + 1 === last ? 0 : slope(k, k + 2);
      const steps = Math.abs(x1 - x0) > 90 ? 9 : Math.abs(x1 - x0) > 16 ? 5 : 2;
      let px = x0;
      let py = y0;
      for (let s = 1; s <= steps; s++) {
        const t = s / steps;
        const t2 = t * t;
        const t3 = t2 * t;
        const nx = (2 * t3 - 3 * t2 + 1) * x0 + (t3 - 2 * t2 + t) * m0 + (3 * t2 - 2 * t3) * x1 + (t3 - t2) * m1;
        const ny = y0 + (y1 - y0) * t;
        out.push(px, py, nx, ny, color);
        px = nx;
        py = ny;
      }
    }
  }

  /** Returns the innermost node under a point of the canvas (CSS pixels), or -1. */
  at(camera: Camera, px: number, py: number): number {
    const wx = camera.x0 + px / camera.scaleX;
    const wy = camera.y0 + py / camera.scaleY;
    const { x, y, w, h } = this.nodes;
    const slack = 2 / camera.scaleX;
    const [from, to] = this.range(wy - slack, wy + slack);
    let near = -1;
    for (let k = from; k < to; k++) {
      const i = this.order[k];
      if (wx >= x[i] && wx < x[i] + w[i] && wy >= y[i] && wy < y[i] + h[i]) return i;
      if (wx >= x[i] - slack && wx < x[i] + w[i] + slack && wy >= y[i] - slack && wy < y[i] + h[i] + slack) near = i;
    }
    if (near >= 0) return near;
    for (let k = this.open.length - 1; k >= 0; k--) {
      const i = this.open[k];
      if (wx >= x[i] && wx < x[i] + w[i] && wy >= y[i] && wy < y[i] + h[i]) return i;
    }
    return -1;
  }

  /** Returns the next node in a direction: along an edge up or down, by position sideways. */
  neighbour(node: number, dx: number, dy: number): number {
    const { x, y, w, h } = this.nodes;
    if (dy !== 0) {
      let best = -1;
      let nearest = Infinity;
      for (const e of this.edgesOf(node)) {
        const other = dy < 0 ? this.edges.from[e] : this.edges.to[e];
        if (other === node) continue;
        const far = Math.abs(x[other] + w[other] / 2 - x[node] - w[node] / 2) + Math.abs(y[other] - y[node]);
        if (far < nearest) {
          nearest = far;
          best = other;
        }
      }
      return best < 0 ? node : best;
    }
    let best = node;
    let nearest = Infinity;
    const middle = y[node] + h[node] / 2;
    const [from, to] = this.range(middle - 1, middle + 1);
    for (let k = from; k < to; k++) {
      const i = this.order[k];
      const step = (x[i] - x[node]) * dx;
      if (i === node || step <= 0 || step >= nearest || y[i] + h[i] < middle) continue;
      nearest = step;
      best = i;
    }
    return best;
  }
}
