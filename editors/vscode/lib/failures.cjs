// Shows failures of `turntable` as notifications, with all that it wrote to standard error in an output channel.
'use strict';
const vscode = require('vscode');

class Failures {
  #channel = vscode.window.createOutputChannel('Turntable');

  /** Adds text to the output channel. */
  log(text) {
    this.#channel.append(text);
  }

  showOutput() {
    this.#channel.show();
  }

  /** Shows a failure, with buttons for the output and the setting. */
  async report(message) {
    this.#channel.appendLine(message);
    const chosen = await vscode.window.showErrorMessage(message, 'Show Output', 'Open Setting');
    if (chosen === 'Show Output') this.showOutput();
    if (chosen === 'Open Setting')
      await vscode.commands.executeCommand('workbench.action.openSettings', 'turntable.command');
  }

  /** Reports the failure of a command whose error is a CommandError. */
  reportError(error) {
    if (error.details) this.log(error.details);
    return this.report(error.message);
  }

  dispose() {
    this.#channel.dispose();
  }
}

module.exports = { Failures };
