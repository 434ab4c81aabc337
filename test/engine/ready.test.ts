// A process that has begun before anybody knew what for is as any other once it is told: with whichever snapshot it is to begin, and whatever it is to look out for.
import './own-process.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Hit } from '@turntable/time-machine';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import type { StandbyProcess } from '../../packages/replayer/src/replay-process/standby-process.ts';
import type { Ran } from '../../packages/replayer/src/replay/run-again.ts';
import { record, recordingIn } from '../replay/again.ts';
import { engineOn, standbyFor, surveyOf } from './engines.ts';
import { before, expectSame, type Opened } from './opened.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const room = mkdtempSync(join(tmpdir(), 'turntable-ready-'));
afterAll(() => rmSync(room, { recursive: true, force: true }));

beforeAll(() => void record(room, [fileURLToPath(new URL('programs/selling-on.ts', import.meta.url))]));

interface Its extends Opened {
  readonly ready: StandbyProcess;
  /** How its processes have begun. */
  readonly beginnings: string[];
}

async function opened(place = room): Promise<Its> {
  const rans: Ran[] = [];
  const beginnings: string[] = [];
  const its = await surveyOf(recordingIn(place), { phase: undefined, isForced: false, isAnew: false, debug: true });
  const ready = standbyFor(its);
  const told = {
    started: ({ beginning }: { readonly beginning: string }) => beginnings.push(beginning),
    ran: (ran: Ran) => rans.push(ran),
  };
  const engine = engineOn(its.survey, { ...its, ...told }, ready);
  onTestFinished(() => engine.close());
  return { engine, survey: its.survey, rans, ready, beginnings };
}

/** The last `add` of each phase that begins with a snapshot. */
function addsOf({ survey }: Opened): number[] {
  const last = new Map<number, number>();
  for (let order = 1; order <= survey.count; order++) {
    const { method, phase } = survey.stretch(order);
    if (method === 'add' && phase > 0) last.set(phase, order);
  }
  return [...last.values()];
}

/** What is seen there; then its process is gone, and the next one begins. */
async function seenAt({ engine }: Opened, order: number): Promise<unknown> {
  const stop = await engine.to({ order, list: 1, statement: 2 });
  const locals = (await engine.locals(0)).map(({ name, value }) => [name, value?.preview]);
  const { value } = await engine.evaluate('this.sum');
  const actors = (await engine.actors()).map(({ worker, name, waiting }) => `${worker} ${name} ${waiting}`);
  await engine.finish();
  return { stop, locals, sum: value?.preview, actors };
}

test('it stands where any other does, with whichever snapshot it begins, and the run comes out as recorded', async () => {
  const first = await opened();
  const its = await opened();
  const orders = addsOf(its);
  expect(orders.length).toBe(3);
  for (const order of orders) {
    const seen = await seenAt(first, order);
    its.ready.prepare();
    expect(await seenAt(its, order)).toEqual(seen);
    expect(its.beginnings.at(-1)).toBe('ready');
  }
  its.ready.prepare();
  await its.engine.to(before(orders[1] as number));
  expect(its.beginnings.at(-1)).toBe('ready');
  await expectSame(its);
});

test('it comes by what it is to look out for', async () => {
  const its = await opened();
  const [from = 0] = addsOf(its);
  const hits = async (): Promise<readonly Hit[]> => {
    const search = its.engine.search(
      [{ file: 'clerks.ts', line: 8, log: '`${before} + ${amount}`' }, { happens: 'sent' }],
      before(from),
    );
    const found = await search.upTo(before(its.survey.count + 1));
    search.close();
    return found;
  };
  const first = await hits();
  expect(first.length).toBeGreaterThan(4);
  its.ready.prepare();
  expect(await hits()).toEqual(first);
  expect(its.beginnings).toEqual(['anew', 'ready']);
});

test('files that only later snapshots have are loaded when they were, and functions of one that was loaded twice are told apart', async () => {
  const place = mkdtempSync(join(room, 'lazily-'));
  record(place, [fileURLToPath(new URL('programs/lazily.mjs', import.meta.url))]);
  const its = await opened(place);
  const { engine, ready, survey } = its;
  const end = before(survey.count);
  const straight = await opened(place);
  await straight.engine.to(end);
  const digests = await straight.engine.digests();
  const phases = new Set<number>();
  for (let order = 1; order <= survey.count; order++) {
    const { phase } = survey.stretch(order);
    if (phase === 0 || phases.has(phase)) continue;
    phases.add(phase);
    // The first process looks into all snapshots, those behind it into the last.
    for (const _ of ['first', 'behind']) {
      ready.prepare();
      await engine.to(before(order));
      expect(its.beginnings.at(-1)).toBe('ready');
      // Files are loaded on the way, and functions made.
      await engine.to(end);
      expect(await engine.digests()).toEqual(digests);
      await expectSame(its);
    }
  }
  expect(phases.size).toBe(3);
});
