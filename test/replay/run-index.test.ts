// All tasks of a recording in one order (`turntable tasks`): a possible order, which is the same for every build of the
// run index, however threads are delayed.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, cpSync, mkdtempSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, expect, test, vi } from 'vitest';
import type { RunEvent, Task, IndexedThread } from '@turntable/time-machine';
import { Client } from '@turntable/time-machine/client';
import { CLI, FLAGS } from '../../scripts/tested-form.ts';
import {
  CHAOS,
  PROGRAMS,
  record,
  recordingIn,
  replay,
  runTurntable,
  type TurntableResult,
} from './record-and-replay.ts';
import { unendRecording } from '../recordings/edit-manifest.ts';

// Each test builds a run index two or three times, with workers that are restarted.
vi.setConfig({ testTimeout: 240_000 });

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

type PrintedTask = Task & { readonly events: readonly Pick<RunEvent, 'kind' | 'value'>[] };

interface TurnsOutput {
  readonly text: string;
  readonly tasks: readonly PrintedTask[];
  readonly threads: readonly IndexedThread[];
  readonly verdict: string;
  readonly status: number | null;
}

function turns(path: string, args: readonly string[] = [], env?: NodeJS.ProcessEnv): TurnsOutput {
  const { stdout, status, stderr }: TurntableResult = runTurntable(['tasks', path, '--json', ...args], { env });
  if (stdout === '') throw new Error(`tasks of ${path} ended with ${status}:\n${stderr}`);
  const lines = stdout.trimEnd().split('\n');
  const end = JSON.parse(lines.pop() as string) as Pick<TurnsOutput, 'threads' | 'verdict'>;
  return { ...end, text: lines.join('\n'), tasks: lines.map((line) => JSON.parse(line) as PrintedTask), status };
}

/** Expects a possible order: every task comes after its cause. */
function expectOrder({ tasks }: TurnsOutput): void {
  const numbers = new Map<string, number>();
  const turnsOf = new Map<string, number>();
  let phase = 0;
  tasks.forEach((each, i) => {
    const { order, worker, epoch, number, turn, sender } = each;
    const key = `${worker}.${epoch}`;
    expect(order).toBe(i + 1);
    expect(number).toBe((numbers.get(key) ?? 0) + 1);
    numbers.set(key, number);
    expect(each.phase).toBeGreaterThanOrEqual(phase);
    phase = each.phase;
    if (turn !== undefined) {
      if (turnsOf.has(key)) expect(turn).toBe((turnsOf.get(key) ?? 0) + 1);
      turnsOf.set(key, turn);
    }
    if (sender !== undefined) expect(sender).toBeLessThan(order);
  });
}

/** Ends each process that would replay the program. */
const NO_REPLAY = 'if (process.env.TURNTABLE_REPLAY) process.reallyExit(9)';

const RACY = ['messages', 'shop'];

test.each(RACY)('the order of %s is possible and the same for every build', (name) => {
  const into = join(directory, name);
  const recorded = record(into, [join(PROGRAMS, 'main.ts'), name, '2', '1', '1'], {
    ...CHAOS,
    TURNTABLE_SNAPSHOTS: 'turns=150,end',
  });
  const [first, second] = [turns(into), turns(into, ['--rebuild'], CHAOS)];
  expect({ verdict: first.verdict, status: first.status }).toEqual({ verdict: 'same', status: 0 });
  expect(second.text).toBe(first.text);
  expectOrder(first);
  // Turns have a known sender, except those caused by the host.
  const turnTasks = first.tasks.filter(({ turn }) => turn !== undefined);
  expect(turnTasks.filter(({ sender }) => sender === undefined).length).toBeLessThan(turnTasks.length / 10);
  expect(
    first.tasks.some(({ worker, sender }) => sender !== undefined && first.tasks[sender - 1]?.worker !== worker),
  ).toBe(true);
  const printed = first.tasks.flatMap(({ events }) => events.filter(({ kind }) => kind === 'stdout'));
  expect(printed.reduce((sum, { value }) => sum + Number(value), 0)).toBe(Buffer.byteLength(recorded.stdout));
});

/** The positions that a terminal session visits, each after the command that leads to it. */
function visited(output: string): [line: string, order: number | string][] {
  return output.split(/^\S+> /m).flatMap((piece, i) => {
    const [line = '', ...output] = piece.trimEnd().split('\n');
    const shown = output.findLast((each) => /^ {0,7}\d+ {2}\+/.test(each));
    return i === 0 ? [] : [[line, shown === undefined ? output.join(' ') : Number.parseInt(shown, 10)] as const];
  }) as [string, number | string][];
}

test('a terminal session moves in it forward and backward', () => {
  const into = join(directory, 'shop');
  const { tasks } = turns(into);
  const answered = tasks.findLast(({ kind, sender }) => kind === 'fulfil' && sender !== undefined) as PrintedTask;
  const printing = tasks.filter(({ events }) => events.some(({ kind }) => kind === 'stdout')).map(({ order }) => order);
  const own = tasks.filter(({ actor, worker }) => actor === answered.actor && worker === answered.worker);
  const sentThere = tasks.filter(({ sender }) => sender === answered.sender);
  const which = sentThere.indexOf(answered) + 1;
  const answerIndex = own.findIndex(({ order }) => order === answered.order);
  const conversation: [line: string, order: number | string | undefined][] = [
    [`goto ${answered.order}`, answered.order],
    ['sender', answered.sender],
    [`receiver ${which}`, answered.order],
    ['back actor', own[answerIndex - 1]?.order],
    ['forward actor', answered.order],
    ['back output', printing.findLast((order) => order < answered.order)],
    ['run', 1],
    ['forward output', printing[0]],
    ['goto end', expect.stringContaining(', the end')],
    ['reverse-next', tasks.length],
  ];
  const expected = conversation.filter(([, order]) => order !== undefined);
  const input = expected.map(([line]) => `${line}\n`).join('');
  const { stdout, stderr, status } = runTurntable(['debug', into], { input });
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  expect(visited(stdout)).toEqual(expected);
});

test('debug --commands runs the lines of a file, and fails if one fails', () => {
  const into = join(directory, 'shop');
  const file = join(directory, 'commands.txt');
  const runCommands = (text: string): TurntableResult => {
    writeFileSync(file, text);
    // Standard input is not read.
    return runTurntable(['debug', into, '--commands', file], { input: 'nonsense\n' });
  };
  const { stdout, stderr, status } = runCommands('# From the end to the last task.\ngoto end\n#back task\nback task');
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  expect(stdout.match(/^\S+> .*/gm)?.map((line) => line.replace(/.*> /, ''))).toEqual(['goto end', 'back task']);
  expect(runCommands('goto end\nnowhere\nback task\n')).toMatchObject({
    status: 1,
    stdout: expect.stringMatching(/there is no command "nowhere"[^]*> back task\n/) as string,
  });
  expect(runCommands('quit\nnowhere\n').status).toBe(0);
});

test('a server offers it to clients that have its address', async () => {
  const into = join(directory, 'shop');
  const { tasks } = turns(into);
  const server = spawn(process.execPath, [...FLAGS, CLI, 'debug', into, '--serve'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  try {
    const [address] = (await once(createInterface(server.stdout), 'line')) as [string];
    const client = await Client.connect(address);
    const { taskCount, cursor } = await client.hello('test');
    expect({ taskCount, order: cursor.order }).toEqual({ taskCount: tasks.length, order: 1 });
    const all = await client.request('tasks', { from: 1, count: 1000 });
    expect(all.tasks.map(({ order, actor, sender }) => ({ order, actor, sender }))).toEqual(
      tasks.slice(0, 1000).map(({ order, actor, sender }) => ({ order, actor, sender })),
    );
    // A move in the second client's terminal moves this client too.
    const moved = new Promise<number>((settle) => (client.onMoved = ({ cursor: { order } }) => settle(order)));
    const terminal = spawn(process.execPath, [...FLAGS, CLI, 'debug', '--connect', address], {
      stdio: ['pipe', 'ignore', 'inherit'],
    });
    terminal.stdin.end('goto 100%\n');
    expect(await moved).toBe(tasks.length);
    expect(await once(terminal, 'exit')).toEqual([0, null]);
    server.kill('SIGTERM');
    expect(await once(server, 'exit')).toEqual([0, null]);
  } finally {
    server.kill('SIGKILL');
  }
});

test('epochs of a worker are consecutive, and reports of their ends come after them', () => {
  const into = join(directory, 'mortal');
  record(into, ['mortal.ts']);
  const [first, second] = [turns(into), turns(into, ['--rebuild'], CHAOS)];
  expect(second.text).toBe(first.text);
  expectOrder(first);
  expect(first.threads.length).toBeGreaterThan(5);
  const tasksByWorker = Map.groupBy(first.tasks, ({ worker }) => worker);
  for (const tasks of tasksByWorker.values())
    expect(tasks.map(({ epoch }) => epoch)).toEqual(tasks.map(({ epoch }) => epoch).toSorted((a, b) => a - b));
});

test('continues like the recorded run at snapshots, without writing any', () => {
  const into = join(directory, 'known');
  const recorded = record(into, ['known.ts']);
  expect(recorded.stdout).toBe('0 0\n');
  expect(replay(into).report.verdict).toBe('same');
  expect(turns(into)).toMatchObject({ verdict: 'same', status: 0 });
});

test('starts at a given snapshot, and ends where a trace is truncated', () => {
  const into = join(directory, 'shop');
  const recording = recordingIn(into);
  const whole = turns(into);
  const from = turns(into, ['--phase', '1']);
  expect(from.verdict).toBe('same');
  expectOrder(from);
  const keyOf = ({ worker, turn, actor, kind, method }: PrintedTask): unknown => ({
    worker,
    turn,
    actor,
    kind,
    method,
  });
  const later = whole.tasks.filter(({ phase, turn }) => phase > 0 && turn !== undefined).map(keyOf);
  expect(from.tasks.filter(({ turn }) => turn !== undefined).map(keyOf)).toEqual(later);

  const copy = join(directory, 'copy', 'shop');
  cpSync(recording, copy, { recursive: true });
  for (const name of readdirSync(join(copy, 'traces'))) {
    const file = join(copy, 'traces', name);
    if (/-[12]\.0\./.test(name)) truncateSync(file, Math.floor(statSync(file).size / 2));
  }
  const cut = turns(copy);
  expect({ verdict: cut.verdict, status: cut.status }).toEqual({ verdict: 'incomplete', status: 4 });
  unendRecording(copy);
  const killed = turns(copy);
  expect({ verdict: killed.verdict, status: killed.status }).toEqual({ verdict: 'truncated', status: 0 });
  expect(killed.text).toBe(cut.text);
  expectOrder(cut);
  expect(cut.tasks.length).toBeGreaterThan(0);
});

test('is cached, rebuilt when the cached file is damaged, and not used for another recording', () => {
  const into = join(directory, 'messages');
  const cache = join(directory, 'cache');
  const env = { TURNTABLE_CACHE: cache };
  const first = turns(into, [], env);
  const [name, ...others] = readdirSync(join(cache, 'run-indexes'));
  expect(others).toEqual([]);
  const file = join(cache, 'run-indexes', name as string);
  const { mtimeMs, size } = statSync(file);
  // With this module, no process could replay the program.
  const kept = turns(into, [], {
    ...env,
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(NO_REPLAY)}`,
  });
  expect(kept).toEqual(first);
  truncateSync(file, size - 1);
  expect(turns(into, [], env)).toEqual(first);
  expect(statSync(file).size).toBe(size);
  expect(statSync(file).mtimeMs).toBeGreaterThan(mtimeMs);
});

test('reports a divergence and covers the tasks before it', () => {
  const [into, another] = [join(directory, 'messages'), join(directory, 'another')];
  record(another, [join(PROGRAMS, 'main.ts'), 'messages', '2', '1', '2'], CHAOS);
  const copy = join(directory, 'differing', 'messages');
  cpSync(recordingIn(into), copy, { recursive: true });
  const name = readdirSync(join(copy, 'traces')).find((each) => each.includes('-1.0.')) as string;
  copyFileSync(join(recordingIn(another), 'traces', name), join(copy, 'traces', name));
  const { verdict, status, tasks } = turns(copy);
  expect({ verdict, status }).toEqual({ verdict: 'diverged', status: 3 });
  expect(tasks.length).toBeGreaterThan(0);
});
