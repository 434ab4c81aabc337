// VS Code extension of the debugger for recordings: starts `turntable dap` and offers a command for each move of the
// time machine. VS Code loads this file as it is; nothing is built.
'use strict';
const vscode = require('vscode');

/** @returns {import('vscode').DebugSession | undefined} the active session if it debugs a recording */
function session() {
  const active = vscode.debug.activeDebugSession;
  if (active?.type === 'turntable') return active;
  void vscode.window.showInformationMessage('No recording is open in the debugger.');
  return undefined;
}

async function runMove(move, direction, args) {
  const result = await session()?.customRequest('turntable/move', { move, direction, arguments: args });
  if (result?.found === false) void vscode.window.showInformationMessage(result.reason ?? 'No such position.');
}

/** Lets the user pick one of the server's moves, in both directions. */
async function pickMove() {
  const { moves } = (await session()?.customRequest('turntable/moves')) ?? { moves: [] };
  const items = moves.flatMap((move) => {
    const directions = move.directions.length === 0 ? [undefined] : move.directions;
    return directions.map((direction) => ({
      label: move.title.replace('{next}', direction === 'backward' ? 'previous' : 'next'),
      description: move.group,
      move,
      direction,
    }));
  });
  const chosen = await vscode.window.showQuickPick(items, { placeHolder: 'Move to', matchOnDescription: true });
  if (chosen === undefined) return;
  const args = {};
  for (const { name, title, defaultDescription } of chosen.move.parameters) {
    const prompt = defaultDescription === undefined ? title : `${title} (otherwise ${defaultDescription})`;
    const value = await vscode.window.showInputBox({ title: chosen.label, prompt });
    if (value === undefined) return;
    if (value !== '') args[name] = value;
  }
  await runMove(chosen.move.id, chosen.direction, args);
}

async function goToTarget() {
  const prompt = 'A position (2.137 or 2.137:45.2), a percentage (50%), a time (+1.5s), start or end';
  const target = await vscode.window.showInputBox({ prompt });
  if (target) await runMove('goto', undefined, { target });
}

function activate({ subscriptions }) {
  const commands = {
    'turntable.move': pickMove,
    'turntable.goto': goToTarget,
    'turntable.sender': () => runMove('sender'),
    'turntable.nextTurn': () => runMove('turn', 'forward'),
    'turntable.previousTurn': () => runMove('turn', 'backward'),
  };
  for (const [name, run] of Object.entries(commands)) subscriptions.push(vscode.commands.registerCommand(name, run));
  const factory = {
    createDebugAdapterDescriptor: ({ workspaceFolder }) => {
      const [command, ...args] = vscode.workspace.getConfiguration('turntable', workspaceFolder).get('command');
      const cwd = workspaceFolder?.uri.fsPath;
      return new vscode.DebugAdapterExecutable(command, args, cwd === undefined ? undefined : { cwd });
    },
  };
  subscriptions.push(vscode.debug.registerDebugAdapterDescriptorFactory('turntable', factory));
}

module.exports = { activate };
