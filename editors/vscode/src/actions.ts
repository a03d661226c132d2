// What works with and without the command: recognizing HLO in .txt files, opening the viewer, and comparing two files.
import * as vscode from 'vscode';
import { isModule } from './lines.ts';
import { documentOfPanel, ViewerPanels, type MakePage, type View } from './panel.ts';

/** The document of the active editor or panel, or of the one that a menu names. */
export async function documentOf(uri?: vscode.Uri): Promise<vscode.TextDocument | undefined> {
  const document = uri ? await vscode.workspace.openTextDocument(uri) : (documentOfPanel() ?? vscode.window.activeTextEditor?.document);
  if (!document) void vscode.window.showInformationMessage('Open an HLO file first.');
  return document;
}

/** The other file of a comparison: an open HLO document, or one that the user picks. */
async function pickOther(than: vscode.Uri): Promise<vscode.Uri | undefined> {
  const open = vscode.workspace.textDocuments.filter((one) => one.languageId === 'hlo' && one.uri.toString() !== than.toString() && !one.isUntitled);
  const browse = { label: '$(folder-opened) Choose a file…', uri: undefined };
  const items = [...open.map((one) => ({ label: vscode.workspace.asRelativePath(one.uri), uri: one.uri as vscode.Uri | undefined })), browse];
  const picked = items.length > 1 ? await vscode.window.showQuickPick(items, { placeHolder: 'The earlier program to compare with' }) : browse;
  if (picked !== browse) return picked?.uri;
  const chosen = await vscode.window.showOpenDialog({ defaultUri: vscode.Uri.joinPath(than, '..'), openLabel: 'Compare', title: 'The earlier program to compare with' });
  return chosen?.[0];
}

/** XLA names its dumps .txt: those that begin with a module get the language. */
function recognize(document: vscode.TextDocument): void {
  if (document.languageId !== 'plaintext' || !isModule(document.getText(new vscode.Range(0, 0, 40, 200)))) return;
  void vscode.languages.setTextDocumentLanguage(document, 'hlo');
}

export function registerActions(context: vscode.ExtensionContext, makePage: MakePage): void {
  const panels = new ViewerPanels(makePage);
  const open = (view: View) => async (uri?: vscode.Uri) => {
    const document = await documentOf(uri instanceof vscode.Uri ? uri : undefined);
    if (document) await panels.open({ document, view }).catch(failed);
  };
  const failed = (error: unknown): void => void vscode.window.showErrorMessage(`Haloscope: ${(error as Error).message}`);
  context.subscriptions.push(
    panels,
    vscode.commands.registerCommand('haloscope.openMemoryMap', open('memory')),
    vscode.commands.registerCommand('haloscope.openViewer', open('overview')),
    vscode.commands.registerCommand('haloscope.compareWith', async (uri?: vscode.Uri, other?: vscode.Uri) => {
      const document = await documentOf(uri instanceof vscode.Uri ? uri : undefined);
      if (!document) return;
      const against = other instanceof vscode.Uri ? other : await pickOther(document.uri);
      if (against) await panels.open({ document, view: 'diff', against }).catch(failed);
    }),
    vscode.workspace.onDidOpenTextDocument(recognize),
  );
  vscode.workspace.textDocuments.forEach(recognize);
}
