// The debug sessions of recordings: the active one, its stops, and its position in the status bar.
'use strict';
const vscode = require('vscode');

const TYPE = 'turntable';

class Sessions {
  #changed = new vscode.EventEmitter();
  #subscriptions;
  /** Fires when another session is active, or the active one has opened its recording. */
  onDidChange = this.#changed.event;
  #stopped = new vscode.EventEmitter();
  /** Fires with the session that has stopped. */
  onDidStop = this.#stopped.event;

  constructor() {
    this.#subscriptions = [
      this.#changed,
      this.#stopped,
      vscode.debug.onDidChangeActiveDebugSession(() => this.#changed.fire()),
      vscode.debug.registerDebugAdapterTrackerFactory(TYPE, {
        createDebugAdapterTracker: (session) => ({
          onDidSendMessage: ({ type, event }) => {
            if (type !== 'event') return;
            if (event === 'initialized') this.#changed.fire();
            if (event === 'stopped') this.#stopped.fire(session);
          },
        }),
      }),
    ];
  }

  /** The active session if it debugs a recording. */
  get active() {
    const session = vscode.debug.activeDebugSession;
    return session?.type === TYPE ? session : undefined;
  }

  dispose() {
    for (const each of this.#subscriptions) each.dispose();
  }
}

/** Shows the position of the active session in the status bar. A click asks for another position. */
class PositionItem {
  #item = vscode.window.createStatusBarItem('turntable.position', vscode.StatusBarAlignment.Left, 10);
  #sessions;
  #subscriptions;

  constructor(sessions) {
    this.#sessions = sessions;
    this.#item.name = 'Turntable Position';
    this.#item.command = 'turntable.goto';
    this.#subscriptions = [
      this.#item,
      sessions.onDidStop(() => this.#update()),
      sessions.onDidChange(() => this.#update()),
    ];
  }

  async #update() {
    const session = this.#sessions.active;
    const cursor = await ask(session, 'turntable/cursor');
    if (cursor === undefined) return this.#item.hide();
    const { position, order, task, statement } = cursor;
    const place = task === undefined ? 'the end of the recording' : (task.title ?? '');
    this.#item.text = `$(history) ${position}`;
    this.#item.tooltip = `Task ${order}: ${place}${statement === undefined ? '' : ` (${statement.function || 'the file itself'})`}\nClick to go to another position`;
    this.#item.show();
  }

  dispose() {
    for (const each of this.#subscriptions) each.dispose();
  }
}

/** Sends a request of Turntable; undefined if there is no session, or it has no recording yet. */
async function ask(session, request, args) {
  try {
    return await session?.customRequest(request, args);
  } catch {
    return undefined;
  }
}

module.exports = { PositionItem, Sessions, TYPE, ask };
