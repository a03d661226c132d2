// "Check" and "Run". A check's problems are listed with their lines. A run is a task: it runs in a terminal, where it can be
// stopped, and what it reports with a location becomes a problem too.
import * as vscode from 'vscode';
import { documentOf } from './actions.ts';
import { halo, NotFound, run, tellMissing } from './halo.ts';

/** An entry of `diagnostics` in the JSON of `halo check` (docs/json.md). */
interface Reported {
  code: string;
  severity: string;
  message: string;
  line?: number;
  column?: number;
  help?: string;
}

function problem(document: vscode.TextDocument, { code, severity, message, line = 1, column = 1, help }: Reported): vscode.Diagnostic {
  const at = document.validatePosition(new vscode.Position(line - 1, column - 1));
  const range = document.getWordRangeAtPosition(at) ?? new vscode.Range(at, at.translate(0, 1));
  const kind = severity === 'error' ? vscode.DiagnosticSeverity.Error : vscode.DiagnosticSeverity.Warning;
  const made = new vscode.Diagnostic(range, help ? `${message}\n${help}` : message, kind);
  made.code = code;
  made.source = 'halo';
  return made;
}

/** Lists the problems of a file; the language server's are there already. */
async function check(document: vscode.TextDocument, problems: vscode.DiagnosticCollection, listed: boolean): Promise<void> {
  const result = JSON.parse(await run(['check', '--json', document.uri.fsPath], [0, 1, 2])) as { diagnostics: Reported[] };
  problems.set(document.uri, listed ? [] : result.diagnostics.map((one) => problem(document, one)));
  if (result.diagnostics.length > 0) await vscode.commands.executeCommand('workbench.actions.view.problems');
  else void vscode.window.showInformationMessage('halo check found no problems.');
}

async function execute(document: vscode.TextDocument): Promise<void> {
  const file = document.uri.fsPath;
  const more = vscode.workspace.getConfiguration('haloscope').get<string[]>('run.arguments', ['--random', '1']);
  const execution = new vscode.ProcessExecution(halo(), ['run', file, ...more]);
  const name = `run ${vscode.workspace.asRelativePath(document.uri)}`;
  const task = new vscode.Task({ type: 'process', task: name }, vscode.TaskScope.Workspace, name, 'halo', execution, ['$halo']);
  task.presentationOptions = { reveal: vscode.TaskRevealKind.Always, panel: vscode.TaskPanelKind.Dedicated, clear: true };
  await vscode.tasks.executeTask(task);
}

export function registerTasks(context: vscode.ExtensionContext, diagnosesAlready: () => boolean): void {
  const problems = vscode.languages.createDiagnosticCollection('halo check');
  const command = (name: string, act: (document: vscode.TextDocument) => Promise<void>) =>
    vscode.commands.registerCommand(`haloscope.${name}`, async (uri?: vscode.Uri) => {
      const document = await documentOf(uri instanceof vscode.Uri ? uri : undefined);
      if (!document) return;
      if (document.uri.scheme !== 'file') {
        void vscode.window.showInformationMessage('Save the text to a file first: the halo command reads it from disk.');
        return;
      }
      if (document.isDirty && !(await document.save())) return;
      await act(document).catch((error: Error) => {
        if (error instanceof NotFound) void tellMissing(context, error);
        else void vscode.window.showErrorMessage(`Haloscope: ${error.message}`);
      });
    });
  context.subscriptions.push(
    problems,
    vscode.workspace.onDidChangeTextDocument(({ document }) => problems.delete(document.uri)), // they may be solved
    command('check', (document) => check(document, problems, diagnosesAlready())),
    command('run', execute),
  );
}
