// Lists of the window, loaded from time machines with replay processes: requests, promises, output, search results and
// snapshots.
import { COMMANDS, NAVIGATION_KINDS } from '@turntable/time-machine/client';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { excerptOf } from '../src/model/search.ts';
import { lineText } from '../src/model/output.ts';
import { promiseChain, pendingReason } from '../src/model/promises.ts';
import { formatDuration, hasFailed, isActiveAt } from '../src/model/requests.ts';
import { growthOf } from '../src/model/snapshots.ts';
import { WINDOW_KEYS } from '../src/model/window-keys.ts';
import { ReplayFixture, lineContaining } from './replay-fixture.ts';
import { waitForState } from './wait-for-state.ts';

vi.setConfig({ testTimeout: 400_000, hookTimeout: 240_000 });

const fixture = new ReplayFixture();
afterAll(() => fixture[Symbol.asyncDispose]());

beforeAll(() => {
  fixture.record('serving', 'serving.mjs');
  fixture.record('waiting', 'waiting.ts');
  fixture.record('selling', 'selling.ts', ['--snapshots', 'end']);
});

test('requests are listed in the order of receipt, filtered by failure, and sorted by duration', async () => {
  const session = await fixture.createSession('serving');
  const summaries = (): string[] =>
    session.state.requests.requests.map(({ method, url, status = 'open' }) => `${method} ${url} ${status}`);
  expect(session.state.requests.isLoaded).toBe(false);
  await session.requests.load();
  const all = summaries();
  expect(all).toContain('POST /broken 500');
  expect(all).toContain('GET /never aborted');
  expect(session.state.requests).toMatchObject({ isLoaded: true, isLoading: false, total: all.length });
  await session.requests.setQuery({ filter: 'failed' });
  expect(summaries()).toEqual(['POST /broken 500']);
  const [failed] = session.state.requests.requests;
  expect(failed && hasFailed(failed)).toBe(true);
  // To the turn that received it.
  await session.moveTo(failed?.received?.position ?? '');
  expect(session.state.cursor?.task?.events).toContainEqual({
    kind: 'request',
    value: 'POST /broken',
    request: failed?.number,
  });
  expect(failed && isActiveAt(failed, session.state.cursor!.order)).toBe(true);
  expect(failed && isActiveAt(failed, failed.answered!.order + 1)).toBe(false);
  await session.requests.setQuery({ filter: 'open' });
  expect(summaries()).toEqual([]);
  await session.requests.setQuery({ filter: 'all', text: '/wait' });
  expect(summaries()).toEqual(all.filter((each) => each.includes('/wait')));
  // In a focus, only requests that were open in it.
  const { order } = failed!.received!;
  session.focusOn({ from: order, to: order });
  await session.requests.setQuery({ text: '' });
  expect(summaries()).toContain('POST /broken 500');
  expect(summaries().length).toBeLessThan(all.length);
  session.focusOn(undefined);
  await session.requests.load();
  expect(summaries()).toEqual(all);
  await session.requests.setQuery({ text: '', sort: 'slowest' });
  const durations = session.state.requests.requests.map(({ durationMs: duration = -1 }) => duration);
  expect(durations).toEqual(durations.toSorted((a, b) => b - a));
});

test('no key of a command or action of the window has two meanings', async () => {
  const session = await fixture.createSession('waiting');
  const commandKeys = session.state.commands.flatMap(({ key }) => key ?? []);
  // The server has every move that the table gives a key.
  for (const { name, key, move } of COMMANDS)
    if (key !== undefined && move !== undefined) expect(commandKeys, name).toContain(key);
  for (const { kind, key } of NAVIGATION_KINDS)
    if (key !== undefined) expect(commandKeys, kind).toEqual(expect.arrayContaining([key, key.toUpperCase()]));
  const keys = [...commandKeys, ...Object.values(WINDOW_KEYS)];
  expect(keys.filter((key, i) => keys.indexOf(key) !== i)).toEqual([]);
});

test('of two overlapping queries for requests the later one wins', async () => {
  const session = await fixture.createSession('serving');
  await Promise.all([session.requests.setQuery({ filter: 'failed' }), session.requests.setQuery({ filter: 'open' })]);
  expect(session.state.requests).toMatchObject({ filter: 'open', total: 0, isLoading: false });
});

test('the pending promises of a position are listed, each with the chain down to its reason', async () => {
  const session = await fixture.createSession('waiting');
  const line = lineContaining('waiting.ts', "'closing'");
  await session.toggleBreakpoint('waiting.ts', line);
  await session.runMove(
    session.state.commands.find(({ move, direction }) => move.id === 'continue' && direction === 'forward')!,
  );
  await waitForState(session, ({ isLoading, cursor }) => !isLoading && cursor?.statement?.line === line);
  await session.promises.load();
  const { promises: all, total, position } = session.state.promises;
  expect([total, position]).toEqual([all.length, session.state.cursor?.position]);
  const prepared = all.find(({ description }) => description === 'the answer of baker.prepare');
  expect(prepared).toMatchObject({ since: expect.any(String), waiters: [{ location: { line: expect.any(Number) } }] });
  await session.promises.select(prepared?.value.id ?? -1);
  const steps = promiseChain(session.state.promises.chain ?? []);
  expect(steps.map(({ promise, depth }) => [depth, promise.description])).toEqual([
    [0, 'the answer of baker.prepare'],
    [1, 'the result of Baker.prepare'],
    [2, 'Promise.all'],
    [3, 'the answer of oven.warm'],
    [4, 'the result of Oven.warm'],
    [5, 'a promise'],
    [3, 'the result of Baker.make'],
    [4, 'the answer of oven.bake'],
    [5, 'a promise'],
  ]);
  expect(steps.map(({ promise }) => pendingReason(promise))).toContain('oven.#heated settles it when called');
  // At the task in which the wait began, fewer promises are pending.
  await session.moveTo(prepared?.since ?? '');
  await session.promises.load();
  expect(session.state.promises).toMatchObject({ selectedId: undefined, position: session.state.cursor?.position });
  expect(session.state.promises.total).toBeLessThan(total);
  await session.promises.select(999_999);
  expect(session.state.promises.selectedId).toBe(undefined);
  expect(session.state.notice?.isError).toBe(true);
});

test('output around the position is listed, and each line leads to the statement that printed it', async () => {
  const session = await fixture.createSession('selling');
  await session.output.load();
  const lines = session.state.output.lines;
  expect(lines.map(lineText)).toEqual(['one: true, two: true, three: true', 'one: true, two: true, three: true', '60']);
  expect(session.state.output).toMatchObject({ hasEarlier: false, hasLater: false, isLoaded: true });
  await session.output.moveToLine(lines[1]!);
  await waitForState(session, ({ isLoading }) => !isLoading);
  expect(session.state.cursor).toMatchObject({
    order: lines[1]?.order,
    statement: { line: lineContaining('selling.ts', "answers.join(', ')") },
  });
  // To the turn, if the printing statement began in an earlier turn.
  await session.output.moveToLine(lines[2]!);
  expect(session.state.cursor?.order).toBe(lines[2]?.order);
});

test('a search finds a text in turns and output, and an empty text finds nothing', async () => {
  const session = await fixture.createSession('selling');
  await session.search.find('THREE: true');
  const { hits: all, nextOrder: next } = session.state.search;
  expect([all.map(({ kind }) => kind), next]).toEqual([['stdout', 'stdout'], undefined]);
  expect(excerptOf(all[0]!, 'three')).toEqual(['one: true, two: true, ', 'three', ': true']);
  await session.search.find('Till#');
  const turns = session.state.search.hits;
  expect(new Set(turns.map(({ kind }) => kind))).toEqual(new Set(['task']));
  await session.moveTo(turns[0]?.position ?? '');
  expect(session.state.cursor?.task?.title).toContain('Till#');
  const searching = session.search.find('a');
  session.cancel();
  await searching;
  expect(session.state.search).toMatchObject({ isLoading: false, isCancelled: true });
  await session.search.find('');
  expect(session.state.search).toMatchObject({ hits: [], isLoading: false });
});

test('in a focus, only its output and search results are listed', async () => {
  const session = await fixture.createSession('selling');
  await session.output.load();
  const [first, second] = session.state.output.lines;
  await session.search.find('Till#');
  const everywhere = session.state.search.hits.map(({ order }) => order);
  const [from, to] = [first!.order + 1, second!.order];
  session.focusOn({ from, to });
  await session.output.load();
  expect(session.state.output.lines.map(({ order }) => order)).toEqual([second!.order]);
  expect(session.state.output).toMatchObject({ hasEarlier: false, hasLater: false });
  await session.search.reload();
  const expected = everywhere.filter((order) => order >= from && order <= to);
  expect(session.state.search.hits.map(({ order }) => order)).toEqual(expected);
  expect(expected.length).toBeLessThan(everywhere.length);
  expect(session.state.search.nextOrder).toBe(undefined);
  session.focusOn(undefined);
  await Promise.all([session.output.load(), session.search.reload()]);
  expect(session.state.output.lines.length).toBe(3);
  expect(session.state.search.hits.length).toBe(everywhere.length);
});

test('snapshots are listed, with their contents by class and the growth from one to another', async () => {
  const session = await fixture.createSession('selling');
  await session.snapshots.load();
  const { snapshots: all } = session.state.snapshots;
  expect(all.length).toBe(2);
  const [first, last] = all.map(({ phase }) => phase);
  expect(all[0]?.firstTask).toBe(session.state.hello?.phases.find(({ phase }) => phase === first)?.firstTask);
  await session.snapshots.setQuery({ phase: last });
  const till = (): unknown => session.state.snapshots.contents?.classes.find(({ name }) => name === 'Till');
  expect(till()).toMatchObject({ module: expect.stringContaining('clerks.ts'), current: { count: 1 } });
  const sizes = session.state.snapshots.contents!.classes.map(({ current }) => current?.retained ?? 0);
  expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
  await session.snapshots.setQuery({ baselinePhase: first, sort: 'grown' });
  const { contents } = session.state.snapshots;
  expect(till()).toMatchObject({ current: { count: 1 }, baseline: { count: 1 } });
  const growth = contents!.classes.map(growthOf);
  expect(growth).toEqual(growth.toSorted((a, b) => b - a));
  expect(contents?.baseline?.count).toBeGreaterThan(0);
  await session.snapshots.setQuery({ text: 'clerks.ts' });
  expect(session.state.snapshots.contents?.classes.map(({ name }) => name).toSorted()).toEqual(['Clerk', 'Till']);
  await session.snapshots.setQuery({ phase: 77, baselinePhase: undefined });
  expect(session.state.snapshots).toMatchObject({ contents: undefined, sort: 'retained', isLoading: false });
  expect(session.state.snapshots.reason).toBe(`there is no snapshot 77; available: ${first}, ${last}`);
});

test('durations are formatted with three significant digits at most', () => {
  expect([0.04, 3.14, 12.4, 999, 1234].map(formatDuration)).toEqual(['0 ms', '3.1 ms', '12 ms', '999 ms', '1.23 s']);
});

test('promises that wait for each other are shown as a cycle', () => {
  const promise = (id: number, waitsFor: readonly number[]) => ({
    value: { kind: 'object', preview: '', id },
    worker: 0,
    description: `p${id}`,
    waitsFor,
    waiters: [],
    waiterCount: 1,
  });
  const steps = promiseChain([promise(1, [2, 3]), promise(2, [1]), promise(3, [4]), promise(4, [])]);
  expect(
    steps.map(({ promise: { description }, depth, isRepeated, isCycle }) => [description, depth, isRepeated, isCycle]),
  ).toEqual([
    ['p1', 0, false, false],
    ['p2', 1, false, false],
    ['p1', 2, true, true],
    ['p3', 1, false, false],
    ['p4', 2, false, false],
  ]);
  expect(pendingReason(promise(4, []))).toBe('Nothing that settles it was found.');
  expect(pendingReason(promise(2, [1]))).toBe(undefined);
});
