// Dark or light: the system's choice until the user makes one, which is remembered where the browser allows it.
// Canvases read the colors they need from the same variables as the style sheet.
import { packed } from '../gl/color.ts';

class Theme {
  dark = $state(false);
  /** Counts changes, so that canvases redraw. */
  version = $state(0);
}

export const theme = new Theme();
const KEY = 'halo-theme';

function apply(dark: boolean): void {
  theme.dark = dark;
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
  cache.clear();
  theme.version++;
}

function remembered(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

export function startTheme(): void {
  const system = matchMedia('(prefers-color-scheme: dark)');
  const choice = remembered();
  apply(choice ? choice === 'dark' : system.matches);
  system.addEventListener('change', () => {
    if (!remembered()) apply(system.matches);
  });
}

export function toggleTheme(): void {
  apply(!theme.dark);
  try {
    localStorage.setItem(KEY, theme.dark ? 'dark' : 'light');
  } catch {
    // a page that may not store keeps the choice until it is closed
  }
}

const cache = new Map<string, string>();

/** The value of a variable of the style sheet, such as `--ink`. */
export function css(name: string): string {
  let value = cache.get(name);
  if (value === undefined) {
    value = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    cache.set(name, value);
  }
  return value;
}

export function cssPacked(name: string, alpha = 1): number {
  return packed(css(name), alpha);
}
