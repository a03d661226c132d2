// The dark or light theme: the system's setting until the user chooses. The choice is stored if the browser allows it.
// Canvases read their colors from the same variables as the style sheet.
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

/** Takes the theme of the editor that shows the page, unless the user chose another. */
export function followTheme(dark: boolean): void {
  if (!remembered() && dark !== theme.dark) apply(dark);
}

export function toggleTheme(): void {
  apply(!theme.dark);
  try {
    localStorage.setItem(KEY, theme.dark ? 'dark' : 'light');
  } catch {
    // Without storage, the choice lasts until the page is closed.
  }
}

const cache = new Map<string, string>();

/** Returns the value of a style sheet variable such as `--ink`. */
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
