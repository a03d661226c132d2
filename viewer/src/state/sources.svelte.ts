// Source files that the user dropped. They are kept as lines of text in this page, never run, never parsed, and never
// saved into a report. Their number and size are limited.
import { isSourceName, matchSource } from './source_match.ts';
import type { Source } from './files.ts';

export interface SourceFile {
  path: string;
  lines: string[];
}

const MOST_FILES = 2000;
const MOST_BYTES = 4 * 2 ** 20;
const MOST_TOTAL = 64 * 2 ** 20;
const LONGEST_LINE = 2000;

class Sources {
  files = $state.raw<SourceFile[]>([]);
  private total = 0;

  /** Keeps the source files of a list; returns the others. */
  async keep(list: readonly Source[]): Promise<Source[]> {
    const rest = list.filter((one) => !isSourceName(one.name));
    const kept = new Map(this.files.map((file) => [file.path, file]));
    for (const one of list) {
      if (!isSourceName(one.name) || one.bytes > MOST_BYTES || kept.size >= MOST_FILES || this.total + one.bytes > MOST_TOTAL) continue;
      const path = one.path ?? one.name;
      if (!kept.has(path)) this.total += one.bytes;
      const text = new TextDecoder().decode(await one.read());
      kept.set(path, { path, lines: text.split(/\r\n|\r|\n/).map((line) => line.slice(0, LONGEST_LINE)) });
    }
    this.files = [...kept.values()];
    return rest;
  }

  /** The dropped file that a path in the dump means, if there is one. */
  of(path: string): SourceFile | null {
    if (path === '' || this.files.length === 0) return null;
    return this.files[matchSource(this.files.map((file) => file.path), path)] ?? null;
  }
}

export const sources = new Sources();
