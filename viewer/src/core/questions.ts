// The answers of viewer/protocol.md as types. One interface per question, in the protocol's words; what the core may
// leave out is optional here, and views must do without it.
import type { NumberArray, Strings } from './answer.ts';

export interface Figure {
  name: string;
  value: number;
  unit: string;
}

/** One of the four questions at a glance. */
export interface Glance {
  name: string;
  asks: string;
  answered: boolean;
  headline: string;
  figures: Figure[];
  look: { view: string; of?: string };
}

export interface Tally {
  name: string;
  count: number;
  bytes: number;
}

export interface Warning {
  severity: 'error' | 'warning';
  code: string;
  message: string;
  help: string;
  instruction: string;
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

export interface MemoryMap {
  begin: NumberArray;
  end: NumberArray;
  offset: Float64Array;
  size: Float64Array;
  allocation: NumberArray;
  value: Uint32Array;
  live: Float64Array;
  peak: { position: number; bytes: number };
  height: number;
  length: number;
  colors: number[];
}

export interface MemoryValue {
  name: string;
  shape: string;
  bytes: number;
  op_name?: string;
  source?: string;
  why?: string;
  inst?: number | null;
  [more: string]: unknown;
}

export interface Group {
  name: string;
  peak_bytes: number;
  total_bytes: number;
  values: number;
}

export interface Groups {
  groups: Group[];
  of?: Uint32Array;
}

export interface Drawing {
  id: Int32Array | Uint32Array;
  x: Float32Array;
  y: Float32Array;
  w: Float32Array;
  h: Float32Array;
  kind: Uint8Array;
  parent: Int32Array;
  label: Strings;
}

export interface Found {
  insts: Uint32Array;
  total: number;
  /** Names of what may have matched; `field` says which of them did. */
  fields: string[];
  field: Uint8Array;
  names: Strings;
  opcodes: Strings;
  shapes: Strings;
  op_names: Strings;
}

/** Operands or users of an instruction; at most some hundred are listed. */
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

export interface InstAnswer {
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
  values?: number[];
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

/** What stands for "no instruction" in arrays of ids. */
export const NONE = 0xffffffff;

export type ColumnKind = 'text' | 'number' | 'bytes' | 'inst' | 'comp' | 'value';

export interface TableAnswer {
  of: string;
  /** Rows of the table, and those that the filter leaves. */
  all: number;
  total: number;
  from: number;
  columns: { name: string; kind: ColumnKind; values: Float64Array | Strings }[];
}
