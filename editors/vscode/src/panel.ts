// The viewer in panels beside the text: one for each document, and one for each comparison. A line selected in the text is
// selected in the panel, and an instruction selected in the panel is revealed in the text. What makes the page is passed
// in: the command on a desktop, the page's own WebAssembly core elsewhere.
import * as vscode from 'vscode';
import { definedOn, lineOf } from './lines.ts';

export type View = 'overview' | 'memory' | 'diff';

export interface Opening {
  document: vscode.TextDocument;
  view: View;
  /** The earlier program of a comparison. */
  against?: vscode.Uri;
}

export type MakePage = (opening: Opening) => Promise<string>;

type FromPage = { type: 'ready' } | { type: 'selected'; line: number; name: string };

interface Shown {
  panel: vscode.WebviewPanel;
  opening: Opening;
  ready: boolean;
}

const all = new Set<Shown>();

/** The document of the panel that has the focus. */
export function documentOfPanel(): vscode.TextDocument | undefined {
  return [...all].find((one) => one.panel.active)?.opening.document;
}

function fileName(uri: vscode.Uri): string {
  return uri.path.slice(uri.path.lastIndexOf('/') + 1);
}

function isDark(): boolean {
  return [vscode.ColorThemeKind.Dark, vscode.ColorThemeKind.HighContrast].includes(vscode.window.activeColorTheme.kind);
}

export class ViewerPanels implements vscode.Disposable {
  private readonly shown = new Map<string, Shown>();
  private readonly subscriptions: vscode.Disposable[] = [];

  constructor(private readonly makePage: MakePage) {
    this.subscriptions.push(
      vscode.window.onDidChangeTextEditorSelection((event) => this.follow(event)),
      vscode.workspace.onDidSaveTextDocument((document) => this.refresh(document)),
      vscode.window.onDidChangeActiveColorTheme(() => {
        for (const one of this.shown.values()) void one.panel.webview.postMessage({ type: 'theme', dark: isDark() });
      }),
    );
  }

  dispose(): void {
    for (const one of this.subscriptions) one.dispose();
    for (const one of [...this.shown.values()]) one.panel.dispose();
  }

  async open(opening: Opening): Promise<void> {
    const { document, view, against } = opening;
    const key = `${document.uri}\n${against ?? ''}`;
    const existing = this.shown.get(key);
    if (existing) {
      existing.panel.reveal(undefined, true);
      void existing.panel.webview.postMessage({ type: 'view', view });
      return;
    }
    const html = await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Window, title: `Haloscope: reading ${fileName(document.uri)}` },
      () => this.makePage(opening),
    );
    const title = against ? `${fileName(against)} ↔ ${fileName(document.uri)}` : `Viewer: ${fileName(document.uri)}`;
    const panel = vscode.window.createWebviewPanel('haloscope.viewer', title, { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true }, {
      enableScripts: true,
      retainContextWhenHidden: true,
      localResourceRoots: [], // the page contains everything it needs
    });
    const shown: Shown = { panel, opening, ready: false };
    this.shown.set(key, shown);
    all.add(shown);
    panel.onDidDispose(() => {
      this.shown.delete(key);
      all.delete(shown);
    });
    panel.webview.onDidReceiveMessage((message: FromPage) => this.take(shown, message));
    panel.webview.html = html;
  }

  private async refresh(document: vscode.TextDocument): Promise<void> {
    for (const one of this.shown.values()) {
      if (one.opening.document.uri.toString() !== document.uri.toString()) continue;
      one.ready = false;
      one.panel.webview.html = await this.makePage(one.opening);
    }
  }

  private take(shown: Shown, message: FromPage): void {
    if (message.type === 'ready') {
      shown.ready = true;
      void shown.panel.webview.postMessage({ type: 'theme', dark: isDark() });
      const editor = vscode.window.visibleTextEditors.find((one) => one.document === shown.opening.document);
      if (editor) this.select(shown, editor);
    } else if (message.type === 'selected' && Number.isInteger(message.line) && typeof message.name === 'string') {
      void this.reveal(shown, message.line, message.name);
    }
  }

  private async reveal(shown: Shown, expected: number, name: string): Promise<void> {
    const document = shown.opening.document;
    const line = lineOf(document, expected, name);
    if (line === null) return;
    const beside = vscode.window.visibleTextEditors.find((one) => one.document.uri.toString() === document.uri.toString());
    const editor = beside ?? (await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.One, preserveFocus: true }));
    const begin = definedOn(document.lineAt(line).text)!.column;
    editor.selection = new vscode.Selection(line, begin, line, begin + name.length);
    editor.revealRange(editor.selection, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  }

  private follow(event: vscode.TextEditorSelectionChangeEvent): void {
    if (event.kind === undefined) return; // set by this extension
    for (const shown of this.shown.values()) {
      if (shown.opening.document.uri.toString() === event.textEditor.document.uri.toString()) this.select(shown, event.textEditor);
    }
  }

  private select(shown: Shown, editor: vscode.TextEditor): void {
    const line = editor.selection.active.line;
    if (shown.ready && definedOn(editor.document.lineAt(line).text)) void shown.panel.webview.postMessage({ type: 'show', line });
  }
}
