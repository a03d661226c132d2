// The memory view's requests: the map of a plan and the names of its values, cached so that switching back and forth is
// free; the advice and the devices. Also assigns the colors of its groups, largest at the peak first.
import { Strings } from '../core/response.ts';
import type { MemoryResult } from '../core/documents.ts';
import type { Device, MemoryMap, MemoryRange, TableResult } from '../core/requests.ts';
import { groupColor, inkOn, OTHER, packed } from '../gl/color.ts';
import { shown } from '../state/format.ts';
import { session } from '../state/session.svelte.ts';

export type Plan = 'dumped' | 'planned' | 'packed' | `advice-${number}`;

export function isAdvised(plan: string): boolean {
  return plan.startsWith('advice-');
}

export function wordsOf(plan: Plan): string {
  if (isAdvised(plan)) return 'with the advice';
  return plan === 'dumped' ? 'as dumped' : plan === 'planned' ? 'as planned' : 're-packed';
}

/** The plan that the views show if none is chosen. */
export function ownPlan(): Plan {
  return session.overview?.has_assignment ? 'dumped' : 'planned';
}

const kept = new Map<string, Promise<unknown>>();
let keptFor: number | null = null;

export function once<T>(request: Record<string, unknown> & { ask: string }): Promise<T> {
  if (keptFor !== session.document) {
    kept.clear();
    keptFor = session.document;
  }
  const key = JSON.stringify(request);
  let result = kept.get(key) as Promise<T> | undefined;
  if (!result) {
    result = session.ask<T>(request);
    kept.set(key, result);
    result.catch(() => kept.delete(key));
  }
  return result;
}

export function mapOf(plan: Plan, color: number | null, by: string, depth: number, kinds: string): Promise<MemoryMap> {
  return once<MemoryMap>({ ask: 'memory.map', plan, by, depth, kinds, limit: 400000, ...(color === null ? {} : { color }) });
}

/** Returns the names of a plan's values by number; only the first 100000. */
export async function namesOf(plan: Plan): Promise<Strings | null> {
  const result = await once<TableResult>({ ask: 'table', of: 'values', plan, from: 0, count: 100000 });
  const column = result.columns.find((one) => one.name === 'name');
  return column && column.values instanceof Strings ? column.values : null;
}

/** What the panels show of the result of `halo memory`. */
export type MemorySummary = Pick<MemoryResult, 'verdict' | 'advice' | 'device_bytes'>;

/** Planning a larger program again and again takes longer than anyone waits for a panel. */
const PLANNED_AGAIN = 50_000;

/** Returns what the command says about the memory, with advice; null for a program that is too large or has no plan. */
export async function summaryOf(): Promise<MemorySummary | null> {
  const overview = session.overview;
  const known = overview?.questions.some((one) => one.name === 'fits' && one.answered);
  if (!overview || !known || (overview.counts?.instructions ?? 0) > PLANNED_AGAIN) return null;
  const result = await once<{ answer: MemorySummary }>({ ask: 'memory', top: 20 }).catch(() => null);
  return result?.answer ?? null;
}

export async function devices(): Promise<Device[]> {
  return (await once<{ devices: Device[] }>({ ask: 'devices' })).devices;
}

export function rangeOf(plan: Plan, color: number, kinds: string, from: number, to: number): Promise<MemoryRange> {
  return session.ask<MemoryRange>({ ask: 'memory.range', plan, color, kinds, from, to, top: 5000 });
}

export interface Group {
  name: string;
  color: string;
  peakBytes: number;
  values: number;
  at: number;
}

/** Groups with their colors: the largest at the peak use the palette, all others share grey. */
export class Coloring {
  readonly groups: Group[];
  private readonly fills: Uint32Array;
  private readonly inks: string[];
  private readonly of: Uint32Array;

  constructor(map: MemoryMap) {
    this.of = map.group;
    const at = map.peak?.position ?? 0;
    const all: Group[] = Array.from({ length: map.groups.length }, (_, i) => ({
      name: shown(map.groups.at(i, 1000), 400) || '(none)',
      color: OTHER,
      peakBytes: 0,
      values: 0,
      at: i,
    }));
    map.group.forEach((group, i) => {
      all[group].values++;
      if (map.begin[i] <= at && map.end[i] > at) all[group].peakBytes += map.size[i];
    });
    this.fills = new Uint32Array(all.length).fill(packed(OTHER));
    this.inks = new Array<string>(all.length).fill(inkOn(OTHER));
    this.groups = [...all].sort((a, b) => b.peakBytes - a.peakBytes || a.at - b.at);
    this.groups.forEach((group, rank) => {
      group.color = groupColor(rank);
      this.fills[group.at] = packed(group.color);
      this.inks[group.at] = inkOn(group.color);
    });
  }

  /** Whether nearly all bytes at the peak belong to one group. */
  isOneColor(): boolean {
    const all = this.groups.reduce((sum, one) => sum + one.peakBytes, 0);
    return this.groups.length <= 1 || this.groups[0].peakBytes > 0.9 * all;
  }

  groupOf(rect: number): number {
    return this.of[rect];
  }

  fill(rect: number): number {
    return this.fills[this.of[rect]];
  }

  ink(rect: number): string {
    return this.inks[this.of[rect]];
  }
}

/** A map with what is needed to show it. */
export interface Shown {
  plan: Plan;
  map: MemoryMap;
  names: Strings | null;
  coloring: Coloring;
}

export async function shownOf(plan: Plan, color: number | null, by: string, depth: number, kinds: string): Promise<Shown> {
  const map = await mapOf(plan, color, by, depth, kinds);
  const names = map.rectangles > 100000 ? null : await namesOf(plan).catch(() => null);
  return { plan, map, names, coloring: new Coloring(map) };
}
