// All turns and calls of a recording in one order (`turntable turns`): the same whenever it is made, whatever keeps the threads meanwhile, and one that could have been.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, cpSync, mkdtempSync, readdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, expect, test, vi } from 'vitest';
import type { Mark, Stretch, SurveyedThread } from '@turntable/time-machine';
import { Client } from '@turntable/time-machine/client';
import { CLI, FLAGS } from '../../scripts/tested.ts';
import { CHAOS, PROGRAMS, record, recordingIn, replay, turntable, type Ended } from './again.ts';

// Each makes a survey two or three times, and its workers end and begin anew.
vi.setConfig({ testTimeout: 240_000 });

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

type Told = Stretch & { readonly marks: readonly Pick<Mark, 'kind' | 'value'>[] };

interface Surveyed {
  readonly text: string;
  readonly told: readonly Told[];
  readonly threads: readonly SurveyedThread[];
  readonly verdict: string;
  readonly status: number | null;
}

function turns(place: string, args: readonly string[] = [], env?: NodeJS.ProcessEnv): Surveyed {
  const { stdout, status, stderr }: Ended = turntable(['turns', place, '--json', ...args], { env });
  if (stdout === '') throw new Error(`turns of ${place} ended with ${status}:\n${stderr}`);
  const lines = stdout.trimEnd().split('\n');
  const end = JSON.parse(lines.pop() as string) as Pick<Surveyed, 'threads' | 'verdict'>;
  return { text: lines.join('\n'), told: lines.map((line) => JSON.parse(line) as Told), ...end, status };
}

/** That the order could have been: nothing comes before what it comes from. */
function expectOrder({ told }: Surveyed): void {
  const numbers = new Map<string, number>();
  const turnsOf = new Map<string, number>();
  let phase = 0;
  told.forEach((each, i) => {
    const { order, worker, life, number, turn, sender } = each;
    const key = `${worker}.${life}`;
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

/** Ends each process that is to run something again. */
const NO_REPLAY = 'if (process.env.TURNTABLE_REPLAY) process.reallyExit(9)';

const RACY = ['messages', 'shop'];

test.each(RACY)('the order of %s is the same whenever it is made, and one that could have been', (name) => {
  const into = join(directory, name);
  const recorded = record(into, [join(PROGRAMS, 'main.ts'), name, '2', '1', '1'], {
    ...CHAOS,
    TURNTABLE_SNAPSHOTS: 'turns=150,end',
  });
  const [one, other] = [turns(into), turns(into, ['--anew'], CHAOS)];
  expect({ verdict: one.verdict, status: one.status }).toEqual({ verdict: 'same', status: 0 });
  expect(other.text).toBe(one.text);
  expectOrder(one);
  // Of a turn it is known who has sent its message, but of what comes of the outside.
  const ofTurns = one.told.filter(({ turn }) => turn !== undefined);
  expect(ofTurns.filter(({ sender }) => sender === undefined).length).toBeLessThan(ofTurns.length / 10);
  expect(one.told.some(({ worker, sender }) => sender !== undefined && one.told[sender - 1]?.worker !== worker)).toBe(
    true,
  );
  const printed = one.told.flatMap(({ marks }) => marks.filter(({ kind }) => kind === 'stdout'));
  expect(printed.reduce((sum, { value }) => sum + Number(value), 0)).toBe(Buffer.byteLength(recorded.stdout));
});

/** The places that a conversation at the terminal comes to, behind the lines that lead there. */
function visited(output: string): [line: string, order: number | string][] {
  return output.split(/^\S+> /m).flatMap((piece, i) => {
    const [line = '', ...said] = piece.trimEnd().split('\n');
    const shown = said.findLast((each) => /^ {0,7}\d+ {2}\+/.test(each));
    return i === 0 ? [] : [[line, shown === undefined ? said.join(' ') : Number.parseInt(shown, 10)] as const];
  }) as [string, number | string][];
}

test('it is moved about in at a terminal, forward and backward', () => {
  const into = join(directory, 'shop');
  const { told } = turns(into);
  const answered = told.findLast(({ kind, sender }) => kind === 'fulfil' && sender !== undefined) as Told;
  const printing = told.filter(({ marks }) => marks.some(({ kind }) => kind === 'stdout')).map(({ order }) => order);
  const own = told.filter(({ actor, worker }) => actor === answered.actor && worker === answered.worker);
  const sentThere = told.filter(({ sender }) => sender === answered.sender);
  const which = sentThere.indexOf(answered) + 1;
  const begin = own.findIndex(({ order }) => order === answered.order);
  const conversation: [line: string, order: number | string | undefined][] = [
    [`${answered.order}`, answered.order],
    ['sender', answered.sender],
    [`receiver ${which}`, answered.order],
    ['back actor', own[begin - 1]?.order],
    ['next actor', answered.order],
    ['back output', printing.findLast((order) => order < answered.order)],
    ['start', 1],
    ['next output', printing[0]],
    ['end', expect.stringContaining(', the end')],
    ['back', told.length],
  ];
  const said = conversation.filter(([, order]) => order !== undefined);
  const input = said.map(([line]) => `${line}\n`).join('');
  const { stdout, stderr, status } = turntable(['debug', into], { input });
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  expect(visited(stdout)).toEqual(said);
});

test('it is served to who has the address', async () => {
  const into = join(directory, 'shop');
  const { told } = turns(into);
  const server = spawn(process.execPath, [...FLAGS, CLI, 'debug', into, '--serve'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  try {
    const [address] = (await once(createInterface(server.stdout), 'line')) as [string];
    const client = await Client.at(address);
    const { stretches, where } = await client.hello('test');
    expect({ stretches, order: where.order }).toEqual({ stretches: told.length, order: 1 });
    const all = await client.request('stretches', { from: 1, count: 1000 });
    expect(all.stretches.map(({ order, actor, sender }) => ({ order, actor, sender }))).toEqual(
      told.slice(0, 1000).map(({ order, actor, sender }) => ({ order, actor, sender })),
    );
    // A terminal elsewhere takes it along.
    const moved = new Promise<number>((settle) => (client.onMoved = ({ where: { order } }) => settle(order)));
    const terminal = spawn(process.execPath, [...FLAGS, CLI, 'debug', '--connect', address], {
      stdio: ['pipe', 'ignore', 'inherit'],
    });
    terminal.stdin.end('100%\n');
    expect(await moved).toBe(told.length);
    expect(await once(terminal, 'exit')).toEqual([0, null]);
    server.kill('SIGTERM');
    expect(await once(server, 'exit')).toEqual([0, null]);
  } finally {
    server.kill('SIGKILL');
  }
});

test('lives of workers come one behind the other, and what tells of their ends behind them', () => {
  const into = join(directory, 'mortal');
  record(into, ['mortal.ts']);
  const [one, other] = [turns(into), turns(into, ['--anew'], CHAOS)];
  expect(other.text).toBe(one.text);
  expectOrder(one);
  expect(one.threads.length).toBeGreaterThan(5);
  const lives = Map.groupBy(one.told, ({ worker }) => worker);
  for (const those of lives.values())
    expect(those.map(({ life }) => life)).toEqual(those.map(({ life }) => life).toSorted((a, b) => a - b));
});

test('where snapshots are, it goes on as the recorded run, though it writes none', () => {
  const into = join(directory, 'known');
  const recorded = record(into, ['known.ts']);
  expect(recorded.stdout).toBe('0 0\n');
  expect(replay(into).report.verdict).toBe('same');
  expect(turns(into)).toMatchObject({ verdict: 'same', status: 0 });
});

test('it goes from a snapshot to the end, and as far as traces go', () => {
  const into = join(directory, 'shop');
  const recording = recordingIn(into);
  const whole = turns(into);
  const from = turns(into, ['--phase', '1']);
  expect(from.verdict).toBe('same');
  expectOrder(from);
  const keyOf = ({ worker, turn, actor, kind, method }: Told): unknown => ({ worker, turn, actor, kind, method });
  const later = whole.told.filter(({ phase, turn }) => phase > 0 && turn !== undefined).map(keyOf);
  expect(from.told.filter(({ turn }) => turn !== undefined).map(keyOf)).toEqual(later);

  const copy = join(directory, 'copy', 'shop');
  cpSync(recording, copy, { recursive: true });
  for (const name of readdirSync(join(copy, 'traces'))) {
    const file = join(copy, 'traces', name);
    if (/-[12]\.0\./.test(name)) truncateSync(file, Math.floor(statSync(file).size / 2));
  }
  const cut = turns(copy);
  expect({ verdict: cut.verdict, status: cut.status }).toEqual({ verdict: 'truncated', status: 0 });
  expectOrder(cut);
  expect(cut.told.length).toBeGreaterThan(0);
});

test('it is kept, made anew where that is damaged, and not taken for that of another recording', () => {
  const into = join(directory, 'messages');
  const cache = join(directory, 'cache');
  const env = { TURNTABLE_CACHE: cache };
  const first = turns(into, [], env);
  const [name, ...others] = readdirSync(join(cache, 'surveys'));
  expect(others).toEqual([]);
  const file = join(cache, 'surveys', name as string);
  const { mtimeMs, size } = statSync(file);
  // Nothing of the program is there any more that could run.
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

test('one that differs goes as far as it does, and says so', () => {
  const [into, another] = [join(directory, 'messages'), join(directory, 'another')];
  record(another, [join(PROGRAMS, 'main.ts'), 'messages', '2', '1', '2'], CHAOS);
  const copy = join(directory, 'differing', 'messages');
  cpSync(recordingIn(into), copy, { recursive: true });
  const name = readdirSync(join(copy, 'traces')).find((each) => each.includes('-1.0.')) as string;
  copyFileSync(join(recordingIn(another), 'traces', name), join(copy, 'traces', name));
  const { verdict, status, told } = turns(copy);
  expect({ verdict, status }).toEqual({ verdict: 'diverged', status: 3 });
  expect(told.length).toBeGreaterThan(0);
});
