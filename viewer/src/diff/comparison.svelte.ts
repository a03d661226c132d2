// The two programs that are compared: the one that is shown, and the one before it that the user chose. Opens the
// second one, asks what changed, and keeps the results until another pair is chosen.
import type { Request } from '../core/core.ts';
import type { Source } from '../state/files.ts';
import { session } from '../state/session.svelte.ts';
import type { DiffResult } from './diff_requests.ts';

export class Comparison {
  result = $state.raw<DiffResult | null>(null);
  busy = $state(false);
  problem = $state('');
  private key = '';
  private programs: unknown = null;
  private before: number | null = null;
  private after: number | null = null;
  private kept = new Map<string, Promise<unknown>>();

  /** The position of the first program; null if none was chosen. */
  get against(): number | null {
    const text = session.setting('against', '');
    const at = Number(text);
    return text !== '' && Number.isInteger(at) && session.programs[at]?.module ? at : null;
  }

  /** Compares the two programs unless that was done. */
  async load(): Promise<void> {
    const at = this.against;
    const key = `${at} ${session.route.program}`;
    if (at === null || (key === this.key && this.programs === session.programs)) return;
    this.key = key;
    this.programs = session.programs;
    this.result = null;
    this.problem = '';
    this.busy = true;
    this.kept.clear();
    const isStale = (): boolean => this.key !== key;
    try {
      const after = session.document;
      const before = await session.documentOf(at);
      if (isStale()) return;
      this.before = before;
      this.after = after;
      const result = await this.ask<DiffResult>({ ask: 'diff', top: 200 });
      if (!isStale()) this.result = result;
    } catch (error) {
      if (!isStale()) this.problem = (error as Error).message;
      this.key = isStale() ? this.key : '';
    } finally {
      if (!isStale() || this.key === '') this.busy = false;
    }
  }

  /** A request about both programs. */
  ask<T>(request: Request): Promise<T> {
    return this.once<T>(this.after, { ...request, against: this.before });
  }

  /** A request about one of them. */
  of<T>(side: 'before' | 'after', request: Request): Promise<T> {
    return this.once<T>(side === 'before' ? this.before : this.after, request);
  }

  private once<T>(document: number | null, request: Request): Promise<T> {
    if (document === null || !session.core) return Promise.reject(new Error('nothing is open to compare'));
    const key = `${document} ${JSON.stringify(request)}`;
    let result = this.kept.get(key) as Promise<T> | undefined;
    if (!result) {
      if (this.kept.size > 200) this.kept.clear();
      result = session.core.ask<T>(document, request);
      this.kept.set(key, result);
      result.catch(() => this.kept.delete(key));
    }
    return result;
  }

  /** Adds dropped or chosen files and compares the shown program with the largest of them. */
  async take(sources: Source[]): Promise<void> {
    const at = await session.add(sources);
    if (at !== null) session.set('against', String(at));
  }
}

export const comparison = new Comparison();

/** The program that a stage is compared with if none is chosen: the stage before it, else any other. */
export function defaultAgainst(): number | null {
  const here = session.route.program;
  const group = session.program?.group;
  const fits = (at: number): boolean => at !== here && session.programs[at]?.module !== null;
  for (let at = here - 1; at >= 0; at--) if (fits(at) && session.programs[at].group === group) return at;
  for (let at = 0; at < session.programs.length; at++) if (fits(at)) return at;
  return null;
}
