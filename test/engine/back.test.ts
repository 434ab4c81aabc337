// An engine goes back in its place, by undoing what its program has changed and running it once more: what is seen there is what is seen on the way there from the beginning, and the run comes out as
// recorded all the same.
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
import { taskStart, expectSame, openDriver, type OpenedDriver } from './opened-driver.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

const PROGRAMS = fileURLToPath(new URL('programs/', import.meta.url));
const seed = process.env['ORACLE_SEED'] === 'random' ? Date.now() & 0x7fff_ffff : 20_261_123;
const room = mkdtempSync(join(tmpdir(), 'turntable-back-'));
afterAll(() => rmSync(room, { recursive: true, force: true }));

beforeAll(() => {
  record(join(room, 'going'), [join(PROGRAMS, 'going.ts')]);
  record(join(room, 'books'), [join(PROGRAMS, 'books.ts')]);
  record(join(room, 'steps'), [join(PROGRAMS, 'steps.mjs')]);
  record(join(room, 'handing'), [join(PROGRAMS, 'handing.mjs')]);
  record(join(room, 'reaching'), [join(PROGRAMS, 'reaching.mjs')]);
});

const opened = (name: string, more: Partial<ReplayDriverOptions> = {}): Promise<OpenedDriver> =>
  openDriver(join(room, name), more);

/** What can be seen where an engine stands: the stack, the variables and all that they lead to, the actors and what waits for them. */
async function seen(driver: ReplayDriver): Promise<unknown> {
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
      // What waits for time is of the runtime, and errors tell the lines of ours that have called the program.
      if (name !== 'prototype' && name !== 'stack') parts.push([name, is, await shown(part)]);
    return [value.class, parts];
  };
  const locals = place === undefined ? [] : await driver.locals(0);
  const variables: unknown[] = [];
  for (const { name, value } of locals) variables.push([name, await shown(value)]);
  const actors: unknown[] = [];
  const here = await driver.actors();
  for (const actor of here) {
    const { name, turns, value } = actor;
    const { messages, total } = await driver.mailbox(actor, { from: 0, count: 1000 });
    // What is under way on one route has arrived on another; that it waits is the same.
    const waiting = messages.map(({ subject: what, sender: from }) => [what, from]);
    actors.push([
      name,
      turns,
      waiting,
      total,
      actor.waitingCount,
      actor.worker === worker ? await shown(value) : undefined,
    ]);
  }
  // All of what they hold, of whatever size. Actors of other workers have still to come to where they would be, if it is in the midst of a task.
  const whole = here.filter((actor) => place === undefined || actor.worker === worker);
  const states = await driver.states(
    position,
    whole.map((actor) => ({ worker: actor.worker, actor: actor.name })),
    1_000_000,
  );
  const frames =
    place === undefined ? [] : (await driver.frames()).filter((frame) => frame.location?.file.includes('programs'));
  return { position, place, variables, actors, states, frames };
}

/** Of all statements of a recording from some task on some, in order. */
async function places({ driver, runIndex }: OpenedDriver, from: number, count: number): Promise<Position[]> {
  const all: Position[] = [];
  for (const [i, { statements }] of (await driver.traceTasks(from, runIndex.count)).entries())
    for (let at = 0; at < statements.length; at += 4)
      all.push({ order: i + from, list: statements[at] as number, statement: statements[at + 1] as number });
  const step = Math.ceil(all.length / count);
  return all.filter((_, i) => i % step === 0);
}

/** What somebody evaluates where he comes by: nothing mostly, what is taken back, and what cannot be. */
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
  // The first one evaluates files: it begins anew for that.
  ['steps', 2],
] as const)(
  'any position is what it is on the way from the beginning, whatever was evaluated on the way there: %s',
  async ([name, from]) => {
    const forth = await opened(name);
    const some = await places(forth, from, 30);
    const straight: unknown[] = [];
    for (const position of some) {
      await forth.driver.seek(position);
      straight.push(await seen(forth.driver));
    }
    const indexed = await opened(name, { comparesStates: true });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(some.length - 1), evaluated), { minLength: 3, maxLength: 6 }),
        async (walk) => {
          for (const [at, text] of walk) {
            await indexed.driver.seek(some[at] as Position);
            expect(await seen(indexed.driver)).toEqual(straight[at]);
            if (text !== '') await indexed.driver.evaluate(text);
          }
        },
      ),
      { numRuns: inSoak(5, 40), seed },
    );
    expect(indexed.driver.seekCounts.inPlace).toBeGreaterThan(0);
    await expectSame(indexed);
  },
);

test('from the end of a task to its beginning it goes back statement by statement, and forth again, in one process', async () => {
  const indexed = await opened('going', { comparesStates: true });
  const { driver, runIndex } = indexed;
  const order = Array.from({ length: runIndex.count }, (_, i) => i + 1).findLast(
    (each) => runIndex.task(each).method === 'enter',
  ) as number;
  const stops: PausePoint[] = [];
  const forth: unknown[] = [];
  await driver.seek(taskStart(order));
  for (let stop = await driver.stepForward(); stop.position.order === order; stop = await driver.stepForward()) {
    stops.push(stop);
    forth.push(await seen(driver));
  }
  expect(stops.length).toBeGreaterThan(10);
  const restarts = driver.seekCounts.restarts;
  for (let at = stops.length - 1; at >= 0; at--) {
    await driver.seek((stops[at] as PausePoint).position);
    expect(await seen(driver)).toEqual(forth[at]);
  }
  for (let at = 1; at < stops.length; at++) {
    expect(await driver.stepForward()).toEqual(stops[at]);
    expect(await seen(driver)).toEqual(forth[at]);
  }
  expect(driver.seekCounts.restarts).toBe(restarts);
  await expectSame(indexed);
});

test.for([
  ['call', 'who waits for what is handed over'],
  ['construct', 'who is being made'],
])('in the midst of a task (%s) it is known, in one process, %s', async ([wanted]) => {
  const indexed = await opened('handing', { comparesStates: true });
  const { driver, runIndex } = indexed;
  const order = Array.from({ length: runIndex.count }, (_, i) => i + 1).findLast((each) => {
    const { kind, actor } = runIndex.task(each);
    return kind === wanted && actor.startsWith('Giver');
  }) as number;
  const forth: [Position, unknown][] = [];
  await driver.seek(taskStart(order));
  for (let stop = await driver.stepForward(); stop.position.order === order; stop = await driver.stepForward())
    forth.push([stop.position, await driver.digests()]);
  expect(forth.length).toBeGreaterThan(3);
  // Behind it files may be evaluated: that is not gone back over in place.
  await driver.seek(forth.at(-1)?.[0] as Position);
  const { restarts } = driver.seekCounts;
  for (const [place, digests] of forth.toReversed()) {
    await driver.seek(place);
    expect(await driver.digests(), JSON.stringify(place)).toEqual(digests);
  }
  expect(driver.seekCounts.restarts).toBe(restarts);
  expect(driver.seekCounts.inPlace).toBeGreaterThan(0);
  await expectSame(indexed);
});

test('tasks of before the program reached outside are the same from behind that, in one process', async () => {
  const indexed = await opened('reaching', { comparesStates: true });
  const { driver, runIndex } = indexed;
  const turns = Array.from({ length: runIndex.count }, (_, i) => i + 1).filter((each) =>
    runIndex.task(each).actor.startsWith('Waiter'),
  );
  const resting = turns.findIndex((each) => runIndex.task(each).method === 'rest');
  const forth: [Position, unknown][] = [];
  await driver.seek(taskStart(turns[1] as number));
  for (
    let stop = await driver.stepForward();
    stop.position.order < (turns[resting] as number);
    stop = await driver.stepForward()
  )
    forth.push([stop.position, await driver.digests()]);
  expect(forth.length).toBeGreaterThan(10);
  await driver.seek(taskStart((turns.at(-1) as number) + 1));
  const { restarts } = driver.seekCounts;
  for (const [place, digests] of forth.toReversed()) {
    await driver.seek(place);
    expect(await driver.digests(), JSON.stringify(place)).toEqual(digests);
  }
  expect(driver.seekCounts.restarts).toBe(restarts);
  await expectSame(indexed);
});

test('task by task all threads go back together, in one process, and forth again', async () => {
  const indexed = await opened('going', { comparesStates: true });
  const { driver, runIndex } = indexed;
  const first = runIndex.count - 25;
  const forth: unknown[] = [];
  const selves: unknown[] = [];
  for (let order = first; order <= runIndex.count; order++) {
    await driver.seek(taskStart(order));
    forth[order] = await seen(driver);
    selves[order] = (await driver.evaluate('typeof this === "object" ? this.name : "nobody"')).value?.preview;
  }
  expect(new Set(selves).size).toBeGreaterThan(2);
  const restarts = driver.seekCounts.restarts;
  for (let order = runIndex.count; order >= first; order--) {
    await driver.seek(taskStart(order));
    expect(await seen(driver)).toEqual(forth[order]);
    expect((await driver.evaluate('typeof this === "object" ? this.name : "nobody"')).value?.preview).toBe(
      selves[order],
    );
  }
  expect(driver.seekCounts.restarts).toBe(restarts);
  await expectSame(indexed);
});

test('what an expression has changed is gone as soon as one moves, and nothing begins anew', async () => {
  const indexed = await opened('going', { comparesStates: true });
  const { driver, runIndex } = indexed;
  const order = Array.from({ length: runIndex.count }, (_, i) => i + 1).findLast(
    (each) => runIndex.task(each).method === 'enter',
  ) as number;
  await driver.seek({ order, list: 1, statement: 3 });
  const was = await seen(driver);
  const { seekCounts: ways } = driver;
  const restarts = ways.restarts;
  for (const text of [
    'this.history.splice(0)',
    'this.seen.clear(), this.bytes.fill(7), Math.random()',
    '[].push.call(this.history, 1)',
    // What the expression writes by itself.
    'this.totals.ann = -1',
    '[this.history[0].name, made] = ["x", 2], delete this.totals.ann, this["to" + "tals"].more ??= 1',
    '(() => { for (this.totals.last of [1, 2]); made++\nmade = this.bytes[1]++ })()',
  ])
    expect(await driver.evaluate(text)).toMatchObject({ isPure: false, isUndone: true });
  expect((await driver.evaluate('this.history.length')).value?.preview).toBe('1');
  expect((await driver.evaluate('made')).value?.preview).toBe('7');
  expect(await seen(driver)).not.toEqual(was);
  // Whoever goes to where it stands goes there as well.
  await driver.seek({ order, list: 1, statement: 3 });
  expect(await seen(driver)).toEqual(was);
  expect(await driver.evaluate('this.history.push(1)')).toMatchObject({ isUndone: true });
  const next = await driver.stepForward();
  await driver.seek({ order, list: 1, statement: 3 });
  expect(await seen(driver)).toEqual(was);
  expect(await driver.evaluate('this.history.push({ name: "x" })')).toMatchObject({ isUndone: true });
  expect(await driver.stepForward()).toEqual(next);
  expect(ways.restarts).toBe(restarts);
  // Of what code writes that is a text nothing is noted.
  expect(await driver.evaluate('eval("this.totals.ann = -1")')).toMatchObject({ isPure: false, isUndone: false });
  await driver.seek({ order, list: 1, statement: 3 });
  expect(await seen(driver)).toEqual(was);
  expect(ways.restarts).toBe(restarts + 1);
  await expectSame(indexed);
});

test('what was frozen is what it was before, though nobody can take that back', async () => {
  const indexed = await opened('books', { comparesStates: true });
  const { driver, runIndex } = indexed;
  const [first, second] = Array.from({ length: runIndex.count }, (_, i) => i + 1).filter(
    (each) => runIndex.task(each).method === 'add',
  ) as [number, number];
  const forth: unknown[] = [];
  for (let order = first; order <= runIndex.count; order++) {
    await driver.seek(taskStart(order));
    forth[order] = await seen(driver);
  }
  for (let order = runIndex.count; order >= first; order--) {
    await driver.seek(taskStart(order));
    expect(await seen(driver)).toEqual(forth[order]);
  }
  expect(driver.seekCounts.inPlace).toBeGreaterThan(0);
  expect(driver.seekCounts.restarts).toBeGreaterThan(0);
  await driver.seek(taskStart(second));
  const was = await seen(driver);
  expect(await driver.evaluate('Object.freeze(this.open)')).toMatchObject({ isPure: false, isUndone: false });
  await driver.seek(taskStart(first));
  await driver.seek(taskStart(second));
  expect(await seen(driver)).toEqual(was);
  await expectSame(indexed);
});

test('where it cannot go back another process goes there, which waits for it where files are evaluated', async () => {
  const waits = Promise.withResolvers<void>();
  let started = 0;
  const { driver, runIndex } = await opened('going', {
    onStart: () => ++started === 2 && waits.resolve(),
  });
  await driver.seek({ order: 1, list: 1, statement: 2 });
  const first = await seen(driver);
  await driver.stepForward();
  await waits.promise;
  await driver.seek({ order: 1, list: 1, statement: 2 });
  expect(await seen(driver)).toEqual(first);
  expect(driver.seekCounts).toEqual({ inPlace: 0, restarts: 1 });
  await driver.seek(taskStart(runIndex.count));
  // Files were evaluated in between.
  await driver.seek({ order: 1, list: 1, statement: 2 });
  expect(driver.seekCounts.inPlace).toBe(0);
  expect(await seen(driver)).toEqual(first);
});
