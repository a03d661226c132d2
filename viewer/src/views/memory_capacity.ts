// A device's memory beside a program's: whether the program fits, and how high a picture must be to show both.
import type { Device, MemoryMap } from '../core/requests.ts';
import { bytes } from '../state/format.ts';

/** A capacity further above the program than this is not drawn: the program would be too small to see. */
const FAR = 2.5;

export interface Fit {
  fits: boolean;
  /** Where the capacity is on the picture of this map: the space for what is drawn. */
  line: number;
  title: string;
  text: string;
}

export function fitOf(map: MemoryMap, device: Device): Fit {
  const elsewhere = Math.max(map.device_bytes - map.height, 0);
  const free = device.bytes - map.device_bytes;
  const text =
    free >= 0
      ? `fits ${device.name}: ${bytes(map.device_bytes)} of ${bytes(device.bytes)}, ${bytes(free)} free`
      : `does not fit ${device.name}: ${bytes(map.device_bytes)} of ${bytes(device.bytes)}, ${bytes(-free)} too much`;
  const less = elsewhere > device.bytes / 200 ? `, less ${bytes(elsewhere)} that is not shown` : '';
  return { fits: free >= 0, line: device.bytes - elsewhere, title: `${device.name} ${bytes(device.bytes)}${less}`, text };
}

/** The highest address of the picture. */
export function worldTop(heights: readonly number[], line: number | null): number {
  const most = Math.max(1, ...heights);
  return Math.max(most, line !== null && line <= FAR * most ? line : 0) * 1.04;
}

/** The devices of a program's backend, and the one that a link names; all if none is of the backend. */
export function devicesFor(devices: readonly Device[], backend: string, chosen?: string): Device[] {
  const own = devices.filter((one) => one.backend === backend || one.name === chosen);
  return own.length > 0 ? own : [...devices];
}
