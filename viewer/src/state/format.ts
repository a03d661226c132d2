// Formats numbers and names for display: sizes as XLA prints them, counts with thin spaces between groups, names
// shortened in the middle and with confusing characters made visible. The output is never parsed.

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

export function bytes(n: number): string {
  if (!Number.isFinite(n)) return '–';
  let unit = 0;
  let size = Math.abs(n);
  while (size >= 1024 && unit < UNITS.length - 1) {
    size /= 1024;
    unit++;
  }
  const digits = unit === 0 ? String(Math.round(size)) : size.toFixed(size < 10 ? 2 : size < 100 ? 1 : 0);
  return `${n < 0 ? '−' : ''}${digits} ${UNITS[unit]}`;
}

export function count(n: number): string {
  return Math.round(n)
    .toString()
    .replace(/\B(?=(\d{3})+(?!\d))/g, '\u202f'); // narrow no-break space
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
