// A recording that is run again in a process which stands still wherever it is told to: what is seen there is what was, and the run comes out as recorded.
import './own-process.ts';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { comparePositions, type ReplayProcess, type BreakpointHit, type PausePoint } from '@turntable/time-machine';
import type { ValueEntry } from '@turntable/time-machine/replay-process';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { record } from '../replay/record-and-replay.ts';
import type { ReplayDriverOptions } from './replay-drivers.ts';
import { taskStart, expectSame, openDriver, type OpenedDriver } from './opened-driver.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const PROGRAMS = fileURLToPath(new URL('programs/', import.meta.url));
const room = mkdtempSync(join(tmpdir(), 'turntable-engine-'));
afterAll(() => rmSync(room, { recursive: true, force: true }));

const opened = (name: string, more: Partial<ReplayDriverOptions> = {}): Promise<OpenedDriver> =>
  openDriver(join(room, name), more);

let steps = '';

beforeAll(() => {
  steps = record(join(room, 'steps'), [join(PROGRAMS, 'steps.mjs')]).stdout;
  record(join(room, 'selling'), [join(PROGRAMS, 'selling.ts')]);
  record(join(room, 'deep'), [join(PROGRAMS, 'deep.mjs')]);
});

async function walked({ driver }: OpenedDriver, most: number): Promise<PausePoint[]> {
  const stops: PausePoint[] = [];
  while (stops.length < most) {
    const stop = await driver.stepForward();
    stops.push(stop);
    if (stop.location === undefined) break;
  }
  return stops;
}

test('step by step it comes to every statement, in order, and ends as recorded', async () => {
  const indexed = await opened('steps', { comparesStates: true });
  const stops = await walked(indexed, 1000);
  expect(stops.at(-1)?.position).toEqual(taskStart(indexed.runIndex.count + 1));
  for (const [i, { position }] of stops.entries())
    if (i > 0) expect(comparePositions((stops[i - 1] as PausePoint).position, position)).toBeLessThan(0);
  // As many lists as the run index has counted, in each task.
  const lists = Array.from({ length: indexed.runIndex.count }, () => 0);
  for (const { position } of stops.slice(0, -1)) lists[position.order - 1] = position.list;
  expect(lists).toEqual(Array.from(lists, (_, i) => indexed.runIndex.task(i + 1).statementLists));
  const functions = new Set(stops.map(({ location: place }) => place?.function));
  for (const name of ['add', 'halves', 'put', 'gather', '']) expect(functions).toContain(name);
  await expectSame(indexed);
});

test('its variables are what the program says they are', async () => {
  const indexed = await opened('steps');
  const printed = steps
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as object);
  let at = 0;
  for (
    let stop = await indexed.driver.stepForward();
    stop.location !== undefined;
    stop = await indexed.driver.stepForward()
  ) {
    // Where it says something, it says it of what can be seen there.
    if (stop.location.function !== 'said') continue;
    const { about } = Object.fromEntries((await indexed.driver.locals(0)).map(({ name, value }) => [name, value]));
    if (about?.id === undefined) continue;
    const { entries } = await indexed.driver.expand(about.id, { from: 0, count: 100 });
    const shown = entries.filter(({ kind }) => kind === 'property');
    const wanted = printed[at++] ?? {};
    expect(shown.map(({ name }) => name)).toEqual(Object.keys(wanted));
    for (const { name, value } of shown) {
      const said = (wanted as Record<string, unknown>)[name];
      if (typeof said === 'number' || typeof said === 'boolean') expect(value?.preview).toBe(String(said));
    }
  }
  expect(at).toBe(printed.length);
});

test('it shows values without asking them', async () => {
  const indexed = await opened('steps');
  const valueOf = (entries: readonly ValueEntry[], name: string): string | undefined =>
    entries.find((entry) => entry.name === name)?.value?.preview;
  let stop = await indexed.driver.stepForward();
  while (!(stop.location?.function === 'put' && stop.location.kind === 'return'))
    stop = await indexed.driver.stepForward();
  const locals = await indexed.driver.locals(0);
  expect(valueOf(locals, 'amount')).toBe('3');
  expect(valueOf(locals, 'this')).toBe('Account {balance: 3}');
  const frames = await indexed.driver.frames();
  expect(frames.map((frame) => frame.function).slice(0, 2)).toEqual(['put', '']);
  expect(await indexed.driver.evaluate('this.balance + amount')).toMatchObject({
    value: { preview: '6' },
    isPure: true,
  });
  expect(await indexed.driver.evaluate('nowhere')).toMatchObject({ error: 'ReferenceError: nowhere is not defined' });
  expect(await indexed.driver.evaluate('1 +')).toMatchObject({
    error: "SyntaxError: Unexpected token ')'",
    isPure: true,
  });
  // What changes something is gone as soon as it goes anywhere.
  expect(await indexed.driver.evaluate('(this.balance = 100)')).toMatchObject({
    value: { preview: '100' },
    isPure: false,
  });
  const again = await indexed.driver.stepForward();
  expect(comparePositions(stop.position, again.position)).toBeLessThan(0);
  await indexed.driver.seek(stop.position);
  expect(valueOf(await indexed.driver.locals(0), 'this')).toBe('Account {balance: 3}');
});

test('any two positions in turn, forward or back, are what they are on the way from one end to the other', async () => {
  const indexed = await opened('steps');
  const stops = (await walked(indexed, 1000)).slice(0, -1);
  const seen = async (): Promise<unknown> =>
    (await indexed.driver.locals(0)).map(({ name, value }) => [name, value?.preview]);
  const first = new Map<number, unknown>();
  await fc.assert(
    fc.asyncProperty(fc.nat(stops.length - 1), async (at) => {
      const { position, location } = stops[at] as PausePoint;
      const stop = await indexed.driver.seek(position);
      expect(stop).toMatchObject({ position, location });
      const here = await seen();
      if (first.has(at)) expect(here).toEqual(first.get(at));
      first.set(at, here);
    }),
    { numRuns: 8 },
  );
});

test('threads stand between any two tasks, and the run comes out as recorded', async () => {
  const indexed = await opened('selling', { comparesStates: true });
  const { driver, runIndex } = indexed;
  expect(runIndex.threads.length).toBe(3);
  for (let order = 1; order <= runIndex.count + 1; order++) {
    const { position, worker } = await driver.seek(taskStart(order));
    expect(position).toEqual(taskStart(order));
    expect(worker).toBe(order > runIndex.count ? undefined : runIndex.task(order).worker);
  }
  await expectSame(indexed);
});

test('threads stand at statements anywhere, and the run comes out as recorded', async () => {
  const indexed = await opened('selling', { comparesStates: true });
  const { driver, runIndex } = indexed;
  for (let order = 1; order <= runIndex.count; order += 3) {
    const { statementLists: lists, worker } = runIndex.task(order);
    if (lists === 0) continue;
    const list = 1 + (order % lists);
    const stop = await driver.seek({ order, list, statement: 1 });
    expect(stop).toMatchObject({ position: { order, list, statement: 1 }, worker });
    expect(stop.location?.file).toMatch(/(?:clerks|selling)\.ts$/);
  }
  await expectSame(indexed);
});

test('it begins with the last snapshot before', async () => {
  const indexed = await opened('selling');
  const { driver, runIndex } = indexed;
  const last = runIndex.task(runIndex.count);
  expect(last.phase).toBe(1);
  const whole: (PausePoint & { readonly locals: readonly unknown[] })[] = [];
  const order = Array.from({ length: runIndex.count }, (_, i) => i + 1).findLast(
    (each) => runIndex.task(each).method === 'add',
  ) as number;
  await driver.seek(taskStart(1));
  for (let i = 0; i < 2; i++) {
    // The second time from where the snapshot is.
    const stop = await driver.seek({ order, list: 1, statement: 2 });
    whole.push({ ...stop, locals: (await driver.locals(0)).map(({ name, value }) => [name, value?.preview]) });
    await driver.seek(taskStart(runIndex.count + 1));
  }
  expect(whole[0]?.location?.function).toBe('add');
  expect(whole[1]).toEqual(whole[0]);
});

test('a search comes by every time that a line is run, in order, and tells what is wanted of it', async () => {
  const indexed = await opened('selling');
  const { driver, runIndex } = indexed;
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
  // Where it was hit is where one can go.
  const { position } = hits.at(-1) as BreakpointHit;
  expect((await driver.seek(position)).location?.line).toBe(line);
});

test('who lives where is told, with what waits', async () => {
  const indexed = await opened('selling');
  const { driver, runIndex } = indexed;
  await driver.seek(taskStart(Math.floor(runIndex.count / 2)));
  const actors = await driver.actors();
  expect(actors.map(({ name }) => name.replace(/#\d+/, '')).toSorted()).toEqual(['Clerk', 'Clerk', 'Clerk', 'Till']);
  const till = actors.find(({ value }) => value?.class === 'Till');
  expect(till?.value?.preview).toMatch(/^Till \{sum: \d+\}$/);
  const { entries } = await driver.expand(till?.value?.id ?? 0, { from: 0, count: 10 });
  expect(entries.map(({ name, kind: is }) => [name, is])).toEqual([
    ['prototype', 'inner'],
    ['sum', 'property'],
  ]);
  // What each has before it is what waits for it.
  for (const actor of actors) {
    const { messages, total } = await driver.mailbox(actor, { from: 0, count: 100 });
    expect(messages.length).toBe(total);
    expect(total).toBe(actor.waitingCount);
  }
});

test('lives of workers come and go while threads stand, and the run comes out as recorded', async () => {
  record(join(room, 'losing'), [join(PROGRAMS, 'losing.ts')]);
  const indexed = await opened('losing');
  expect(indexed.runIndex.threads.length).toBe(4);
  for (let order = 1; order <= indexed.runIndex.count + 1; order += 3) await indexed.driver.seek(taskStart(order));
  await indexed.driver.seek(taskStart(indexed.runIndex.count + 1));
  await expectSame(indexed);
});

test('where its process is killed it begins anew', async () => {
  const processes: ReplayProcess[] = [];
  const { driver } = await opened('steps', { onStart: (process) => processes.push(process) });
  const { position, location } = await driver.stepForward();
  const asked = driver.evaluate('(() => { for (;;); })()', AbortSignal.timeout(100));
  await expect(asked).rejects.toMatchObject({ code: 'TT_ABORTED' });
  expect(await driver.locals(0)).toEqual(expect.any(Array));
  const { restarts } = driver.seekCounts;
  const going = driver.seek(taskStart(6));
  processes.at(-1)?.kill();
  await expect(going).rejects.toMatchObject({ code: 'TT_REPLAY_LOST' });
  expect((await driver.evaluate('1 + 1')).value?.preview).toBe('2');
  expect(driver.pausePoint).toMatchObject({ position, location });
  expect(driver.seekCounts.restarts).toBe(restarts + 1);
  // Those for the first move, for what was asked and anew; and the next one that waits, where somebody has rested by now.
  expect(processes.length).toBeGreaterThanOrEqual(3);
});

test('private fields are shown, and can be asked for', async () => {
  const indexed = await opened('selling');
  const { driver, runIndex } = indexed;
  const order = Array.from({ length: runIndex.count }, (_, i) => i + 1).find(
    (each) => runIndex.task(each).method === 'serve',
  );
  await driver.seek({ order: order as number, list: 1, statement: 1 });
  const self = (await driver.locals(0)).find(({ name }) => name === 'this');
  const { entries } = await driver.expand(self?.value?.id ?? 0, { from: 0, count: 10 });
  const field = entries.find(({ name }) => name === '#name');
  expect(field?.value?.preview).toMatch(/^"(?:one|two|three)"$/);
  const asked = await driver.evaluate('this.#name.length + 1');
  expect(asked.value?.preview).toBe(String((field?.value?.preview.length ?? 0) - 1));
  expect((await driver.evaluate('this.#nothing')).error).toContain('no private field #nothing');
});

test('what is not there is refused, and what nobody wants any more is given up', async () => {
  const indexed = await opened('steps');
  const { driver, runIndex } = indexed;
  await expect(driver.seek(taskStart(0))).rejects.toMatchObject({ code: 'TT_NO_POSITION' });
  await expect(driver.seek(taskStart(runIndex.count + 2))).rejects.toMatchObject({ code: 'TT_NO_POSITION' });
  const { position } = await driver.stepForward();
  await expect(driver.seek(taskStart(runIndex.count + 1), AbortSignal.abort())).rejects.toMatchObject({
    code: 'TT_ABORTED',
  });
  const giving = new AbortController();
  const going = driver.seek(taskStart(runIndex.count + 1), giving.signal);
  await Promise.resolve();
  giving.abort();
  await going.catch((error: unknown) => expect(error).toMatchObject({ code: 'TT_ABORTED' }));
  await driver.seek(position);
  expect(driver.pausePoint.position).toEqual(position);
  await driver.close();
  await expect(driver.stepForward()).rejects.toMatchObject({ code: 'TT_REPLAY_LOST' });
});

test('a short way that nobody wants any more costs no process: who steps fast gives up one after the other', async () => {
  const { driver } = await opened('steps');
  const { position } = await driver.stepForward();
  const { restarts } = driver.seekCounts;
  // However long they take here: the moment that a way is given is not over.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  for (let i = 1; i <= 3; i++) {
    const giving = new AbortController();
    const going = driver.seek({ ...position, statement: position.statement + i }, giving.signal);
    // It is on its way then.
    await setImmediate();
    giving.abort();
    await going.catch((error: unknown) => expect(error).toMatchObject({ code: 'TT_ABORTED' }));
  }
  await driver.seek({ ...position, statement: position.statement + 4 });
  expect(driver.seekCounts.restarts).toBe(restarts);
  await driver.close();
});

test('all statements of a task are noted as they are come to one by one, each as deep as its stack is', async () => {
  const indexed = await opened('steps');
  const stops = (await walked(indexed, 1000)).slice(0, -1);
  const { count } = indexed.runIndex;
  const all = await indexed.driver.traceTasks(1, count);
  expect(all.length).toBe(count);
  expect((await indexed.driver.traceTasks(2, 3)).map(({ statements }) => statements.length)).toEqual(
    all.slice(1, 3).map(({ statements }) => statements.length),
  );
  for (const [i, { locations, statements, isTruncated }] of all.entries()) {
    const order = i + 1;
    const sameTask = stops.filter(({ position }) => position.order === order);
    expect(isTruncated).toBe(false);
    const actual = sameTask.map((_, i) => {
      const [list, statement, location = -1] = statements.slice(i * 4, i * 4 + 3);
      return { position: { order, list, statement }, location: locations[location] };
    });
    expect(actual).toEqual(sameTask.map(({ position, location }) => ({ position, location })));
    expect(statements.length).toBe(sameTask.length * 4);
  }
  // A function is deeper than who calls it.
  const { locations = [], statements = [] } = all[0] ?? {};
  const depths = new Map<string, Set<number>>();
  for (let at = 0; at < statements.length; at += 4) {
    const name = locations[statements[at + 2] ?? -1]?.function ?? '';
    depths.set(name, (depths.get(name) ?? new Set<number>()).add(statements[at + 3] ?? 0));
  }
  expect(Math.min(...(depths.get('put') ?? []))).toBeGreaterThan(Math.min(...(depths.get('') ?? [])));
});

test('statements are noted as deep as their stack is there, however they are called, left and called back', async () => {
  const { driver, runIndex } = await opened('deep');
  const all = await driver.traceTasks(1, runIndex.count);
  for (const [i, { statements }] of all.entries()) {
    const noted: number[] = [];
    const counted: number[] = [];
    for (let at = 0; at < statements.length; at += at < 2000 ? 4 : 60) {
      const [list = 0, statement = 0, , depth = 0] = statements.slice(at, at + 4);
      await driver.seek({ order: i + 1, list, statement });
      noted.push(depth);
      counted.push((await driver.frames()).at(-1)?.framesAbove ?? 0);
    }
    // Whoever counts stands on frames of its own, and sees no more than 200 of all.
    const own = (noted[0] ?? 0) - (counted[0] ?? 0);
    const pairs = noted.map((depth, at) => [depth, (counted[at] as number) + own]);
    const seen = pairs.filter((pair) => Math.min(...pair) < 150);
    expect(seen.map(([depth]) => depth)).toEqual(seen.map(([, depth]) => depth));
  }
});

test('statements of all threads are noted on one way, and the run comes out as recorded', async () => {
  const indexed = await opened('selling', { comparesStates: true });
  const { count } = indexed.runIndex;
  const all = await indexed.driver.traceTasks(1, count);
  const lists = all.map(({ statements }) => statements.at(-4) ?? 0);
  expect(lists).toEqual(all.map((_, i) => indexed.runIndex.task(i + 1).statementLists));
  const half = Math.floor(count / 2);
  expect(await indexed.driver.traceTasks(half, half + 5)).toEqual(all.slice(half - 1, half + 5));
  // Behind an await a statement may begin before any list is entered.
  const order = 1 + all.findIndex(({ statements }) => statements.length > 0 && statements[0] === 0);
  const { locations = [], statements = [] } = all[order - 1] ?? {};
  const position = { order, list: 0, statement: 1 };
  expect(await indexed.driver.seek(position)).toMatchObject({ position, location: locations[statements[2] ?? -1] });
  await indexed.driver.seek(taskStart(order));
  expect(await indexed.driver.stepForward()).toMatchObject({ position });
  await expectSame(indexed);
});
