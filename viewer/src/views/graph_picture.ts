// Prepares a drawing of the core for display: colors and labels of its nodes, by category or by bytes, and the mapping
// between nodes and instructions.
import { NONE, type Drawing } from '../core/requests.ts';
import type { Span } from '../gl/camera.ts';
import { packed } from '../gl/color.ts';
import { bytes, count, shown } from '../state/format.ts';
import { BYTES_COLOR, bandOf, bandsOf, strengthOf } from './graph_bytes.ts';
import { KINDS, kindsOf } from './graph_kinds.ts';
import { Scene } from './graph_scene.ts';

export interface Words {
  title: string;
  detail: string;
  more: string;
  open: boolean;
  /** "× 36" for a repeated node; empty if it is not repeated. */
  times: string;
}

/** What the color of a node means. */
export type Paint = 'category' | 'bytes';

/** Colors that the owner decides, node by node. */
export interface OwnPaint {
  color(node: number): string;
  strength(node: number): number;
}

export class Picture {
  readonly drawing: Drawing;
  readonly nodes: Drawing['nodes'];
  readonly scene: Scene;
  readonly bounds: Span;
  private readonly byInst = new Map<number, number>();
  private readonly byKey = new Map<string, number>();
  private readonly kind: Uint8Array;
  private readonly texts = new Map<number, Words>();
  readonly paint: Paint;
  /** The least bytes of each band, largest first; for nodes painted by bytes. */
  readonly bands: number[];

  private readonly own: OwnPaint | undefined;

  constructor(drawing: Drawing, paint: Paint = 'category', own?: OwnPaint) {
    this.drawing = drawing;
    this.own = own;
    this.paint = paint;
    this.bands = bandsOf(drawing.nodes.bytes);
    const nodes = (this.nodes = drawing.nodes);
    const total = nodes.x.length;
    const inst = drawing.kinds.indexOf('inst');
    const kinds = kindsOf(drawing.categories);
    this.kind = nodes.category.map((category) => kinds[category]);
    for (let i = 0; i < total; i++) {
      // An instruction's own node takes precedence over ports and groups that merely begin with it.
      if (nodes.inst[i] !== NONE && (nodes.kind[i] === inst || !this.byInst.has(nodes.inst[i]))) this.byInst.set(nodes.inst[i], i);
      this.byKey.set(nodes.key.at(i), i);
    }
    this.bounds = { x0: 0, y0: 0, x1: 1, y1: 1 };
    if (total > 0) {
      const least = (a: Float32Array): number => a.reduce((low, one) => Math.min(low, one), Infinity);
      const most = (a: Float32Array, b: Float32Array): number => a.reduce((high, one, i) => Math.max(high, one + b[i]), -Infinity);
      this.bounds = { x0: least(nodes.x), y0: least(nodes.y), x1: most(nodes.x, nodes.w), y1: most(nodes.y, nodes.h) };
    }
    const fills = KINDS.map((one) => packed(one.color));
    const byBytes = packed(BYTES_COLOR);
    this.scene = new Scene(
      {
        count: total,
        x: nodes.x,
        y: nodes.y,
        w: nodes.w,
        h: nodes.h,
        isOpen: (node) => this.isOpen(node),
        fill: own ? (node) => packed(own.color(node)) : paint === 'bytes' ? () => byBytes : (node) => fills[this.kind[node]],
        strength: own || paint === 'bytes' ? (node) => this.strength(node) : undefined,
      },
      drawing.edges,
    );
  }

  /** Returns the median x of the nodes near the top, where the view starts. */
  topCenter(height: number): number {
    const { x, y, w } = this.nodes;
    const near: number[] = [];
    for (let i = 0; i < x.length; i++) if (y[i] < this.bounds.y0 + height && !this.isOpen(i)) near.push(x[i] + w[i] / 2);
    near.sort((a, b) => a - b);
    return near.length > 0 ? near[near.length >> 1] : 0;
  }

  nodeOf(inst: number): number {
    return this.byInst.get(inst) ?? -1;
  }

  nodeOfKey(key: string): number {
    return this.byKey.get(key) ?? -1;
  }

  keyOf(node: number): string {
    return this.nodes.key.at(node);
  }

  instOf(node: number): number | null {
    const inst = this.nodes.inst[node];
    return inst === undefined || inst === NONE ? null : inst;
  }

  first(): number {
    return this.nodes.is_open.findIndex((open) => open === 0);
  }

  isOpen(node: number): boolean {
    return this.nodes.is_open[node] !== 0;
  }

  /** Returns the keys of opened nodes for requests to the core. Frames that only show their contents have no key. */
  openKeys(): string[] {
    const keys: string[] = [];
    this.nodes.is_open.forEach((open, node) => {
      if (open !== 0 && this.canOpen(node)) keys.push(this.keyOf(node));
    });
    return keys;
  }

  canOpen(node: number): boolean {
    return this.nodes.can_open[node] !== 0;
  }

  color(node: number): string {
    if (this.own) return this.own.color(node);
    return this.paint === 'bytes' ? BYTES_COLOR : KINDS[this.kind[node]].color;
  }

  /** How much of its color fills a node, unless it is painted by category. */
  strength(node: number): number {
    if (this.own) return this.own.strength(node);
    return strengthOf(bandOf(this.bands, this.nodes.bytes[node]));
  }

  words(node: number): Words {
    let text = this.texts.get(node);
    if (!text) {
      const { nodes } = this;
      const facts: string[] = [];
      if (nodes.bytes[node] > 0) facts.push(bytes(nodes.bytes[node]));
      const told = this.drawing.kinds[nodes.kind[node]] === 'scope'; // its detail says so
      if (nodes.instructions[node] > 1 && !told) facts.push(`${count(nodes.instructions[node])} inside`);
      if (nodes.unseen[node] > 0) facts.push(`${count(nodes.unseen[node])} not shown`);
      text = {
        title: shown(nodes.label.at(node, 400), 120),
        detail: shown(nodes.detail.at(node, 400), 120),
        more: facts.join(' · '),
        open: this.isOpen(node),
        times: nodes.count[node] > 1 ? `× ${count(nodes.count[node])}` : '',
      };
      this.texts.set(node, text);
    }
    return text;
  }
}
