// An engine goes back in its place, by undoing what its program has changed and running it once more: what is seen there is what is seen on the way there from the beginning, and the run comes out as
// recorded all the same.
import './own-process.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Position, RecordedEngine, Stop } from '@turntable/time-machine';
import type { Value } from '@turntable/time-machine/replay-process';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { inSoak } from '../../scripts/test-run/soak.ts';
import { record } from '../replay/again.ts';
import type { EngineWanted } from './engines.ts';
import { before, expectSame, openedIn, type Opened } from './opened.ts';

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

const opened = (name: string, more: Partial<EngineWanted> = {}): Promise<Opened> => openedIn(join(room, name), more);

/** What can be seen where an engine stands: the stack, the variables and all that they lead to, the actors and what waits for them. */
async function seen(engine: RecordedEngine): Promise<unknown> {
  const { position, place, worker } = engine.stop;
  const known = new Map<number, number>();
  const shown = async (value: Value | undefined): Promise<unknown> => {
    if (value?.id === undefined || value.kind !== 'object') return value?.preview;
    const before = known.get(value.id);
    if (before !== undefined || known.size > 150) return `#${before}`;
    known.set(value.id, known.size);
    const { entries } = await engine.expand(value.id, { from: 0, count: 100 });
    const parts: unknown[] = [];
    for (const { name, is, value: part } of entries)
      // What waits for time is of the runtime, and errors tell the lines of ours that have called the program.
      if (name !== 'prototype' && name !== 'stack') parts.push([name, is, await shown(part)]);
    return [value.class, parts];
  };
  const locals = place === undefined ? [] : await engine.locals(0);
  const variables: unknown[] = [];
  for (const { name, value } of locals) variables.push([name, await shown(value)]);
  const actors: unknown[] = [];
  const here = await engine.actors();
  for (const actor of here) {
    const { name, turns, value } = actor;
    const { messages, total } = await engine.mailbox(actor, { from: 0, count: 1000 });
    // What is under way on one route has arrived on another; that it waits is the same.
    const waiting = messages.map(({ what, from }) => [what, from]);
    actors.push([name, turns, waiting, total, actor.waiting, actor.worker === worker ? await shown(value) : undefined]);
  }
  // All of what they hold, of whatever size. Actors of other workers have still to come to where they would be, if it is in the midst of a stretch.
  const whole = here.filter((actor) => place === undefined || actor.worker === worker);
  const states = await engine.states(
    position,
    whole.map((actor) => ({ worker: actor.worker, actor: actor.name })),
    1_000_000,
  );
  const frames =
    place === undefined ? [] : (await engine.frames()).filter((frame) => frame.place?.file.includes('programs'));
  return { position, place, variables, actors, states, frames };
}

/** Of all statements of a recording from some stretch on some, in order. */
async function places({ engine, survey }: Opened, from: number, count: number): Promise<Position[]> {
  const all: Position[] = [];
  for (const [i, { statements }] of (await engine.trace(from, survey.count)).entries())
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
      await forth.engine.to(position);
      straight.push(await seen(forth.engine));
    }
    const its = await opened(name, { compares: true });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(some.length - 1), evaluated), { minLength: 3, maxLength: 6 }),
        async (walk) => {
          for (const [at, text] of walk) {
            await its.engine.to(some[at] as Position);
            expect(await seen(its.engine)).toEqual(straight[at]);
            if (text !== '') await its.engine.evaluate(text);
          }
        },
      ),
      { numRuns: inSoak(5, 40), seed },
    );
    expect(its.engine.ways.back).toBeGreaterThan(0);
    await expectSame(its);
  },
);

test('from the end of a stretch to its beginning it goes back statement by statement, and forth again, in one process', async () => {
  const its = await opened('going', { compares: true });
  const { engine, survey } = its;
  const order = Array.from({ length: survey.count }, (_, i) => i + 1).findLast(
    (each) => survey.stretch(each).method === 'enter',
  ) as number;
  const stops: Stop[] = [];
  const forth: unknown[] = [];
  await engine.to(before(order));
  for (let stop = await engine.next(); stop.position.order === order; stop = await engine.next()) {
    stops.push(stop);
    forth.push(await seen(engine));
  }
  expect(stops.length).toBeGreaterThan(10);
  const anew = engine.ways.anew;
  for (let at = stops.length - 1; at >= 0; at--) {
    await engine.to((stops[at] as Stop).position);
    expect(await seen(engine)).toEqual(forth[at]);
  }
  for (let at = 1; at < stops.length; at++) {
    expect(await engine.next()).toEqual(stops[at]);
    expect(await seen(engine)).toEqual(forth[at]);
  }
  expect(engine.ways.anew).toBe(anew);
  await expectSame(its);
});

test.for([
  ['call', 'who waits for what is handed over'],
  ['construct', 'who is being made'],
])('in the midst of a stretch (%s) it is known, in one process, %s', async ([wanted]) => {
  const its = await opened('handing', { compares: true });
  const { engine, survey } = its;
  const order = Array.from({ length: survey.count }, (_, i) => i + 1).findLast((each) => {
    const { kind, actor } = survey.stretch(each);
    return kind === wanted && actor.startsWith('Giver');
  }) as number;
  const forth: [Position, unknown][] = [];
  await engine.to(before(order));
  for (let stop = await engine.next(); stop.position.order === order; stop = await engine.next())
    forth.push([stop.position, await engine.digests()]);
  expect(forth.length).toBeGreaterThan(3);
  // Behind it files may be evaluated: that is not gone back over in place.
  await engine.to(forth.at(-1)?.[0] as Position);
  const { anew } = engine.ways;
  for (const [place, digests] of forth.toReversed()) {
    await engine.to(place);
    expect(await engine.digests(), JSON.stringify(place)).toEqual(digests);
  }
  expect(engine.ways.anew).toBe(anew);
  expect(engine.ways.back).toBeGreaterThan(0);
  await expectSame(its);
});

test('stretches of before the program reached outside are the same from behind that, in one process', async () => {
  const its = await opened('reaching', { compares: true });
  const { engine, survey } = its;
  const turns = Array.from({ length: survey.count }, (_, i) => i + 1).filter((each) =>
    survey.stretch(each).actor.startsWith('Waiter'),
  );
  const resting = turns.findIndex((each) => survey.stretch(each).method === 'rest');
  const forth: [Position, unknown][] = [];
  await engine.to(before(turns[1] as number));
  for (let stop = await engine.next(); stop.position.order < (turns[resting] as number); stop = await engine.next())
    forth.push([stop.position, await engine.digests()]);
  expect(forth.length).toBeGreaterThan(10);
  await engine.to(before((turns.at(-1) as number) + 1));
  const { anew } = engine.ways;
  for (const [place, digests] of forth.toReversed()) {
    await engine.to(place);
    expect(await engine.digests(), JSON.stringify(place)).toEqual(digests);
  }
  expect(engine.ways.anew).toBe(anew);
  await expectSame(its);
});

test('stretch by stretch all threads go back together, in one process, and forth again', async () => {
  const its = await opened('going', { compares: true });
  const { engine, survey } = its;
  const first = survey.count - 25;
  const forth: unknown[] = [];
  const selves: unknown[] = [];
  for (let order = first; order <= survey.count; order++) {
    await engine.to(before(order));
    forth[order] = await seen(engine);
    selves[order] = (await engine.evaluate('typeof this === "object" ? this.name : "nobody"')).value?.preview;
  }
  expect(new Set(selves).size).toBeGreaterThan(2);
  const anew = engine.ways.anew;
  for (let order = survey.count; order >= first; order--) {
    await engine.to(before(order));
    expect(await seen(engine)).toEqual(forth[order]);
    expect((await engine.evaluate('typeof this === "object" ? this.name : "nobody"')).value?.preview).toBe(
      selves[order],
    );
  }
  expect(engine.ways.anew).toBe(anew);
  await expectSame(its);
});

test('what an expression has changed is gone as soon as one moves, and nothing begins anew', async () => {
  const its = await opened('going', { compares: true });
  const { engine, survey } = its;
  const order = Array.from({ length: survey.count }, (_, i) => i + 1).findLast(
    (each) => survey.stretch(each).method === 'enter',
  ) as number;
  await engine.to({ order, list: 1, statement: 3 });
  const was = await seen(engine);
  const { ways } = engine;
  const anew = ways.anew;
  for (const text of [
    'this.history.splice(0)',
    'this.seen.clear(), this.bytes.fill(7), Math.random()',
    '[].push.call(this.history, 1)',
    // What the expression writes by itself.
    'this.totals.ann = -1',
    '[this.history[0].name, made] = ["x", 2], delete this.totals.ann, this["to" + "tals"].more ??= 1',
    '(() => { for (this.totals.last of [1, 2]); made++\nmade = this.bytes[1]++ })()',
  ])
    expect(await engine.evaluate(text)).toMatchObject({ isPure: false, isTakenBack: true });
  expect((await engine.evaluate('this.history.length')).value?.preview).toBe('1');
  expect((await engine.evaluate('made')).value?.preview).toBe('7');
  expect(await seen(engine)).not.toEqual(was);
  // Whoever goes to where it stands goes there as well.
  await engine.to({ order, list: 1, statement: 3 });
  expect(await seen(engine)).toEqual(was);
  expect(await engine.evaluate('this.history.push(1)')).toMatchObject({ isTakenBack: true });
  const next = await engine.next();
  await engine.to({ order, list: 1, statement: 3 });
  expect(await seen(engine)).toEqual(was);
  expect(await engine.evaluate('this.history.push({ name: "x" })')).toMatchObject({ isTakenBack: true });
  expect(await engine.next()).toEqual(next);
  expect(ways.anew).toBe(anew);
  // Of what code writes that is a text nothing is noted.
  expect(await engine.evaluate('eval("this.totals.ann = -1")')).toMatchObject({ isPure: false, isTakenBack: false });
  await engine.to({ order, list: 1, statement: 3 });
  expect(await seen(engine)).toEqual(was);
  expect(ways.anew).toBe(anew + 1);
  await expectSame(its);
});

test('what was frozen is what it was before, though nobody can take that back', async () => {
  const its = await opened('books', { compares: true });
  const { engine, survey } = its;
  const [first, second] = Array.from({ length: survey.count }, (_, i) => i + 1).filter(
    (each) => survey.stretch(each).method === 'add',
  ) as [number, number];
  const forth: unknown[] = [];
  for (let order = first; order <= survey.count; order++) {
    await engine.to(before(order));
    forth[order] = await seen(engine);
  }
  for (let order = survey.count; order >= first; order--) {
    await engine.to(before(order));
    expect(await seen(engine)).toEqual(forth[order]);
  }
  expect(engine.ways.back).toBeGreaterThan(0);
  expect(engine.ways.anew).toBeGreaterThan(0);
  await engine.to(before(second));
  const was = await seen(engine);
  expect(await engine.evaluate('Object.freeze(this.open)')).toMatchObject({ isPure: false, isTakenBack: false });
  await engine.to(before(first));
  await engine.to(before(second));
  expect(await seen(engine)).toEqual(was);
  await expectSame(its);
});

test('where it cannot go back another process goes there, which waits for it where files are evaluated', async () => {
  const waits = Promise.withResolvers<void>();
  let started = 0;
  const { engine, survey } = await opened('going', { started: () => ++started === 2 && waits.resolve() });
  await engine.to({ order: 1, list: 1, statement: 2 });
  const first = await seen(engine);
  await engine.next();
  await waits.promise;
  await engine.to({ order: 1, list: 1, statement: 2 });
  expect(await seen(engine)).toEqual(first);
  expect(engine.ways).toEqual({ back: 0, anew: 1 });
  await engine.to(before(survey.count));
  // Files were evaluated in between.
  await engine.to({ order: 1, list: 1, statement: 2 });
  expect(engine.ways.back).toBe(0);
  expect(await seen(engine)).toEqual(first);
});
