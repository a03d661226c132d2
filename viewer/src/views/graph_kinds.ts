// The style of each kind of instruction in the graph, so that a picture is readable when zoomed out. The core assigns
// instructions to categories. Colors come from the palette and never carry meaning alone: every node is labelled.

export interface Kind {
  /** The core's names for the categories. */
  names: string[];
  title: string;
  color: string;
}

export const KINDS: Kind[] = [
  { names: ['matmul'], title: 'product', color: '#e69f00' },
  { names: ['collective'], title: 'collective', color: '#d55e00' },
  { names: ['custom call'], title: 'library', color: '#b8ad1e' },
  { names: ['reduce'], title: 'reduce', color: '#7a6fb0' },
  { names: ['fusion', 'elementwise'], title: 'elementwise', color: '#56b4e9' },
  { names: ['movement'], title: 'movement', color: '#009e73' },
  { names: ['control'], title: 'control', color: '#8c6d46' },
  { names: ['parameter'], title: 'parameter', color: '#0072b2' },
  { names: ['tuple', 'constant', 'other'], title: 'other', color: '#8a8f98' },
];

/** Returns the position of the kind of each of the core's categories. */
export function kindsOf(categories: readonly string[]): Uint8Array {
  return Uint8Array.from(categories, (name) => {
    const found = KINDS.findIndex((kind) => kind.names.includes(name));
    return found < 0 ? KINDS.length - 1 : found;
  });
}
