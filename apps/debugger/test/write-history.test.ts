// Requests of the window to a time machine with replay processes: origins of values, states of actors, variables of
// outer frames, and bookmarks.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { Client } from '@turntable/time-machine/client';
import { PREVIOUS_TURN } from '../src/model/actor-state.ts';
import type { DebuggerSession } from '../src/model/debugger-session.ts';
import type { SessionState } from '../src/model/session-state.ts';
import { ReplayFixture, lineContaining, openSession } from './replay-fixture.ts';
import { waitForState } from './wait-for-state.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

const fixture = new ReplayFixture();
afterAll(() => fixture[Symbol.asyncDispose]());

beforeAll(() => {
  fixture.record('writing', 'writing.mjs');
  fixture.record('selling', 'selling.ts');
  fixture.record('steps', 'steps.mjs');
});

/** Moves to the `count`-th hit of a line. */
async function moveToLine(session: DebuggerSession, file: string, part: string, count: number): Promise<void> {
  await session.toggleBreakpoint(file, lineContaining(file, part));
  const next = session.state.commands.find(({ move, direction }) => move.id === 'continue' && direction === 'forward')!;
  for (let i = 0; i < count; i++) await session.runMove(next);
  await waitForState(
    session,
    ({ isLoading, cursor }) => !isLoading && cursor?.statement?.line === lineContaining(file, part),
  );
  await session.toggleBreakpoint(file, lineContaining(file, part));
}

const stepLines = ({ writeHistory }: SessionState): unknown[] =>
  writeHistory?.steps.map(({ cursor }) => cursor.statement?.line) ?? [];
const SUM_WRITE = 'this.sum = before + amount';

test('tracing an origin follows copies, stops where a value is computed, and continues with the chosen operand', async () => {
  const session = await fixture.createSession('selling');
  await moveToLine(session, 'clerks.ts', SUM_WRITE, 3);
  await session.writeHistory.trace('this.sum');
  const write = lineContaining('clerks.ts', SUM_WRITE);
  expect(stepLines(session.state)).toEqual([write]);
  expect(session.state.writeHistory).toMatchObject({
    isLoading: false,
    endReason: expect.stringContaining('choose one'),
    steps: [{ kind: 'written', expression: 'this.sum', sourceLine: `${SUM_WRITE};`, operands: ['before', 'amount'] }],
  });
  expect(session.state.panes.below).toBe('writes');
  await session.writeHistory.traceFrom(0, 'before');
  expect(stepLines(session.state)).toEqual([write, lineContaining('clerks.ts', 'const before = this.sum'), write]);
  const [first, copy, last] = session.state.writeHistory?.steps ?? [];
  expect(copy).toMatchObject({ expression: 'before', operands: ['this.sum'] });
  expect(first?.cursor.order).toBe(copy?.cursor.order);
  expect(last!.cursor.order).toBeLessThan(first!.cursor.order);
  // The previous write of the first operand.
  await session.writeHistory.traceFrom(0, 'this.sum');
  expect(session.state.writeHistory?.steps[1]?.cursor).toEqual(last?.cursor);
});

test('an argument of a message leads to the statement that sent it, and on to the passed value', async () => {
  const session = await fixture.createSession('selling');
  await moveToLine(session, 'clerks.ts', SUM_WRITE, 2);
  const { order } = session.state.cursor!;
  await session.writeHistory.trace('amount');
  expect(session.state.writeHistory?.steps.map(({ kind, expression }) => [kind, expression])).toEqual([
    ['sent', 'amount'],
    ['written', 'i'],
  ]);
  const sent = session.state.writeHistory?.steps[0]?.cursor;
  expect(sent?.statement?.line).toBe(lineContaining('clerks.ts', 'await till.add(i)'));
  await session.writeHistory.moveToSend('amount');
  expect(session.state.cursor?.position).toBe(sent?.position);
  // The same for the whole turn.
  await session.navigate(-1);
  expect(session.state.cursor?.order).toBe(order);
  await session.moveToSend();
  expect(session.state.cursor?.position).toBe(sent?.position);
});

test('an untraceable expression is reported with the reason, and a trace can be cancelled', async () => {
  const session = await fixture.createSession('selling');
  await moveToLine(session, 'clerks.ts', SUM_WRITE, 1);
  await session.writeHistory.trace('before + amount');
  expect(session.state.writeHistory?.endReason).toContain('must be a variable, property or entry');
  const tracing = session.writeHistory.trace('amount');
  session.cancel();
  await tracing;
  expect(session.state.writeHistory).toMatchObject({ isLoading: false, endReason: 'Cancelled.' });
  session.writeHistory.clear();
  expect(session.state.writeHistory).toBe(undefined);
});

test('the variables of an outer frame are shown at the statement where it waits', async () => {
  const session = await fixture.createSession('writing');
  await moveToLine(session, 'writing.mjs', 'order.sum = total', 1);
  const names = (): string[] => session.state.tree.roots.map(({ name }) => name);
  const inner = names();
  const outer = session.state.frames.findIndex(({ function: name }) => name === 'look');
  await session.selectFrame(outer);
  expect(session.state.frameIndex).toBe(outer);
  expect(names()).toEqual(expect.arrayContaining(['order', 'shelf', 'number']));
  expect(names()).not.toEqual(inner);
  expect(session.state.source?.line).toBe(session.state.frames[outer]?.location?.line);
  await session.selectFrame(0);
  expect(names()).toEqual(inner);
  await session.selectFrame(outer);
  await session.moveTo(1);
  expect(session.state.frameIndex).toBe(0);
});

test('a function that awaits shows its variables, and leads to its await', async () => {
  const session = await fixture.createSession('steps');
  await moveToLine(session, 'steps.mjs', 'all.push(value)', 1);
  expect(session.state.frames).toMatchObject([{ function: 'gather' }, { isAwaiting: true, combinator: 'all' }]);
  const awaitLine = lineContaining('steps.mjs', 'await Promise.all');
  await session.selectFrame(1);
  expect(session.state.source?.line).toBe(awaitLine);
  expect(session.state.tree.roots.map(({ name }) => name)).toEqual(expect.arrayContaining(['counter', 'total']));
  const contexts: unknown[] = [];
  await session.atSelectedFrame(async (context) => void contexts.push(context));
  await session.moveToFrame(1);
  expect(session.state.cursor?.statement?.line).toBe(awaitLine);
  expect(contexts).toEqual([{ position: session.state.cursor?.position }]);
});

async function moveToLastAdd(session: DebuggerSession): Promise<void> {
  const { commands } = session.state;
  await session.runMove(commands.find(({ name }) => name === 'goto end')!);
  const back = commands.find(({ move, direction }) => move.id === 'turn' && direction === 'backward')!;
  await session.runMove(back, { text: 'Till*.add' });
}

test('the state of any actor can be expanded, whichever actor has the turn', async () => {
  const session = await fixture.createSession('selling');
  await moveToLastAdd(session);
  await session.actorState.load();
  const name = session.state.cursor?.task?.actor;
  expect(session.state.actorState).toMatchObject({
    isLoading: false,
    total: 4,
    shown: { name },
    mailbox: { total: expect.any(Number) },
  });
  const { actors, tree, shown } = session.state.actorState;
  expect(tree.roots.map((each) => [each.name, each.value?.class])).toEqual([['this', 'Till']]);
  expect(tree.parts.get(shown!.value!.id!)?.entries.map((each) => each.name)).toContain('sum');
  const clerk = actors.find((each) => each.name !== name)!;
  await session.actorState.select(clerk);
  expect(session.state.actorState.shown?.name).toBe(clerk.name);
  expect(session.state.actorState.tree.roots[0]?.value?.class).toBe('Clerk');
  // The selection stays when the position changes; before the creation of the actor its state is empty.
  await session.moveTo(1);
  await session.actorState.load();
  expect(session.state.actorState).toMatchObject({ shown: undefined, total: 0, selected: { name: clerk.name } });
  await session.actorState.select(undefined);
  expect(session.state.actorState.selected).toBe(undefined);
});

test('a state is compared with the previous turn and with a bookmark', async () => {
  const session = await fixture.createSession('selling');
  await session.bookmarks.add('the beginning');
  await moveToLastAdd(session);
  await session.actorState.load();
  await session.actorState.compareWith(PREVIOUS_TURN);
  const { difference } = session.state.actorState;
  expect(difference?.entries).toMatchObject([
    { path: 'this.sum', before: expect.any(String), after: expect.any(String) },
  ]);
  await session.actorState.compareWith(session.state.bookmarks[0]?.position);
  const since = session.state.actorState.difference?.entries;
  expect(since?.find(({ path }) => path === 'this.sum')).toEqual({
    ...difference?.entries[0],
    before: undefined,
  });
  await session.actorState.compareWith(undefined);
  expect(session.state.actorState.difference).toBe(undefined);
});

test("the origin of a part of a state is found at any position, also after the actor's last turn", async () => {
  const session = await fixture.createSession('selling');
  const write = lineContaining('clerks.ts', SUM_WRITE);
  await moveToLastAdd(session);
  const last = session.state.cursor!.order;
  await session.actorState.load();
  const till = session.state.actorState.shown!;
  const thisActor = { worker: till.worker, actor: till.name };
  // Before its turn: the previous write.
  expect(session.actorState.valueContext).toEqual({ position: session.state.cursor?.position, thisActor });
  await session.writeHistory.trace('this.sum', session.actorState.valueContext);
  expect(stepLines(session.state)).toEqual([write]);
  expect(session.state.writeHistory!.steps[0]!.cursor.order).toBeLessThan(last);
  // After its last turn: the write in that turn.
  await session.moveTo(last + 1);
  await session.actorState.select(till);
  await session.writeHistory.trace('this.sum', session.actorState.valueContext);
  expect(stepLines(session.state)).toEqual([write]);
  expect(session.state.writeHistory!.steps[0]!.cursor.order).toBe(last);
  // Further back from there, and the origin of the actor itself.
  await session.writeHistory.traceFrom(0, 'before');
  expect(stepLines(session.state)).toEqual([write, lineContaining('clerks.ts', 'const before = this.sum'), write]);
  await session.writeHistory.trace('this', session.actorState.valueContext);
  expect(session.state.writeHistory?.steps).toMatchObject([{ note: `${till.name} is spawned here` }]);
  // During a turn of the actor, `this` is the actor.
  await session.moveTo(1);
  await moveToLine(session, 'clerks.ts', SUM_WRITE, 1);
  await session.actorState.select(undefined);
  expect(session.actorState.valueContext).toEqual({ position: session.state.cursor?.position });
});

test('bookmarks belong to the time machine, so another window shows them, too', async () => {
  const server = await fixture.createServer('selling');
  const one = await openSession(new Client(server.openWire()));
  await one.moveTo(3);
  await one.bookmarks.add('');
  const [{ id, position } = { id: 0, position: '' }] = one.state.bookmarks;
  expect([one.state.panes.left, position]).toEqual(['bookmarks', one.state.cursor?.position]);
  await one.bookmarks.setNote(id, 'here');
  const other = await openSession(new Client(server.openWire()));
  expect(other.state.bookmarks).toMatchObject([{ id, position, note: 'here', task: { order: 3 } }]);
  await other.bookmarks.remove(id);
  expect(other.state.bookmarks).toEqual([]);
  await one.bookmarks.setNote(id, 'gone');
  expect(one.state.notice?.text).toBe(`there is no bookmark ${id}`);
});
