// Starts the `turntable` of a folder, with the command of the setting `turntable.command`.
'use strict';
const { spawn } = require('node:child_process');
const { existsSync } = require('node:fs');
const { homedir } = require('node:os');
const vscode = require('vscode');

/** Maximum number of characters kept of the output of a command that lists something. */
const MAX_OUTPUT = 16_000_000;

/** A command that could not be started, or failed. */
class CommandError extends Error {
  /** @param {string} message @param {string} [details] all that the command wrote to standard error */
  constructor(message, details = '') {
    super(message);
    this.details = details;
  }
}

/** @returns {string} the directory in which commands for a folder run */
function directoryOf(folder) {
  const path = (folder ?? vscode.workspace.workspaceFolders?.[0])?.uri.fsPath;
  return path !== undefined && existsSync(path) ? path : homedir();
}

/** Starts `turntable` with these arguments, in the directory of the folder. */
function spawnTurntable(folder, args) {
  const [command, ...first] = vscode.workspace.getConfiguration('turntable', folder).get('command');
  // On Windows, npx is a script, which only a shell starts.
  const isWindows = process.platform === 'win32';
  const all = [...first, ...args].map((each) => (isWindows && /[\s"]/.test(each) ? JSON.stringify(each) : each));
  return spawn(command, all, { cwd: directoryOf(folder), shell: isWindows, windowsHide: true });
}

/** @returns {string} a sentence about a command that ended early, with the way out */
function describeFailure(folder, exit, stderr) {
  const directory = directoryOf(folder);
  if (/npx canceled|E404|not found|could not determine executable|ENOENT/i.test(`${exit}\n${stderr}`))
    return `Turntable is not installed in ${directory}. Run npm install --save-dev turntable there, or change the setting turntable.command.`;
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  return `Turntable did not start in ${directory}: ${lines[0] ?? exit}`;
}

/** Runs `turntable` and returns its output as JSON. Rejects with a CommandError. */
function runJson(folder, args) {
  return new Promise((resolve, reject) => {
    const child = spawnTurntable(folder, args);
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text) => (stdout = (stdout + text).slice(0, MAX_OUTPUT)));
    child.stderr.setEncoding('utf8').on('data', (text) => (stderr = (stderr + text).slice(0, MAX_OUTPUT)));
    child.on('error', (error) => reject(new CommandError(describeFailure(folder, error.message, stderr), stderr)));
    child.on('close', (code) => {
      try {
        resolve(JSON.parse(stdout));
      } catch {
        reject(new CommandError(describeFailure(folder, `exit code ${code}`, stderr), stderr));
      }
    });
    child.stdin.end();
  });
}

module.exports = { CommandError, describeFailure, directoryOf, runJson, spawnTurntable };
