// A replay process seeks backward in place: it undoes the program's changes and re-executes tasks. Each position
// has the same state as in a replay from the start, and the run still ends as recorded.
import './own-process.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Position, ReplayDriver, PausePoint } from '@turntable/time-machine';
import type { Value } from '@turntable/time-machine/replay-process';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { inSoak } from '../../scripts/test-run/soak.ts';
import { record } from '../replay/record-and-replay.ts';
import type { ReplayDriverOptions } from './replay-drivers.ts';
import { taskStart, expectSame, openDriver, positionsIn, type OpenedDriver } from './opened-driver.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

const PROGRAMS = fileURLToPath(new URL('programs/', import.meta.url));
const seed = process.env['ORACLE_SEED'] === 'random' ? Date.now() & 0x7fff_ffff : 20_261_123;
const scratch = mkdtempSync(join(tmpdir(), 'turntable-back-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

beforeAll(() => {
  record(join(scratch, 'going'), [join(PROGRAMS, 'going.ts')]);
  record(join(scratch, 'books'), [join(PROGRAMS, 'books.ts')]);
  record(join(scratch, 'steps'), [join(PROGRAMS, 'steps.mjs')]);
  record(join(scratch, 'handing'), [join(PROGRAMS, 'handing.mjs')]);
  record(join(scratch, 'reaching'), [join(PROGRAMS, 'reaching.mjs')]);
});

const opened = (name: string, more: Partial<ReplayDriverOptions> = {}): Promise<OpenedDriver> =>
  openDriver(join(scratch, name), more);

/**
 * The state visible at a pause: the stack, the variables with everything that they reach, also of awaiting functions,
 * the actors and their mailboxes.
 */
async function visibleState(driver: ReplayDriver): Promise<unknown> {
  const { position, location: place, worker } = driver.pausePoint;
  const known = new Map<number, number>();
  const shown = async (value: Value | undefined): Promise<unknown> => {
    if (value?.id === undefined || value.kind !== 'object') return value?.preview;
    const before = known.get(value.id);
    if (before !== undefined || known.size > 150) return `#${before}`;
    known.set(value.id, known.size);
    const { entries } = await driver.expand(value.id, { from: 0, count: 100 });
    const parts: unknown[] = [];
    for (const { name, kind: is, value: part } of entries)
      // Timers' prototypes belong to the runtime, and stacks of errors contain lines of ours that call the program.
      if (name !== 'prototype' && name !== 'stack') parts.push([name, is, await shown(part)]);
    return [value.class, parts];
  };
  const locals = place === undefined ? [] : await driver.locals(0);
  const variables: unknown[] = [];
  for (const { name, value } of locals) variables.push([name, await shown(value)]);
  const actors: unknown[] = [];
  const allActors = await driver.actors();
  for (const actor of allActors) {
    const { name, turns, value } = actor;
    const { messages, total } = await driver.mailbox(actor, { from: 0, count: 1000 });
    // A message may be under way on one route and have arrived on another; it waits either way.
    const waiting = messages.map(({ subject, sender }) => [subject, sender]);
    actors.push([
      name,
      turns,
      waiting,
      total,
      actor.waitingCount,
      actor.worker === worker ? await shown(value) : undefined,
    ]);
  }
  // Everything that the actors hold, whatever its size. Within a task, actors of other workers may not have reached
  // their state yet.
  const whole = allActors.filter((actor) => place === undefined || actor.worker === worker);
  const states = await driver.states(
    position,
    whole.map((actor) => ({ worker: actor.worker, actor: actor.name })),
    1_000_000,
  );
  const stack = place === undefined ? [] : (await driver.stack()).frames;
  const frames: unknown[] = [];
  let awaitingCount = 0;
  for (const { awaiting, ...frame } of stack) {
    if (awaiting === undefined && frame.location?.file.includes('programs') === true) frames.push(frame);
    if (awaiting === undefined) continue;
    // Only processes that have executed the last run of a frame know its name.
    const { run: _, ...waits } = awaiting;
    const entries: unknown[] = [];
    for (const { name, value } of await driver.awaitingLocals(awaitingCount++))
      entries.push([name, await shown(value)]);
    frames.push({ ...frame, waits, entries });
  }
  return { position, place, variables, actors, states, frames };
}

/** A sample of the statements of a recording from a task onwards, in order. */
async function places({ driver, runIndex }: OpenedDriver, from: number, count: number): Promise<Position[]> {
  const all: Position[] = [];
  for (const trace of await driver.traceTasks(from, runIndex.count)) all.push(...positionsIn(trace));
  const step = Math.ceil(all.length / count);
  return all.filter((_, i) => i % step === 0);
}

/** Expressions that a user evaluates on the way: mostly none, some that can be undone, and some that cannot. */
const evaluated = fc.constantFrom(
  ...Array.from({ length: 7 }, () => ''),
  '1 + 1',
  'Math.random()',
  '(globalThis.left ??= []).push(1)',
  'this === undefined || (this.left = { more: 1 })',
  'eval("globalThis.left = 1")',
);

test.for([
  ['going', 1],
  // The first task evaluates files, which restarts the process.
  ['steps', 2],
] as const)(
  'any position has the state of a replay from the start, whatever was evaluated before: %s',
  async ([name, from]) => {
    const fromStart = await opened(name);
    const some = await places(fromStart, from, inSoak(8, 30));
    const expected: unknown[] = [];
    for (const position of some) {
      await fromStart.driver.seek(position);
      expected.push(await visibleState(fromStart.driver));
    }
    const replay = await opened(name, { comparesStates: true });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(some.length - 1), evaluated), { minLength: 3, maxLength: 6 }),
        async (walk) => {
          for (const [at, text] of walk) {
            await replay.driver.seek(some[at] as Position);
            expect(await visibleState(replay.driver)).toEqual(expected[at]);
            if (text !== '') await replay.driver.evaluate(text);
          }
        },
      ),
      { numRuns: inSoak(2, 40), seed },
    );
    expect(replay.driver.seekCounts.inPlace).toBeGreaterThan(0);
    await expectSame(replay);
  },
);

test('steps back from the end of a task to its beginning and forward again in one process', async () => {
  const replay = await opened('going', { comparesStates: true });
  const { driver, runIndex } = replay;
  const order = Array.from({ length: runIndex.count }, (_, i) => i + 1).findLast(
    (each) => runIndex.task(each).method === 'enter',
  ) as number;
  const stops: PausePoint[] = [];
  const forward: unknown[] = [];
  await driver.seek(taskStart(order));
  for (let stop = await driver.stepForward(); stop.position.order === order; stop = await driver.stepForward()) {
    stops.push(stop);
    forward.push(await visibleState(driver));
  }
  expect(stops.length).toBeGreaterThan(10);
  const restarts = driver.seekCounts.restarts;
  for (let at = stops.length - 1; at >= 0; at--) {
    await driver.seek((stops[at] as PausePoint).position);
    expect(await visibleState(driver)).toEqual(forward[at]);
  }
  for (let at = 1; at < stops.length; at++) {
    expect(await driver.stepForward()).toEqual(stops[at]);
    expect(await visibleState(driver)).toEqual(forward[at]);
  }
  expect(driver.seekCounts.restarts).toBe(restarts);
  await expectSame(replay);
});

test.for([
  ['call', 'waiters for values handed over'],
  ['construct', 'the actor under construction'],
])('a paused task (%s) keeps track of %s in one process', async ([wanted]) => {
  const replay = await opened('handing', { comparesStates: true });
  const { driver, runIndex } = replay;
  const order = Array.from({ length: runIndex.count }, (_, i) => i + 1).findLast((each) => {
    const { kind, actor } = runIndex.task(each);
    return kind === wanted && actor.startsWith('Giver');
  }) as number;
  const forward: [Position, unknown][] = [];
  await driver.seek(taskStart(order));
  for (let stop = await driver.stepForward(); stop.position.order === order; stop = await driver.stepForward())
    forward.push([stop.position, await driver.digests()]);
  expect(forward.length).toBeGreaterThan(3);
  // Evaluating files cannot be undone in place, so stay before the tasks that may do that.
  await driver.seek(forward.at(-1)?.[0] as Position);
  const { restarts } = driver.seekCounts;
  for (const [place, digests] of forward.toReversed()) {
    await driver.seek(place);
    expect(await driver.digests(), JSON.stringify(place)).toEqual(digests);
  }
  expect(driver.seekCounts.restarts).toBe(restarts);
  expect(driver.seekCounts.inPlace).toBeGreaterThan(0);
  await expectSame(replay);
});

test('tasks before a host call have the same state when reached from after it, in one process', async () => {
  const replay = await opened('reaching', { comparesStates: true });
  const { driver, runIndex } = replay;
  const turns = Array.from({ length: runIndex.count }, (_, i) => i + 1).filter((each) =>
    runIndex.task(each).actor.startsWith('Waiter'),
  );
  const resting = turns.findIndex((each) => runIndex.task(each).method === 'rest');
  const forward: [Position, unknown][] = [];
  await driver.seek(taskStart(turns[1] as number));
  for (
    let stop = await driver.stepForward();
    stop.position.order < (turns[resting] as number);
    stop = await driver.stepForward()
  )
    forward.push([stop.position, await driver.digests()]);
  expect(forward.length).toBeGreaterThan(10);
  await driver.seek(taskStart((turns.at(-1) as number) + 1));
  const { restarts } = driver.seekCounts;
  for (const [place, digests] of forward.toReversed()) {
    await driver.seek(place);
    expect(await driver.digests(), JSON.stringify(place)).toEqual(digests);
  }
  expect(driver.seekCounts.restarts).toBe(restarts);
  await expectSame(replay);
});

test('all threads go back and forward together, task by task, in one process', async () => {
  const replay = await opened('going', { comparesStates: true });
  const { driver, runIndex } = replay;
  const first = runIndex.count - 25;
  const forward: unknown[] = [];
  const selves: unknown[] = [];
  for (let order = first; order <= runIndex.count; order++) {
    await driver.seek(taskStart(order));
    forward[order] = await visibleState(driver);
    selves[order] = (await driver.evaluate('typeof this === "object" ? this.name : "none"')).value?.preview;
  }
  expect(new Set(selves).size).toBeGreaterThan(2);
  const restarts = driver.seekCounts.restarts;
  for (let order = runIndex.count; order >= first; order--) {
    await driver.seek(taskStart(order));
    expect(await visibleState(driver)).toEqual(forward[order]);
    expect((await driver.evaluate('typeof this === "object" ? this.name : "none"')).value?.preview).toBe(selves[order]);
  }
  expect(driver.seekCounts.restarts).toBe(restarts);
  await expectSame(replay);
});

test('the next move undoes the changes of an expression without restarting the process', async () => {
  const replay = await opened('going', { comparesStates: true });
  const { driver, runIndex } = replay;
  const order = Array.from({ length: runIndex.count }, (_, i) => i + 1).findLast(
    (each) => runIndex.task(each).method === 'enter',
  ) as number;
  await driver.seek({ order, list: 1, statement: 3 });
  const before = await visibleState(driver);
  const { seekCounts: counts } = driver;
  const restarts = counts.restarts;
  for (const text of [
    'this.history.splice(0)',
    'this.seen.clear(), this.bytes.fill(7), Math.random()',
    '[].push.call(this.history, 1)',
    // Writes by the expression's own code.
    'this.totals.ann = -1',
    '[this.history[0].name, made] = ["x", 2], delete this.totals.ann, this["to" + "tals"].more ??= 1',
    '(() => { for (this.totals.last of [1, 2]); made++\nmade = this.bytes[1]++ })()',
  ])
    expect(await driver.evaluate(text)).toMatchObject({ isPure: false, isUndone: true });
  expect((await driver.evaluate('this.history.length')).value?.preview).toBe('1');
  expect((await driver.evaluate('made')).value?.preview).toBe('7');
  expect(await visibleState(driver)).not.toEqual(before);
  // A seek to the current position undoes them too.
  await driver.seek({ order, list: 1, statement: 3 });
  expect(await visibleState(driver)).toEqual(before);
  expect(await driver.evaluate('this.history.push(1)')).toMatchObject({ isUndone: true });
  const next = await driver.stepForward();
  await driver.seek({ order, list: 1, statement: 3 });
  expect(await visibleState(driver)).toEqual(before);
  expect(await driver.evaluate('this.history.push({ name: "x" })')).toMatchObject({ isUndone: true });
  expect(await driver.stepForward()).toEqual(next);
  expect(counts.restarts).toBe(restarts);
  // Writes by code in a string are not tracked.
  expect(await driver.evaluate('eval("this.totals.ann = -1")')).toMatchObject({ isPure: false, isUndone: false });
  await driver.seek({ order, list: 1, statement: 3 });
  expect(await visibleState(driver)).toEqual(before);
  expect(counts.restarts).toBe(restarts + 1);
  await expectSame(replay);
});

test('a frozen object has its earlier state at an earlier position, although freezing cannot be undone', async () => {
  const replay = await opened('books', { comparesStates: true });
  const { driver, runIndex } = replay;
  const [first, second] = Array.from({ length: runIndex.count }, (_, i) => i + 1).filter(
    (each) => runIndex.task(each).method === 'add',
  ) as [number, number];
  const forward: unknown[] = [];
  for (let order = first; order <= runIndex.count; order++) {
    await driver.seek(taskStart(order));
    forward[order] = await visibleState(driver);
  }
  for (let order = runIndex.count; order >= first; order--) {
    await driver.seek(taskStart(order));
    expect(await visibleState(driver)).toEqual(forward[order]);
  }
  expect(driver.seekCounts.inPlace).toBeGreaterThan(0);
  expect(driver.seekCounts.restarts).toBeGreaterThan(0);
  await driver.seek(taskStart(second));
  const before = await visibleState(driver);
  expect(await driver.evaluate('Object.freeze(this.open)')).toMatchObject({ isPure: false, isUndone: false });
  await driver.seek(taskStart(first));
  await driver.seek(taskStart(second));
  expect(await visibleState(driver)).toEqual(before);
  await expectSame(replay);
});

test('a standby process takes over where the current one cannot go back', async () => {
  const waits = Promise.withResolvers<void>();
  let started = 0;
  const { driver, runIndex } = await opened('going', {
    onStart: () => ++started === 2 && waits.resolve(),
  });
  await driver.seek({ order: 1, list: 1, statement: 2 });
  const first = await visibleState(driver);
  await driver.stepForward();
  await waits.promise;
  await driver.seek({ order: 1, list: 1, statement: 2 });
  expect(await visibleState(driver)).toEqual(first);
  expect(driver.seekCounts).toEqual({ inPlace: 0, restarts: 1 });
  await driver.seek(taskStart(runIndex.count));
  // Files were evaluated in between, so this cannot be done in place.
  await driver.seek({ order: 1, list: 1, statement: 2 });
  expect(driver.seekCounts.inPlace).toBe(0);
  expect(await visibleState(driver)).toEqual(first);
});
