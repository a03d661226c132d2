// Encodes links in the location's hash: the view, the program, the selection and the view's settings. Unknown keys are
// dropped and invalid values ignored, because links are also written by hand and by older pages.

export const VIEWS = ['overview', 'memory', 'graph', 'text', 'table'] as const;
export type View = (typeof VIEWS)[number];

export interface Place {
  view: View;
  program: number;
  inst: number | null;
  value: number | null;
  /** Settings of the views, such as `color` and `plan` of the memory map. */
  set: Record<string, string>;
}

const SETTINGS = new Set(['color', 'plan', 'by', 'depth', 'kinds', 'open', 'comp', 'fold', 'around', 'of', 'sort', 'filter', 'line', 'x']);

function whole(text: string | null): number | null {
  return text !== null && /^\d{1,10}$/.test(text) ? Number(text) : null;
}

export function readHash(hash: string): Partial<Place> {
  const [view, rest] = hash.replace(/^#\/?/, '').split('?');
  const place: Partial<Place> = {};
  if ((VIEWS as readonly string[]).includes(view)) place.view = view as View;
  const parts = new URLSearchParams(rest ?? '');
  const program = whole(parts.get('program'));
  if (program !== null) place.program = program;
  if (parts.has('inst')) place.inst = whole(parts.get('inst'));
  if (parts.has('value')) place.value = whole(parts.get('value'));
  place.set = {};
  for (const [key, text] of parts) if (SETTINGS.has(key) && text.length <= 4000) place.set[key] = text;
  return place;
}

export function writeHash(place: Place): string {
  const parts = new URLSearchParams();
  if (place.program > 0) parts.set('program', String(place.program));
  if (place.inst !== null) parts.set('inst', String(place.inst));
  if (place.value !== null) parts.set('value', String(place.value));
  for (const [key, text] of Object.entries(place.set)) if (text !== '') parts.set(key, text);
  const rest = parts.toString();
  return `#/${place.view}${rest ? `?${rest}` : ''}`;
}
