// Finds and runs the `halo` command: the path of the settings, or the first in PATH. It never uses a shell, and never
// runs anything in a workspace that is not trusted.
import { execFile } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import * as vscode from 'vscode';

export class NotFound extends Error {}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** The command's path, or null. `set` is the path of the settings, which wins; it may begin with ~. */
export function find(set: string, path: string, windows = process.platform === 'win32'): string | null {
  if (set !== '') {
    const full = set.replace(/^~(?=[\\/])/, homedir());
    return isProgram(full) ? full : null;
  }
  const name = windows ? 'halo.exe' : 'halo';
  const folders = path.split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, name)).find(isProgram) ?? null;
}

/** The command's path. Throws what to tell the user if there is none. */
export function halo(): string {
  if (!vscode.workspace.isTrusted) throw new NotFound('This workspace is not trusted, so the halo command is not run.');
  const set = vscode.workspace.getConfiguration('haloscope').get('path', '').trim();
  const found = find(set, process.env.PATH ?? '');
  if (found) return found;
  throw new NotFound(
    set === ''
      ? 'The halo command was not found in PATH. Install it, or set its path.'
      : `There is no halo command at ${set} (setting haloscope.path).`,
  );
}

/** Tells that the command is missing, and how to get it. */
export async function tellMissing(context: vscode.ExtensionContext, error: Error): Promise<void> {
  const choice = await vscode.window.showWarningMessage(error.message, 'How to Install', 'Set Path');
  if (choice === 'How to Install') await vscode.commands.executeCommand('markdown.showPreview', vscode.Uri.joinPath(context.extensionUri, 'README.md'));
  if (choice === 'Set Path') await vscode.commands.executeCommand('workbench.action.openSettings', 'haloscope.path');
}

/** Runs the command to its end. Rejects with its own message unless the exit code is one of `allowed`. */
export function run(args: string[], allowed = [0]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(halo(), args, { maxBuffer: 64 << 20, env: { ...process.env, NO_COLOR: '1' } }, (error, stdout, stderr) => {
      const code = error ? (error.code as unknown) : 0;
      if (typeof code === 'number' && allowed.includes(code)) resolve(stdout);
      else reject(new Error(stderr.trim().slice(0, 1000) || error?.message || `halo ${args[0]} failed`));
    });
  });
}
