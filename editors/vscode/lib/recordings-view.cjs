// View of the workspace's recordings: which program, when it was recorded, and how it ended. The last one is first.
'use strict';
const { existsSync } = require('node:fs');
const { resolve } = require('node:path');
const vscode = require('vscode');
const { describeEnd, describeTime, programName } = require('./recording-text.cjs');
const { runJson } = require('./turntable-command.cjs');

class Recordings {
  #failures;
  #changed = new vscode.EventEmitter();
  #subscriptions;
  onDidChangeTreeData = this.#changed.event;

  constructor(failures) {
    this.#failures = failures;
    this.#subscriptions = [this.#changed, vscode.debug.onDidTerminateDebugSession(() => this.refresh())];
    for (const folder of vscode.workspace.workspaceFolders ?? []) {
      const pattern = new vscode.RelativePattern(directoryUri(folder), '{*/manifest.json,*.ttr}');
      const watcher = vscode.workspace.createFileSystemWatcher(pattern);
      for (const event of ['onDidCreate', 'onDidChange', 'onDidDelete']) watcher[event](() => this.refresh());
      this.#subscriptions.push(watcher);
    }
    this.#subscriptions.push(vscode.window.registerTreeDataProvider('turntable.recordings', this));
  }

  /** @returns the recordings of all folders, oldest first, with their paths */
  async list() {
    const folders = (vscode.workspace.workspaceFolders ?? []).filter((folder) =>
      existsSync(directoryUri(folder).fsPath),
    );
    const lists = await Promise.all(
      folders.map(async (folder) => {
        const directory = directoryUri(folder).fsPath;
        const listed = await runJson(folder, ['ls', directory, '--json']);
        return listed.map((each) => ({ ...each, recordingPath: resolve(folder.uri.fsPath, each.directory) }));
      }),
    );
    return lists.flat().toSorted((a, b) => ((a.created ?? '') < (b.created ?? '') ? -1 : 1));
  }

  refresh() {
    this.#changed.fire(undefined);
  }

  async getChildren(item) {
    if (item !== undefined) return [];
    try {
      return (await this.list()).toReversed();
    } catch (error) {
      this.#failures.log(`${error.details ?? ''}\n`);
      return [{ problem: error.message }];
    }
  }

  getTreeItem(recording) {
    if (recording.problem !== undefined) {
      const item = new vscode.TreeItem(recording.problem);
      item.iconPath = new vscode.ThemeIcon('warning');
      item.tooltip = recording.problem;
      item.command = { command: 'turntable.showOutput', title: 'Show Output' };
      return item;
    }
    const item = new vscode.TreeItem(programName(recording));
    item.id = recording.recordingPath;
    item.description = `${describeTime(recording)} · ${describeEnd(recording)}`;
    item.tooltip = `${recording.recordingPath}\n${item.description}`;
    item.contextValue = 'recording';
    item.iconPath = new vscode.ThemeIcon(iconOf(recording));
    item.command = {
      command: 'turntable.openRecording',
      title: 'Open Recording',
      arguments: [recording],
    };
    return item;
  }

  dispose() {
    for (const each of this.#subscriptions) each.dispose();
  }
}

function iconOf({ reason, ended, exitCode, isPacked }) {
  if (reason !== undefined || exitCode) return 'error';
  if (ended === null) return 'circle-outline';
  return isPacked ? 'package' : 'pass';
}

/** The directory of a folder's recordings, from the setting `turntable.recordings`. */
function directoryUri(folder) {
  const directory = vscode.workspace.getConfiguration('turntable', folder).get('recordings');
  return vscode.Uri.file(resolve(folder.uri.fsPath, directory));
}

module.exports = { Recordings };
