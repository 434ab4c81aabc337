// The debugger of recordings in VS Code: starts `turntable dap`, and has a command for each move that the time machine describes. Nothing is built: VS Code loads this file.
'use strict';
const vscode = require('vscode');

/** @returns {import('vscode').DebugSession | undefined} of a recording */
function session() {
  const active = vscode.debug.activeDebugSession;
  if (active?.type === 'turntable') return active;
  void vscode.window.showInformationMessage('No recording is open in the debugger.');
  return undefined;
}

async function go(move, direction, its) {
  const landed = await session()?.customRequest('turntable/move', { move, direction, arguments: its });
  if (landed?.found === false) void vscode.window.showInformationMessage(landed.why ?? 'There is no such place.');
}

/** All that the server describes, in both directions. */
async function anyMove() {
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
  const chosen = await vscode.window.showQuickPick(items, { placeHolder: 'Go to', matchOnDescription: true });
  if (chosen === undefined) return;
  const its = {};
  for (const { name, title, otherwise } of chosen.move.parameters) {
    const prompt = otherwise === undefined ? title : `${title} (otherwise ${otherwise})`;
    const value = await vscode.window.showInputBox({ title: chosen.label, prompt });
    if (value === undefined) return;
    if (value !== '') its[name] = value;
  }
  await go(chosen.move.id, chosen.direction, its);
}

async function toPosition() {
  const position = await vscode.window.showInputBox({ prompt: 'A position, such as 2.137 or 2.137:45.2' });
  if (position) await go('position', undefined, { position });
}

function activate({ subscriptions }) {
  const commands = {
    'turntable.move': anyMove,
    'turntable.position': toPosition,
    'turntable.sender': () => go('sender'),
    'turntable.nextTurn': () => go('turn', 'forward'),
    'turntable.previousTurn': () => go('turn', 'backward'),
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
