// npm start
// Runs a small program twice, natively and on Turntable, and shows both outputs side by side: they must be equal. Below,
// what was done to the program so that a run of it can be captured.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './node-release.mjs';

const program = join(root, 'examples/first-record/main.ts');

interface Run {
  lines: string[];
  /** stderr; empty unless something went wrong. */
  trouble: string;
  status: number | null;
}

function run(nodeOptions: readonly string[]): Run {
  const child = spawnSync(process.execPath, ['-C', 'turntable-source', ...nodeOptions, program], {
    cwd: root,
    encoding: 'utf8',
  });
  return { lines: child.stdout.trimEnd().split('\n'), trouble: child.stderr, status: child.status };
}

function sideBySide(left: readonly string[], right: readonly string[]): string {
  const width = Math.max(...left.map((line) => line.length)) + 2;
  const rows = Array.from({ length: Math.max(left.length, right.length) }, (_, row) => {
    const [a = '', b = ''] = [left[row], right[row]];
    return `  ${a.padEnd(width)}${a === b ? '│' : '≠'}  ${b}`;
  });
  return rows.join('\n');
}

const native = run([]);
console.log(`Node ${process.versions.node}, examples/first-record: natively, and transformed\n`);
// Until `turntable/register` is here there is nothing to stand beside it.
const transformed = existsSync(join(root, 'packages/turntable')) ? run(['--import', 'turntable/register']) : native;
const equal =
  native.status === 0 && transformed.status === 0 && native.lines.join('\n') === transformed.lines.join('\n');
console.log(sideBySide(native.lines, transformed.lines));
console.log(`\n${equal ? 'equal' : 'NOT EQUAL'}`);
for (const { trouble } of new Set([native, transformed])) if (trouble) console.error(trouble);
process.exitCode = equal ? 0 : 1;
