// How the kinds of instructions look in the graph, so that a picture can be read from afar. Which instruction is of which
// category the core says; the colors are those of the palette and never carry meaning alone: every node is labelled.

export interface Kind {
  /** The core's names of the categories. */
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
  { names: ['control'], title: 'control', color: '#cc79a7' },
  { names: ['tuple', 'parameter', 'constant', 'other'], title: 'other', color: '#8a8f98' },
];

/** For each of the core's categories the position of its kind. */
export function kindsOf(categories: readonly string[]): Uint8Array {
  return Uint8Array.from(categories, (name) => {
    const found = KINDS.findIndex((kind) => kind.names.includes(name));
    return found < 0 ? KINDS.length - 1 : found;
  });
}
