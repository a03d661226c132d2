// The words of the list of passes: what a change of counts looks like in a cell.
import type { PassChange } from '../core/requests.ts';
import { bytes, count } from '../state/format.ts';

/** "+12", "−3", or nothing. */
export function signed(n: number): string {
  return n === 0 ? '' : n > 0 ? `+${count(n)}` : `−${count(-n)}`;
}

export function signedBytes(n: number): string {
  return n === 0 ? '' : n > 0 ? `+${bytes(n)}` : `−${bytes(-n)}`;
}

/** The opcodes that changed most: "+12 fusion, −30 add, 4 more". */
export function opcodeWords(change: PassChange, most: number): string {
  const words = change.opcodes.slice(0, most).map(({ name, before, after }) => `${signed(after - before)} ${name}`);
  const rest = change.opcodes.length - most;
  if (rest > 0) words.push(`${rest} more`);
  return words.join(', ');
}

/** How a stage differs from the one before: not at all, in its text only, or in its counts. */
export function kindOf(change: PassChange | null): 'first' | 'same' | 'text' | 'counts' {
  if (!change) return 'first';
  if (change.same_text) return 'same';
  const counts = [change.added, change.removed, change.computations, change.fusions, change.buffer_bytes, change.largest_bytes];
  return counts.some((n) => n !== 0) ? 'counts' : 'text';
}
