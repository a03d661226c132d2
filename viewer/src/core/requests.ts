// The result types of viewer/protocol.md: one interface per request, with the protocol's names. Fields that the core
// may omit are optional here, and views must work without them.
import type { InfoCount, LiveValue, MemoryAdvice } from './documents.ts';
import type { Strings } from './response.ts';

export interface Figure {
  name: string;
  value: number;
  unit: string;
}

/** One of the questions on the overview. */
export interface Glance {
  name: string;
  asks: string;
  answered: boolean;
  headline: string;
  figures: Figure[];
  look: { view: string; of?: string };
}

/** How often something occurs; only sizes have bytes. */
export type Tally = InfoCount & { bytes?: number };

export interface Warning {
  severity: 'error' | 'warning';
  code: string;
  message: string;
  help: string;
  instruction: string;
  /** What it is about, NONE if that is not in the module; and its size. */
  inst: number;
  bytes: number;
  line: number;
}

export interface Overview {
  path: string;
  kind: string;
  kind_in_words: string;
  bytes: number;
  modules: number;
  has_assignment: boolean;
  name?: string;
  generation?: string;
  backend?: string;
  scheduled?: boolean;
  replicas?: number;
  partitions?: number;
  counts?: Record<string, number>;
  opcodes?: Tally[];
  dtypes?: Tally[];
  custom_calls?: Tally[];
  entry?: number;
  questions: Glance[];
  warnings: Warning[];
}

/** Rectangles of one memory space: program order on the x axis (end exclusive), addresses on the y axis, upwards. */
export interface MemoryMap {
  plan: 'dumped' | 'planned';
  /** The buffers that packing placed in the outputs' memory. */
  into_outputs?: { buffers: number; bytes: number };
  has_times: boolean;
  backend: string;
  /** Of all memory spaces on the device; before, if the plan follows an advice. */
  device_bytes: number;
  device_bytes_before?: number;
  /** What the plan assumes: the advice that it follows. */
  assumptions: string[];
  color: number;
  colors: { color: number; name: string; bytes: number; device_memory: boolean }[];
  height: number;
  /** The last position of the program. */
  last: number;
  held_bytes: number;
  peak?: { position: number; live_bytes: number; bytes: number; instruction?: string };
  /** The total number of rectangles; the arrays contain only the largest. */
  rectangles: number;
  begin: Uint32Array;
  end: Uint32Array;
  /** The live range of the rectangle's value, both ends included. A rectangle is shorter where another value at the
      same address is shown. */
  from: Int32Array;
  to: Int32Array;
  offset: Float64Array;
  size: Float64Array;
  allocation: Uint32Array;
  value: Uint32Array;
  group: Uint32Array;
  groups: Strings;
  /** Live temporary bytes at each position. */
  live: Float64Array;
  repacked?: { allocation: number; old_bytes: number; bytes: number; lower_bound: number; optimal: boolean }[];
}

export interface MemoryValue {
  value: number;
  name: string;
  instruction: string;
  inst: number;
  shape: string;
  bytes: number;
  unpadded_bytes: number;
  from: number;
  to: number;
  offset: number;
  color: number;
  role: string;
  opcode: string;
  op_name: string;
  scope: string;
  source_file: string;
  source_line: number;
  allocation?: { allocation: number; bytes: number; kind: string; parameter: number; donated: boolean };
  uses: { name: string; inst: number; operand: number; time: number }[];
  why: string;
}

/** A drawing of the graph, returned by `graph` and `around`. Frames come before their contents. */
export interface Drawing {
  comp?: number;
  name?: string;
  width: number;
  height: number;
  /** Whether instructions are grouped only because there are too many. */
  gathered: boolean;
  /** Whether a box is a scope of the user's program. */
  scopes: boolean;
  /** The node that shows or contains the revealed instruction; -1 if none. */
  found: number;
  kinds: string[];
  categories: string[];
  nodes: {
    total: number;
    key: Strings;
    kind: Uint8Array;
    category: Uint8Array;
    inst: Uint32Array;
    comp: Uint32Array;
    parent: Int32Array;
    count: Uint32Array;
    instructions: Uint32Array;
    unseen: Uint32Array;
    can_open: Uint8Array;
    is_open: Uint8Array;
    label: Strings;
    detail: Strings;
    bytes: Float64Array;
    x: Float32Array;
    y: Float32Array;
    w: Float32Array;
    h: Float32Array;
  };
  edges: {
    from: Uint32Array;
    to: Uint32Array;
    far: Uint8Array;
    bytes: Float64Array;
    ends: Uint32Array;
    points: Float32Array;
  };
}

export interface Found {
  insts: Uint32Array;
  total: number;
  /** Names of the fields that can match; `field` is the index of the one that did. */
  fields: string[];
  field: Uint8Array;
  names: Strings;
  opcodes: Strings;
  shapes: Strings;
  op_names: Strings;
}

/** Operands or users of an instruction; at most a few hundred are listed. */
export interface Neighbours {
  total: number;
  insts: Uint32Array;
  bytes: Float64Array;
  names: Strings;
  opcodes: Strings;
  shapes: Strings;
}

export interface Attribute {
  key: string;
  value: string;
}

export interface InstResult {
  inst: number;
  name: string;
  opcode: string;
  shape: string;
  bytes: number;
  result_bytes: number;
  is_root: boolean;
  computation: {
    comp: number;
    name: string;
    is_entry: boolean;
    instructions: number;
    position: number;
    runs: number;
    runs_at_least: boolean;
    caller?: number;
    caller_name?: string;
  };
  op_name: string;
  scope: string;
  source_file: string;
  source_line: number;
  calls: { comp: number; name: string; instructions: number }[];
  attributes: Attribute[];
  metadata: Attribute[];
  operands: Neighbours;
  users: Neighbours;
  line: number;
  text: string;
  /** Present if the request named a plan. */
  values?: { value: number; name: string; bytes: number; from: number; to: number }[];
}

export interface TextLines {
  total: number;
  from: number;
  lines: Strings;
  insts: Uint32Array;
}

export interface TextIndex {
  total: number;
  is_source: boolean;
  inst_lines: Uint32Array;
  folds: { first: Uint32Array; last: Uint32Array; comp: Uint32Array };
}

/** The value for "no instruction" in arrays of ids. */
export const NONE = 0xffffffff;

export type ColumnKind = 'text' | 'number' | 'bytes' | 'inst' | 'comp' | 'value';

export interface TableResult {
  of: string;
  /** `all`: number of rows of the table; `total`: number of rows that pass the filter. */
  all: number;
  total: number;
  /** Rows that pass the filter but are hidden. */
  hidden: number;
  from: number;
  columns: { name: string; kind: ColumnKind; values: Float64Array | Strings }[];
}

/** `memory.at`: the values live at a position, largest first. */
export interface PeakItems {
  position: number;
  instruction?: string;
  bytes: number;
  total: number;
  items: (LiveValue & { value: number; inst?: number })[];
}

export interface Device {
  name: string;
  /** Its full name, if the core knows one. */
  title?: string;
  backend: string;
  bytes: number;
}

/** One entry of `advice` in the result of `halo memory`. */
export type Advice = MemoryAdvice;

export type Change = 'through' | 'allocated' | 'freed' | 'within';

export interface RangeItem {
  value: number;
  bytes: number;
  change: Change;
  kind: string;
  name?: string;
  inst?: number;
  shape?: string;
  role?: string;
  scope?: string;
  source?: string;
  from?: number;
  to?: number;
}

interface Moment {
  position: number;
  bytes: number;
  instruction?: string;
  inst?: number;
  source?: string;
}

/** `memory.range`: what is in memory at positions `from` to `to`, largest first. */
export interface MemoryRange {
  from: number;
  to: number;
  at: Moment;
  peak: Moment;
  changes: { change: Change; values: number; bytes: number }[];
  total: number;
  items: RangeItem[];
}

/** What a module consists of; passed back as `since` to learn what changed. */
export interface Counts {
  instructions: number;
  computations: number;
  fusions: number;
  buffer_bytes: number;
  largest_bytes: number;
  largest: string;
  text: string;
  opcodes: Record<string, number>;
}

export interface PassChange {
  same_text: boolean;
  instructions: number;
  added: number;
  removed: number;
  computations: number;
  fusions: number;
  buffer_bytes: number;
  largest_bytes: number;
  opcodes: { name: string; before: number; after: number }[];
}

export interface CountsResult {
  counts: Counts;
  change?: PassChange;
}
