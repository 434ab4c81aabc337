// View of the requests to the services of the recorded program. A click goes to the task that received one.
'use strict';
const vscode = require('vscode');
const { ask } = require('./sessions.cjs');

/** Number of requests listed at first, and added by "Show More". */
const PAGE_SIZE = 200;

class Requests {
  #sessions;
  #moves;
  #changed = new vscode.EventEmitter();
  #subscriptions;
  #count = PAGE_SIZE;
  onDidChangeTreeData = this.#changed.event;

  constructor(sessions, moves) {
    this.#sessions = sessions;
    this.#moves = moves;
    this.#subscriptions = [
      this.#changed,
      sessions.onDidChange(() => {
        this.#count = PAGE_SIZE;
        this.#changed.fire(undefined);
      }),
      vscode.window.registerTreeDataProvider('turntable.requests', this),
    ];
  }

  /** The functions of the commands, by command. */
  get commands() {
    return {
      'turntable.goToRequest': ({ received, answered }) => this.#goTo(received ?? answered),
      'turntable.goToResponse': ({ answered, received }) => this.#goTo(answered ?? received),
      'turntable.showMoreRequests': () => {
        this.#count += PAGE_SIZE;
        this.#changed.fire(undefined);
      },
    };
  }

  async getChildren(item) {
    if (item !== undefined) return [];
    const requests = [];
    let total = 0;
    while (requests.length < this.#count) {
      const params = { from: requests.length, count: PAGE_SIZE };
      const page = await ask(this.#sessions.active, 'turntable/ask', { method: 'requests', params });
      total = page?.total ?? 0;
      requests.push(...(page?.requests ?? []));
      if (requests.length >= total || page.requests.length === 0) break;
    }
    return requests.length < total ? [...requests, { remaining: total - requests.length }] : requests;
  }

  getTreeItem(request) {
    if (request.remaining !== undefined) {
      const item = new vscode.TreeItem(`Show more (${request.remaining} left)`);
      item.command = { command: 'turntable.showMoreRequests', title: 'Show More' };
      return item;
    }
    const { method, url, status, durationMs = 0, actor, answered } = request;
    // A program that does not look at the method has not recorded it.
    const title = method === '?' ? url : `${method} ${url}`;
    const item = new vscode.TreeItem(title);
    item.id = String(request.number);
    const duration = durationMs === 0 ? '' : ` · ${durationMs.toFixed(durationMs < 10 ? 1 : 0)} ms`;
    item.description = `${status ?? 'no response'}${duration}`;
    item.tooltip = `${title}\n${item.description}\n${actor}`;
    item.contextValue = answered === undefined ? 'request' : 'answeredRequest';
    item.iconPath = new vscode.ThemeIcon(Number(status) >= 400 || status === 'aborted' ? 'error' : 'arrow-right');
    item.command = { command: 'turntable.goToRequest', title: 'Go to Request', arguments: [request] };
    return item;
  }

  #goTo(task) {
    return this.#moves.move('goto', undefined, { target: task.position });
  }

  dispose() {
    for (const each of this.#subscriptions) each.dispose();
  }
}

module.exports = { Requests };
