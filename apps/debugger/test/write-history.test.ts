// What the window asks a time machine with engines: where values come from, states of actors, variables of outer functions, bookmarks.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { PREVIOUS_TURN } from '../src/model/actor-state.ts';
import type { DebuggerSession } from '../src/model/debugger-session.ts';
import type { SessionState } from '../src/model/session-state.ts';
import { ReplayFixture, lineContaining, openSession } from './replay-fixture.ts';
import { waitForState } from './wait-for-state.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

const fixture = new ReplayFixture();
afterAll(() => fixture[Symbol.dispose]());

beforeAll(() => {
  fixture.record('writing', 'writing.mjs');
  fixture.record('selling', 'selling.ts');
});

/** To the so-manieth time that a line is come by. */
async function moveToLine(session: DebuggerSession, file: string, part: string, count: number): Promise<void> {
  await session.toggleBreakpoint(file, lineContaining(file, part));
  const next = session.state.commands.find(
    ({ move, direction }) => move.id === 'breakpoint' && direction === 'forward',
  )!;
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

test('an origin ends where a value is made of others, and goes on with the one that is chosen, through copies', async () => {
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
  // The write before, of the first one.
  await session.writeHistory.traceFrom(0, 'this.sum');
  expect(session.state.writeHistory?.steps[1]?.cursor).toEqual(last?.cursor);
});

test('what came with a message leads to the statement that has sent it, and on with what was passed there', async () => {
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
  // The same of the turn.
  await session.navigate(-1);
  expect(session.state.cursor?.order).toBe(order);
  await session.moveToSend();
  expect(session.state.cursor?.position).toBe(sent?.position);
});

test('what cannot be asked says why, and what is given up is over', async () => {
  const session = await fixture.createSession('selling');
  await moveToLine(session, 'clerks.ts', SUM_WRITE, 1);
  await session.writeHistory.trace('before + amount');
  expect(session.state.writeHistory?.endReason).toContain('is no variable, property or entry');
  const tracing = session.writeHistory.trace('amount');
  session.cancel();
  await tracing;
  expect(session.state.writeHistory).toMatchObject({ isLoading: false, endReason: 'Cancelled.' });
  session.writeHistory.clear();
  expect(session.state.writeHistory).toBe(undefined);
});

test('the variables of an outer function are shown where it waits, and asked about there', async () => {
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

async function moveToLastAdd(session: DebuggerSession): Promise<void> {
  const { commands } = session.state;
  await session.runMove(commands.find(({ move }) => move.id === 'end')!);
  const back = commands.find(({ move, direction }) => move.id === 'match' && direction === 'backward')!;
  await session.runMove(back, { actor: 'Till*', method: 'add' });
}

test('the state of any actor is opened part by part, whoever has the turn', async () => {
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
  // It stays the one that is shown, from place to place; where it does not live yet nobody is.
  await session.moveTo(1);
  await session.actorState.load();
  expect(session.state.actorState).toMatchObject({ shown: undefined, total: 0, selected: { name: clerk.name } });
  await session.actorState.select(undefined);
  expect(session.state.actorState.selected).toBe(undefined);
});

test('a state is compared with the turn before, and with a bookmark', async () => {
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

test('a part of a state is asked about wherever one stands, also of an actor that has no turn any more', async () => {
  const session = await fixture.createSession('selling');
  const write = lineContaining('clerks.ts', SUM_WRITE);
  await moveToLastAdd(session);
  const last = session.state.cursor!.order;
  await session.actorState.load();
  const till = session.state.actorState.shown!;
  const thisActor = { worker: till.worker, actor: till.name };
  // Before its turn it is the write before.
  expect(session.actorState.valueContext).toEqual({ position: session.state.cursor?.position, thisActor });
  await session.writeHistory.trace('this.sum', session.actorState.valueContext);
  expect(stepLines(session.state)).toEqual([write]);
  expect(session.state.writeHistory!.steps[0]!.cursor.order).toBeLessThan(last);
  // Behind its last turn it is what that has written.
  await session.moveTo(last + 1);
  await session.actorState.select(till);
  await session.writeHistory.trace('this.sum', session.actorState.valueContext);
  expect(stepLines(session.state)).toEqual([write]);
  expect(session.state.writeHistory!.steps[0]!.cursor.order).toBe(last);
  // On from there, and where the actor itself comes from.
  await session.writeHistory.traceFrom(0, 'before');
  expect(stepLines(session.state)).toEqual([write, lineContaining('clerks.ts', 'const before = this.sum'), write]);
  await session.writeHistory.trace('this', session.actorState.valueContext);
  expect(session.state.writeHistory?.steps).toMatchObject([{ note: `${till.name} is made here` }]);
  // In the midst of its turn, where it is this.
  await session.moveTo(1);
  await moveToLine(session, 'clerks.ts', SUM_WRITE, 1);
  await session.actorState.select(undefined);
  expect(session.actorState.valueContext).toEqual({ position: session.state.cursor?.position });
});

test("bookmarks are the time machine's: another window has them, too", async () => {
  const server = await fixture.createServer('selling');
  const one = await openSession(server);
  await one.moveTo(3);
  await one.bookmarks.add('');
  const [{ id, position } = { id: 0, position: '' }] = one.state.bookmarks;
  expect([one.state.panes.left, position]).toEqual(['bookmarks', one.state.cursor?.position]);
  await one.bookmarks.setNote(id, 'here');
  const other = await openSession(server);
  expect(other.state.bookmarks).toMatchObject([{ id, position, note: 'here', task: { order: 3 } }]);
  await other.bookmarks.remove(id);
  expect(other.state.bookmarks).toEqual([]);
  await one.bookmarks.setNote(id, 'gone');
  expect(one.state.notice?.text).toBe(`there is no bookmark ${id}`);
});
