// Texts about recordings, as `turntable ls --json` lists them.
'use strict';
const { fileURLToPath } = require('node:url');
const vscode = require('vscode');

/** @returns {string} the recorded program, relative to its workspace folder */
function programName({ entry, name }) {
  if (!entry?.startsWith('file:')) return entry ?? name;
  return vscode.workspace.asRelativePath(fileURLToPath(entry), false);
}

function describeTime({ created }) {
  return created === undefined ? 'unknown time' : new Date(created).toLocaleString();
}

/** @returns {string} how the program ended */
function describeEnd({ reason, ended, exitCode, missingParts = [] }) {
  if (reason !== undefined) return reason;
  const incomplete = missingParts.length > 0 ? ', incomplete' : '';
  if (ended === null) return `running or killed${incomplete}`;
  return `${exitCode ? `exit code ${exitCode}` : 'ended'}${incomplete}`;
}

module.exports = { describeEnd, describeTime, programName };
