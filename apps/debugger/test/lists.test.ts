// Lists of the window, asked of time machines with engines: requests, promises, what was printed, what is found, snapshots.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { excerptOf } from '../src/model/found.ts';
import { lineText } from '../src/model/output.ts';
import { wayFrom, whyPending } from '../src/model/promises.ts';
import { durationText, isFailed, isUnderWay } from '../src/model/requests.ts';
import { growthOf } from '../src/model/snapshots.ts';
import { EngineRoom, lineOf } from './engine-room.ts';
import { until } from './until.ts';

vi.setConfig({ testTimeout: 400_000, hookTimeout: 240_000 });

const room = new EngineRoom();
afterAll(() => room[Symbol.dispose]());

beforeAll(() => {
  room.record('serving', 'serving.mjs');
  room.record('waiting', 'waiting.ts');
  room.record('selling', 'selling.ts', ['--snapshots', 'end']);
});

test('requests are listed as they came, those that failed at once, and the slowest first', async () => {
  const session = await room.session('serving');
  const told = (): string[] =>
    session.state.requests.all.map(({ method, url, status = 'open' }) => `${method} ${url} ${status}`);
  expect(session.state.requests.isKnown).toBe(false);
  await session.requests.look();
  const all = told();
  expect(all).toContain('POST /broken 500');
  expect(all).toContain('GET /never aborted');
  expect(session.state.requests).toMatchObject({ isKnown: true, isAsking: false, total: all.length });
  await session.requests.wish({ which: 'failed' });
  expect(told()).toEqual(['POST /broken 500']);
  const [failed] = session.state.requests.all;
  expect(failed && isFailed(failed)).toBe(true);
  // From there to its turn.
  await session.goTo(failed?.came?.position ?? '');
  expect(session.state.where?.stretch?.marks).toContainEqual({
    kind: 'request',
    value: 'POST /broken',
    request: failed?.number,
  });
  expect(failed && isUnderWay(failed, session.state.where!.order)).toBe(true);
  expect(failed && isUnderWay(failed, failed.answered!.order + 1)).toBe(false);
  await session.requests.wish({ which: 'open' });
  expect(told()).toEqual([]);
  await session.requests.wish({ which: 'all', text: '/wait' });
  expect(told()).toEqual(all.filter((each) => each.includes('/wait')));
  // In a piece of the recording those that the program was at in it.
  const { order } = failed!.came!;
  session.focusOn({ from: order, to: order });
  await session.requests.wish({ text: '' });
  expect(told()).toContain('POST /broken 500');
  expect(told().length).toBeLessThan(all.length);
  session.focusOn(undefined);
  await session.requests.look();
  expect(told()).toEqual(all);
  await session.requests.wish({ text: '', sort: 'slowest' });
  const durations = session.state.requests.all.map(({ duration = -1 }) => duration);
  expect(durations).toEqual(durations.toSorted((a, b) => b - a));
});

test('of two wishes for requests the later one counts', async () => {
  const session = await room.session('serving');
  await Promise.all([session.requests.wish({ which: 'failed' }), session.requests.wish({ which: 'open' })]);
  expect(session.state.requests).toMatchObject({ which: 'open', total: 0, isAsking: false });
});

test('promises are those of the place, and each leads on to why nobody settles it', async () => {
  const session = await room.session('waiting');
  const line = lineOf('waiting.ts', "'closing'");
  await session.toggleBreakpoint('waiting.ts', line);
  await session.go(
    session.state.commands.find(({ move, direction }) => move.id === 'breakpoint' && direction === 'forward')!,
  );
  await until(session, ({ isLooking, where }) => !isLooking && where?.statement?.line === line);
  await session.promises.look();
  const { all, total, position } = session.state.promises;
  expect([total, position]).toEqual([all.length, session.state.where?.position]);
  const prepared = all.find(({ what }) => what === 'the answer of baker.prepare');
  expect(prepared).toMatchObject({ since: expect.any(String), waiters: [{ place: { line: expect.any(Number) } }] });
  await session.promises.choose(prepared?.value.id ?? -1);
  const steps = wayFrom(session.state.promises.way ?? []);
  expect(steps.map(({ promise, depth }) => [depth, promise.what])).toEqual([
    [0, 'the answer of baker.prepare'],
    [1, 'what Baker.prepare comes to'],
    [2, 'Promise.all'],
    [3, 'the answer of oven.warm'],
    [4, 'what Oven.warm comes to'],
    [5, 'a promise'],
    [3, 'what Baker.make comes to'],
    [4, 'the answer of oven.bake'],
    [5, 'a promise'],
  ]);
  expect(steps.map(({ promise }) => whyPending(promise))).toContain('oven.#heated settles it, when that is called');
  // To where somebody began to wait, where fewer do.
  await session.goTo(prepared?.since ?? '');
  await session.promises.look();
  expect(session.state.promises).toMatchObject({ chosen: undefined, position: session.state.where?.position });
  expect(session.state.promises.total).toBeLessThan(total);
  await session.promises.choose(999_999);
  expect(session.state.promises.chosen).toBe(undefined);
  expect(session.state.notice?.isError).toBe(true);
});

test('what the program printed is there around the place, and each line leads to the statement that printed it', async () => {
  const session = await room.session('selling');
  await session.output.look();
  const lines = session.state.output.all;
  expect(lines.map(lineText)).toEqual(['one: true, two: true, three: true', 'one: true, two: true, three: true', '60']);
  expect(session.state.output).toMatchObject({ isMoreBefore: false, isMoreBehind: false, isKnown: true });
  await session.output.goTo(lines[1]!);
  await until(session, ({ isLooking }) => !isLooking);
  expect(session.state.where).toMatchObject({
    order: lines[1]?.order,
    statement: { line: lineOf('selling.ts', "answers.join(', ')") },
  });
  // Of what is printed by a statement that has begun in an earlier turn, the turn.
  await session.output.goTo(lines[2]!);
  expect(session.state.where?.order).toBe(lines[2]?.order);
});

test('a text is found in turns and in what was printed, and nothing where nothing is looked for', async () => {
  const session = await room.session('selling');
  await session.search.find('THREE: true');
  const { all, next } = session.state.found;
  expect([all.map(({ kind }) => kind), next]).toEqual([['stdout', 'stdout'], undefined]);
  expect(excerptOf(all[0]!, 'three')).toEqual(['one: true, two: true, ', 'three', ': true']);
  await session.search.find('Till#');
  const turns = session.state.found.all;
  expect(new Set(turns.map(({ kind }) => kind))).toEqual(new Set(['stretch']));
  await session.goTo(turns[0]?.position ?? '');
  expect(session.state.where?.stretch?.title).toContain('Till#');
  const asked = session.search.find('a');
  session.cancel();
  await asked;
  expect(session.state.found).toMatchObject({ isAsking: false, isGivenUp: true });
  await session.search.find('');
  expect(session.state.found).toMatchObject({ all: [], isAsking: false });
});

test('of a piece of the recording only what was printed and what stands in it is asked for', async () => {
  const session = await room.session('selling');
  await session.output.look();
  const [first, second] = session.state.output.all;
  await session.search.find('Till#');
  const everywhere = session.state.found.all.map(({ order }) => order);
  const [from, to] = [first!.order + 1, second!.order];
  session.focusOn({ from, to });
  await session.output.look();
  expect(session.state.output.all.map(({ order }) => order)).toEqual([second!.order]);
  expect(session.state.output).toMatchObject({ isMoreBefore: false, isMoreBehind: false });
  await session.search.look();
  const inside = everywhere.filter((order) => order >= from && order <= to);
  expect(session.state.found.all.map(({ order }) => order)).toEqual(inside);
  expect(inside.length).toBeLessThan(everywhere.length);
  expect(session.state.found.next).toBe(undefined);
  session.focusOn(undefined);
  await Promise.all([session.output.look(), session.search.look()]);
  expect(session.state.output.all.length).toBe(3);
  expect(session.state.found.all.length).toBe(everywhere.length);
});

test('snapshots are listed, what one holds is told by classes, and what has grown from one to the other', async () => {
  const session = await room.session('selling');
  await session.snapshots.look();
  const { all } = session.state.snapshots;
  expect(all.length).toBe(2);
  const [first, last] = all.map(({ phase }) => phase);
  expect(all[0]?.order).toBe(session.state.hello?.phases.find(({ phase }) => phase === first)?.begin);
  await session.snapshots.wish({ phase: last });
  const till = (): unknown => session.state.snapshots.holds?.classes.find(({ name }) => name === 'Till');
  expect(till()).toMatchObject({ module: expect.stringContaining('clerks.ts'), now: { count: 1 } });
  const sizes = session.state.snapshots.holds!.classes.map(({ now }) => now?.retained ?? 0);
  expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
  await session.snapshots.wish({ against: first, sort: 'grown' });
  const { holds } = session.state.snapshots;
  expect(till()).toMatchObject({ now: { count: 1 }, before: { count: 1 } });
  const growth = holds!.classes.map(growthOf);
  expect(growth).toEqual(growth.toSorted((a, b) => b - a));
  expect(holds?.before?.count).toBeGreaterThan(0);
  await session.snapshots.wish({ text: 'clerks.ts' });
  expect(session.state.snapshots.holds?.classes.map(({ name }) => name).toSorted()).toEqual(['Clerk', 'Till']);
  await session.snapshots.wish({ phase: 77, against: undefined });
  expect(session.state.snapshots).toMatchObject({ holds: undefined, sort: 'retained', isAsking: false });
  expect(session.state.snapshots.why).toBe(`there is no snapshot 77; there are ${first}, ${last}`);
});

test('how long something took is said as exactly as it matters', () => {
  expect([0.04, 3.14, 12.4, 999, 1234].map(durationText)).toEqual(['0 ms', '3.1 ms', '12 ms', '999 ms', '1.23 s']);
});

test('promises that wait for each other are told as such', () => {
  const promise = (id: number, on: readonly number[]) => ({
    value: { kind: 'object', preview: '', id },
    worker: 0,
    what: `p${id}`,
    on,
    waiters: [],
    waiting: 1,
  });
  const steps = wayFrom([promise(1, [2, 3]), promise(2, [1]), promise(3, [4]), promise(4, [])]);
  expect(steps.map(({ promise: { what }, depth, isAgain, isCircle }) => [what, depth, isAgain, isCircle])).toEqual([
    ['p1', 0, false, false],
    ['p2', 1, false, false],
    ['p1', 2, true, true],
    ['p3', 1, false, false],
    ['p4', 2, false, false],
  ]);
  expect(whyPending(promise(4, []))).toBe('Nothing is known that would settle it.');
  expect(whyPending(promise(2, [1]))).toBe(undefined);
});
