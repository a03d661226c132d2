// The result types of the requests about two programs (viewer/protocol.md).
import type { Drawing } from '../core/requests.ts';

export interface ChangedInst {
  before?: string;
  after?: string;
  because?: string;
  bytes?: number;
}

export interface Cause {
  kind: string;
  what: string;
  count: number;
  bytes: number;
  confidence: number;
  op_name?: string;
  places: ChangedInst[];
}

export interface PeakSide {
  bytes: number;
  instruction: string;
  planned_by_halo: boolean;
}

export interface PeakCause {
  kind: string;
  what: string;
  count: number;
  bytes: number;
  /** What planning the first program with this change alone gives; absent: a correlation. */
  replayed_bytes?: number;
  moved: string[];
  places: ChangedInst[];
}

export interface PeakChange {
  bytes: number;
  before: PeakSide;
  after: PeakSide;
  only_after: number;
  only_before: number;
  resized: number;
  packing: number;
  causes: PeakCause[];
}

/** `halo diff --json`. */
export interface DiffAnswer {
  ok: boolean;
  refused?: string;
  same?: boolean;
  same_values?: boolean;
  verdict?: string;
  values?: Record<string, number>;
  cause_count?: number;
  causes?: Cause[];
  peak?: PeakChange;
}

/** Numbers of instructions, or of stored values. */
export interface Sides {
  before: Uint32Array;
  after: Uint32Array;
}

export interface DiffResult {
  answer: DiffAnswer;
  /** The instructions of each cause of the answer. */
  causes: Sides[];
  /** The stored values of each cause of its peak. */
  peak_causes?: Sides[];
}

export interface DiffRows {
  states: string[];
  rows: number;
  before: Uint32Array;
  after: Uint32Array;
  before_state: Uint8Array;
  after_state: Uint8Array;
  before_links: Uint32Array;
  after_links: Uint32Array;
}

export interface StateSide {
  state: Uint8Array;
  partner: Uint32Array;
}

export interface DiffInsts {
  states: string[];
  before: StateSide;
  after: StateSide;
}

export interface MemorySide extends StateSide {
  totals: { state: string; values: number; bytes: number }[];
}

export interface DiffMemory {
  states: string[];
  before: MemorySide;
  after: MemorySide;
}

export interface DiffDrawing extends Drawing {
  /** How many changed kernels the computation has. */
  subjects: number;
  whole: boolean;
  comps: { comp: number; name: string; subjects: number }[];
  marks: string[];
  nodes: Drawing['nodes'] & { mark?: Uint8Array };
  node_before: Uint32Array;
  node_after: Uint32Array;
}
