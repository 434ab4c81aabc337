// Starts an isolated process that sees this directory, and prints which files in it the process could write. Within the
// directory, others are mounted. Arguments: the program that isolates, and the directory.
import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { searchBubblewrap } from '../../src/sandbox/bubblewrap.ts';
import { machineLimits } from '../../src/sandbox/process-limits.ts';
import { searchUnshare } from '../../src/sandbox/unshare.ts';

const [program, directory] = process.argv.slice(2);
const { namespaces } = program === 'unshare' ? searchUnshare() : searchBubblewrap();
const places = ['', 'sub', 'sub/below', 'no exec'].map((name) => join(directory, name));
const text = `
const written = [];
for (const place of ${JSON.stringify(places)}) {
  fs.readdirSync(place);
  try {
    fs.writeFileSync(place + '/written', '');
    written.push(place);
  } catch {}
}
console.log(JSON.stringify(written));`;
const root = mkdtempSync(join(directory, 'root-'));
const view = {
  root,
  cwd: '/',
  readable: [process.execPath, directory, join(directory, 'no exec/readable')],
  writable: [],
};
const { file, args } = namespaces.isolate({ file: process.execPath, args: ['-e', text] }, view, machineLimits());
const stdio = ['ignore', 'inherit', 'inherit', 'ignore', 'ignore', 'pipe'];
process.exitCode = spawnSync(file, args, { stdio, env: {} }).status;
