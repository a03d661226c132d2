// The session's state: the open programs, the one shown, the selection and the location's hash. Views read the state
// and call its few methods. It does not depend on any view.
import { ServedCore, WorkerCore, type Core, type Request } from '../core/core.ts';
import { bytesOfElement, manifestOfPage, type Manifest } from '../core/embedding.ts';
import type { Overview } from '../core/requests.ts';
import { groupFiles, titleOf, type Grouped, type Source } from './files.ts';
import { readHash, VIEWS, writeHash, type Route, type View } from './hash.ts';
import { shown } from './format.ts';

export interface Program extends Grouped {
  document: number | null;
}

/** Files of a report that tell about time; the core takes them together with the module. */
const ABOUT_TIME = new Set(['autotuning', 'target-config', 'trace']);

class Session {
  programs = $state.raw<Program[]>([]);
  route = $state<Route>({ view: 'overview', program: 0, inst: null, value: null, set: {} });
  overview = $state.raw<Overview | null>(null);
  /** The document of the current program; changes when another program is shown. */
  document = $state<number | null>(null);
  busy = $state('');
  problem = $state('');
  note = $state('');
  hover = $state('');
  manifest = $state.raw<Manifest | null>(null);
  core: Core | null = null;
  private quiet = false;
  private noteTimer = 0;

  get program(): Program | null {
    return this.programs[this.route.program] ?? null;
  }

  /** Reads the page's own data and the hash; called once. */
  async start(): Promise<void> {
    window.addEventListener('hashchange', () => this.followHash());
    try {
      const manifest = manifestOfPage();
      if (!manifest) return;
      this.manifest = manifest;
      document.title = `${shown(manifest.title, 80)} · Haloscope`;
      const served = manifest.source === 'served' && (await ServedCore.answers());
      if (served) this.core = new ServedCore();
      const source = (at: number): Source => {
        const file = manifest.files[at];
        const read = async (): Promise<ArrayBuffer> => {
          if (file.url) return (await fetch(file.url)).arrayBuffer();
          const bytes = file.element ? await bytesOfElement(file.element) : undefined;
          if (!bytes) throw new Error(`The data of ${file.name} is not in this page.`);
          return bytes;
        };
        return { name: file.name, bytes: file.bytes, kind: file.kind, element: file.element, read };
      };
      this.programs = manifest.programs.map((program, at) => ({
        title: program.module,
        stage: [at === manifest.first.against ? 'earlier' : '', program.stage.replaceAll('_', ' '), program.rank].filter(Boolean).join(' · '),
        group: `${at === manifest.first.against ? 'earlier ' : ''}${program.rank}/${program.number}.${program.module}`,
        step: program.step ?? null,
        pipeline: /^\d+\.(.+?)\.after_/.exec(program.stage)?.[1] ?? '',
        pass: program.pass,
        named: program.role === 'named',
        module: program.file === null ? null : source(program.file),
        assignment: program.assignment.map(source),
        beside: program.with.filter((at) => ABOUT_TIME.has(manifest.files[at].kind)).map(source),
        document: served ? at : null,
      }));
      const view = VIEWS.find((name) => name === manifest.first.view) ?? 'overview';
      const set: Record<string, string> = manifest.first.against === undefined ? {} : { against: String(manifest.first.against) };
      const linked = readHash(location.hash);
      await this.show({ program: manifest.first.program, view, ...linked, set: { ...set, ...linked.set } });
    } catch (error) {
      this.problem = (error as Error).message;
    }
  }

  /** Opens files, which replace the open programs. */
  async take(sources: Source[]): Promise<void> {
    const { programs, ignored } = groupFiles(sources);
    if (programs.length === 0) {
      this.say(`No module or buffer assignment found in ${ignored.length} files.`);
      return;
    }
    // A link may have been opened before its file was dropped.
    const linked = this.programs.length === 0 ? readHash(location.hash) : {};
    await this.forget();
    this.manifest = null;
    this.programs = programs.map((group) => ({ ...group, document: null }));
    document.title = `${shown(programs[0].title, 80)} · Haloscope`;
    // The largest module, as the compiler left it.
    const size = (at: number): number => programs[at].module?.bytes ?? 0;
    const largest = programs.reduce((best, _, at) => (size(at) > size(best) ? at : best), 0);
    const last = programs[largest].step === null ? largest : programs.findLastIndex((one) => one.group === programs[largest].group);
    await this.show({ view: 'overview', program: last, inst: null, value: null, set: {}, ...linked });
  }

  /** Opens files beside the open programs. Returns the position of the largest new one, null if there is none. */
  async add(sources: Source[]): Promise<number | null> {
    const added = groupFiles(sources).programs.filter((program) => program.module !== null);
    if (added.length === 0) {
      this.say('No module found in these files.');
      return null;
    }
    const first = this.programs.length;
    // The same names may be open: what is added is told apart.
    this.programs = [...this.programs, ...added.map((group) => ({ ...group, stage: ['added', group.stage].filter(Boolean).join(' · '), group: `added ${first} ${group.group}`, document: null }))];
    const size = (at: number): number => added[at].module!.bytes;
    const largest = added.reduce((best, _, at) => (size(at) > size(best) ? at : best), 0);
    return first + (added[largest].step === null ? largest : added.findLastIndex((one) => one.group === added[largest].group));
  }

  /** Returns the document of a program; opens it if it is not open yet. */
  async documentOf(at: number): Promise<number> {
    const program = this.programs[at];
    program.document ??= await this.openFiles(program);
    return program.document;
  }

  private async forget(): Promise<void> {
    if (!this.core) return;
    for (const program of this.programs) if (program.document !== null) await this.core.close(program.document);
  }

  /** Navigates to a location; opens its program if it is not open yet. */
  async show(to: Partial<Route>): Promise<void> {
    const program = Math.min(to.program ?? this.route.program, Math.max(this.programs.length - 1, 0));
    const other = program !== this.route.program || this.document === null;
    this.route = {
      view: to.view ?? this.route.view,
      program,
      inst: to.inst !== undefined ? to.inst : other ? null : this.route.inst,
      value: to.value !== undefined ? to.value : other ? null : this.route.value,
      set: to.set ?? (other ? {} : this.route.set),
    };
    this.writeRoute();
    if (other && this.programs.length > 0) await this.openProgram(program);
  }

  private async openProgram(at: number): Promise<void> {
    const program = this.programs[at];
    this.document = null;
    this.overview = null;
    this.problem = '';
    this.busy = `Reading ${shown(program.title, 60)}…`;
    try {
      if (program.document === null) program.document = await this.openFiles(program);
      const overview = await this.core!.ask<Overview>(program.document, { ask: 'overview' });
      if (this.programs[this.route.program] !== program) return;
      this.overview = overview;
      this.document = program.document;
    } catch (error) {
      this.problem = (error as Error).message;
    } finally {
      this.busy = '';
    }
  }

  private async openFiles(program: Program): Promise<number> {
    this.core ??= new WorkerCore();
    const core = this.core;
    const documents: number[] = [];
    for (const source of [program.module, ...program.assignment, ...program.beside])
      if (source) documents.push(await core.open(source.name, await source.read()));
    for (const other of documents.slice(1)) await core.ask(documents[0], { ask: 'pair', with: other });
    return documents[0];
  }

  ask<T>(request: Request): Promise<T> {
    if (!this.core || this.document === null) return Promise.reject(new Error('nothing is open'));
    return this.core.ask<T>(this.document, request);
  }

  select(inst: number | null, value: number | null = null): void {
    this.route.inst = inst;
    this.route.value = value;
    this.writeRoute();
  }

  go(view: View): void {
    this.route.view = view;
    this.writeRoute();
  }

  set(key: string, text: string): void {
    if (text === '') delete this.route.set[key];
    else this.route.set[key] = text;
    this.writeRoute();
  }

  setting(key: string, otherwise: string): string {
    return this.route.set[key] ?? otherwise;
  }

  say(text: string): void {
    this.note = text;
    clearTimeout(this.noteTimer);
    this.noteTimer = window.setTimeout(() => (this.note = ''), 6000);
  }

  private writeRoute(): void {
    const hash = writeHash(this.route);
    if (hash === location.hash) return;
    this.quiet = true;
    try {
      history.replaceState(null, '', hash);
    } catch {
      location.hash = hash; // some origins do not allow replacing the history state
    }
    this.quiet = false;
  }

  private followHash(): void {
    if (this.quiet || location.hash === writeHash(this.route)) return;
    const to = readHash(location.hash);
    void this.show({ inst: null, value: null, ...to });
  }
}

export const session = new Session();
export { titleOf };
