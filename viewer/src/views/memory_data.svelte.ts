// What the memory view knows: the map of a plan, names and groups of its values, and which color each group has. Asks
// the core when the question changes and keeps the last answers, so that going back and forth costs nothing.
import { Strings } from '../core/answer.ts';
import type { Group, Groups, MemoryMap, TableAnswer } from '../core/questions.ts';
import { groupColor, inkOn, OTHER, packed, PALETTE } from '../gl/color.ts';
import { shown } from '../state/format.ts';
import { session } from '../state/session.svelte.ts';

export const PLANS = ['dumped', 'planned', 'packed'] as const;
export type Plan = (typeof PLANS)[number];

const kept = new Map<string, Promise<unknown>>();
let keptFor: number | null = null;

function once<T>(request: Record<string, unknown> & { ask: string }): Promise<T> {
  if (keptFor !== session.document) {
    kept.clear();
    keptFor = session.document;
  }
  const key = JSON.stringify(request);
  let answer = kept.get(key) as Promise<T> | undefined;
  if (!answer) {
    answer = session.ask<T>(request);
    kept.set(key, answer);
    answer.catch(() => kept.delete(key));
  }
  return answer;
}

export function mapOf(plan: Plan, color: number | null): Promise<MemoryMap> {
  return once<MemoryMap>({ ask: 'memory.map', plan, ...(color === null ? {} : { color }) });
}

export function groupsOf(plan: Plan, by: string, color: number | null): Promise<Groups> {
  return once<Groups>({ ask: 'memory.groups', plan, by, ...(color === null ? {} : { color }) });
}

/** Names of a plan's values, by their numbers; the first many only. */
export async function namesOf(plan: Plan): Promise<Strings | null> {
  const answer = await once<TableAnswer>({ ask: 'table', of: 'values', plan, from: 0, count: 100000 });
  const column = answer.columns.find((one) => one.name === 'name');
  return column && column.values instanceof Strings ? column.values : null;
}

/** Groups with their colors: the largest at the peak have the palette's, all others share grey. */
export class Coloring {
  readonly groups: { name: string; color: string; group: Group; at: number }[];
  private readonly fills: Uint32Array;
  private readonly inks: string[];
  private readonly of: Uint32Array;

  constructor(answer: Groups) {
    const ranked = answer.groups.map((group, at) => ({ group, at }));
    ranked.sort((a, b) => b.group.peak_bytes - a.group.peak_bytes || b.group.total_bytes - a.group.total_bytes);
    this.fills = new Uint32Array(ranked.length).fill(packed(OTHER));
    this.inks = new Array<string>(ranked.length).fill(inkOn(OTHER));
    this.groups = ranked.map(({ group, at }, rank) => {
      const color = groupColor(rank);
      this.fills[at] = packed(color);
      this.inks[at] = inkOn(color);
      return { name: group.name === '' ? '(none)' : shown(group.name, 120), color, group, at };
    });
    this.of = answer.of ?? new Uint32Array(0);
  }

  groupOf(value: number): number {
    return this.of[value] ?? -1;
  }

  fill(value: number): number {
    const group = this.groupOf(value);
    return group >= 0 && group < this.fills.length ? this.fills[group] : packed(OTHER);
  }

  ink(value: number): string {
    const group = this.groupOf(value);
    return group >= 0 && group < this.inks.length ? this.inks[group] : inkOn(OTHER);
  }
}

export const LISTED = PALETTE.length;
