// A window's session with a time machine, without the window.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { Survey } from '@turntable/time-machine';
import { Client } from '@turntable/time-machine/client';
import { TimeMachineServer } from '@turntable/time-machine/server';
import { run, type Step } from '../../../packages/time-machine/test/random-runs.ts';
import { Session } from '../src/model/session.ts';
import { until } from './until.ts';

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const SHOP: readonly Step[] = [
  { what: 'run', thread: 0, sends: 2, kind: 'evaluation' },
  { what: 'take', thread: 1, from: 0 },
  { what: 'run', thread: 1, sends: 0, kind: 'construct', actor: 1 },
  { what: 'run', thread: 1, sends: 2, actor: 1, prints: true },
  { what: 'take', thread: 0, from: 1 },
  { what: 'run', thread: 0, sends: 0, kind: 'entry', fails: true },
];

function serverOf(all: readonly Step[]): TimeMachineServer {
  const into = mkdtempSync(join(directory, 'run-'));
  run(all, into);
  return new TimeMachineServer(Survey.read(into), { name: 'shop', from: undefined, verdict: 'same' }, '1.2.3');
}

test('it opens with the time line and all actors', async () => {
  const server = serverOf(SHOP);
  const session = new Session(async () => new Client(server.wire()));
  const stages: string[] = [];
  session.store.watch(() => {
    if (stages.at(-1) !== session.state.stage) stages.push(session.state.stage);
  });
  await session.open();
  expect(stages).toEqual(['connecting', 'loading', 'ready']);
  const { hello, actors, timeLine, where } = session.state;
  expect(hello?.recording.name).toBe('shop');
  expect(timeLine?.count).toBe(4);
  expect(timeLine?.isFilled).toBe(true);
  expect(actors.reduce((sum, { stretches }) => sum + stretches, 0)).toBe(4);
  expect(where?.order).toBe(1);
});

test('the time line is there before all of it has come', async () => {
  const server = serverOf(Array.from({ length: 140_000 }, (): Step => ({ what: 'run', thread: 0, sends: 0 })));
  const session = new Session(async () => new Client(server.wire()));
  const filled: number[] = [];
  session.store.watch(() => {
    const { timeLine } = session.state;
    if (timeLine !== undefined && filled.at(-1) !== timeLine.filled) filled.push(timeLine.filled);
  });
  await session.open();
  expect(filled).toEqual([65_536, 131_072, 140_000]);
  expect(session.state.timeLine?.lane(0).length).toBe(140_000);
});

test('it goes where it is asked to, and back through where it was', async () => {
  const server = serverOf(SHOP);
  const session = new Session(async () => new Client(server.wire()));
  await session.open();
  const command = (id: string, direction?: string) =>
    session.state.commands.find((each) => each.move.id === id && each.direction === direction)!;
  await session.go(command('error', 'forward'));
  const failed = session.state.where?.order;
  expect(session.state.where?.stretch?.marks).toMatchObject([{ kind: 'error' }]);
  await session.go(command('error', 'forward'));
  expect(session.state.notice).toEqual({
    text: expect.stringMatching(/^there is no later .*error that nobody has caught$/),
    isError: false,
  });
  expect(session.state.where?.order).toBe(failed);
  await session.goTo(2);
  await session.turn(-1);
  expect(session.state.where?.order).toBe(failed);
  await session.turn(1);
  expect(session.state.where?.order).toBe(2);
  await session.goTo('9.99');
  expect(session.state.notice?.isError).toBe(true);
});

test('where another client goes it goes, too', async () => {
  const server = serverOf(SHOP);
  const session = new Session(async () => new Client(server.wire()));
  await session.open();
  const other = new Client(server.wire());
  await other.hello('other');
  await other.request('move', { move: 'end' });
  expect((await until(session, ({ where }) => where?.order === 5)).where?.stretch).toBe(undefined);
});

test('of moves that come while one is made only the last is made, and all are given up together', async () => {
  const many = serverOf(Array.from({ length: 60_000 }, (): Step => ({ what: 'run', thread: 0, sends: 0 })));
  const session = new Session(async () => new Client(many.wire()));
  await session.open();
  expect(session.state.timeLine?.isFilled).toBe(true);
  const entry = session.state.commands.find(({ move, direction }) => move.id === 'entry' && direction === 'forward')!;
  const long = session.go(entry);
  await until(session, ({ busy }) => (busy?.done ?? 0) > 0);
  void session.goTo(7);
  void session.goTo(8);
  await long;
  expect(session.state.where?.order).toBe(8);
  expect(session.state.trail.places.length).toBe(2);
  const again = session.go(entry);
  await until(session, ({ busy }) => (busy?.done ?? 0) > 0);
  void session.goTo(9);
  session.cancel();
  await again;
  expect(session.state.where?.order).toBe(8);
  expect([session.state.busy, session.state.notice]).toEqual([undefined, undefined]);
});

test('when nobody answers it says why, and it connects again', async () => {
  let server = serverOf(SHOP);
  let isThere = false;
  const session = new Session(async () => {
    if (!isThere) throw new Error('nobody is there');
    return Client.at(await server.listen(0));
  });
  await session.open();
  expect([session.state.stage, session.state.why]).toEqual(['lost', 'nobody is there']);
  isThere = true;
  await session.open();
  expect(session.state.stage).toBe('ready');
  await server.close();
  expect((await until(session, ({ stage }) => stage === 'lost')).why).toBe('the server ends');
  server = serverOf(SHOP);
  await session.open();
  expect(session.state.stage).toBe('ready');
  await server.close();
});
