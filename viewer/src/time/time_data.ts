// The time view's requests, cached so that switching devices and scales back and forth is free.
import { session } from '../state/session.svelte.ts';
import { once } from '../views/memory_data.svelte.ts';
import type { TimeDevice, TimeGroups, TimeOp, TimeOps, TimeResult, Timeline } from './types.ts';

/** Options of another scale, as `halo time` has them: the request's field, and what the toolbar says about it. */
export const SCALE: [string, string, string][] = [
  ['links', 'links', 'GB/s that a device sends to the others of its node'],
  ['network', 'network', 'GB/s that a device sends to other nodes'],
  ['nodes', 'nodes', "nodes over which the program's devices are spread"],
  ['data_parallel', 'copies', 'copies of the program that reduce their gradients together'],
];

/** What the times are for, as one text that is empty for the program as it is: a device and a scale. */
export function settingOf(device: string, chosen: Record<string, string>): string {
  const setting = new URLSearchParams(device === '' ? {} : { device });
  for (const [name] of SCALE) {
    const value = Number(chosen[name] ?? 0);
    if (value > 0 && Number.isFinite(value)) setting.set(name, String(value));
  }
  return setting.toString();
}

function on(setting: string): Record<string, string | number> {
  const fields: Record<string, string | number> = {};
  for (const [name, value] of new URLSearchParams(setting)) fields[name] = name === 'device' ? value : Number(value);
  return fields;
}

/** With advice, which takes longer to compute. */
export function timeOf(setting: string, advice: boolean): Promise<TimeResult> {
  return once<TimeResult>({ ask: 'time', top: 10, advice, ...on(setting) });
}

export async function timeDevices(): Promise<TimeDevice[]> {
  return (await once<{ devices: TimeDevice[] }>({ ask: 'time.devices' })).devices;
}

export function opsOf(setting: string): Promise<TimeOps> {
  return once<TimeOps>({ ask: 'time.ops', ...on(setting) });
}

export function groupsOf(setting: string, by: string, depth: number): Promise<TimeGroups> {
  return once<TimeGroups>({ ask: 'time.groups', by, depth, limit: 2000, ...on(setting) });
}

export function opOf(setting: string, inst: number): Promise<TimeOp> {
  return once<TimeOp>({ ask: 'time.op', inst, ...on(setting) });
}

/** Pictures are not cached: there is one for each position. */
export function timelineOf(setting: string, from: number, to: number, pixels: number): Promise<Timeline> {
  return session.ask<Timeline>({ ask: 'time.timeline', from, to, pixels: Math.round(pixels), ...on(setting) });
}
