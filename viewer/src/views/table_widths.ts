// Widths of the columns of a table: as wide as what is in them where there is space, numbers always, and text no wider
// than is good to read before the others have what they need.

/** Pixels of a letter at the size of cells, and the space beside them. */
export const LETTER = 6.95;
export const PADDING = 18;
/** What text columns get at most unless there is space left, in letters. */
const MOST: Record<string, number> = { name: 44, shape: 40, op_name: 60, source: 36, computation: 30, called_by: 44, target: 44 };

export interface WidthColumn {
  name: string;
  kind: string;
}

/** Returns a width in pixels for each column. `longest`: letters of the longest cell of each column. */
export function widthsOf(columns: readonly WidthColumn[], longest: Record<string, number>, space: number): number[] {
  const wanted = columns.map(({ name }) => Math.max(longest[name] ?? 8, name.length + 2));
  const letters = columns.map(({ name, kind }, i) =>
    kind === 'text' ? Math.min(wanted[i], MOST[name] ?? 24) : wanted[i],
  );
  const pixels = (): number[] => letters.map((count) => Math.ceil(count * LETTER) + PADDING);
  const sum = (list: number[]): number => list.reduce((all, one) => all + one, 0);
  // What is left goes to the columns that are still cut, in equal parts.
  for (let left = Math.floor((space - sum(pixels())) / LETTER); left > 0; ) {
    const cut = columns.map((_, i) => i).filter((i) => letters[i] < wanted[i]);
    if (cut.length === 0) break;
    const share = Math.max(1, Math.floor(left / cut.length));
    for (const i of cut) {
      const more = Math.min(share, wanted[i] - letters[i], left);
      letters[i] += more;
      left -= more;
    }
  }
  return pixels();
}
