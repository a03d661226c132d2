// The editor of the text view: a read-only CodeMirror over a window of the text. Decides how lines, instructions and
// names link to each other; the core decides what they are.
import { defaultKeymap } from '@codemirror/commands';
import { codeFolding, foldAll, foldGutter, foldKeymap, foldService, syntaxHighlighting, unfoldAll } from '@codemirror/language';
import { Compartment, EditorState, RangeSetBuilder, StateEffect, StateField, type Extension } from '@codemirror/state';
import { Decoration, drawSelection, EditorView, hoverTooltip, keymap, lineNumbers, type DecorationSet } from '@codemirror/view';
import type { Request } from '../core/core.ts';
import { NONE, type Found, type InstResult, type TextIndex, type TextLines } from '../core/requests.ts';
import { bytes, count, shown } from '../state/format.ts';
import { hlo, hloColors, nameAt } from './language.ts';
import { bring, foldsHeld, wantsMore, type Held } from './window.ts';

interface Owner {
  ask<T>(request: Request): Promise<T>;
  select(inst: number | null): void;
}

interface Marks {
  line: number;
  operands: number[];
  users: number[];
}

const setMarks = StateEffect.define<Marks>();
const lineClass = (name: string): Decoration => Decoration.line({ class: name });
const SELECTED = lineClass('halo-selected');
const OPERAND = lineClass('halo-operand');
const USER = lineClass('halo-user');

const marksField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, transaction) {
    let next = transaction.docChanged ? Decoration.none : marks;
    for (const effect of transaction.effects) {
      if (!effect.is(setMarks)) continue;
      const lines = new Map<number, Decoration>();
      for (const line of effect.value.users) lines.set(line, USER);
      for (const line of effect.value.operands) lines.set(line, OPERAND);
      lines.set(effect.value.line, SELECTED);
      const builder = new RangeSetBuilder<Decoration>();
      for (const line of [...lines.keys()].sort((a, b) => a - b)) {
        if (line < 0 || line >= transaction.state.doc.lines) continue;
        const from = transaction.state.doc.line(line + 1).from;
        builder.add(from, from, lines.get(line)!);
      }
      next = builder.finish();
    }
    return next;
  },
  provide: (field) => EditorView.decorations.from(field),
});

const look = EditorView.theme({
  '&': { height: '100%', fontSize: '12.5px', backgroundColor: 'var(--bg)', color: 'var(--ink)' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.5' },
  '.cm-gutters': { backgroundColor: 'var(--bg-soft)', color: 'var(--ink-faint)', borderRight: '1px solid var(--line)' },
  '.cm-content': { caretColor: 'var(--select)' },
  '.cm-cursor': { borderLeftColor: 'var(--select)' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
  '.halo-selected': { backgroundColor: 'color-mix(in srgb, var(--select) 18%, transparent)', boxShadow: 'inset 3px 0 var(--select)' },
  '.halo-operand': { backgroundColor: 'rgb(86 180 233 / 13%)', boxShadow: 'inset 3px 0 #56b4e9' },
  '.halo-user': { backgroundColor: 'rgb(230 159 0 / 13%)', boxShadow: 'inset 3px 0 #e69f00' },
  '.cm-selectionBackground, &.cm-focused .cm-selectionBackground': { backgroundColor: 'var(--accent-soft) !important' },
  '.cm-tooltip': { backgroundColor: 'var(--bg-raised)', border: '1px solid var(--line-strong)', borderRadius: '5px', boxShadow: 'var(--shadow)' },
  '.halo-hover': { padding: '6px 10px', maxWidth: '560px', fontFamily: 'var(--mono)', fontSize: '12px', overflowWrap: 'anywhere' },
  '.halo-hover div + div': { color: 'var(--ink-soft)', marginTop: '2px' },
  '.cm-foldPlaceholder': { backgroundColor: 'var(--bg-hover)', border: '0', color: 'var(--ink-soft)', padding: '0 6px' },
});

interface Target {
  inst: number | null;
  line: number;
  facts: string[];
}

export class TextEditor {
  private readonly view: EditorView;
  private readonly index: TextIndex;
  private readonly owner: Owner;
  private readonly numbers = new Compartment();
  private held: Held;
  private folds = new Map<number, number>();
  private compLines = new Map<number, number>();
  private bringing = false;
  private results = new Map<number, Promise<InstResult>>();
  private wanted = 0;

  constructor(root: ShadowRoot, index: TextIndex, owner: Owner) {
    this.index = index;
    this.owner = owner;
    this.held = { from: 0, count: 0, total: index.total, text: '', insts: new Uint32Array(0) };
    index.folds.comp.forEach((comp, i) => this.compLines.set(comp, index.folds.first[i]));
    const frame = document.createElement('div');
    frame.style.height = '100%';
    root.append(frame);
    this.view = new EditorView({ parent: frame, root, state: EditorState.create({ extensions: this.extensions() }) });
    this.view.scrollDOM.addEventListener('scroll', () => void this.follow(), { passive: true });
  }

  private extensions(): Extension {
    return [
      EditorState.readOnly.of(true),
      EditorView.editable.of(false), // so that the page's keyboard shortcuts work here too
      EditorState.lineSeparator.of('\n'),
      EditorView.contentAttributes.of({ 'aria-label': 'HLO text', tabindex: '0' }),
      this.numbers.of(lineNumbers()),
      foldGutter(),
      codeFolding({ placeholderText: '…' }),
      foldService.of((state, from) => {
        const line = state.doc.lineAt(from);
        const last = this.folds.get(line.number - 1);
        return last === undefined || last >= state.doc.lines ? null : { from: line.to, to: state.doc.line(last + 1).to };
      }),
      hlo,
      syntaxHighlighting(hloColors),
      drawSelection(),
      marksField,
      look,
      keymap.of([{ key: 'Enter', run: () => this.goFrom(this.view.state.selection.main.head) }, ...foldKeymap, ...defaultKeymap]),
      EditorView.domEventHandlers({
        click: (event) => this.click(event),
      }),
      hoverTooltip(async (_view, pos) => {
        const target = await this.targetAt(pos);
        if (!target || target.facts.length === 0) return null;
        return { pos, above: true, create: () => ({ dom: facts(target.facts) }) };
      }),
    ];
  }

  lineOf(inst: number): number {
    const line = this.index.inst_lines[inst];
    return line === undefined || line === NONE ? 0 : line;
  }

  /** The first line of a computation; 0 if it has none. */
  lineOfComp(comp: number): number {
    return this.compLines.get(comp) ?? 0;
  }

  focus(): void {
    this.view.focus();
  }

  destroy(): void {
    this.view.destroy();
  }

  foldAll(): void {
    foldAll(this.view);
  }

  unfoldAll(): void {
    unfoldAll(this.view);
  }

  /** Scrolls to a line of the whole text and marks an instruction with its operands and users. */
  async show(line: number | null, inst: number | null): Promise<void> {
    const mine = ++this.wanted;
    if (line !== null && (line < this.held.from || line >= this.held.from + this.held.count)) await this.hold(line);
    if (mine !== this.wanted) return;
    if (line !== null) this.scrollTo(line, 'center');
    await this.mark(inst);
  }

  /** Scrolls so that a line of the whole text is the first in sight. */
  async showFrom(line: number): Promise<void> {
    const mine = ++this.wanted;
    await this.hold(line);
    if (mine === this.wanted) this.scrollTo(line, 'start');
  }

  private scrollTo(line: number, y: 'center' | 'start'): void {
    const doc = this.view.state.doc;
    const target = doc.line(Math.max(1, Math.min(line - this.held.from + 1, doc.lines)));
    this.view.dispatch({ selection: { anchor: target.from }, effects: EditorView.scrollIntoView(target.from, { y, x: 'start' }) });
  }

  private async hold(line: number): Promise<void> {
    this.held = await bring((from, lines) => this.owner.ask<TextLines>({ ask: 'text', from, lines }), this.index.total, line);
    this.folds = foldsHeld(this.index, this.held);
    const first = this.held.from;
    this.view.dispatch({
      changes: { from: 0, to: this.view.state.doc.length, insert: this.held.text },
      effects: this.numbers.reconfigure(lineNumbers({ formatNumber: (n) => String(n + first) })),
    });
  }

  /** Loads another part when the end of the loaded window becomes visible. */
  private async follow(): Promise<void> {
    if (this.bringing) return;
    const { scrollTop, clientHeight } = this.view.scrollDOM;
    const seen = (y: number): number => this.view.state.doc.lineAt(this.view.lineBlockAtHeight(y).from).number - 1;
    const first = seen(scrollTop);
    if (!wantsMore(this.held, first, seen(scrollTop + clientHeight))) return;
    this.bringing = true;
    const line = this.held.from + first;
    await this.hold(line);
    this.scrollTo(line, 'start');
    this.bringing = false;
  }

  private inst(id: number): Promise<InstResult> {
    let result = this.results.get(id);
    if (!result) {
      if (this.results.size > 500) this.results.clear();
      result = this.owner.ask<InstResult>({ ask: 'inst', inst: id });
      this.results.set(id, result);
    }
    return result;
  }

  private async mark(inst: number | null): Promise<void> {
    if (inst === null) {
      this.view.dispatch({ effects: setMarks.of({ line: -1, operands: [], users: [] }) });
      return;
    }
    const mine = this.wanted;
    const result = await this.inst(inst);
    if (mine !== this.wanted) return;
    const lines = (ids: Uint32Array): number[] => [...ids].filter((id) => id !== NONE).map((id) => this.lineOf(id) - this.held.from);
    this.view.dispatch({
      effects: setMarks.of({ line: this.lineOf(inst) - this.held.from, operands: lines(result.operands.insts), users: lines(result.users.insts) }),
    });
  }

  private click(event: MouseEvent): boolean {
    const pos = this.view.posAtCoords({ x: event.clientX, y: event.clientY });
    if (pos === null) return false;
    if (event.ctrlKey || event.metaKey) return this.goFrom(pos);
    const inst = this.held.insts[this.view.state.doc.lineAt(pos).number - 1];
    if (inst === undefined || inst === NONE || !this.view.state.selection.main.empty) return false;
    this.wanted++;
    this.owner.select(inst);
    void this.mark(inst);
    return false;
  }

  private goFrom(pos: number): boolean {
    void this.targetAt(pos).then((target) => {
      if (!target) return;
      if (target.inst !== null) this.owner.select(target.inst);
      void this.show(target.line, target.inst);
    });
    return true;
  }

  /** Resolves the name at a position in the editor: an instruction or a computation. */
  private async targetAt(pos: number): Promise<Target | null> {
    const line = this.view.state.doc.lineAt(pos);
    const name = nameAt(line.text, pos - line.from);
    if (name === '') return null;
    const here = this.held.insts[line.number - 1];
    if (here !== undefined && here !== NONE) {
      const result = await this.inst(here);
      if (result.name.replace(/^%/, '') === name) return this.target(result);
      for (let i = 0; i < result.operands.names.length; i++)
        if (result.operands.names.at(i).replace(/^%/, '') === name) return this.target(await this.inst(result.operands.insts[i]));
      for (const called of result.calls)
        if (called.name.replace(/^%/, '') === name)
          return {
            inst: null,
            line: this.compLines.get(called.comp) ?? 0,
            facts: [shown(called.name, 200), `computation of ${count(called.instructions)} instructions`],
          };
    }
    if (name.length < 2) return null;
    const found = await this.owner.ask<Found>({ ask: 'search', query: name, limit: 20 });
    for (let i = 0; i < found.names.length; i++)
      if (found.names.at(i).replace(/^%/, '') === name) return this.target(await this.inst(found.insts[i]));
    return null;
  }

  private target(result: InstResult): Target {
    const list = [
      `${shown(result.name, 160)}  ${shown(result.opcode, 60)}`,
      `${shown(result.shape, 200)}${result.bytes >= 0 ? `  ${bytes(result.bytes)}` : ''}`,
    ];
    if (result.op_name) list.push(shown(result.op_name, 300));
    if (result.source_file) list.push(`${shown(result.source_file, 200)}${result.source_line > 0 ? `:${result.source_line}` : ''}`);
    list.push(`${count(result.operands.total)} operands, ${count(result.users.total)} users`);
    return { inst: result.inst, line: this.lineOf(result.inst), facts: list };
  }
}

function facts(list: string[]): HTMLElement {
  const box = document.createElement('div');
  box.className = 'halo-hover';
  for (const text of list) {
    const row = document.createElement('div');
    row.textContent = text;
    box.append(row);
  }
  return box;
}
