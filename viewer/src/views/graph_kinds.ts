// How opcodes look in the graph: a few kinds with a color each, so that a picture can be read from afar. The colors are
// those of the palette and never carry meaning alone: the opcode is written on every node.

export interface Kind {
  name: string;
  color: string;
}

export const KINDS: Kind[] = [
  { name: 'input', color: '#8a8f98' },
  { name: 'elementwise', color: '#56b4e9' },
  { name: 'fusion', color: '#0072b2' },
  { name: 'product', color: '#e69f00' },
  { name: 'collective', color: '#d55e00' },
  { name: 'movement', color: '#009e73' },
  { name: 'control', color: '#cc79a7' },
  { name: 'call to a library', color: '#b8ad1e' },
];

const INPUT = new Set(['parameter', 'constant', 'iota', 'partition-id', 'replica-id', 'rng-get-and-update-state']);
const PRODUCT = new Set(['dot', 'convolution', 'ragged-dot', 'scaled-dot', 'triangular-solve', 'cholesky', 'fft']);
const CONTROL = new Set(['while', 'conditional', 'call', 'async-start', 'async-update', 'async-done', 'tuple', 'get-tuple-element', 'after-all', 'opt-barrier', 'domain']);
const MOVEMENT = new Set([
  'bitcast', 'bitcast-convert', 'broadcast', 'concatenate', 'copy', 'copy-start', 'copy-done', 'dynamic-slice', 'dynamic-update-slice',
  'gather', 'pad', 'reshape', 'reverse', 'scatter', 'slice', 'transpose', 'dynamic-reshape', 'sort', 'set-dimension-size', 'get-dimension-size',
]);
const COLLECTIVE = /^(all-|reduce-scatter|collective-|ragged-all|send|recv|partial-|infeed|outfeed)/;

/** The position in KINDS of an opcode. */
export function kindOf(opcode: string): number {
  if (INPUT.has(opcode)) return 0;
  if (opcode === 'fusion') return 2;
  if (PRODUCT.has(opcode)) return 3;
  if (COLLECTIVE.test(opcode)) return 4;
  if (MOVEMENT.has(opcode)) return 5;
  if (CONTROL.has(opcode)) return 6;
  if (opcode === 'custom-call') return 7;
  return 1;
}
