// npm run first-record
// Runs a small service whose actors live on two workers. Then it runs a program natively, and on Turntable, which
// captures it halfway, ends, and resumes it in a second process. It prints both outputs side by side, which must be
// equal, then the size of the capture and the cost of the transform at start-up.
import { transform } from '@turntable/transform';
import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { describeState, type StateDescription } from '@turntable/program-state/inert';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from './node-release.mjs';

const example = 'examples/first-record';

interface ProgramRun {
  readonly lines: readonly string[];
  /** stderr; empty unless something went wrong. */
  readonly stderr: string;
  readonly status: number | null;
  readonly durationMs: number;
}

/** Compile cache of our sources, whose types Node would otherwise strip in each run; published packages have none. */
const compileCache = join(root, 'node_modules/.cache/turntable-start');

function runProgram(
  nodeOptions: readonly string[],
  environment: NodeJS.ProcessEnv = {},
  main = join(example, 'main.ts'),
): ProgramRun {
  const startedAt = performance.now();
  const child = spawnSync(process.execPath, ['-C', 'turntable-source', ...nodeOptions, main], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, NODE_COMPILE_CACHE: compileCache, ...environment },
  });
  const durationMs = Math.round(performance.now() - startedAt);
  return { lines: child.stdout.trimEnd().split('\n'), stderr: child.stderr, status: child.status, durationMs };
}

function sideBySide(left: readonly string[], right: readonly string[]): string {
  const width = Math.max(...left.map((line) => line.length)) + 2;
  const rows = Array.from({ length: Math.max(left.length, right.length) }, (_, row) => {
    const [a = '', b = ''] = [left[row], right[row]];
    return `  ${a.padEnd(width)}${a === b ? '│' : '≠'}  ${b}`;
  });
  return rows.join('\n');
}

/** Counts what the transform makes capturable, from its tables. */
function capturableText(): string {
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

const service = runProgram(['--import', 'turntable/register'], {}, 'examples/shop/main.ts');
console.log('examples/shop: actors on two workers\n');
console.log(service.lines.map((line) => `  ${line}`).join('\n'));
console.log();

/** Jobs before the capture: in the last loop, with the module and a generator that iterates over a Map suspended. */
const boundaries = 10;
const temporary = mkdtempSync(join(tmpdir(), 'turntable-start-'));
const cache = join(temporary, 'cache');
const state = join(temporary, 'state');
const onTurntable = (environment: NodeJS.ProcessEnv, main?: string): ProgramRun =>
  runProgram(['--import', 'turntable/register'], { TURNTABLE_CACHE: cache, ...environment }, main);
runProgram([]);
onTurntable({ TURNTABLE_CACHE: 'off' });
const native = runProgram([]);
const first = onTurntable({});
const second = onTurntable({});
const captured = onTurntable({ TURNTABLE_CAPTURE: state, TURNTABLE_CAPTURE_AFTER: `${boundaries}` });
const description = await describeState(readFileSync(state));
const restored = onTurntable(
  { TURNTABLE_RESTORE: state },
  fileURLToPath(import.meta.resolve('@turntable/replayer/resume')),
);
rmSync(temporary, { recursive: true, force: true });

const continued = [...captured.lines, ...restored.lines];
const text = native.lines.join('\n');
const isEqual =
  [service, native, first, second, captured, restored].every(({ status }) => status === 0) &&
  [first.lines, second.lines, continued].every((lines) => lines.join('\n') === text);
console.log(`${example} on Node ${process.versions.node}: natively, and on Turntable in two processes\n`);
console.log(sideBySide(native.lines.slice(0, captured.lines.length), captured.lines));
console.log(`\n  captured after ${boundaries} jobs, the process ends; another resumes\n`);
console.log(sideBySide(native.lines.slice(captured.lines.length), restored.lines));
console.log(`\n${isEqual ? 'equal' : 'NOT EQUAL'}: ${capturableText()};`);
console.log(capturedText(description));
console.log(
  `process time ${native.durationMs} ms natively, ${first.durationMs} ms transformed, ` +
    `${second.durationMs} ms transformed from the cache; capturing ${captured.durationMs} ms, resuming ${restored.durationMs} ms`,
);
for (const { stderr } of [service, native, first, second, restored]) if (stderr !== '') console.error(stderr);
process.exitCode = isEqual ? 0 : 1;

function capturedText({ bytes, waiting, modules }: StateDescription): string {
  const [functions, classes] = [modules.map((each) => each.functions), modules.map((each) => each.classes)].map(
    (counts) => counts.reduce((sum, count) => sum + count, 0),
  );
  return (
    `captured in ${bytes} bytes: ${modules.length} modules (${modules.map(({ status }) => status).join(', ')}), ` +
    `${functions} functions and ${classes} classes with their captured variables, suspended calls, ${waiting.jobs} waiting jobs`
  );
}
