// npm start
// Runs a small program natively and on Turntable, and shows both outputs side by side: they must be equal. Below, what was
// done to the program so that a run of it can be captured, and what that costs when it starts.
import { transform } from '@turntable/transform';
import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './node-release.mjs';

const example = 'examples/first-record';

interface Run {
  readonly lines: readonly string[];
  /** stderr; empty unless something went wrong. */
  readonly trouble: string;
  readonly status: number | null;
  readonly milliseconds: number;
}

/** Keeps the types of our own sources erased between runs: published packages have none, and this is not what is shown. */
const compiled = join(root, 'node_modules/.cache/turntable-start');

function run(nodeOptions: readonly string[], environment: NodeJS.ProcessEnv = {}): Run {
  const began = performance.now();
  const child = spawnSync(process.execPath, ['-C', 'turntable-source', ...nodeOptions, join(example, 'main.ts')], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, NODE_COMPILE_CACHE: compiled, ...environment },
  });
  const milliseconds = Math.round(performance.now() - began);
  return { lines: child.stdout.trimEnd().split('\n'), trouble: child.stderr, status: child.status, milliseconds };
}

function sideBySide(left: readonly string[], right: readonly string[]): string {
  const width = Math.max(...left.map((line) => line.length)) + 2;
  const rows = Array.from({ length: Math.max(left.length, right.length) }, (_, row) => {
    const [a = '', b = ''] = [left[row], right[row]];
    return `  ${a.padEnd(width)}${a === b ? '│' : '≠'}  ${b}`;
  });
  return rows.join('\n');
}

/** What the transform does to the program: taken from its tables. */
function madeCapturable(): string {
  const files = globSync(`${example}/*.ts`, { cwd: root });
  const tables = files.map((file) => {
    const path = join(root, file);
    return transform(readFileSync(path, 'utf8'), { path, kind: 'module' }).table;
  });
  const functions = tables.flatMap((table) => table.functions);
  const classes = tables.flatMap((table) => table.classes);
  const suspendable = functions.filter((each) => each.step !== null).length;
  return (
    `${files.length} modules, ${functions.length} functions (${suspendable} of them can be suspended) and ` +
    `${classes.length} classes made capturable`
  );
}

const cache = mkdtempSync(join(tmpdir(), 'turntable-start-'));
const onTurntable = (kept: string) => run(['--import', 'turntable/register'], { TURNTABLE_CACHE: kept });
run([]);
onTurntable('off');
const native = run([]);
const first = onTurntable(cache);
const second = onTurntable(cache);
rmSync(cache, { recursive: true, force: true });

const text = native.lines.join('\n');
const equal = [native, first, second].every((each) => each.status === 0 && each.lines.join('\n') === text);
console.log(`${example} on Node ${process.versions.node}: natively, and transformed\n`);
console.log(sideBySide(native.lines, first.lines));
console.log(`\n${equal ? 'equal' : 'NOT EQUAL'}: ${madeCapturable()};`);
console.log(
  `process time ${native.milliseconds} ms natively, ${first.milliseconds} ms transformed, ` +
    `${second.milliseconds} ms transformed from the cache`,
);
for (const { trouble } of [native, first, second]) if (trouble !== '') console.error(trouble);
process.exitCode = equal ? 0 : 1;
