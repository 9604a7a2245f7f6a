// SPDX-License-Identifier: Apache-2.0
// Starts `ptoasm lsp` for .pto files; the settings `ptoasm.*` are sent to it.
const { LanguageClient } = require('vscode-languageclient/node');

let client;

exports.activate = () => {
  const server = { command: 'ptoasm', args: ['lsp'] };
  client = new LanguageClient('ptoasm', 'ptoasm', { run: server, debug: server }, {
    documentSelector: [{ language: 'pto' }],
    synchronize: { configurationSection: 'ptoasm' },
  });
  return client.start();
};

exports.deactivate = () => (client ? client.stop() : undefined);
