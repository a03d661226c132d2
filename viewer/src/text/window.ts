// The window of a text that the editor has loaded: at most HELD lines around the visible ones, because texts may have
// millions of lines. Maps lines of the whole text to loaded lines and decides when to load another part.
import type { TextIndex, TextLines } from '../core/requests.ts';

export const HELD = 20000;
const BATCH = 10000;

export interface Held {
  /** The first loaded line, counted from 0 in the whole text. */
  from: number;
  count: number;
  total: number;
  text: string;
  /** The instruction that each loaded line defines. */
  insts: Uint32Array;
}

type Ask = (from: number, lines: number) => Promise<TextLines>;

/** Loads the lines around `line`. */
export async function bring(ask: Ask, total: number, line: number): Promise<Held> {
  const from = total <= HELD ? 0 : Math.max(0, Math.min(line - HELD / 2, total - HELD));
  const to = Math.min(total, from + HELD);
  const lines: string[] = [];
  const insts = new Uint32Array(to - from);
  for (let at = from; at < to; ) {
    const part = await ask(at, Math.min(BATCH, to - at));
    if (part.lines.length === 0) break;
    for (let i = 0; i < part.lines.length; i++) lines.push(part.lines.at(i).replace(/[\r\n\u2028\u2029\u0085]/g, '␤'));
    insts.set(part.insts, at - from);
    at += part.lines.length;
  }
  return { from, count: lines.length, total, text: lines.join('\n'), insts };
}

/** Whether lines near an end of the loaded window are visible while there are more lines beyond it. */
export function wantsMore(held: Held, firstSeen: number, lastSeen: number): boolean {
  const margin = HELD / 10;
  return (held.from > 0 && firstSeen < margin) || (held.from + held.count < held.total && lastSeen > held.count - margin);
}

/** Returns the folds of the whole text that begin in the loaded window, as {first line: last line} of the window. */
export function foldsHeld(index: TextIndex, held: Held): Map<number, number> {
  const folds = new Map<number, number>();
  const { first, last } = index.folds;
  for (let i = 0; i < first.length; i++) {
    const begin = first[i] - held.from;
    const end = last[i] - held.from;
    if (begin >= 0 && begin < held.count && end > begin) folds.set(begin, Math.min(end, held.count - 1));
  }
  return folds;
}
