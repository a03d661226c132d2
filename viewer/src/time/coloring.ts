// Colors of instructions by what they are, what limits them or how far their time is to be trusted. What takes the most
// time gets the first colors of the palette.
import { groupColor, inkOn, OTHER, packed } from '../gl/color.ts';
import type { TimeAnswer, TimeWords } from './types.ts';

export type Paint = 'kind' | 'bound' | 'confidence';
export const PAINTS: Record<Paint, string> = { kind: 'kind of kernel', bound: 'what limits it', confidence: 'confidence' };

export interface LegendEntry {
  name: string;
  color: string;
  seconds: number;
}

export class TimeColoring {
  readonly legend: LegendEntry[];
  private readonly colors: string[];
  private readonly fills: number[];
  private readonly inks: string[];

  constructor(answer: TimeAnswer, words: TimeWords, paint: Paint, confidences: readonly { name: string; seconds: number }[]) {
    const names = paint === 'kind' ? words.op_kinds : paint === 'bound' ? words.bounds : words.confidences;
    const groups = paint === 'kind' ? answer.kinds : paint === 'bound' ? answer.bounds.filter((one) => one.count > 0) : confidences;
    this.legend = groups.map((one, rank) => ({ name: one.name, seconds: one.seconds, color: groupColor(rank) }));
    this.colors = names.map((name) => this.legend.find((one) => one.name === name)?.color ?? OTHER);
    this.fills = this.colors.map((one) => packed(one));
    this.inks = this.colors.map((one) => inkOn(one));
  }

  color(number: number): string {
    return this.colors[number] ?? OTHER;
  }

  fill(number: number): number {
    return this.fills[number] ?? packed(OTHER);
  }

  ink(number: number): string {
    return this.inks[number] ?? inkOn(OTHER);
  }
}
