// What each pass of a compiler changed: the stages of one module in order, each compared with the one before. Stages
// are opened one after the other and closed again, so that a long list needs no more memory than one of them. The core
// counts and compares.
import type { PassChange, Counts, CountsResult } from '../core/requests.ts';
import { session, type Program } from './session.svelte.ts';

export interface PassRow {
  /** The position of the program in the session. */
  at: number;
  program: Program;
  counts: Counts | null;
  change: PassChange | null;
  problem: string;
}

class Passes {
  rows = $state.raw<PassRow[]>([]);
  done = $state(0);
  private programs: Program[] = [];
  private group = '';
  private run = 0;

  /** Lists the stages of the module that is shown, and begins to compare them unless that was done. */
  async load(): Promise<void> {
    const group = session.program?.group ?? '';
    if (this.programs === session.programs && this.group === group) {
      if (this.done === this.rows.length) return;
    } else {
      this.programs = session.programs;
      this.group = group;
      this.done = 0;
      this.rows = session.programs
        .map((program, at) => ({ at, program, counts: null, change: null, problem: '' }))
        .filter(({ program }) => program.group === group && program.module !== null);
    }
    const mine = ++this.run;
    // Named points are compared with nothing if there are passes: their place among them is unknown.
    const apart = (row: PassRow): boolean => row.program.named && this.rows.some((one) => one.program.step !== null);
    for (let i = this.done; i < this.rows.length; i++) {
      const row = { ...this.rows[i] };
      const before = apart(row) ? undefined : (this.rows.slice(0, i).findLast((one) => one.counts !== null && !apart(one))?.counts ?? undefined);
      try {
        const result = await this.count(row.program, before);
        row.counts = result.counts;
        row.change = result.change ?? null;
      } catch (error) {
        row.problem = (error as Error).message;
      }
      if (mine !== this.run) return;
      this.rows = this.rows.with(i, row);
      this.done = i + 1;
    }
  }

  /** Stops comparing; load() goes on where this left off. */
  stop(): void {
    this.run++;
  }

  private async count(program: Program, since: Counts | undefined): Promise<CountsResult> {
    const core = session.core!;
    const request = { ask: 'counts', ...(since ? { since } : {}) };
    if (program.document !== null) return core.ask<CountsResult>(program.document, request);
    const document = await core.open(program.module!.name, await program.module!.read());
    try {
      return await core.ask<CountsResult>(document, request);
    } finally {
      await core.close(document);
    }
  }
}

export const passes = new Passes();

/** Whether the module that is shown has more than one stage. */
export function hasPasses(): boolean {
  const group = session.program?.group;
  return session.programs.filter((one) => one.group === group && one.module !== null).length > 1;
}
