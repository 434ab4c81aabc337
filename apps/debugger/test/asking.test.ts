// What the window asks a time machine with engines: where values come from, states of actors, variables of outer functions, bookmarks.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { TURN_BEFORE } from '../src/model/actor-state.ts';
import type { Session } from '../src/model/session.ts';
import type { State } from '../src/model/state.ts';
import { EngineRoom, lineOf, sessionWith } from './engine-room.ts';
import { until } from './until.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

const room = new EngineRoom();
afterAll(() => room[Symbol.dispose]());

beforeAll(() => {
  room.record('writing', 'writing.mjs');
  room.record('selling', 'selling.ts');
});

/** To the so-manieth time that a line is come by. */
async function toLine(session: Session, file: string, part: string, times: number): Promise<void> {
  await session.toggleBreakpoint(file, lineOf(file, part));
  const next = session.state.commands.find(
    ({ move, direction }) => move.id === 'breakpoint' && direction === 'forward',
  )!;
  for (let i = 0; i < times; i++) await session.go(next);
  await until(session, ({ isLooking, where }) => !isLooking && where?.statement?.line === lineOf(file, part));
  await session.toggleBreakpoint(file, lineOf(file, part));
}

const lines = ({ origin }: State): unknown[] => origin?.steps.map(({ where }) => where.statement?.line) ?? [];
const WRITE = 'this.sum = before + amount';

test('an origin ends where a value is made of others, and goes on with the one that is chosen, through copies', async () => {
  const session = await room.session('selling');
  await toLine(session, 'clerks.ts', WRITE, 3);
  await session.origins.ask('this.sum');
  const write = lineOf('clerks.ts', WRITE);
  expect(lines(session.state)).toEqual([write]);
  expect(session.state.origin).toMatchObject({
    isAsking: false,
    why: expect.stringContaining('choose one'),
    steps: [{ way: 'written', asked: 'this.sum', code: `${WRITE};`, parts: ['before', 'amount'] }],
  });
  expect(session.state.panes.below).toBe('origin');
  await session.origins.askOn(0, 'before');
  expect(lines(session.state)).toEqual([write, lineOf('clerks.ts', 'const before = this.sum'), write]);
  const [first, copy, last] = session.state.origin?.steps ?? [];
  expect(copy).toMatchObject({ asked: 'before', parts: ['this.sum'] });
  expect(first?.where.order).toBe(copy?.where.order);
  expect(last!.where.order).toBeLessThan(first!.where.order);
  // The write before, of the first one.
  await session.origins.askOn(0, 'this.sum');
  expect(session.state.origin?.steps[1]?.where).toEqual(last?.where);
});

test('what came with a message leads to the statement that has sent it, and on with what was passed there', async () => {
  const session = await room.session('selling');
  await toLine(session, 'clerks.ts', WRITE, 2);
  const { order } = session.state.where!;
  await session.origins.ask('amount');
  expect(session.state.origin?.steps.map(({ way, asked }) => [way, asked])).toEqual([
    ['sent', 'amount'],
    ['written', 'i'],
  ]);
  const sent = session.state.origin?.steps[0]?.where;
  expect(sent?.statement?.line).toBe(lineOf('clerks.ts', 'await till.add(i)'));
  await session.origins.goToSending('amount');
  expect(session.state.where?.position).toBe(sent?.position);
  // The same of the turn.
  await session.turn(-1);
  expect(session.state.where?.order).toBe(order);
  await session.goToSending();
  expect(session.state.where?.position).toBe(sent?.position);
});

test('what cannot be asked says why, and what is given up is over', async () => {
  const session = await room.session('selling');
  await toLine(session, 'clerks.ts', WRITE, 1);
  await session.origins.ask('before + amount');
  expect(session.state.origin?.why).toContain('is no variable, property or entry');
  const asked = session.origins.ask('amount');
  session.cancel();
  await asked;
  expect(session.state.origin).toMatchObject({ isAsking: false, why: 'It was given up.' });
  session.origins.forget();
  expect(session.state.origin).toBe(undefined);
});

test('the variables of an outer function are shown where it waits, and asked about there', async () => {
  const session = await room.session('writing');
  await toLine(session, 'writing.mjs', 'order.sum = total', 1);
  const names = (): string[] => session.state.tree.roots.map(({ name }) => name);
  const inner = names();
  const outer = session.state.frames.findIndex(({ function: name }) => name === 'look');
  await session.chooseFrame(outer);
  expect(session.state.frame).toBe(outer);
  expect(names()).toEqual(expect.arrayContaining(['order', 'shelf', 'number']));
  expect(names()).not.toEqual(inner);
  expect(session.state.source?.line).toBe(session.state.frames[outer]?.place?.line);
  await session.chooseFrame(0);
  expect(names()).toEqual(inner);
  await session.chooseFrame(outer);
  await session.goTo(1);
  expect(session.state.frame).toBe(0);
});

async function toLastAdd(session: Session): Promise<void> {
  const { commands } = session.state;
  await session.go(commands.find(({ move }) => move.id === 'end')!);
  const back = commands.find(({ move, direction }) => move.id === 'match' && direction === 'backward')!;
  await session.go(back, { actor: 'Till*', method: 'add' });
}

test('the state of any actor is opened part by part, whoever has the turn', async () => {
  const session = await room.session('selling');
  await toLastAdd(session);
  await session.actorStates.look();
  const name = session.state.where?.stretch?.actor;
  expect(session.state.actorState).toMatchObject({
    isLooking: false,
    total: 4,
    shown: { name },
    mailbox: { total: expect.any(Number) },
  });
  const { living, tree, shown } = session.state.actorState;
  expect(tree.roots.map((each) => [each.name, each.value?.class])).toEqual([['this', 'Till']]);
  expect(tree.parts.get(shown!.value!.id!)?.entries.map((each) => each.name)).toContain('sum');
  const clerk = living.find((each) => each.name !== name)!;
  await session.actorStates.choose(clerk);
  expect(session.state.actorState.shown?.name).toBe(clerk.name);
  expect(session.state.actorState.tree.roots[0]?.value?.class).toBe('Clerk');
  // It stays the one that is shown, from place to place; where it does not live yet nobody is.
  await session.goTo(1);
  await session.actorStates.look();
  expect(session.state.actorState).toMatchObject({ shown: undefined, total: 0, chosen: { name: clerk.name } });
  await session.actorStates.choose(undefined);
  expect(session.state.actorState.chosen).toBe(undefined);
});

test('a state is compared with the turn before, and with a bookmark', async () => {
  const session = await room.session('selling');
  await session.bookmarks.add('the beginning');
  await toLastAdd(session);
  await session.actorStates.look();
  await session.actorStates.compareWith(TURN_BEFORE);
  const { difference } = session.state.actorState;
  expect(difference?.entries).toMatchObject([
    { path: 'this.sum', before: expect.any(String), after: expect.any(String) },
  ]);
  await session.actorStates.compareWith(session.state.bookmarks[0]?.position);
  const since = session.state.actorState.difference?.entries;
  expect(since?.find(({ path }) => path === 'this.sum')).toEqual({
    ...difference?.entries[0],
    before: undefined,
  });
  await session.actorStates.compareWith(undefined);
  expect(session.state.actorState.difference).toBe(undefined);
});

test('a part of a state is asked about wherever one stands, also of an actor that has no turn any more', async () => {
  const session = await room.session('selling');
  const write = lineOf('clerks.ts', WRITE);
  await toLastAdd(session);
  const last = session.state.where!.order;
  await session.actorStates.look();
  const till = session.state.actorState.shown!;
  const of = { worker: till.worker, actor: till.name };
  // Before its turn it is the write before.
  expect(session.actorStates.asked).toEqual({ position: session.state.where?.position, of });
  await session.origins.ask('this.sum', session.actorStates.asked);
  expect(lines(session.state)).toEqual([write]);
  expect(session.state.origin!.steps[0]!.where.order).toBeLessThan(last);
  // Behind its last turn it is what that has written.
  await session.goTo(last + 1);
  await session.actorStates.choose(till);
  await session.origins.ask('this.sum', session.actorStates.asked);
  expect(lines(session.state)).toEqual([write]);
  expect(session.state.origin!.steps[0]!.where.order).toBe(last);
  // On from there, and where the actor itself comes from.
  await session.origins.askOn(0, 'before');
  expect(lines(session.state)).toEqual([write, lineOf('clerks.ts', 'const before = this.sum'), write]);
  await session.origins.ask('this', session.actorStates.asked);
  expect(session.state.origin?.steps).toMatchObject([{ note: `${till.name} is made here` }]);
  // In the midst of its turn, where it is this.
  await session.goTo(1);
  await toLine(session, 'clerks.ts', WRITE, 1);
  await session.actorStates.choose(undefined);
  expect(session.actorStates.asked).toEqual({ position: session.state.where?.position });
});

test("bookmarks are the time machine's: another window has them, too", async () => {
  const server = await room.server('selling');
  const one = await sessionWith(server);
  await one.goTo(3);
  await one.bookmarks.add('');
  const [{ id, position } = { id: 0, position: '' }] = one.state.bookmarks;
  expect([one.state.panes.left, position]).toEqual(['bookmarks', one.state.where?.position]);
  await one.bookmarks.say(id, 'here');
  const other = await sessionWith(server);
  expect(other.state.bookmarks).toMatchObject([{ id, position, note: 'here', stretch: { order: 3 } }]);
  await other.bookmarks.remove(id);
  expect(other.state.bookmarks).toEqual([]);
  await one.bookmarks.say(id, 'gone');
  expect(one.state.notice?.text).toBe(`there is no bookmark ${id}`);
});
