// The extension on a desktop or a server: everything of the browser's, and what the `halo` command adds: the language
// server, reports of whole dumps, checks and runs.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { registerActions } from './actions.ts';
import { NotFound, run } from './halo.ts';
import { LanguageServer } from './language_server.ts';
import { pageMaker, viewerPage } from './page.ts';
import type { MakePage, Opening } from './panel.ts';
import { registerTasks } from './tasks.ts';

/** A page by `halo report`, which also reads what belongs to the file in its dump: assignments, profiles, other stages. */
async function report(context: vscode.ExtensionContext, { document, view, against }: Opening): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'haloscope-'));
  try {
    const page = join(folder, 'page.html');
    const compared = against ? ['--against', against.fsPath] : [];
    // Exit code 1: a file of the dump was left out because it cannot be read.
    await run(['report', document.uri.fsPath, '--view', view, '--page', viewerPage(context).fsPath, '-o', page, ...compared], [0, 1]);
    return await readFile(page, 'utf8');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export function activate(context: vscode.ExtensionContext): void {
  const withoutCommand = pageMaker(context);
  const makePage: MakePage = async (opening) => {
    const { document, against } = opening;
    const onDisk = document.uri.scheme === 'file' && !document.isDirty && (against?.scheme ?? 'file') === 'file';
    if (!onDisk) return withoutCommand(opening);
    try {
      return await report(context, opening);
    } catch (error) {
      if (error instanceof NotFound) return withoutCommand(opening);
      throw error;
    }
  };
  registerActions(context, makePage);
  // The menus' own `isWeb` is also true where a browser shows the files of a server, and commands do run there.
  void vscode.commands.executeCommand('setContext', 'haloscope.canRun', true);
  const server = new LanguageServer(context);
  registerTasks(context, () => server.running);
  void server.restart();
}
