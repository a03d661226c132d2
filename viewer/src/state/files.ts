// Groups dropped files into programs by the names that XLA gives them. A program is a module's text or proto with the
// pieces of its buffer assignment. A single module and a single assignment dropped together are a pair regardless of
// their names. Bytes are read only when a program is opened.
import { gunzip } from '../core/embedding.ts';

export interface Source {
  name: string;
  bytes: number;
  /** The path below what was dropped, if it is known. */
  path?: string;
  read(): Promise<ArrayBuffer>;
  /** The data block of this page that already contains the file, if any. */
  element?: string;
  kind?: string;
}

/** Where a program belongs in a dump, as its file name tells. */
export interface Stage {
  title: string;
  stage: string;
  /** The same for all stages of one module. */
  group: string;
  /** The number of a pass among those that were dumped; null for other stages. */
  step: number | null;
  pipeline: string;
  /** The pass that has just run. */
  pass: string;
  /** Whether it is a named point of the compilation; where that is among the passes, the name does not say. */
  named: boolean;
}

export interface Grouped extends Stage {
  module: Source | null;
  assignment: Source[];
  /** What is known about the time of the program: profiles, and what the compiler measured. */
  beside: Source[];
}

const PIECE = /^(.*?)-(buffer-assignment|buffer-assignment-values|values|live-range|buffer-assignment-live-range)$/;
const IGNORED = /[.-](memory-usage-report|thunk_sequence\w*|thunk_metadata|priority_fusion_dump|debug_options)$|\.(ll|o|ptx|s|dot|html|json|pbtxt|textproto|mlir|asm|debug_options|DS_Store)$/;

/** What a profiler writes. */
const PROFILE = /\.xplane\.pb$|\.trace\.json$|\.(csv|parquet|sqlite)$/i;
/** What XLA writes next to a module about the device and about measured products. */
const MEASURED = /^((?:.*\.)?)module_(\d+)\.(.+?)\.(?:autotune_results|gpu_target_config)\.pbtxt$/;

function stem(name: string): string {
  return name.replace(/\.(gz)$/i, '').replace(/\.(txt|hlo|hlo\.pb|pb|hlo\.txt)$/i, '').replace(/\.hlo$/i, '');
}

const PASS = /^((?:.*\.)?)module_(\d+)\.(.+?)\.(\d{4,})\.(.+?)\.after_(.+?)(?:\.before_.+)?$/;
const POINT = /^((?:.*\.)?)module_(\d+)\.(.+?)\.([^.]*(?:\.\d+)?[^.]*)$/;

/** Splits `module_0012.jit_step.gpu_after_optimizations` into module and stage. */
export function stageOf(name: string): Stage {
  const base = stem(name);
  const pass = PASS.exec(base);
  if (pass) {
    const [, before, number, title, step, pipeline, after] = pass;
    const stage = base.slice(base.indexOf(`.${step}.`) + 1).replaceAll('_', ' ');
    return { title, stage, group: `${before}${number}.${title}`, step: Number(step), pipeline, pass: after, named: false };
  }
  const point = POINT.exec(base);
  if (!point) return { title: base, stage: '', group: base, step: null, pipeline: '', pass: '', named: false };
  const [, before, number, title, stage] = point;
  const named = !/(before|after)_optimizations/.test(stage);
  return { title, stage: stage.replaceAll('_', ' '), group: `${before}${number}.${title}`, step: null, pipeline: '', pass: '', named };
}

export function titleOf(name: string): { title: string; stage: string } {
  const { title, stage } = stageOf(name);
  return { title, stage };
}

/** Sorts the stages of a module as the compiler reached them; leaves the order of modules as it is. */
function inOrder(programs: Grouped[]): Grouped[] {
  const first = new Map<string, number>();
  programs.forEach((program, at) => first.set(program.group, first.get(program.group) ?? at));
  const rank = (program: Grouped): number =>
    program.step !== null ? program.step : /before.optimizations/.test(program.stage) ? -2 : program.named ? -1 : 1e9;
  return programs
    .map((program, at) => ({ program, at }))
    .sort((a, b) => first.get(a.program.group)! - first.get(b.program.group)! || rank(a.program) - rank(b.program) || a.at - b.at)
    .map(({ program }) => program);
}

export function groupFiles(files: readonly Source[]): { programs: Grouped[]; ignored: string[] } {
  const modules = new Map<string, Grouped>();
  const pieces = new Map<string, Source[]>();
  const ignored: string[] = [];
  const profiles: Source[] = [];
  const measured = new Map<string, Source[]>();
  for (const file of files) {
    const base = stem(file.name);
    const piece = PIECE.exec(base);
    const texts = MEASURED.exec(file.name);
    if (PROFILE.test(file.name)) profiles.push(file);
    else if (texts) {
      const group = `${texts[1]}${texts[2]}.${texts[3]}`;
      measured.set(group, [...(measured.get(group) ?? []), file]);
    } else if (IGNORED.test(base) || IGNORED.test(file.name)) ignored.push(file.name);
    else if (piece) pieces.set(piece[1], [...(pieces.get(piece[1]) ?? []), file]);
    else if (!modules.has(base)) modules.set(base, { ...stageOf(file.name), module: file, assignment: [], beside: [] });
    else ignored.push(file.name); // the same module in another form
  }
  // Without a module, the programs inside a profile are what there is to see.
  if (modules.size === 0 && pieces.size === 0) {
    for (const file of profiles)
      if (/\.xplane\.pb$/i.test(file.name)) modules.set(file.name, { ...stageOf(file.name), module: file, assignment: [], beside: [] });
  }
  const programs = [...modules.values()];
  if (programs.length === 0) ignored.push(...profiles.map((file) => file.name));
  for (const program of programs) {
    // The ranks of a job may share what was measured.
    for (const [group, list] of measured) if (program.group === group || program.group.endsWith(`.${group}`)) program.beside.push(...list);
    program.beside.push(...profiles.filter((file) => file !== program.module));
  }
  const lone: Grouped[] = [];
  for (const [base, list] of pieces) {
    const owner = modules.get(base) ?? (modules.size === 1 && pieces.size === 1 ? programs[0] : undefined);
    if (owner) owner.assignment.push(...list);
    else lone.push({ ...stageOf(base), module: null, assignment: list, beside: [] });
  }
  return { programs: [...inOrder(programs), ...lone], ignored };
}

/** The paths of dropped files; a File of a drop does not know its own. */
const dropped = new WeakMap<File, string>();

export function sourceOfFile(file: File): Source {
  return {
    name: file.name.replace(/\.gz$/i, ''),
    bytes: file.size,
    path: dropped.get(file) ?? (file.webkitRelativePath || file.name),
    async read() {
      const bytes = await file.arrayBuffer();
      const head = new Uint8Array(bytes, 0, Math.min(2, bytes.byteLength));
      return head[0] === 0x1f && head[1] === 0x8b ? gunzip(new Uint8Array(bytes)) : bytes;
    },
  };
}

/** Returns all files of a drop, including those in folders. */
export async function filesOfDrop(data: DataTransfer): Promise<File[]> {
  const entries = [...data.items].map((item) => item.webkitGetAsEntry?.()).filter((entry) => !!entry);
  if (entries.length === 0) return [...data.files];
  const files: File[] = [];
  const walk = async (entry: FileSystemEntry): Promise<void> => {
    if (files.length >= 20000) return;
    if (entry.isFile) {
      const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
      dropped.set(file, entry.fullPath);
      files.push(file);
      return;
    }
    const reader = (entry as FileSystemDirectoryEntry).createReader();
    for (;;) {
      const batch = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
      if (batch.length === 0) return;
      for (const inner of batch) await walk(inner);
    }
  };
  for (const entry of entries) await walk(entry);
  return files;
}
