// Times and rates as the command prints them.

/** Returns "1.23 s", "45.6 ms", "7.89 us", "12 ns". */
export function seconds(n: number): string {
  if (!Number.isFinite(n)) return '–';
  if (n === 0) return '0';
  const size = Math.abs(n);
  const units: [number, string][] = [[1, 's'], [1e-3, 'ms'], [1e-6, 'us'], [1e-9, 'ns']];
  const [unit, name] = units.find(([one]) => size >= one * 0.9995) ?? units[3];
  const value = size / unit;
  const digits = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return `${n < 0 ? '-' : ''}${value.toFixed(digits)} ${name}`;
}

/** Returns "1.23 T" and so on, for rates. */
export function scaled(n: number): string {
  if (!Number.isFinite(n) || n === 0) return String(n);
  const units: [number, string][] = [[1e18, 'E'], [1e15, 'P'], [1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e3, 'k'], [1, '']];
  const [unit, name] = units.find(([one]) => Math.abs(n) >= one * 0.9995) ?? [1, ''];
  const value = n / unit;
  return `${Number(value.toPrecision(3))}${name === '' ? '' : ` ${name}`}`;
}

/** Returns a step of 1, 2 or 5 times a power of ten, so that at most `most` of them are in `span`. */
export function niceStep(span: number, most: number): number {
  const least = span / Math.max(most, 1);
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 1e-15)));
  for (const factor of [1, 2, 5, 10]) if (factor * power >= least * (1 - 1e-9)) return factor * power;
  return 10 * power;
}

/** Returns a time on an axis whose ticks are `step` apart, in the unit of the step. */
export function tick(at: number, step: number): string {
  const units: [number, string][] = [[1, 's'], [1e-3, 'ms'], [1e-6, 'us'], [1e-9, 'ns']];
  const [unit, name] = units.find(([one]) => step >= one * 0.0999) ?? units[3];
  const digits = Math.max(0, Math.ceil(-Math.log10(step / unit) - 1e-9));
  return `${(at / unit).toFixed(Math.min(digits, 6))} ${name}`;
}
