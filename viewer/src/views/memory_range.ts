// A position or a range of positions of the program, as the memory view lets one pick it: how a link writes it, how its
// values are sorted, and how they are copied. Pure functions.
import type { Change, RangeItem } from '../core/requests.ts';
import { bytes, positions } from '../state/format.ts';

export interface Picked {
  from: number;
  to: number;
}

/** Reads "777" or "400-900". */
export function readPicked(text: string | undefined): Picked | null {
  const found = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(text ?? '');
  if (!found) return null;
  const from = Number(found[1]);
  const to = found[2] === undefined ? from : Number(found[2]);
  return to < from ? null : { from, to };
}

export function writePicked(picked: Picked | null): string {
  if (!picked) return '';
  return picked.from === picked.to ? String(picked.from) : `${picked.from}-${picked.to}`;
}

/** Returns the positions between two points, in order and inside the program. */
export function pickedBetween(a: number, b: number, last: number): Picked {
  const at = (x: number): number => Math.min(Math.max(Math.floor(x), 0), last);
  return { from: at(Math.min(a, b)), to: at(Math.max(a, b)) };
}

export const CHANGES: Record<Change, string> = {
  through: 'alive throughout',
  allocated: 'allocated, stay',
  freed: 'freed',
  within: 'allocated and freed',
};

export interface RangeColumn {
  name: string;
  text: (item: RangeItem) => string;
  /** What to sort by: numbers descend first, texts ascend. */
  key: (item: RangeItem) => number | string;
}

export const COLUMNS: RangeColumn[] = [
  { name: 'bytes', text: (one) => bytes(one.bytes), key: (one) => one.bytes },
  { name: 'value', text: (one) => one.name ?? one.kind, key: (one) => one.name ?? one.kind },
  { name: 'in the range', text: (one) => CHANGES[one.change], key: (one) => one.change },
  { name: 'role', text: (one) => one.role ?? one.kind, key: (one) => one.role ?? one.kind },
  { name: 'alive', text: (one) => (one.from === undefined ? '' : positions(one.from, one.to ?? one.from)), key: (one) => one.from ?? -1 },
  { name: 'scope', text: (one) => one.scope ?? '', key: (one) => one.scope ?? '' },
  { name: 'source', text: (one) => one.source ?? '', key: (one) => one.source ?? '' },
  { name: 'shape', text: (one) => one.shape ?? '', key: (one) => one.shape ?? '' },
];

export function sorted(items: readonly RangeItem[], column: RangeColumn, descending: boolean): RangeItem[] {
  const sign = descending ? -1 : 1;
  return [...items].sort((a, b) => {
    const [x, y] = [column.key(a), column.key(b)];
    if (x === y) return b.bytes - a.bytes;
    if (typeof x === 'number' && typeof y === 'number') return sign * (x - y);
    return sign * String(x).localeCompare(String(y), 'en', { numeric: true });
  });
}

/** Returns lines of fields with tabs between them, as spreadsheets take them. Bytes are numbers. */
export function asLines(items: readonly RangeItem[], columns: readonly RangeColumn[]): string {
  const clean = (text: string): string => text.replace(/[\t\n\r]/g, ' ').replace(/^([=+@-])/, "'$1");
  const rows = items.map((item) => columns.map((one) => (one.name === 'bytes' ? String(item.bytes) : clean(one.text(item)))));
  return [columns.map((one) => one.name), ...rows].map((row) => row.join('\t')).join('\n') + '\n';
}
