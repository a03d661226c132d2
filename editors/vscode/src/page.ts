// Makes the viewer's page for a document without the command: the page that comes with the extension, with the document's
// text as it is in the editor and the parts of its buffer assignment that are in the same folder.
import * as vscode from 'vscode';
import { embed, moduleName, partsBeside, type PageFile, type PageProgram } from './embed.ts';
import type { MakePage } from './panel.ts';

export function viewerPage(context: vscode.ExtensionContext): vscode.Uri {
  return vscode.Uri.joinPath(context.extensionUri, 'dist', 'viewer.html');
}

async function programOf(uri: vscode.Uri, text: string): Promise<PageProgram> {
  const name = uri.path.slice(uri.path.lastIndexOf('/') + 1);
  const folder = vscode.Uri.joinPath(uri, '..');
  const files: PageFile[] = [{ name, kind: 'module-text', bytes: new TextEncoder().encode(text) }];
  if (uri.scheme !== 'untitled') {
    const beside = await vscode.workspace.fs.readDirectory(folder).then(
      (entries) => entries.map(([entry]) => entry),
      () => [], // a file system may not list folders
    );
    for (const part of partsBeside(name, beside)) {
      files.push({ ...part, bytes: await vscode.workspace.fs.readFile(vscode.Uri.joinPath(folder, part.name)) });
    }
  }
  return { title: moduleName(text), files };
}

export function pageMaker(context: vscode.ExtensionContext): MakePage {
  return async ({ document, view, against }) => {
    const page = new TextDecoder().decode(await vscode.workspace.fs.readFile(viewerPage(context)));
    const programs = [await programOf(document.uri, document.getText())];
    if (against) programs.push(await programOf(against, new TextDecoder().decode(await vscode.workspace.fs.readFile(against))));
    const version = (context.extension.packageJSON as { version: string }).version;
    return embed(page, view, programs, `haloscope for VS Code ${version}`);
  };
}
