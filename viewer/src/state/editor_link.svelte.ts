// Links the page with the code editor that shows it in a panel (editors/vscode). A line selected in the editor selects
// its instruction here; an instruction selected here is reported with its line. Without such an editor this does nothing:
// the page takes no messages from other windows.
import { NONE, type InstResult, type TextLines } from '../core/requests.ts';
import { messageOf, type FromPage } from './editor_messages.ts';
import { session } from './session.svelte.ts';
import { followTheme } from './theme.svelte.ts';

interface Editor {
  postMessage(message: unknown): void;
}

export function startEditorLink(): void {
  const acquire = (globalThis as { acquireVsCodeApi?: () => Editor }).acquireVsCodeApi;
  if (!acquire) return;
  const editor = acquire();
  const tell = (message: FromPage): void => editor.postMessage(message);
  /** The line to show as soon as the program is open. */
  let wanted = $state<number | null>(null);
  /** What the editor itself selected, which it need not be told. */
  let known: number | null = null;

  window.addEventListener('message', (event) => {
    const message = messageOf(event.data);
    if (message?.type === 'show') wanted = message.line;
    if (message?.type === 'view') session.go(message.view);
    if (message?.type === 'theme') followTheme(message.dark);
  });

  $effect.root(() => {
    $effect(() => {
      const line = wanted;
      if (line === null || session.document === null || session.route.view === 'diff') return;
      wanted = null;
      session
        .ask<TextLines>({ ask: 'text', from: line, lines: 1, width: 1 })
        .then((result) => {
          const inst = result.insts[0] ?? NONE;
          if (result.from !== line || inst === NONE || inst === session.route.inst) return;
          known = inst;
          session.select(inst);
        })
        .catch(() => undefined); // a buffer assignment alone has no text
    });
    $effect(() => {
      const inst = session.route.inst;
      if (session.document === null || inst === null || inst === known || session.route.view === 'diff') return;
      known = inst;
      session
        .ask<InstResult>({ ask: 'inst', inst })
        .then((result) => {
          if (session.route.inst === inst) tell({ type: 'selected', line: result.line, name: result.name });
        })
        .catch(() => undefined);
    });
  });
  tell({ type: 'ready' });
}
