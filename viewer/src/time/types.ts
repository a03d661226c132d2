// The result types of the requests about time in viewer/protocol.md. Times are seconds.
import type { Strings } from '../core/response.ts';

export interface TimeGroup {
  name: string;
  count: number;
  seconds: number;
  exposed_seconds: number;
}

export interface TimeAdvice {
  kind: string;
  text: string;
  saved_seconds: number;
  at_most: boolean;
  exposed_seconds: number;
}

/** `answer` of `time`: what `halo time --json` prints, as far as the view uses it. */
export interface TimeAnswer {
  program: string;
  verdict: string;
  device: { name: string; title: string; why: string; certain: boolean; figures: { name: string; value: number; source: string }[] };
  scheduled: boolean;
  trip_counts_known: boolean;
  step: {
    floor_seconds: number;
    estimate_seconds: number;
    serial_seconds: number;
    compute_seconds: number;
    exposed_seconds: number;
    hidden_seconds: number;
    stalled_seconds: number;
    gap_seconds: number;
    unknown_seconds: number;
  };
  advice: TimeAdvice[];
  product_flops_by_type: Record<string, number>;
  kinds: TimeGroup[];
  sources: TimeGroup[];
  bounds: TimeGroup[];
  op_count: number;
  /** With another number of nodes or copies. */
  scale?: { devices: number; data_parallel: number; classes: number; step_seconds: number };
  measured?: {
    verdict: string;
    step_seconds: number;
    steps: number;
    devices: number;
    weighted_error: number;
    op_count: number;
    unmeasured_ops: number;
    unmeasured_seconds: number;
    unpredicted_ops: number;
  };
}

export interface TimeResult {
  answer: TimeAnswer;
  /** Why a profile among the files is left out. */
  profile_problem?: string;
}

export interface TimeDevice {
  name: string;
  title: string;
  backend: string;
}

/** The lists that columns refer to by number. */
export interface TimeWords {
  op_kinds: string[];
  bounds: string[];
  sources: string[];
  confidences: string[];
}

/** Instructions that take time, longest first, as columns; of one run where it does not say otherwise. */
export interface TimeOps extends TimeWords {
  total: number;
  insts: Uint32Array;
  kind: Uint8Array;
  bound: Uint8Array;
  source: Uint8Array;
  confidence: Uint8Array;
  seconds: Float64Array;
  floor: Float64Array;
  runs: Float64Array;
  exposed: Float64Array;
  /** Of all runs. */
  critical: Float64Array;
  flops: Float64Array;
  bytes: Float64Array;
  /** -1 if it was not measured. */
  measured: Float64Array;
  names: Strings;
  scopes: Strings;
  lines: Strings;
}

export interface TimeGroups {
  by: string;
  total: number;
  names: Strings;
  count: Float64Array;
  seconds: Float64Array;
  exposed: Float64Array;
  critical: Float64Array;
  flops: Float64Array;
  bytes: Float64Array;
  measured: Float64Array;
  /** Of the instructions that were measured. */
  predicted: Float64Array;
}

/** One instruction; what takes no time has the first fields only. */
export interface TimeOp {
  inst: number;
  name: string;
  opcode: string;
  /** Its first run. */
  begin?: number;
  end?: number;
  takes_time: boolean;
  kind: string;
  computation: string;
  shape: string;
  op_name: string;
  scope: string;
  source: string;
  runs: number;
  seconds: number;
  low_seconds: number;
  high_seconds: number;
  floor_seconds: number;
  total_seconds: number;
  exposed_seconds: number;
  critical_seconds: number;
  estimated_by: string;
  confidence: string;
  bound: string;
  product_type?: string;
  payload_bytes?: number;
  group_size?: number;
  cost: { flops: number; bytes_read: number; bytes_written: number; sent_bytes: number; known: boolean };
  measured?: number;
  events?: number;
}

/** The part of the timeline between `from` and `to`. What is too short to be told apart is one slice. */
export interface Timeline extends TimeWords {
  seconds: number;
  from: number;
  to: number;
  events: number;
  complete: boolean;
  /** Rows of the track of loops and calls. */
  rows: number;
  tracks: { track: number; name: string }[];
  slice_kinds: string[];
  track: Uint8Array;
  row: Uint8Array;
  kind: Uint8Array;
  critical: Uint8Array;
  op_kind: Uint8Array;
  bound: Uint8Array;
  confidence: Uint8Array;
  /** Position in `insts` and `names`; NONE if there is none. Of several, the longest. */
  inst: Uint32Array;
  begin: Float64Array;
  end: Float64Array;
  count: Float64Array;
  busy: Float64Array;
  waiting: Float64Array;
  /** Of a transfer: when it was started and when the program came to wait for it; -1 if unknown. */
  issued: Float64Array;
  done: Float64Array;
  insts: Uint32Array;
  names: Strings;
  memory_at: Float64Array;
  memory_bytes: Float64Array;
}

export const FRAMES = 0;
export const KERNELS = 1;
export const WAIT = 1;
export const TRANSFER = 4;
export const MANY = 5;
