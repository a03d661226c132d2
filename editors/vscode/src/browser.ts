// The extension in a browser (vscode.dev, github.dev), where no command can run: colors, the viewer and comparisons.
import type * as vscode from 'vscode';
import { registerActions } from './actions.ts';
import { pageMaker } from './page.ts';

export function activate(context: vscode.ExtensionContext): void {
  registerActions(context, pageMaker(context));
}
