// Runs `halo lsp` and connects it with the editor. Restarts it when the settings change or on request; without the
// command, says once what is missing.
import * as vscode from 'vscode';
import { LanguageClient } from 'vscode-languageclient/node';
import { halo, run, tellMissing } from './halo.ts';

export class LanguageServer implements vscode.Disposable {
  private client: LanguageClient | undefined;
  private starting: Promise<void> = Promise.resolve();
  private told = false;

  constructor(private readonly context: vscode.ExtensionContext) {
    context.subscriptions.push(
      this,
      vscode.commands.registerCommand('haloscope.restartServer', () => this.restart()),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('haloscope.path') || event.affectsConfiguration('haloscope.languageServer')) void this.restart();
      }),
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.restart()),
    );
  }

  /** Whether the server reports problems, so that others need not. */
  get running(): boolean {
    return this.client?.isRunning() ?? false;
  }

  restart(): Promise<void> {
    this.told = false;
    this.starting = this.starting.then(async () => {
      await this.client?.dispose();
      this.client = undefined;
      await this.start();
    });
    return this.starting;
  }

  private async start(): Promise<void> {
    if (!vscode.workspace.isTrusted || !vscode.workspace.getConfiguration('haloscope').get('languageServer.enabled', true)) return;
    try {
      const command = halo();
      const help = await run(['lsp', '--help']).catch(() => '');
      if (!help.includes('halo lsp')) throw new Error(`${command} has no language server. Install a newer version of halo.`);
      const client = new LanguageClient(
        'haloscope',
        'Haloscope',
        { command, args: ['lsp'] },
        {
          documentSelector: [{ language: 'hlo', scheme: 'file' }, { language: 'hlo', scheme: 'untitled' }],
          middleware: {
            // The server's lenses tell memory and time; a click on one opens the map.
            provideCodeLenses: async (document, token, next) => {
              const lenses = await next(document, token);
              for (const { command } of lenses ?? []) {
                if (command?.command === '') Object.assign(command, { command: 'haloscope.openMemoryMap', arguments: [document.uri] });
              }
              return lenses;
            },
          },
        },
      );
      this.client = client;
      await client.start();
    } catch (error) {
      if (this.told) return;
      this.told = true;
      void tellMissing(this.context, error as Error);
    }
  }

  dispose(): void {
    void this.client?.dispose();
  }
}
