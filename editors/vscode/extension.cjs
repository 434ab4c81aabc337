// VS Code extension of the debugger for recordings. VS Code loads these files as they are; nothing is built.
'use strict';
const vscode = require('vscode');
const { adapterFactory } = require('./lib/debug-adapter.cjs');
const { Failures } = require('./lib/failures.cjs');
const { MoveCommands } = require('./lib/move-commands.cjs');
const { OpenCommands, configurationProvider } = require('./lib/open-commands.cjs');
const { Recordings } = require('./lib/recordings-view.cjs');
const { Requests } = require('./lib/requests-view.cjs');
const { PositionItem, Sessions, TYPE } = require('./lib/sessions.cjs');

function activate({ subscriptions }) {
  const failures = new Failures();
  const sessions = new Sessions();
  const moves = new MoveCommands(sessions);
  const recordings = new Recordings(failures);
  const requests = new Requests(sessions, moves);
  const commands = {
    ...moves.commands,
    ...requests.commands,
    ...new OpenCommands(recordings, failures).commands,
    'turntable.refreshRecordings': () => recordings.refresh(),
    'turntable.showOutput': () => failures.showOutput(),
  };
  subscriptions.push(failures, sessions, recordings, requests, new PositionItem(sessions));
  for (const [name, run] of Object.entries(commands)) subscriptions.push(vscode.commands.registerCommand(name, run));
  subscriptions.push(
    vscode.debug.registerDebugAdapterDescriptorFactory(TYPE, adapterFactory(failures)),
    vscode.debug.registerDebugConfigurationProvider(TYPE, configurationProvider),
  );
}

module.exports = { activate };
