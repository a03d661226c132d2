// A drawing of the core made ready to be shown: colors and words of its nodes, and the way between nodes and
// instructions.
import type { Drawing } from '../core/questions.ts';
import type { Span } from '../gl/camera.ts';
import { packed } from '../gl/color.ts';
import { shown } from '../state/format.ts';
import { KINDS, kindOf } from './graph_kinds.ts';
import { Scene } from './graph_scene.ts';

export interface Words {
  title: string;
  detail: string;
  more: string;
  open: boolean;
}

export class Picture {
  readonly drawing: Drawing;
  readonly scene: Scene;
  readonly bounds: Span;
  readonly title: string;
  readonly caller: number | null;
  private readonly byInst = new Map<number, number>();
  private readonly kinds: Uint8Array;
  private readonly texts = new Map<number, Words>();

  constructor(drawing: Drawing) {
    this.drawing = drawing;
    this.title = '';
    this.caller = null;
    const count = drawing.x.length;
    this.kinds = new Uint8Array(count);
    for (let i = 0; i < count; i++) {
      this.kinds[i] = kindOf('fusion');
      this.byInst.set(drawing.id[i], i);
    }
    const fills = KINDS.map((kind) => packed(kind.color));
    const span: Span = { x0: Infinity, y0: Infinity, x1: -Infinity, y1: -Infinity };
    for (let i = 0; i < count; i++) {
      span.x0 = Math.min(span.x0, drawing.x[i]);
      span.y0 = Math.min(span.y0, drawing.y[i]);
      span.x1 = Math.max(span.x1, drawing.x[i] + drawing.w[i]);
      span.y1 = Math.max(span.y1, drawing.y[i] + drawing.h[i]);
    }
    this.bounds = count > 0 ? span : { x0: 0, y0: 0, x1: 1, y1: 1 };
    this.scene = new Scene(
      { count, x: drawing.x, y: drawing.y, w: drawing.w, h: drawing.h, isOpen: (node) => this.isOpen(node), fill: (node) => fills[this.kinds[node]] },
      { from: new Uint32Array(0), to: new Uint32Array(0) },
    );
  }

  nodeOf(inst: number): number {
    return this.byInst.get(inst) ?? -1;
  }

  instOf(node: number): number | null {
    return this.drawing.id[node] ?? null;
  }

  first(): number {
    return 0;
  }

  isOpen(_node: number): boolean {
    return false;
  }

  isFold(_node: number): boolean {
    return false;
  }

  canOpen(_node: number): boolean {
    return true;
  }

  color(node: number): string {
    return KINDS[this.kinds[node]].color;
  }

  words(node: number): Words {
    let text = this.texts.get(node);
    if (!text) {
      text = { title: shown(this.drawing.label.at(node, 200), 80), detail: '', more: '', open: this.isOpen(node) };
      this.texts.set(node, text);
    }
    return text;
  }
}
