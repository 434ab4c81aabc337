// node scripts/on-node.mjs scripts/vscode-for-tests.ts DIRECTORY
// Installs the VS Code server of code-server into a directory, unless it is there, and prints the path of its main
// program, for TURNTABLE_VSCODE. No install scripts run: without its native modules, the server has no terminal and no
// log files. For tests only.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Has VS Code 1.139.1. MIT. */
const PACKAGE = 'code-server@4.139.1';

const [target] = process.argv.slice(2);
if (target === undefined) throw new Error('usage: vscode-for-tests.ts DIRECTORY');
const directory = resolve(target);
const server = join(directory, 'node_modules/code-server/lib/vscode');
const isCompleteMark = join(directory, '.complete');

function npmInstall(cwd: string, ...args: readonly string[]): void {
  const flags = ['install', '--ignore-scripts', '--no-fund', '--no-audit', '--loglevel=error', ...args];
  const { status, error } = spawnSync('npm', flags, { cwd, stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error(`npm ${flags.join(' ')} failed in ${cwd}`, { cause: error });
}

if (!existsSync(isCompleteMark)) {
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'package.json'), '{ "private": true }\n');
  npmInstall(directory, PACKAGE);
  npmInstall(server, '--omit=dev');
  writeFileSync(isCompleteMark, '');
}
console.log(join(server, 'out/server-main.js'));
