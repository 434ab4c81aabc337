// A session of the window with a time machine, without the window.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { RunIndex } from '@turntable/time-machine';
import { Client } from '@turntable/time-machine/client';
import { TimeMachineServer } from '@turntable/time-machine/server';
import { writeTaskLogs, type RandomStep } from '../../../packages/time-machine/test/random-runs.ts';
import { DebuggerSession } from '../src/model/debugger-session.ts';
import { waitForState } from './wait-for-state.ts';

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const SHOP_STEPS: readonly RandomStep[] = [
  { action: 'run', thread: 0, sends: 2, kind: 'evaluation' },
  { action: 'take', thread: 1, from: 0 },
  { action: 'run', thread: 1, sends: 0, kind: 'construct', actor: 1 },
  { action: 'run', thread: 1, sends: 2, actor: 1, prints: true },
  { action: 'take', thread: 0, from: 1 },
  { action: 'run', thread: 0, sends: 0, kind: 'entry', fails: true },
];

function createServer(steps: readonly RandomStep[]): TimeMachineServer {
  const into = mkdtempSync(join(directory, 'run-'));
  writeTaskLogs(steps, into);
  return new TimeMachineServer(RunIndex.read(into), { name: 'shop', from: undefined, verdict: 'same' }, '1.2.3');
}

test('opening loads the timeline and all actors', async () => {
  const server = createServer(SHOP_STEPS);
  const session = new DebuggerSession(async () => new Client(server.openWire()));
  const stages: string[] = [];
  session.store.subscribe(() => {
    if (stages.at(-1) !== session.state.stage) stages.push(session.state.stage);
  });
  await session.open();
  expect(stages).toEqual(['connecting', 'loading', 'ready']);
  const { hello, actors, timeline, cursor } = session.state;
  expect(hello?.recording.name).toBe('shop');
  expect(timeline?.taskCount).toBe(4);
  expect(timeline?.isComplete).toBe(true);
  expect(actors.reduce((sum, { taskCount }) => sum + taskCount, 0)).toBe(4);
  expect(cursor?.order).toBe(1);
});

test('the timeline is shown before all of it has loaded', async () => {
  const server = createServer(
    Array.from({ length: 140_000 }, (): RandomStep => ({ action: 'run', thread: 0, sends: 0 })),
  );
  const session = new DebuggerSession(async () => new Client(server.openWire()));
  const filled: number[] = [];
  session.store.subscribe(() => {
    const { timeline } = session.state;
    if (timeline !== undefined && filled.at(-1) !== timeline.loadedCount) filled.push(timeline.loadedCount);
  });
  await session.open();
  expect(filled).toEqual([65_536, 131_072, 140_000]);
  expect(session.state.timeline?.lane(0).length).toBe(140_000);
});

test('moves change the position, and navigation goes back and forward', async () => {
  const server = createServer(SHOP_STEPS);
  const session = new DebuggerSession(async () => new Client(server.openWire()));
  await session.open();
  const command = (id: string, direction?: string) =>
    session.state.commands.find((each) => each.move.id === id && each.direction === direction)!;
  await session.runMove(command('uncaught', 'forward'));
  const failed = session.state.cursor?.order;
  expect(session.state.cursor?.task?.events).toMatchObject([{ kind: 'uncaught' }]);
  await session.runMove(command('uncaught', 'forward'));
  expect(session.state.notice).toEqual({
    text: expect.stringMatching(/^there is no later .*uncaught error$/),
    isError: false,
  });
  expect(session.state.cursor?.order).toBe(failed);
  await session.moveTo(2);
  await session.navigate(-1);
  expect(session.state.cursor?.order).toBe(failed);
  await session.navigate(1);
  expect(session.state.cursor?.order).toBe(2);
  await session.moveTo('9.99');
  expect(session.state.notice?.isError).toBe(true);
});

test('a move of another client changes the position', async () => {
  const server = createServer(SHOP_STEPS);
  const session = new DebuggerSession(async () => new Client(server.openWire()));
  await session.open();
  const other = new Client(server.openWire());
  await other.hello('other');
  await other.request('move', { move: 'goto', arguments: { target: 'end' } });
  expect((await waitForState(session, ({ cursor }) => cursor?.order === 5)).cursor?.task).toBe(undefined);
});

test('of the moves during a running move only the last one runs, and a cancellation covers all', async () => {
  const largeServer = createServer(
    Array.from({ length: 60_000 }, (): RandomStep => ({ action: 'run', thread: 0, sends: 0 })),
  );
  const session = new DebuggerSession(async () => new Client(largeServer.openWire()));
  await session.open();
  expect(session.state.timeline?.isComplete).toBe(true);
  const entry = session.state.commands.find(
    ({ move, direction }) => move.id === 'callback' && direction === 'forward',
  )!;
  const long = session.runMove(entry);
  await waitForState(session, ({ busy }) => (busy?.done ?? 0) > 0);
  void session.moveTo(7);
  void session.moveTo(8);
  await long;
  expect(session.state.cursor?.order).toBe(8);
  expect(session.state.navigation.positions.length).toBe(2);
  const secondMove = session.runMove(entry);
  await waitForState(session, ({ busy }) => (busy?.done ?? 0) > 0);
  void session.moveTo(9);
  session.cancel();
  await secondMove;
  expect(session.state.cursor?.order).toBe(8);
  expect([session.state.busy, session.state.notice]).toEqual([undefined, undefined]);
});

test('a lost connection is reported with its reason, and can be opened again', async () => {
  let server = createServer(SHOP_STEPS);
  let isUp = false;
  const session = new DebuggerSession(async () => {
    if (!isUp) throw new Error('connection refused');
    return Client.connect(await server.listen(0));
  });
  await session.open();
  expect([session.state.stage, session.state.lostReason]).toEqual(['lost', 'connection refused']);
  isUp = true;
  await session.open();
  expect(session.state.stage).toBe('ready');
  await server.close();
  expect((await waitForState(session, ({ stage }) => stage === 'lost')).lostReason).toBe('the server shuts down');
  server = createServer(SHOP_STEPS);
  await session.open();
  expect(session.state.stage).toBe('ready');
  await server.close();
});
