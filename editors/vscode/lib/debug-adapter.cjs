// Runs `turntable dap` as the debug adapter of a session. VS Code shows nothing of an adapter that cannot start, so this
// adapter keeps its standard error and reports a process that ends early.
'use strict';
const vscode = require('vscode');
const { describeFailure, spawnTurntable } = require('./turntable-command.cjs');

const HEADER = /^Content-Length: (\d+)\r\n\r\n/;
const MAX_HEADER = 64;

/** Debug adapter that forwards the messages of VS Code to a process and back. */
class ProcessAdapter {
  #child;
  #folder;
  #failures;
  #messages = new vscode.EventEmitter();
  #received = Buffer.alloc(0);
  #stderr = '';
  /** Requests without a response, by number. */
  #pending = new Map();
  #hasAnswered = false;
  /** Whether the process is expected to end. */
  #isEnding = false;
  onDidSendMessage = this.#messages.event;

  constructor(folder, failures) {
    this.#folder = folder;
    this.#failures = failures;
    this.#child = spawnTurntable(folder, ['dap']);
    this.#child.stdin.on('error', () => {});
    this.#child.stdout.on('data', (bytes) => this.#receive(bytes));
    this.#child.stderr.setEncoding('utf8').on('data', (text) => {
      this.#stderr = (this.#stderr + text).slice(-100_000);
      failures.log(text);
    });
    this.#child.once('error', (error) => this.#ended(error.message));
    this.#child.once('close', (code, signal) => this.#ended(signal ?? `exit code ${code}`));
  }

  handleMessage(message) {
    if (message.type === 'request') this.#pending.set(message.seq, message.command);
    if (message.command === 'disconnect') this.#isEnding = true;
    const text = JSON.stringify(message);
    this.#child.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  }

  /** The adapter closes its recording at the end of its input. */
  dispose() {
    this.#isEnding = true;
    this.#child.stdin.end();
  }

  #receive(bytes) {
    this.#received = Buffer.concat([this.#received, bytes]);
    for (;;) {
      const [head, length] = HEADER.exec(this.#received.toString('latin1', 0, MAX_HEADER)) ?? [];
      if (head === undefined || this.#received.length < head.length + Number(length)) return;
      const text = this.#received.toString('utf8', head.length, head.length + Number(length));
      this.#received = this.#received.subarray(head.length + Number(length));
      const message = JSON.parse(text);
      this.#hasAnswered = true;
      if (message.type === 'response') this.#pending.delete(message.request_seq);
      this.#messages.fire(message);
    }
  }

  #ended(exit) {
    if (this.#isEnding) return;
    this.#isEnding = true;
    const message = this.#hasAnswered
      ? `The debug adapter ended early (${exit}).`
      : describeFailure(this.#folder, exit, this.#stderr);
    // VS Code waits for these responses. The notification below has the message.
    const body = { error: { id: 1, format: message, showUser: false } };
    for (const [request_seq, command] of this.#pending)
      this.#messages.fire({ seq: 0, type: 'response', request_seq, command, success: false, message, body });
    this.#messages.fire({ seq: 0, type: 'event', event: 'terminated', body: {} });
    void this.#failures.report(message);
  }
}

/** @returns {vscode.DebugAdapterDescriptorFactory} */
function adapterFactory(failures) {
  return {
    createDebugAdapterDescriptor: ({ workspaceFolder }) =>
      new vscode.DebugAdapterInlineImplementation(new ProcessAdapter(workspaceFolder, failures)),
  };
}

module.exports = { adapterFactory };
