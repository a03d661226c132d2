// "Check" and "Run" as tasks: the command runs in a terminal, where it can be stopped, and what it reports with a location
// becomes a problem of the file.
import * as vscode from 'vscode';
import { documentOf } from './actions.ts';
import { halo, tellMissing } from './halo.ts';

function task(name: string, uri: vscode.Uri, args: string[], matchers: string[]): vscode.Task {
  const definition = { type: 'process', task: name };
  const made = new vscode.Task(definition, vscode.TaskScope.Workspace, `${name} ${vscode.workspace.asRelativePath(uri)}`, 'halo', new vscode.ProcessExecution(halo(), args), matchers);
  made.presentationOptions = { reveal: vscode.TaskRevealKind.Always, panel: vscode.TaskPanelKind.Dedicated, clear: true };
  return made;
}

export function registerTasks(context: vscode.ExtensionContext, diagnosesAlready: () => boolean): void {
  const command = (name: string, make: (file: string) => vscode.Task) =>
    vscode.commands.registerCommand(`haloscope.${name}`, async (uri?: vscode.Uri) => {
      const document = await documentOf(uri instanceof vscode.Uri ? uri : undefined);
      if (!document) return;
      if (document.uri.scheme !== 'file') {
        void vscode.window.showInformationMessage('Save the text to a file first: the halo command reads it from disk.');
        return;
      }
      if (document.isDirty && !(await document.save())) return;
      try {
        await vscode.tasks.executeTask(make(document.uri.fsPath));
      } catch (error) {
        void tellMissing(context, error as Error);
      }
    });
  context.subscriptions.push(
    // The language server shows the same problems already.
    command('check', (file) => task('check', vscode.Uri.file(file), ['check', file], diagnosesAlready() ? [] : ['$halo'])),
    command('run', (file) => {
      const more = vscode.workspace.getConfiguration('haloscope').get<string[]>('run.arguments', ['--random', '1']);
      return task('run', vscode.Uri.file(file), ['run', file, ...more], ['$halo']);
    }),
  );
}
