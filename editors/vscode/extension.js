// SPDX-License-Identifier: Apache-2.0
// Starts `xylem lsp` and connects the editor with it.
const vscode = require('vscode');
const { LanguageClient, TransportKind } = require('vscode-languageclient/node');

let client;

async function start() {
  const command = vscode.workspace.getConfiguration('xylem').get('path') || 'xylem';
  client = new LanguageClient(
      'xylem', 'Xylem', { command, args: ['lsp'], transport: TransportKind.stdio },
      { documentSelector: [{ language: 'hlo' }, { language: 'mlir' }] });
  try {
    await client.start();
  } catch (error) {
    vscode.window.showWarningMessage(
        `The command ${command} does not start: ${error.message}. The setting xylem.path names another.`);
  }
}

async function activate(context) {
  context.subscriptions.push(vscode.workspace.onDidChangeConfiguration(async (event) => {
    if (!event.affectsConfiguration('xylem.path')) return;
    if (client) await client.stop().catch(() => {});
    await start();
  }));
  await start();
}

function deactivate() {
  return client ? client.stop() : undefined;
}

module.exports = { activate, deactivate };
