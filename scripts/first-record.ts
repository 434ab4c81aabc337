// npm run first-record
// Runs a small service whose actors live on two workers. Then a program natively; then on Turntable, which captures it in mid-flight and ends, and goes on in a second process. Both
// outputs stand side by side: they must be equal. Below, what was carried over, and what transformed code costs when it starts.
import { transform } from '@turntable/transform';
import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { describeState, type StateDescription } from '@turntable/program-state/inert';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
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

function run(
  nodeOptions: readonly string[],
  environment: NodeJS.ProcessEnv = {},
  main = join(example, 'main.ts'),
): Run {
  const began = performance.now();
  const child = spawnSync(process.execPath, ['-C', 'turntable-source', ...nodeOptions, main], {
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

const service = run(['--import', 'turntable/register'], {}, 'examples/shop/main.ts');
console.log('examples/shop: actors on two workers\n');
console.log(service.lines.map((line) => `  ${line}`).join('\n'));
console.log();

/** In the middle of the last loop: the module is suspended there, and so is a generator with the iteration of a Map. */
const boundaries = 10;
const temporary = mkdtempSync(join(tmpdir(), 'turntable-start-'));
const cache = join(temporary, 'cache');
const state = join(temporary, 'state');
const onTurntable = (environment: NodeJS.ProcessEnv, main?: string): Run =>
  run(['--import', 'turntable/register'], { TURNTABLE_CACHE: cache, ...environment }, main);
run([]);
onTurntable({ TURNTABLE_CACHE: 'off' });
const native = run([]);
const first = onTurntable({});
const second = onTurntable({});
const before = onTurntable({ TURNTABLE_CAPTURE: state, TURNTABLE_CAPTURE_AFTER: `${boundaries}` });
const description = await describeState(readFileSync(state));
const after = onTurntable(
  { TURNTABLE_RESTORE: state },
  fileURLToPath(import.meta.resolve('@turntable/replayer/resume')),
);
rmSync(temporary, { recursive: true, force: true });

const continued = [...before.lines, ...after.lines];
const text = native.lines.join('\n');
const equal =
  [service, native, first, second, before, after].every(({ status }) => status === 0) &&
  [first.lines, second.lines, continued].every((lines) => lines.join('\n') === text);
console.log(`${example} on Node ${process.versions.node}: natively, and on Turntable in two processes\n`);
console.log(sideBySide(native.lines.slice(0, before.lines.length), before.lines));
console.log(`\n  captured after ${boundaries} jobs, the process ends; another goes on\n`);
console.log(sideBySide(native.lines.slice(before.lines.length), after.lines));
console.log(`\n${equal ? 'equal' : 'NOT EQUAL'}: ${madeCapturable()};`);
console.log(carriedOver(description));
console.log(
  `process time ${native.milliseconds} ms natively, ${first.milliseconds} ms transformed, ` +
    `${second.milliseconds} ms transformed from the cache; to capture ${before.milliseconds} ms, to go on ${after.milliseconds} ms`,
);
for (const { trouble } of [service, native, first, second, after]) if (trouble !== '') console.error(trouble);
process.exitCode = equal ? 0 : 1;

function carriedOver({ bytes, waiting, modules }: StateDescription): string {
  const [functions, classes] = [modules.map((each) => each.functions), modules.map((each) => each.classes)].map(
    (counts) => counts.reduce((sum, count) => sum + count, 0),
  );
  return (
    `carried over in ${bytes} bytes: ${modules.length} modules (${modules.map(({ status }) => status).join(', ')}), ` +
    `${functions} functions and ${classes} classes with what they captured, suspended calls, ${waiting.jobs} jobs that wait`
  );
}
