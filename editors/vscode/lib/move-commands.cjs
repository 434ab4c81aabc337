// Commands that move the active session: every move of the time machine, with shortcuts for the usual ones.
'use strict';
const vscode = require('vscode');

class MoveCommands {
  #sessions;

  constructor(sessions) {
    this.#sessions = sessions;
  }

  /** The functions of the commands, by command. */
  get commands() {
    return {
      'turntable.move': () => this.#pickMove(),
      'turntable.goto': () => this.#pickPosition(),
      'turntable.sender': () => this.move('sender'),
      'turntable.nextTurn': () => this.move('turn', 'forward'),
      'turntable.previousTurn': () => this.move('turn', 'backward'),
      'turntable.nextError': () => this.move('exception', 'forward'),
      'turntable.previousError': () => this.move('exception', 'backward'),
      'turntable.stepBackInto': () => this.move('step', 'backward'),
    };
  }

  /** Makes a move, and shows the reason if there is no such position. */
  async move(move, direction, args) {
    const result = await this.#request('turntable/move', { move, direction, arguments: args });
    if (result?.found === false) void vscode.window.showInformationMessage(result.reason ?? 'No such position.');
  }

  async #request(request, args) {
    const session = this.#sessions.active;
    if (session !== undefined) return session.customRequest(request, args);
    void vscode.window.showInformationMessage('No debug session with a recording is active.');
    return undefined;
  }

  /** Lets the user pick one of the server's moves, in both directions. */
  async #pickMove() {
    const { moves } = (await this.#request('turntable/moves')) ?? { moves: [] };
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
    const args = {};
    for (const { name, title, defaultDescription } of chosen.move.parameters) {
      const prompt = defaultDescription === undefined ? title : `${title} (default: ${defaultDescription})`;
      const value = await vscode.window.showInputBox({ title: chosen.label, prompt });
      if (value === undefined) return;
      if (value !== '') args[name] = value;
    }
    await this.move(chosen.move.id, chosen.direction, args);
  }

  async #pickPosition() {
    const prompt = 'A position (2.137 or 2.137:45.2), a percentage (50%), a time (+1.5s), start or end';
    const target = await vscode.window.showInputBox({ prompt });
    if (target) await this.move('goto', undefined, { target });
  }
}

module.exports = { MoveCommands };
