// Groups dropped files into programs by the names that XLA gives them. A program is a module's text or proto with the
// pieces of its buffer assignment. A single module and a single assignment dropped together are a pair regardless of
// their names. Bytes are read only when a program is opened.
import { gunzip } from '../core/embedding.ts';

export interface Source {
  name: string;
  bytes: number;
  read(): Promise<ArrayBuffer>;
  /** The data block of this page that already contains the file, if any. */
  element?: string;
  kind?: string;
}

export interface Grouped {
  title: string;
  stage: string;
  module: Source | null;
  assignment: Source[];
}

const PIECE = /^(.*?)-(buffer-assignment|buffer-assignment-values|values|live-range|buffer-assignment-live-range)$/;
const IGNORED = /-(memory-usage-report|thunk_sequence|debug_options)$|\.(ll|o|ptx|s|dot|html|debug_options|DS_Store)$/;

function stem(name: string): string {
  return name.replace(/\.(gz)$/i, '').replace(/\.(txt|hlo|hlo\.pb|pb|hlo\.txt)$/i, '').replace(/\.hlo$/i, '');
}

/** Splits `module_0012.jit_step.gpu_after_optimizations` into module and stage. */
export function titleOf(name: string): { title: string; stage: string } {
  const match = /^module_(\d+)\.(.+?)\.([^.]*(?:\.\d+)?[^.]*)$/.exec(stem(name));
  if (!match) return { title: stem(name), stage: '' };
  return { title: match[2], stage: match[3].replaceAll('_', ' ') };
}

export function groupFiles(files: readonly Source[]): { programs: Grouped[]; ignored: string[] } {
  const modules = new Map<string, Grouped>();
  const pieces = new Map<string, Source[]>();
  const ignored: string[] = [];
  for (const file of files) {
    const base = stem(file.name);
    const piece = PIECE.exec(base);
    if (IGNORED.test(base) || IGNORED.test(file.name)) ignored.push(file.name);
    else if (piece) pieces.set(piece[1], [...(pieces.get(piece[1]) ?? []), file]);
    else if (!modules.has(base)) modules.set(base, { ...titleOf(file.name), module: file, assignment: [] });
    else ignored.push(file.name); // the same module in another form
  }
  const programs = [...modules.values()];
  const lone: Grouped[] = [];
  for (const [base, list] of pieces) {
    const owner = modules.get(base) ?? (modules.size === 1 && pieces.size === 1 ? programs[0] : undefined);
    if (owner) owner.assignment.push(...list);
    else lone.push({ ...titleOf(base), module: null, assignment: list });
  }
  return { programs: [...programs, ...lone], ignored };
}

export function sourceOfFile(file: File): Source {
  return {
    name: file.name.replace(/\.gz$/i, ''),
    bytes: file.size,
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
      files.push(await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject)));
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
