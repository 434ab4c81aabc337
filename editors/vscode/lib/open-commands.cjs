// Commands that start a session: from a recording, from a program to record, or with a running service.
'use strict';
const { basename, dirname } = require('node:path');
const vscode = require('vscode');
const { describeEnd, describeTime, programName } = require('./recording-text.cjs');
const { TYPE } = require('./sessions.cjs');
const { runJson } = require('./turntable-command.cjs');

class OpenCommands {
  #recordings;
  #failures;

  /** @param recordings lists the recordings of the workspace */
  constructor(recordings, failures) {
    this.#recordings = recordings;
    this.#failures = failures;
  }

  /** The functions of the commands, by command. */
  get commands() {
    return {
      'turntable.openRecording': (target) => this.#reporting(() => this.#openRecording(target)),
      'turntable.openLastRecording': () => this.#reporting(() => this.#openLastRecording()),
      'turntable.recordFile': (target) => this.#reporting(() => this.#recordFile(target)),
      'turntable.attach': () => this.#reporting(() => this.#attach()),
    };
  }

  async #reporting(run) {
    try {
      await run();
    } catch (error) {
      await this.#failures.reportError(error);
    }
  }

  /** @param target a URI of the explorer, or an item of the view of recordings; undefined lets the user pick */
  async #openRecording(target) {
    const path = target?.recordingPath ?? target?.fsPath ?? (await this.#pickRecording());
    if (path !== undefined) await start(folderOf(path), 'launch', { name: basename(path), recording: path });
  }

  async #openLastRecording() {
    const last = (await this.#recordings.list()).at(-1);
    if (last === undefined) {
      const chosen = await vscode.window.showInformationMessage(
        'This workspace has no recordings.',
        'Record This File',
      );
      if (chosen !== undefined) await this.#recordFile();
      return;
    }
    await start(folderOf(last.recordingPath), 'launch', {
      name: basename(last.recordingPath),
      recording: last.recordingPath,
    });
  }

  async #pickRecording() {
    const listed = (await this.#recordings.list()).toReversed().map((each) => ({
      label: programName(each),
      description: `${describeTime(each)}, ${describeEnd(each)}`,
      detail: each.recordingPath,
      path: each.recordingPath,
    }));
    const browse = { label: '$(folder-opened) Browse…', description: 'a folder, or a packed recording (.ttr)' };
    const chosen = await vscode.window.showQuickPick([...listed, browse], { placeHolder: 'Open a recording' });
    if (chosen !== browse) return chosen?.path;
    const options = { canSelectFolders: true, canSelectFiles: true, openLabel: 'Open Recording' };
    return (await vscode.window.showOpenDialog(options))?.[0]?.fsPath;
  }

  /** @param target a URI of the explorer; by default the file of the active editor */
  async #recordFile(target) {
    const uri = target ?? vscode.window.activeTextEditor?.document.uri;
    if (uri === undefined || uri.scheme !== 'file') {
      void vscode.window.showInformationMessage('Open the program to record, a JavaScript or TypeScript file.');
      return;
    }
    const folder = vscode.workspace.getWorkspaceFolder(uri);
    await vscode.workspace.save(uri);
    const cwd = folder?.uri.fsPath ?? dirname(uri.fsPath);
    await start(folder, 'launch', { name: `Record ${basename(uri.fsPath)}`, program: uri.fsPath, cwd });
  }

  async #attach() {
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    const services = await runJson(folder, ['services', '--json']);
    if (services.length === 0) {
      void vscode.window.showInformationMessage(
        'No recorded program is running. Start one with turntable record, or with Record This File.',
      );
      return;
    }
    const items = services.map((each) => ({
      label: each.program ?? `pid ${each.pid}`,
      description: `pid ${each.pid}, ${each.state}`,
      detail: each.recording ?? '',
      pid: each.pid,
    }));
    const chosen = await vscode.window.showQuickPick(items, { placeHolder: 'Attach to a running service' });
    if (chosen !== undefined) await start(folder, 'attach', { name: chosen.label, pid: chosen.pid });
  }
}

/** Fills in a session that is started without launch.json: the last recording of the folder. */
const configurationProvider = {
  resolveDebugConfiguration: (folder, configuration) => {
    if (configuration.type !== undefined || folder === undefined) return configuration;
    const recording = '${workspaceFolder}/recordings';
    return { type: TYPE, request: 'launch', name: 'The last recording', recording };
  },
};

function folderOf(path) {
  return vscode.workspace.getWorkspaceFolder(vscode.Uri.file(path)) ?? vscode.workspace.workspaceFolders?.[0];
}

function start(folder, request, configuration) {
  return vscode.debug.startDebugging(folder, { type: TYPE, request, ...configuration });
}

module.exports = { OpenCommands, configurationProvider };
