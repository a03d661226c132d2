// The time view's requests, cached so that switching devices back and forth is free.
import { session } from '../state/session.svelte.ts';
import { once } from '../views/memory_data.svelte.ts';
import type { TimeDevice, TimeGroups, TimeOp, TimeOps, TimeResult, Timeline } from './types.ts';

function on(device: string): { device?: string } {
  return device === '' ? {} : { device };
}

/** With advice, which takes longer to compute. */
export function timeOf(device: string, advice: boolean): Promise<TimeResult> {
  return once<TimeResult>({ ask: 'time', top: 10, advice, ...on(device) });
}

export async function timeDevices(): Promise<TimeDevice[]> {
  return (await once<{ devices: TimeDevice[] }>({ ask: 'time.devices' })).devices;
}

export function opsOf(device: string): Promise<TimeOps> {
  return once<TimeOps>({ ask: 'time.ops', ...on(device) });
}

export function groupsOf(device: string, by: string, depth: number): Promise<TimeGroups> {
  return once<TimeGroups>({ ask: 'time.groups', by, depth, limit: 2000, ...on(device) });
}

export function opOf(device: string, inst: number): Promise<TimeOp> {
  return once<TimeOp>({ ask: 'time.op', inst, ...on(device) });
}

/** Pictures are not cached: there is one for each position. */
export function timelineOf(device: string, from: number, to: number, pixels: number): Promise<Timeline> {
  return session.ask<Timeline>({ ask: 'time.timeline', from, to, pixels: Math.round(pixels), ...on(device) });
}
