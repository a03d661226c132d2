// Encodes links in the location's hash: the view, the program, the selection and the view's settings. Unknown keys are
// dropped and invalid values ignored, because links are also written by hand and by older pages.

export const VIEWS = ['overview', 'memory', 'graph', 'text', 'table', 'passes', 'time', 'diff'] as const;
export type View = (typeof VIEWS)[number];

export interface Route {
  view: View;
  program: number;
  inst: number | null;
  value: number | null;
  /** Settings of the views, such as `color` and `plan` of the memory map. */
  set: Record<string, string>;
}

const SETTINGS = new Set(['at', 'device', 'color', 'plan', 'by', 'depth', 'kinds', 'open', 'comp', 'fold', 'around', 'of', 'sort', 'filter', 'line', 'x', 'group', 'paint', 'hidden', 'same', 'against', 'pane', 'cause', 'peak']);

function whole(text: string | null): number | null {
  return text !== null && /^\d{1,10}$/.test(text) ? Number(text) : null;
}

export function readHash(hash: string): Partial<Route> {
  const [view, rest] = hash.replace(/^#\/?/, '').split('?');
  const route: Partial<Route> = {};
  if ((VIEWS as readonly string[]).includes(view)) route.view = view as View;
  const parts = new URLSearchParams(rest ?? '');
  const program = whole(parts.get('program'));
  if (program !== null) route.program = program;
  if (parts.has('inst')) route.inst = whole(parts.get('inst'));
  if (parts.has('value')) route.value = whole(parts.get('value'));
  route.set = {};
  for (const [key, text] of parts) if (SETTINGS.has(key) && text.length <= 4000) route.set[key] = text;
  return route;
}

export function writeHash(route: Route): string {
  const parts = new URLSearchParams();
  if (route.program > 0) parts.set('program', String(route.program));
  if (route.inst !== null) parts.set('inst', String(route.inst));
  if (route.value !== null) parts.set('value', String(route.value));
  for (const [key, text] of Object.entries(route.set)) if (text !== '') parts.set(key, text);
  const rest = parts.toString();
  return `#/${route.view}${rest ? `?${rest}` : ''}`;
}
