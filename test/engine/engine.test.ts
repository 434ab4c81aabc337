// A recording that is run again in a process which stands still wherever it is told to: what is seen there is what was, and the run comes out as recorded.
import './own-process.ts';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { comparePositions, type ReplayProcess, type Hit, type Stop } from '@turntable/time-machine';
import type { Entry } from '@turntable/time-machine/replay-process';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { record } from '../replay/again.ts';
import type { EngineWanted } from './engines.ts';
import { before, expectSame, openedIn, type Opened } from './opened.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const PROGRAMS = fileURLToPath(new URL('programs/', import.meta.url));
const room = mkdtempSync(join(tmpdir(), 'turntable-engine-'));
afterAll(() => rmSync(room, { recursive: true, force: true }));

const opened = (name: string, more: Partial<EngineWanted> = {}): Promise<Opened> => openedIn(join(room, name), more);

let steps = '';

beforeAll(() => {
  steps = record(join(room, 'steps'), [join(PROGRAMS, 'steps.mjs')]).stdout;
  record(join(room, 'selling'), [join(PROGRAMS, 'selling.ts')]);
  record(join(room, 'deep'), [join(PROGRAMS, 'deep.mjs')]);
});

async function walked({ engine }: Opened, most: number): Promise<Stop[]> {
  const stops: Stop[] = [];
  while (stops.length < most) {
    const stop = await engine.next();
    stops.push(stop);
    if (stop.place === undefined) break;
  }
  return stops;
}

test('step by step it comes to every statement, in order, and ends as recorded', async () => {
  const its = await opened('steps', { compares: true });
  const stops = await walked(its, 1000);
  expect(stops.at(-1)?.position).toEqual(before(its.survey.count + 1));
  for (const [i, { position }] of stops.entries())
    if (i > 0) expect(comparePositions((stops[i - 1] as Stop).position, position)).toBeLessThan(0);
  // As many lists as the survey has counted, in each stretch.
  const lists = Array.from({ length: its.survey.count }, () => 0);
  for (const { position } of stops.slice(0, -1)) lists[position.order - 1] = position.list;
  expect(lists).toEqual(Array.from(lists, (_, i) => its.survey.stretch(i + 1).lists));
  const functions = new Set(stops.map(({ place }) => place?.function));
  for (const name of ['add', 'halves', 'put', 'gather', '']) expect(functions).toContain(name);
  await expectSame(its);
});

test('its variables are what the program says they are', async () => {
  const its = await opened('steps');
  const printed = steps
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as object);
  let at = 0;
  for (let stop = await its.engine.next(); stop.place !== undefined; stop = await its.engine.next()) {
    // Where it says something, it says it of what can be seen there.
    if (stop.place.function !== 'said') continue;
    const { about } = Object.fromEntries((await its.engine.locals(0)).map(({ name, value }) => [name, value]));
    if (about?.id === undefined) continue;
    const { entries } = await its.engine.expand(about.id, { from: 0, count: 100 });
    const shown = entries.filter(({ is }) => is === 'property');
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
  const its = await opened('steps');
  const valueOf = (entries: readonly Entry[], name: string): string | undefined =>
    entries.find((entry) => entry.name === name)?.value?.preview;
  let stop = await its.engine.next();
  while (!(stop.place?.function === 'put' && stop.place.kind === 'return')) stop = await its.engine.next();
  const locals = await its.engine.locals(0);
  expect(valueOf(locals, 'amount')).toBe('3');
  expect(valueOf(locals, 'this')).toBe('Account {balance: 3}');
  const frames = await its.engine.frames();
  expect(frames.map((frame) => frame.function).slice(0, 2)).toEqual(['put', '']);
  expect(await its.engine.evaluate('this.balance + amount')).toMatchObject({ value: { preview: '6' }, isPure: true });
  expect(await its.engine.evaluate('nowhere')).toMatchObject({ error: 'ReferenceError: nowhere is not defined' });
  expect(await its.engine.evaluate('1 +')).toMatchObject({ error: "SyntaxError: Unexpected token ')'", isPure: true });
  // What changes something is gone as soon as it goes anywhere.
  expect(await its.engine.evaluate('(this.balance = 100)')).toMatchObject({ value: { preview: '100' }, isPure: false });
  const again = await its.engine.next();
  expect(comparePositions(stop.position, again.position)).toBeLessThan(0);
  await its.engine.to(stop.position);
  expect(valueOf(await its.engine.locals(0), 'this')).toBe('Account {balance: 3}');
});

test('any two positions in turn, forward or back, are what they are on the way from one end to the other', async () => {
  const its = await opened('steps');
  const stops = (await walked(its, 1000)).slice(0, -1);
  const seen = async (): Promise<unknown> =>
    (await its.engine.locals(0)).map(({ name, value }) => [name, value?.preview]);
  const first = new Map<number, unknown>();
  await fc.assert(
    fc.asyncProperty(fc.nat(stops.length - 1), async (at) => {
      const { position, place } = stops[at] as Stop;
      const stop = await its.engine.to(position);
      expect(stop).toMatchObject({ position, place });
      const here = await seen();
      if (first.has(at)) expect(here).toEqual(first.get(at));
      first.set(at, here);
    }),
    { numRuns: 8 },
  );
});

test('threads stand between any two stretches, and the run comes out as recorded', async () => {
  const its = await opened('selling', { compares: true });
  const { engine, survey } = its;
  expect(survey.threads.length).toBe(3);
  for (let order = 1; order <= survey.count + 1; order++) {
    const { position, worker } = await engine.to(before(order));
    expect(position).toEqual(before(order));
    expect(worker).toBe(order > survey.count ? undefined : survey.stretch(order).worker);
  }
  await expectSame(its);
});

test('threads stand at statements anywhere, and the run comes out as recorded', async () => {
  const its = await opened('selling', { compares: true });
  const { engine, survey } = its;
  for (let order = 1; order <= survey.count; order += 3) {
    const { lists, worker } = survey.stretch(order);
    if (lists === 0) continue;
    const list = 1 + (order % lists);
    const stop = await engine.to({ order, list, statement: 1 });
    expect(stop).toMatchObject({ position: { order, list, statement: 1 }, worker });
    expect(stop.place?.file).toMatch(/(?:clerks|selling)\.ts$/);
  }
  await expectSame(its);
});

test('it begins with the last snapshot before', async () => {
  const its = await opened('selling');
  const { engine, survey } = its;
  const last = survey.stretch(survey.count);
  expect(last.phase).toBe(1);
  const whole: (Stop & { readonly locals: readonly unknown[] })[] = [];
  const order = Array.from({ length: survey.count }, (_, i) => i + 1).findLast(
    (each) => survey.stretch(each).method === 'add',
  ) as number;
  await engine.to(before(1));
  for (let i = 0; i < 2; i++) {
    // The second time from where the snapshot is.
    const stop = await engine.to({ order, list: 1, statement: 2 });
    whole.push({ ...stop, locals: (await engine.locals(0)).map(({ name, value }) => [name, value?.preview]) });
    await engine.to(before(survey.count + 1));
  }
  expect(whole[0]?.place?.function).toBe('add');
  expect(whole[1]).toEqual(whole[0]);
});

test('a search comes by every time that a line is run, in order, and tells what is wanted of it', async () => {
  const its = await opened('selling');
  const { engine, survey } = its;
  const file = 'clerks.ts';
  const line =
    1 +
    readFileSync(join(PROGRAMS, file), 'utf8')
      .split('\n')
      .findIndex((text) => text.includes('this.sum = before + amount'));
  const adds = Array.from({ length: survey.count }, (_, i) => i + 1).filter(
    (order) => survey.stretch(order).method === 'add',
  );
  const search = engine.search(
    [
      { file, line, log: '`${before} + ${amount}`' },
      { file, line, condition: 'before === 0' },
    ],
    before(1),
  );
  const half = adds[Math.floor(adds.length / 2)] as number;
  const hits = [...(await search.upTo(before(half))), ...(await search.upTo(before(survey.count + 1)))];
  search.close();
  expect(hits.filter(({ place }) => place === 0).map(({ position }) => position.order)).toEqual(adds);
  expect(hits.filter(({ place }) => place === 1).map(({ position }) => position.order)).toEqual(adds.slice(0, 1));
  let sum = 0;
  for (const { log, error } of hits.filter(({ place }) => place === 0)) {
    expect(error).toBe(undefined);
    const [was = '', amount = ''] = (log ?? '').split(' + ');
    expect(Number(was)).toBe(sum);
    sum += Number(amount);
  }
  expect(sum).toBe(60);
  // Where it was hit is where one can go.
  const { position } = hits.at(-1) as Hit;
  expect((await engine.to(position)).place?.line).toBe(line);
});

test('who lives where is told, with what waits', async () => {
  const its = await opened('selling');
  const { engine, survey } = its;
  await engine.to(before(Math.floor(survey.count / 2)));
  const actors = await engine.actors();
  expect(actors.map(({ name }) => name.replace(/#\d+/, '')).toSorted()).toEqual(['Clerk', 'Clerk', 'Clerk', 'Till']);
  const till = actors.find(({ value }) => value?.class === 'Till');
  expect(till?.value?.preview).toMatch(/^Till \{sum: \d+\}$/);
  const { entries } = await engine.expand(till?.value?.id ?? 0, { from: 0, count: 10 });
  expect(entries.map(({ name, is }) => [name, is])).toEqual([
    ['prototype', 'inner'],
    ['sum', 'property'],
  ]);
  // What each has before it is what waits for it.
  for (const actor of actors) {
    const { messages, total } = await engine.mailbox(actor, { from: 0, count: 100 });
    expect(messages.length).toBe(total);
    expect(total).toBe(actor.waiting);
  }
});

test('lives of workers come and go while threads stand, and the run comes out as recorded', async () => {
  record(join(room, 'losing'), [join(PROGRAMS, 'losing.ts')]);
  const its = await opened('losing');
  expect(its.survey.threads.length).toBe(4);
  for (let order = 1; order <= its.survey.count + 1; order += 3) await its.engine.to(before(order));
  await its.engine.to(before(its.survey.count + 1));
  await expectSame(its);
});

test('where its process is killed it begins anew', async () => {
  const processes: ReplayProcess[] = [];
  const { engine } = await opened('steps', { started: (process) => processes.push(process) });
  const { position, place } = await engine.next();
  const asked = engine.evaluate('(() => { for (;;); })()', AbortSignal.timeout(100));
  await expect(asked).rejects.toMatchObject({ code: 'TT_ABORTED' });
  expect(await engine.locals(0)).toEqual(expect.any(Array));
  const { anew } = engine.ways;
  const going = engine.to(before(6));
  processes.at(-1)?.kill();
  await expect(going).rejects.toMatchObject({ code: 'TT_ENGINE_LOST' });
  expect((await engine.evaluate('1 + 1')).value?.preview).toBe('2');
  expect(engine.stop).toMatchObject({ position, place });
  expect(engine.ways.anew).toBe(anew + 1);
  // Those for the first move, for what was asked and anew; and the next one that waits, where somebody has rested by now.
  expect(processes.length).toBeGreaterThanOrEqual(3);
});

test('private fields are shown, and can be asked for', async () => {
  const its = await opened('selling');
  const { engine, survey } = its;
  const order = Array.from({ length: survey.count }, (_, i) => i + 1).find(
    (each) => survey.stretch(each).method === 'serve',
  );
  await engine.to({ order: order as number, list: 1, statement: 1 });
  const self = (await engine.locals(0)).find(({ name }) => name === 'this');
  const { entries } = await engine.expand(self?.value?.id ?? 0, { from: 0, count: 10 });
  const field = entries.find(({ name }) => name === '#name');
  expect(field?.value?.preview).toMatch(/^"(?:one|two|three)"$/);
  const asked = await engine.evaluate('this.#name.length + 1');
  expect(asked.value?.preview).toBe(String((field?.value?.preview.length ?? 0) - 1));
  expect((await engine.evaluate('this.#nothing')).error).toContain('no private field #nothing');
});

test('what is not there is refused, and what nobody wants any more is given up', async () => {
  const its = await opened('steps');
  const { engine, survey } = its;
  await expect(engine.to(before(0))).rejects.toMatchObject({ code: 'TT_NO_POSITION' });
  await expect(engine.to(before(survey.count + 2))).rejects.toMatchObject({ code: 'TT_NO_POSITION' });
  const { position } = await engine.next();
  await expect(engine.to(before(survey.count + 1), AbortSignal.abort())).rejects.toMatchObject({ code: 'TT_ABORTED' });
  const giving = new AbortController();
  const going = engine.to(before(survey.count + 1), giving.signal);
  await Promise.resolve();
  giving.abort();
  await going.catch((error: unknown) => expect(error).toMatchObject({ code: 'TT_ABORTED' }));
  await engine.to(position);
  expect(engine.stop.position).toEqual(position);
  await engine.close();
  await expect(engine.next()).rejects.toMatchObject({ code: 'TT_ENGINE_LOST' });
});

test('a short way that nobody wants any more costs no process: who steps fast gives up one after the other', async () => {
  const { engine } = await opened('steps');
  const { position } = await engine.next();
  const { anew } = engine.ways;
  // However long they take here: the moment that a way is given is not over.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  for (let i = 1; i <= 3; i++) {
    const giving = new AbortController();
    const going = engine.to({ ...position, statement: position.statement + i }, giving.signal);
    // It is on its way then.
    await setImmediate();
    giving.abort();
    await going.catch((error: unknown) => expect(error).toMatchObject({ code: 'TT_ABORTED' }));
  }
  await engine.to({ ...position, statement: position.statement + 4 });
  expect(engine.ways.anew).toBe(anew);
  await engine.close();
});

test('all statements of a stretch are noted as they are come to one by one, each as deep as its stack is', async () => {
  const its = await opened('steps');
  const stops = (await walked(its, 1000)).slice(0, -1);
  const { count } = its.survey;
  const all = await its.engine.trace(1, count);
  expect(all.length).toBe(count);
  expect((await its.engine.trace(2, 3)).map(({ statements }) => statements.length)).toEqual(
    all.slice(1, 3).map(({ statements }) => statements.length),
  );
  for (const [i, { places, statements, isCut }] of all.entries()) {
    const order = i + 1;
    const those = stops.filter(({ position }) => position.order === order);
    expect(isCut).toBe(false);
    const told = those.map((_, i) => {
      const [list, statement, place = -1] = statements.slice(i * 4, i * 4 + 3);
      return { position: { order, list, statement }, place: places[place] };
    });
    expect(told).toEqual(those.map(({ position, place }) => ({ position, place })));
    expect(statements.length).toBe(those.length * 4);
  }
  // A function is deeper than who calls it.
  const { places = [], statements = [] } = all[0] ?? {};
  const depths = new Map<string, Set<number>>();
  for (let at = 0; at < statements.length; at += 4) {
    const name = places[statements[at + 2] ?? -1]?.function ?? '';
    depths.set(name, (depths.get(name) ?? new Set<number>()).add(statements[at + 3] ?? 0));
  }
  expect(Math.min(...(depths.get('put') ?? []))).toBeGreaterThan(Math.min(...(depths.get('') ?? [])));
});

test('statements are noted as deep as their stack is there, however they are called, left and called back', async () => {
  const { engine, survey } = await opened('deep');
  const all = await engine.trace(1, survey.count);
  for (const [i, { statements }] of all.entries()) {
    const noted: number[] = [];
    const counted: number[] = [];
    for (let at = 0; at < statements.length; at += at < 2000 ? 4 : 60) {
      const [list = 0, statement = 0, , depth = 0] = statements.slice(at, at + 4);
      await engine.to({ order: i + 1, list, statement });
      noted.push(depth);
      counted.push((await engine.frames()).at(-1)?.above ?? 0);
    }
    // Whoever counts stands on frames of its own, and sees no more than 200 of all.
    const own = (noted[0] ?? 0) - (counted[0] ?? 0);
    const pairs = noted.map((depth, at) => [depth, (counted[at] as number) + own]);
    const seen = pairs.filter((pair) => Math.min(...pair) < 150);
    expect(seen.map(([depth]) => depth)).toEqual(seen.map(([, depth]) => depth));
  }
});

test('statements of all threads are noted on one way, and the run comes out as recorded', async () => {
  const its = await opened('selling', { compares: true });
  const { count } = its.survey;
  const all = await its.engine.trace(1, count);
  const lists = all.map(({ statements }) => statements.at(-4) ?? 0);
  expect(lists).toEqual(all.map((_, i) => its.survey.stretch(i + 1).lists));
  const half = Math.floor(count / 2);
  expect(await its.engine.trace(half, half + 5)).toEqual(all.slice(half - 1, half + 5));
  // Behind an await a statement may begin before any list is entered.
  const order = 1 + all.findIndex(({ statements }) => statements.length > 0 && statements[0] === 0);
  const { places = [], statements = [] } = all[order - 1] ?? {};
  const position = { order, list: 0, statement: 1 };
  expect(await its.engine.to(position)).toMatchObject({ position, place: places[statements[2] ?? -1] });
  await its.engine.to(before(order));
  expect(await its.engine.next()).toMatchObject({ position });
  await expectSame(its);
});
