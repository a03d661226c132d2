// Formats numbers and names for display: sizes and counts as the command prints them, names shortened in the middle and
// with confusing characters made visible. The output is never parsed.

/** Returns a size as `halo` and XLA print it: 512B, 212.2KiB, 56.88GiB. Each division truncates, the last digit rounds. */
export function bytes(n: number): string {
  if (!Number.isFinite(n)) return '–';
  const sign = n < 0 ? '-' : '';
  let amount = Math.trunc(Math.abs(n));
  if (amount < 1024) return `${sign}${amount}B`;
  let unit = 0;
  for (; amount >= 1024 * 1024; amount = Math.trunc(amount / 1024)) unit++;
  const digits = unit === 0 ? 1 : 2;
  const scaled = amount * 10 ** digits;
  let rounded = Math.floor(scaled / 1024);
  const rest = scaled % 1024;
  if (rest > 512 || (rest === 512 && rounded % 2 === 1)) rounded++;
  return `${sign}${(rounded / 10 ** digits).toFixed(digits)}${'KMGTPE'[unit]}iB`;
}

export function count(n: number): string {
  return Math.round(n)
    .toString()
    .replace(/\B(?=(\d{3})+(?!\d))/g, ',');
}

export function percent(share: number): string {
  if (!Number.isFinite(share)) return '–';
  const p = share * 100;
  return `${p !== 0 && p < 9.95 ? p.toFixed(1) : p.toFixed(0)}%`;
}

// Control characters and those that change text direction; shown as their code point.
const HIDDEN = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** Makes a name from a dump safe to display: escapes invisible characters and bounds the length. */
export function shown(name: string, limit = 240): string {
  let text = name;
  if (text.length > limit) {
    const half = Math.floor((limit - 1) / 2);
    text = `${text.slice(0, half)}…${text.slice(-half)}`;
  }
  return text.replace(HIDDEN, (c) => `⟨${c.charCodeAt(0).toString(16).padStart(4, '0')}⟩`);
}

/** Splits a name for a row that is shortened in the middle by its width (Middle.svelte): the end is always shown. */
export function splitForMiddle(name: string, end = 14): [string, string] {
  const text = shown(name, 1000);
  // Half a surrogate pair is no character.
  let at = Math.max(0, text.length - end);
  if (at > 0 && /[\udc00-\udfff]/.test(text[at])) at--;
  return text.length <= 2 * end ? [text, ''] : [text.slice(0, at), text.slice(at)];
}

function commonStart(a: string, b: string): number {
  let at = 0;
  while (at < a.length && at < b.length && a[at] === b[at]) at++;
  return at;
}

/** Shortens a name to a few letters of its start, what follows `at`, and as much of its end as there is space for. */
function shortenedAround(name: string, at: number, limit: number): string {
  const lead = Math.floor(limit / 5);
  const from = Math.max(at - 2, lead);
  const space = limit - lead - 1;
  if (name.length - from <= space) return `${name.slice(0, lead)}…${name.slice(-space)}`;
  const end = Math.floor(space / 3);
  return `${name.slice(0, lead)}…${name.slice(from, from + space - end - 1)}…${name.slice(-end)}`;
}

/** Shortens the names of a list in the middle, so that names that differ are still told apart. */
export function distinct(names: readonly string[], limit: number): string[] {
  const short = names.map((name) => shown(name, limit));
  const alike = new Map<string, Set<string>>();
  short.forEach((text, i) => alike.set(text, (alike.get(text) ?? new Set()).add(names[i])));
  return short.map((text, i) => {
    const others = alike.get(text)!;
    if (others.size === 1) return text;
    let at = 0;
    for (const other of others) if (other !== names[i]) at = Math.max(at, commonStart(other, names[i]));
    return shown(shortenedAround(names[i], at, limit), limit + 2);
  });
}

/** Returns the last part of a path or of an op_name. */
export function tail(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Returns a field of a CSV file. Text that a spreadsheet would run as a formula is prefixed with an apostrophe. */
export function csvField(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
