// Commands on the recording of a program with actors on two workers: lists, summaries, exports, packed files and
// replays tell the same about it.
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { setFacade } from '@turntable/replayer/entry';
import { debugCommand } from '../src/commands/debug.ts';
import { exportCommand } from '../src/commands/export.ts';
import { inspect } from '../src/commands/inspect.ts';
import { ls } from '../src/commands/ls.ts';
import { pack } from '../src/commands/pack.ts';
import { replayCommand } from '../src/commands/replay.ts';
import { tasksCommand } from '../src/commands/tasks.ts';
import { unpack } from '../src/commands/unpack.ts';
import type { RecordingDescription } from '../src/commands/inspect-recording.ts';
import type { ViewDescription } from '../src/query/describe-view.ts';
import { facade } from '../src/facade.ts';
import type { ActorView } from '../src/query/snapshot-view.ts';
import { viewRecording } from '../src/query/view-recording.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

/** From sources, as the commands that run in this process: states name functions of Turntable by their place. */
const CLI = fileURLToPath(new URL('../src/cli.ts', import.meta.url));

const directory = realpathSync(mkdtempSync(join(tmpdir(), 'turntable-')));
const program = join(directory, 'program');
const recordings = join(directory, 'recordings');
let recording = '';
let printed = '';
afterAll(() => rmSync(directory, { recursive: true, force: true }));

beforeAll(() => {
  setFacade(facade);
  cpSync(join(import.meta.dirname, 'fixtures'), program, { recursive: true });
  symlinkSync(join(import.meta.dirname, '../../../node_modules'), join(program, 'node_modules'));
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['-C', 'turntable-source', CLI, 'record', '--recordings', recordings, 'market.ts', 'one'],
    { cwd: program, encoding: 'utf8', env: { ...process.env, NODE_OPTIONS: '', NO_COLOR: '1' } },
  );
  printed = stdout;
  expect(stderr).toMatch(/^too expensive$/m);
  recording = join(recordings, readdirSync(recordings)[0] as string);
});

type Command = (args: readonly string[]) => number | Promise<number>;

interface CommandResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly status: number;
}

/** Runs a command in this process. */
async function run(command: Command, ...args: readonly string[]): Promise<CommandResult> {
  const texts = { stdout: '', stderr: '' };
  const restored = (['stdout', 'stderr'] as const).map((name) => {
    const { write } = process[name];
    const collect = (chunk: string | Uint8Array, ...rest: readonly unknown[]): boolean => {
      texts[name] += String(chunk);
      const callback = rest.at(-1);
      if (typeof callback === 'function') callback();
      return true;
    };
    process[name].write = collect as typeof write;
    return () => void (process[name].write = write);
  });
  try {
    const status = await command(args);
    return { ...texts, status };
  } finally {
    for (const restore of restored) restore();
  }
}

async function json(command: Command, ...args: readonly string[]): Promise<unknown> {
  const { stdout, stderr } = await run(command, ...args, '--json');
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

test('actors, references and queries behave as documented', () => {
  expect(printed.split('\n')).toEqual([
    '1 2 2',
    'true false 7 true',
    'true false',
    'TT_RELEASED',
    'TT_ACTOR_STOPPED',
    '2',
    'carts 2',
    'true',
    '',
  ]);
});

test('ls lists the recording with its program, size and uses, and a packed copy with the same', async () => {
  const listed = await run(ls, recordings);
  const [summary, line] = listed.stdout.split('\n');
  expect(summary).toMatch(new RegExp(`^1 recording in ${recordings}, \\d+\\.\\d KB$`));
  expect(line).toMatch(/^\S+  \d+\.\d KB  \S*program\/market\.ts  3 snapshots  traces  ended$/);
  const [described, ...others] = (await json(ls, recording)) as Record<string, unknown>[];
  expect(others).toEqual([]);
  const bytes = readdirSync(recording, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .reduce((sum, each) => sum + readFileSync(join(each.parentPath, each.name)).length, 0);
  expect(described).toMatchObject({ directory: recording, isPacked: false, isSealed: false, bytes, snapshots: 3 });
  expect(described).toMatchObject({ missingParts: [], devices: [], traces: [0, 1, 2, 3] });
  const file = join(directory, 'market.ttr');
  const packed = await run(pack, recording, '-o', file);
  expect(packed.stdout).toMatch(new RegExp(`^${file}: \\S+, \\d+ files, \\d+\\.\\d KB in \\d+\\.\\d KB\n$`));
  const [ofPacked] = (await json(ls, file)) as Record<string, unknown>[];
  expect(ofPacked).toMatchObject({
    isPacked: true,
    bytes: readFileSync(file).length,
    snapshots: 3,
    traces: [0, 1, 2, 3],
    entry: described?.['entry'],
    created: described?.['created'],
  });
  expect((await run(ls, file)).stdout).toContain('ended, packed\n');
  const unpacked = (await json(unpack, file, join(directory, 'unpacked'))) as Record<string, unknown>;
  expect(unpacked).toMatchObject({ directory: expect.stringContaining(join(directory, 'unpacked')) as string });
  expect(readdirSync(unpacked['directory'] as string).toSorted()).toEqual(readdirSync(recording).toSorted());
  expect(await run(unpack, file, join(directory, 'again'))).toMatchObject({
    stdout: expect.stringMatching(/again\/\S+: \d+ files, \d+\.\d KB\n$/) as string,
    status: 0,
  });
  expect(await run(pack, recording, '-o', file)).toMatchObject({ status: 1 });
  const redacted = (await json(
    pack,
    recording,
    '--redact',
    'HOME',
    '--redact',
    '/milk,tea/',
    '-o',
    join(directory, 'r.ttr'),
  )) as object;
  expect(redacted).toMatchObject({ redacted: ['HOME', '/milk,tea/'], recording });
  expect((await run(inspect, join(directory, 'r.ttr'))).stdout).toMatch(
    /^redacted: without HOME, \/milk,tea\/, and without snapshots$/m,
  );
});

test('inspect describes the snapshots, and the last one in detail', async () => {
  const described = (await json(inspect, recording)) as RecordingDescription;
  expect(described.directory).toBe(recording);
  expect(described.manifest).toMatchObject({ entry: `file://${join(program, 'market.ts')}`, workers: 1 });
  expect(described.damaged).toEqual([]);
  expect(described.snapshots.map(({ phase, workers }) => [phase, workers])).toEqual([
    [1, [0, 1]],
    [2, [0, 1]],
    [3, [0, 1]],
  ]);
  for (const { meta, longestPause } of described.snapshots) {
    const pauses = Object.values((meta as unknown as { pauses: Record<string, { longest: number }> }).pauses);
    expect(longestPause).toBe(Math.max(...pauses.map(({ longest }) => longest)));
  }
  const { snapshot } = described as { readonly snapshot: ViewDescription };
  expect(snapshot.phase).toBe(3);
  const names = (view: ViewDescription): unknown[] =>
    view.actors.map(({ name, class: type, worker, ended }) => [name, type, worker, ended]);
  expect(names(snapshot)).toEqual([
    ['Stock#3', 'Stock', 0, false],
    ['Ann', 'Cart', 1, false],
    ['Cart#2', 'Cart', 1, true],
  ]);
  const first = ((await json(inspect, recording, '--phase', '1')) as { readonly snapshot: ViewDescription }).snapshot;
  expect(names(first)).toContainEqual(['Cart#2', 'Cart', 1, false]);
  const { stdout } = await run(inspect, recording);
  const lines = stdout.split('\n');
  expect(lines[0]).toMatch(/market\.ts one$/);
  expect(lines[1]).toMatch(/the main thread and one worker, texts of 2 modules$/);
  expect(lines[2]).toMatch(/^from \S+Z to \S+Z$/);
  expect(lines[3]).toBe('traces of 2 threads from the start');
  expect(lines.filter((line) => /^ +\d  \d{4}-\S+Z +\d+ +2 +\d+\.\d ms$/.test(line))).toHaveLength(3);
  expect(stdout).toContain(`\nsnapshot 3: 3 actors, `);
});

test('a snapshot as data has the actors, mailboxes and sizes of all workers', () => {
  const view = viewRecording(recording);
  expect(view.actors.map(({ id, name }) => [view.actor(name)?.id, view.actor({ id })?.name])).toEqual(
    view.actors.map(({ id, name }) => [id, name]),
  );
  expect(view.actor('Unknown')).toBeUndefined();
  const [ann] = view.actorsOf('Cart');
  expect(view.actorsOf('Unknown')).toEqual([]);
  expect(ann).toMatchObject({ name: 'Ann', worker: 1, state: { '#lines': ['bread'] } });
  const { receipts } = (ann as ActorView).state as { receipts: { '#paid': number; lines: string[] }[] };
  expect(receipts).toMatchObject([{ lines: ['tea', 'milk'], '#paid': 7 }]);
  const [receipt] = receipts as [object];
  expect(view.instancesOf('Receipt')).toEqual([receipt]);
  expect(view.instancesOf('Unknown')).toEqual([]);
  expect(view.pathTo(receipt)).toBe('Ann.receipts[0]');
  expect(view.pathTo({})).toBeUndefined();
  expect(view.retainedBy(receipt)).toBeGreaterThan(view.sizeOf(receipt));
  expect(view.workers.map(({ worker, actors }) => [worker, actors.map(({ name }) => name)])).toEqual([
    [0, ['Stock#3']],
    [1, ['Ann', 'Cart#2']],
  ]);
  expect(view.workers.map(({ main }) => main?.id)).toEqual([0, expect.anything()]);
  expect(view.workers.every(({ bytes, baseBytes, turns }) => bytes > baseBytes && baseBytes > 0 && turns > 0)).toBe(
    true,
  );
  for (const { mailbox } of view.actors) {
    expect(mailbox.waiting).toBe(mailbox.messages.length);
    expect(Object.values(mailbox.methods).reduce((sum, count) => sum + count, 0)).toBe(mailbox.waiting);
  }
  expect(view.workers.map(({ messagesWaiting }) => messagesWaiting)).toEqual(
    view.workers.map(({ actors }) => actors.reduce((sum, { mailbox }) => sum + mailbox.waiting, 0)),
  );
  const { classes } = view;
  expect(classes).toEqual(classes.toSorted((a, b) => b.retained - a.retained || b.bytes - a.bytes));
  expect(classes.find(({ name }) => name === 'Receipt')).toEqual({
    name: 'Receipt',
    module: 'shops.ts',
    count: 1,
    bytes: view.sizeOf(receipt),
    retained: view.retainedBy(receipt),
  });
  expect(classes.find(({ name }) => name === 'Array')?.module).toBeUndefined();
  for (const { count, name } of classes) expect(view.instancesOf(name).length).toBeGreaterThanOrEqual(count);
  const modules = view.modules.map(({ url, worker, status }) => [url.split('/').at(-1), worker, status]);
  expect(modules).toContainEqual(['market.ts', 0, expect.any(String)]);
  expect(modules).toContainEqual(['shops.ts', 1, expect.any(String)]);
});

test('inspect --eval prints the result of a query for people and as JSON', async () => {
  const evaluated = async (text: string, ...flags: readonly string[]): Promise<string> =>
    (await run(inspect, recording, '--eval', text, ...flags)).stdout;
  expect(await evaluated('s => s.actor("Ann").name')).toBe('Ann\n');
  expect(await evaluated('s => s.actor("Ann").name', '--json')).toBe('"Ann"\n');
  expect(await evaluated('s => [s.phase, 1n, new Map([[1, 2]]), new Set([3])]', '--json')).toBe(
    `${JSON.stringify([3, '1', [[1, 2]], [3]], undefined, 2)}\n`,
  );
  expect(await evaluated('() => undefined', '--json')).toBe('null\n');
  expect(await evaluated('async s => ({ phase: s.phase })', '--phase', '2')).toBe('{ phase: 2 }\n');
  expect(await evaluated('count(s: { actors: unknown[] }): number { return s.actors.length; }')).toBe('');
  expect(await evaluated('count(s) { return s.actors.length; }')).toBe('3\n');
  expect(await evaluated('(s: { actors: unknown[] }): number => s.actors.length')).toBe('3\n');
  expect(await run(inspect, recording, '--eval', '7')).toMatchObject({
    stderr: expect.stringContaining('a query must be a function of a snapshot, but "7" is number') as string,
    status: 1,
  });
  expect(await run(inspect, recording, '--eval', 'null')).toMatchObject({
    stderr: expect.stringContaining('"null" is null') as string,
  });
  expect(await run(inspect, recording, '--eval', `"${'x'.repeat(100)}"`)).toMatchObject({
    stderr: expect.stringContaining(`x…`) as string,
  });
  expect(await run(inspect, recording, '--eval', 's => orders')).toMatchObject({
    stderr: expect.stringContaining('the query uses orders, which is not defined') as string,
  });
});

test('export writes the same events to standard output and to a file', async () => {
  const { stdout, status } = await run(exportCommand, recording);
  expect(status).toBe(0);
  const exported = JSON.parse(stdout) as Record<string, unknown>;
  const file = join(directory, 'out.json');
  const summary = (await json(exportCommand, recording, '-o', file)) as { events: number; ends: unknown[] };
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(exported);
  expect(summary).toMatchObject({ recording, file, as: 'json' });
  expect(summary.ends).toHaveLength(2);
  expect((await run(exportCommand, recording, '-o', file)).stdout).toBe(
    `${summary.events} events of 2 threads in ${file}\n`,
  );
  expect(JSON.stringify(exported)).toContain(`${program}/market.ts`);
  const chrome = (await run(exportCommand, recording, '--as', 'chrome')).stdout;
  expect(JSON.parse(chrome)).toHaveProperty('traceEvents');
  const redacted = (await run(exportCommand, recording, '--redact', 'HOME')).stdout;
  const home = `"HOME":${JSON.stringify(process.env['HOME'])}`;
  expect([stdout.includes(home), redacted.includes(home)]).toEqual([true, false]);
  const missing = join(directory, 'none', 'out.json');
  expect(await run(exportCommand, recording, '-o', missing)).toMatchObject({
    stderr: expect.stringContaining(`${missing} cannot be written: ENOENT`) as string,
    status: 1,
  });
  expect(existsSync(join(directory, '.out.json.tmp'))).toBe(false);
});

test('tasks lists all tasks in their order, and filters them', async () => {
  const lines = (await run(tasksCommand, recording, '--json')).stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const summary = lines.pop();
  expect(summary).toMatchObject({ tasks: lines.length, verdict: 'same', hungThreads: [], divergence: null });
  const orders = async (...flags: readonly string[]): Promise<number[]> => {
    const { stdout, status } = await run(tasksCommand, recording, ...flags);
    expect(status).toBe(0);
    const [first, ...others] = stdout.split('\n');
    expect(first).toBe(`${lines.length} tasks on 2 threads`);
    return others.flatMap((line) => /^ +(\d+) {2}\+/.exec(line)?.[1] ?? []).map(Number);
  };
  const all = lines.map((_, i) => i + 1);
  expect(await orders()).toEqual(all);
  expect(await orders('--from', '0')).toEqual(all);
  expect(await orders('--from', '3', '--to', '5')).toEqual([3, 4, 5]);
  expect(await orders('--from', String(lines.length))).toEqual([lines.length]);
  expect(await orders('--from', String(lines.length + 1))).toEqual([]);
  const workerTasks = all.filter((order) => lines[order - 1]?.['worker'] === 1);
  expect(await orders('--worker', '1')).toEqual(workerTasks);
  const annTasks = all.filter((order) => lines[order - 1]?.['actor'] === 'Ann');
  expect(annTasks.length).toBeGreaterThan(0);
  expect(await orders('--actor', 'An*')).toEqual(annTasks);
  expect(await orders('--actor', 'An*, Stock#3', '--worker', '1', '--to', '20')).toEqual(
    annTasks.filter((order) => order <= 20),
  );
});

test('a replay is the same, from the start and from a snapshot', async () => {
  const whole = (await json(replayCommand, recording, '--console', 'capture')) as Record<string, unknown>;
  expect(whole).toMatchObject({ verdict: 'same', stdout: printed });
  const { stderr, status } = await run(replayCommand, recording, '--from', '2', '--console', 'mute', '--strict');
  expect([stderr.split(':')[0], status]).toEqual(['same', 0]);
  expect(await run(replayCommand, recording, '--from', '9')).toMatchObject({ status: 1, stdout: '' });
});

test('debug runs commands of a file, and ends with 1 if one fails', async () => {
  const outcomeOf = async (...commands: readonly string[]): Promise<CommandResult> => {
    const file = join(directory, 'commands.txt');
    writeFileSync(file, commands.join('\n'));
    return run(debugCommand, recording, '--repl', '--commands', file);
  };
  const { stdout, status } = await outcomeOf('forward turn Ann.pay', 'step', 'info locals', 'quit');
  expect(stdout).toMatch(/Ann\.pay/);
  expect(stdout).toContain('amount = 7');
  expect(status).toBe(0);
  expect((await outcomeOf('forward nothing', 'quit')).status).toBe(1);
});
