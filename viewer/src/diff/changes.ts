// What can have happened to an instruction or to a stored value: titles, colors and signs, for every picture of the
// Diff view. The core decides which it is. Colors come from the palette and never carry meaning alone.

export interface Change {
  title: string;
  color: string;
  /** One character for the margin of the text. */
  sign: string;
  /** How much of its color fills a box. */
  strength: number;
}

const SAME = '#8a8f98';
const PLACED = '#56b4e9';
const CHANGED = '#e69f00';
const GONE = '#d55e00';
const NEW = '#009e73';

const CHANGES: Record<string, Change> = {
  aside: { title: 'passes values on', color: SAME, sign: '', strength: 0.06 },
  same: { title: 'unchanged', color: SAME, sign: '', strength: 0.1 },
  placed: { title: 'same value, compiled differently', color: PLACED, sign: '≈', strength: 0.3 },
  inside: { title: 'changed inside', color: CHANGED, sign: '·', strength: 0.14 },
  rewired: { title: 'other operands', color: CHANGED, sign: '~', strength: 0.4 },
  changed: { title: 'changed', color: CHANGED, sign: '~', strength: 0.4 },
  gone: { title: 'gone', color: GONE, sign: '−', strength: 0.4 },
  new: { title: 'new', color: NEW, sign: '+', strength: 0.4 },
  none: { title: 'no separate memory', color: SAME, sign: '', strength: 0.1 },
  moved: { title: 'moved', color: PLACED, sign: '≈', strength: 1 },
  resized: { title: 'resized', color: CHANGED, sign: '~', strength: 1 },
};

export type Side = 'before' | 'after';

/** Returns the change that a state of the core means. */
export function changeOf(state: string, side: Side): Change {
  if (state === 'only') return side === 'before' ? CHANGES.gone : CHANGES.new;
  return CHANGES[state] ?? CHANGES.same;
}

/** The name for style sheets: one for each color. */
export function toneOf(state: string, side: Side): string {
  if (state === 'only') return side === 'before' ? 'gone' : 'new';
  if (state === 'rewired' || state === 'resized') return 'changed';
  if (state === 'moved') return 'placed';
  return state === 'none' ? 'aside' : state;
}

export const GRAPH_LEGEND = ['new', 'gone', 'changed', 'inside', 'placed', 'same'] as const;
export const MEMORY_LEGEND = ['new', 'gone', 'resized', 'moved', 'same'] as const;
