// A recording replayed in a process that pauses at any requested position: each state equals the recorded one, and
// the run ends as recorded.
import './own-process.ts';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  comparePositions,
  type BreakpointHit,
  type PausePoint,
  type ReplayProcess,
  type StatementTrace,
} from '@turntable/time-machine';
import type { ValueEntry } from '@turntable/time-machine/replay-process';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { record } from '../replay/record-and-replay.ts';
import type { ReplayDriverOptions } from './replay-drivers.ts';
import { taskStart, expectSame, openDriver, positionsIn, type OpenedDriver } from './opened-driver.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const PROGRAMS = fileURLToPath(new URL('programs/', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'turntable-engine-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const opened = (name: string, more: Partial<ReplayDriverOptions> = {}): Promise<OpenedDriver> =>
  openDriver(join(scratch, name), more);

let steps = '';

beforeAll(() => {
  steps = record(join(scratch, 'steps'), [join(PROGRAMS, 'steps.mjs')]).stdout;
  record(join(scratch, 'selling'), [join(PROGRAMS, 'selling.ts')]);
  record(join(scratch, 'deep'), [join(PROGRAMS, 'deep.mjs')]);
});

async function stepThrough({ driver }: OpenedDriver, limit: number): Promise<PausePoint[]> {
  const stops: PausePoint[] = [];
  while (stops.length < limit) {
    const stop = await driver.stepForward();
    stops.push(stop);
    if (stop.location === undefined) break;
  }
  return stops;
}

test('stepping visits every statement in order and ends as recorded', async () => {
  const replay = await opened('steps', { comparesStates: true });
  const stops = await stepThrough(replay, 1000);
  expect(stops.at(-1)?.position).toEqual(taskStart(replay.runIndex.count + 1));
  for (const [i, { position }] of stops.entries())
    if (i > 0) expect(comparePositions((stops[i - 1] as PausePoint).position, position)).toBeLessThan(0);
  // As many statement lists in each task as the run index has counted.
  const lists = Array.from({ length: replay.runIndex.count }, () => 0);
  for (const { position } of stops.slice(0, -1)) lists[position.order - 1] = position.list;
  expect(lists).toEqual(Array.from(lists, (_, i) => replay.runIndex.task(i + 1).statementLists));
  const functions = new Set(stops.map(({ location: place }) => place?.function));
  for (const name of ['add', 'halves', 'put', 'gather', '']) expect(functions).toContain(name);
  await expectSame(replay);
});

test('shows the variables with the values that the program prints', async () => {
  const replay = await opened('steps');
  const printed = steps
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as object);
  let at = 0;
  for (
    let stop = await replay.driver.stepForward();
    stop.location !== undefined;
    stop = await replay.driver.stepForward()
  ) {
    // `said` prints the object that its parameter `about` refers to.
    if (stop.location.function !== 'said') continue;
    const { about } = Object.fromEntries((await replay.driver.locals(0)).map(({ name, value }) => [name, value]));
    if (about?.id === undefined) continue;
    const { entries } = await replay.driver.expand(about.id, { from: 0, count: 100 });
    const shown = entries.filter(({ kind }) => kind === 'property');
    const wanted = printed[at++] ?? {};
    expect(shown.map(({ name }) => name)).toEqual(Object.keys(wanted));
    for (const { name, value } of shown) {
      const printedValue = (wanted as Record<string, unknown>)[name];
      if (typeof printedValue === 'number' || typeof printedValue === 'boolean')
        expect(value?.preview).toBe(String(printedValue));
    }
  }
  expect(at).toBe(printed.length);
});

test('shows values without running code of the program', async () => {
  const replay = await opened('steps');
  const valueOf = (entries: readonly ValueEntry[], name: string): string | undefined =>
    entries.find((entry) => entry.name === name)?.value?.preview;
  let stop = await replay.driver.stepForward();
  while (!(stop.location?.function === 'put' && stop.location.kind === 'return'))
    stop = await replay.driver.stepForward();
  const locals = await replay.driver.locals(0);
  expect(valueOf(locals, 'amount')).toBe('3');
  expect(valueOf(locals, 'this')).toBe('Account {balance: 3}');
  const { frames } = await replay.driver.stack();
  expect(frames.map((frame) => frame.function).slice(0, 2)).toEqual(['put', '']);
  expect(await replay.driver.evaluate('this.balance + amount')).toMatchObject({
    value: { preview: '6' },
    isPure: true,
  });
  expect(await replay.driver.evaluate('nowhere')).toMatchObject({ error: 'ReferenceError: nowhere is not defined' });
  expect(await replay.driver.evaluate('1 +')).toMatchObject({
    error: 'SyntaxError: Unexpected end of input',
    isPure: true,
  });
  // The next move undoes the change.
  expect(await replay.driver.evaluate('(this.balance = 100)')).toMatchObject({
    value: { preview: '100' },
    isPure: false,
  });
  const again = await replay.driver.stepForward();
  expect(comparePositions(stop.position, again.position)).toBeLessThan(0);
  await replay.driver.seek(stop.position);
  expect(valueOf(await replay.driver.locals(0), 'this')).toBe('Account {balance: 3}');
});

test('random seeks show the same variables as stepping from start to end', async () => {
  const replay = await opened('steps');
  const stops = (await stepThrough(replay, 1000)).slice(0, -1);
  const visibleLocals = async (): Promise<unknown> =>
    (await replay.driver.locals(0)).map(({ name, value }) => [name, value?.preview]);
  const first = new Map<number, unknown>();
  await fc.assert(
    fc.asyncProperty(fc.nat(stops.length - 1), async (at) => {
      const { position, location } = stops[at] as PausePoint;
      const stop = await replay.driver.seek(position);
      expect(stop).toMatchObject({ position, location });
      const locals = await visibleLocals();
      if (first.has(at)) expect(locals).toEqual(first.get(at));
      first.set(at, locals);
    }),
    { numRuns: 8 },
  );
});

test('threads pause between any two tasks and the run ends as recorded', async () => {
  const replay = await opened('selling', { comparesStates: true });
  const { driver, runIndex } = replay;
  expect(runIndex.threads.length).toBe(3);
  for (let order = 1; order <= runIndex.count + 1; order++) {
    const { position, worker } = await driver.seek(taskStart(order));
    expect(position).toEqual(taskStart(order));
    expect(worker).toBe(order > runIndex.count ? undefined : runIndex.task(order).worker);
  }
  await expectSame(replay);
});

test('threads pause at statements of any task and the run ends as recorded', async () => {
  const replay = await opened('selling', { comparesStates: true });
  const { driver, runIndex } = replay;
  for (let order = 1; order <= runIndex.count; order += 3) {
    const { statementLists: lists, worker } = runIndex.task(order);
    if (lists === 0) continue;
    const list = 1 + (order % lists);
    const stop = await driver.seek({ order, list, statement: 1 });
    expect(stop).toMatchObject({ position: { order, list, statement: 1 }, worker });
    expect(stop.location?.file).toMatch(/(?:clerks|selling)\.ts$/);
  }
  await expectSame(replay);
});

test('a seek starts from the last snapshot before the target', async () => {
  const replay = await opened('selling');
  const { driver, runIndex } = replay;
  const last = runIndex.task(runIndex.count);
  expect(last.phase).toBe(1);
  const whole: (PausePoint & { readonly locals: readonly unknown[] })[] = [];
  const order = Array.from({ length: runIndex.count }, (_, i) => i + 1).findLast(
    (each) => runIndex.task(each).method === 'add',
  ) as number;
  await driver.seek(taskStart(1));
  for (let i = 0; i < 2; i++) {
    // The second seek starts from the snapshot.
    const stop = await driver.seek({ order, list: 1, statement: 2 });
    whole.push({ ...stop, locals: (await driver.locals(0)).map(({ name, value }) => [name, value?.preview]) });
    await driver.seek(taskStart(runIndex.count + 1));
  }
  expect(whole[0]?.location?.function).toBe('add');
  expect(whole[1]).toEqual(whole[0]);
});

test('a breakpoint search reports every execution of a line in order, with its log value', async () => {
  const replay = await opened('selling');
  const { driver, runIndex } = replay;
  const file = 'clerks.ts';
  const line =
    1 +
    readFileSync(join(PROGRAMS, file), 'utf8')
      .split('\n')
      .findIndex((text) => text.includes('this.sum = before + amount'));
  const adds = Array.from({ length: runIndex.count }, (_, i) => i + 1).filter(
    (order) => runIndex.task(order).method === 'add',
  );
  const search = driver.searchBreakpoints(
    [
      { file, line, logExpression: '`${before} + ${amount}`' },
      { file, line, condition: 'before === 0' },
    ],
    taskStart(1),
  );
  const half = adds[Math.floor(adds.length / 2)] as number;
  const hits = [...(await search.runTo(taskStart(half))), ...(await search.runTo(taskStart(runIndex.count + 1)))];
  search.close();
  expect(hits.filter(({ breakpoint }) => breakpoint === 0).map(({ position }) => position.order)).toEqual(adds);
  expect(hits.filter(({ breakpoint }) => breakpoint === 1).map(({ position }) => position.order)).toEqual(
    adds.slice(0, 1),
  );
  let sum = 0;
  for (const { logValue: log, error } of hits.filter(({ breakpoint }) => breakpoint === 0)) {
    expect(error).toBe(undefined);
    const [was = '', amount = ''] = (log ?? '').split(' + ');
    expect(Number(was)).toBe(sum);
    sum += Number(amount);
  }
  expect(sum).toBe(60);
  // A seek to a hit arrives at its line.
  const { position } = hits.at(-1) as BreakpointHit;
  expect((await driver.seek(position)).location?.line).toBe(line);
});

test('lists live actors with their waiting messages', async () => {
  const replay = await opened('selling');
  const { driver, runIndex } = replay;
  await driver.seek(taskStart(Math.floor(runIndex.count / 2)));
  const actors = await driver.actors();
  expect(actors.map(({ name }) => name.replace(/#\d+/, '')).toSorted()).toEqual(['Clerk', 'Clerk', 'Clerk', 'Till']);
  const till = actors.find(({ value }) => value?.class === 'Till');
  expect(till?.value?.preview).toMatch(/^Till \{sum: \d+\}$/);
  const { entries } = await driver.expand(till?.value?.id ?? 0, { from: 0, count: 10 });
  expect(entries.map(({ name, kind }) => [name, kind])).toEqual([
    ['prototype', 'inner'],
    ['sum', 'property'],
  ]);
  // The count of waiting messages is the size of the mailbox.
  for (const actor of actors) {
    const { messages, total } = await driver.mailbox(actor, { from: 0, count: 100 });
    expect(messages.length).toBe(total);
    expect(total).toBe(actor.waitingCount);
  }
});

test('workers start and end while threads are paused, and the run ends as recorded', async () => {
  record(join(scratch, 'losing'), [join(PROGRAMS, 'losing.ts')]);
  const replay = await opened('losing');
  expect(replay.runIndex.threads.length).toBe(4);
  // How many tasks there are depends on when the worker ends.
  const step = Math.max(3, Math.floor(replay.runIndex.count / 20));
  for (let order = 1; order <= replay.runIndex.count + 1; order += step) await replay.driver.seek(taskStart(order));
  await replay.driver.seek(taskStart(replay.runIndex.count + 1));
  await expectSame(replay);
});

test('starts a new process after the current one was killed', async () => {
  const processes: ReplayProcess[] = [];
  const { driver } = await opened('steps', { onStart: (process) => processes.push(process) });
  const { position, location } = await driver.stepForward();
  const evaluation = driver.evaluate('(() => { for (;;); })()', AbortSignal.timeout(100));
  await expect(evaluation).rejects.toMatchObject({ code: 'TT_ABORTED' });
  expect(await driver.locals(0)).toEqual(expect.any(Array));
  const { restarts } = driver.seekCounts;
  const seek = driver.seek(taskStart(6));
  processes.at(-1)?.kill();
  await expect(seek).rejects.toMatchObject({ code: 'TT_REPLAY_LOST' });
  expect((await driver.evaluate('1 + 1')).value?.preview).toBe('2');
  expect(driver.pausePoint).toMatchObject({ position, location });
  expect(driver.seekCounts.restarts).toBe(restarts + 1);
  // One for the first step, one for the evaluation, one for the restart, and possibly a standby process.
  expect(processes.length).toBeGreaterThanOrEqual(3);
});

test('shows private fields and evaluates expressions with them', async () => {
  const replay = await opened('selling');
  const { driver, runIndex } = replay;
  const order = Array.from({ length: runIndex.count }, (_, i) => i + 1).find(
    (each) => runIndex.task(each).method === 'serve',
  );
  await driver.seek({ order: order as number, list: 1, statement: 1 });
  const self = (await driver.locals(0)).find(({ name }) => name === 'this');
  const { entries } = await driver.expand(self?.value?.id ?? 0, { from: 0, count: 10 });
  const field = entries.find(({ name }) => name === '#name');
  expect(field?.value?.preview).toMatch(/^"(?:one|two|three)"$/);
  const length = await driver.evaluate('this.#name.length + 1');
  expect(length.value?.preview).toBe(String((field?.value?.preview.length ?? 0) - 1));
  expect((await driver.evaluate('this.#nothing')).error).toContain('no private field #nothing');
});

test('refuses positions that do not exist and cancels aborted seeks', async () => {
  const replay = await opened('steps');
  const { driver, runIndex } = replay;
  await expect(driver.seek(taskStart(0))).rejects.toMatchObject({ code: 'TT_NO_POSITION' });
  await expect(driver.seek(taskStart(runIndex.count + 2))).rejects.toMatchObject({ code: 'TT_NO_POSITION' });
  const { position } = await driver.stepForward();
  await expect(driver.seek(taskStart(runIndex.count + 1), AbortSignal.abort())).rejects.toMatchObject({
    code: 'TT_ABORTED',
  });
  const abort = new AbortController();
  const seek = driver.seek(taskStart(runIndex.count + 1), abort.signal);
  await Promise.resolve();
  abort.abort();
  await seek.catch((error: unknown) => expect(error).toMatchObject({ code: 'TT_ABORTED' }));
  await driver.seek(position);
  expect(driver.pausePoint.position).toEqual(position);
  await driver.close();
  await expect(driver.stepForward()).rejects.toMatchObject({ code: 'TT_REPLAY_LOST' });
});

test('aborting short seeks in quick succession does not cost a process', async () => {
  const { driver } = await opened('steps');
  const { position } = await driver.stepForward();
  const { restarts } = driver.seekCounts;
  // Fake time: the grace period of an aborted seek never ends, however slow this machine is.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  for (let i = 1; i <= 3; i++) {
    const abort = new AbortController();
    const seek = driver.seek({ ...position, statement: position.statement + i }, abort.signal);
    // The seek has started by then.
    await setImmediate();
    abort.abort();
    await seek.catch((error: unknown) => expect(error).toMatchObject({ code: 'TT_ABORTED' }));
  }
  await driver.seek({ ...position, statement: position.statement + 4 });
  expect(driver.seekCounts.restarts).toBe(restarts);
  await driver.close();
});

test('a statement trace lists what stepping visits, with the depth of the stack', async () => {
  const replay = await opened('steps');
  const stops = (await stepThrough(replay, 1000)).slice(0, -1);
  const { count } = replay.runIndex;
  const all = await replay.driver.traceTasks(1, count);
  expect(all.length).toBe(count);
  expect((await replay.driver.traceTasks(2, 3)).map(positionsIn)).toEqual(all.slice(1, 3).map(positionsIn));
  for (const trace of all) {
    const sameTask = stops.filter(({ position }) => position.order === trace.order);
    expect(trace.isTruncated).toBe(false);
    const actual = positionsIn(trace).map((position, index) => ({ position, location: trace.location(index) }));
    expect(actual).toEqual(sameTask.map(({ position, location }) => ({ position, location })));
  }
});

test('a statement trace has the calls that are on the stack, across exceptions, getters and callbacks', async () => {
  const { driver, runIndex } = await opened('deep');
  for (const trace of await driver.traceTasks(1, runIndex.count)) {
    for (let index = 0; index < trace.count; index += index < 500 ? 1 : 15) {
      await driver.seek(trace.position(index));
      const frames = (await driver.stack()).frames.filter(
        ({ location, awaiting }) => awaiting === undefined && location?.file.endsWith('deep.mjs'),
      );
      if (frames.length > MAX_COMPARED_FRAMES) continue;
      // A constructor whose fields are being initialised has no statement yet.
      const isField = (i: number): boolean =>
        frames[i]?.function === FIELDS || (i === 0 && trace.location(index).kind === 'field');
      const started = frames.filter((frame, i) => frame.function === '' || !isField(i - 1));
      const names = started.map((frame) => frame.function.replace(/^get /, '').replace(FIELDS, ''));
      expect(callNames(trace, index)).toEqual(names);
    }
  }
});

const FIELDS = '<instance_members_initializer>';
/** Deeper stacks are cut. */
const MAX_COMPARED_FRAMES = 150;

/** Names of the functions on the stack at a statement, innermost first. */
function callNames(trace: StatementTrace, index: number): string[] {
  const names: string[] = [];
  for (let at = index; at !== -1; at = trace.callerStatement(trace.callOf(at))) names.push(trace.location(at).function);
  return names;
}

test('traces the statements of all threads in one pass and the run ends as recorded', async () => {
  const replay = await opened('selling', { comparesStates: true });
  const { count } = replay.runIndex;
  const all = await replay.driver.traceTasks(1, count);
  const lists = all.map((trace) => positionsIn(trace).at(-1)?.list ?? 0);
  expect(lists).toEqual(all.map((_, i) => replay.runIndex.task(i + 1).statementLists));
  const half = Math.floor(count / 2);
  const halfTraces = await replay.driver.traceTasks(half, half + 5);
  expect(halfTraces.map(positionsIn)).toEqual(all.slice(half - 1, half + 5).map(positionsIn));
  // After an await, a statement may begin before any list is entered.
  const trace = all.find((each) => each.count > 0 && each.position(0).list === 0) as StatementTrace;
  const { order } = trace;
  const position = { order, list: 0, statement: 1 };
  expect(await replay.driver.seek(position)).toMatchObject({ position, location: trace.location(0) });
  await replay.driver.seek(taskStart(order));
  expect(await replay.driver.stepForward()).toMatchObject({ position });
  await expectSame(replay);
});
