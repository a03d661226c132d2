// The rows of two texts side by side: which are shown, and which words of a row differ. Rows without a change are
// folded, apart from a few around each change. Pure functions.
import { NONE } from '../core/requests.ts';
import type { DiffRows } from './diff_requests.ts';

/** Rows shown around a change. */
export const CONTEXT = 3;

/** One line of the list: a row, or a fold of rows. */
export interface Line {
  row: number;
  /** Rows folded here; 0 for a row. */
  folded: number;
}

/** Whether one of the lines of a row differs by itself. */
export function isChange(rows: DiffRows, row: number): boolean {
  const differs = (state: string): boolean => state !== 'same' && state !== 'aside';
  return differs(rows.states[rows.before_state[row]]) || differs(rows.states[rows.after_state[row]]);
}

/** Returns what is listed. `opened` has the first rows of the folds that the user opened. */
export function linesOf(rows: DiffRows, opened: ReadonlySet<number>, unfolded: boolean): Line[] {
  const total = rows.before.length;
  const near = new Uint8Array(total);
  if (!unfolded) {
    for (let i = 0, until = -1; i < total; i++) {
      if (isChange(rows, i)) until = i + CONTEXT;
      if (i <= until) near[i] = 1;
    }
    for (let i = total - 1, from = total; i >= 0; i--) {
      if (isChange(rows, i)) from = i - CONTEXT;
      if (i >= from) near[i] = 1;
    }
  }
  const lines: Line[] = [];
  for (let i = 0; i < total; ) {
    let end = i;
    while (!unfolded && end < total && near[end] === 0) end++;
    // A fold of one or two rows saves nothing.
    if (end - i > 2 && !opened.has(i)) {
      lines.push({ row: i, folded: end - i });
      i = end;
    } else {
      end = Math.max(end, i + 1);
      for (; i < end; i++) lines.push({ row: i, folded: 0 });
    }
  }
  return lines;
}

/** Returns the row of each line of a text. */
export function rowsOfLines(column: Uint32Array): Map<number, number> {
  const rows = new Map<number, number>();
  column.forEach((line, row) => {
    if (line !== NONE) rows.set(line, row);
  });
  return rows;
}

export interface Word {
  text: string;
  differs: boolean;
}

const TOKEN = /%?[A-Za-z_][\w.-]*|\d[\w.]*|\s+|./g;
const MOST_TOKENS = 600;

/** Whether a token is the name of an instruction or computation: those may differ without meaning anything. */
function isName(token: string, next: string): boolean {
  return token.startsWith('%') || (/^[A-Za-z_]/.test(token) && /[.\d]/.test(token) && next !== '[' && next !== '(');
}

/** Marks the words of two corresponding lines that differ, apart from names. */
export function markWords(before: string, after: string): { before: Word[]; after: Word[] } {
  const a = before.match(TOKEN) ?? [];
  const b = after.match(TOKEN) ?? [];
  if (a.length > MOST_TOKENS || b.length > MOST_TOKENS)
    return { before: [{ text: before, differs: false }], after: [{ text: after, differs: false }] };
  const key = (list: string[], i: number): string => (isName(list[i], list[i + 1] ?? '') ? '%' : list[i]);
  const width = b.length + 1;
  const best = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      best[i * width + j] =
        key(a, i) === key(b, j) ? best[(i + 1) * width + j + 1] + 1 : Math.max(best[(i + 1) * width + j], best[i * width + j + 1]);
  const words = { before: [] as Word[], after: [] as Word[] };
  const push = (list: Word[], text: string, differs: boolean): void => {
    const last = list.at(-1);
    if (last && last.differs === differs) last.text += text;
    else list.push({ text, differs });
  };
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && key(a, i) === key(b, j)) {
      push(words.before, a[i++], false);
      push(words.after, b[j++], false);
    } else if (j >= b.length || (i < a.length && best[(i + 1) * width + j] >= best[i * width + j + 1])) push(words.before, a[i++], true);
    else push(words.after, b[j++], true);
  }
  return words;
}
