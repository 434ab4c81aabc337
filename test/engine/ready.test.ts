// A process that has begun before anybody knew what for is as any other once it is told: with whichever snapshot it is to begin, and whatever it is to look out for.
import './from-sources.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Hit, Stop } from '@turntable/replay';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { record } from '../replay/again.ts';
import { before, expectSame, openedIn, type Opened } from './opened.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const room = mkdtempSync(join(tmpdir(), 'turntable-ready-'));
afterAll(() => rmSync(room, { recursive: true, force: true }));

beforeAll(() => void record(room, [fileURLToPath(new URL('programs/selling-on.ts', import.meta.url))]));

/** The last `add` of each phase that begins with a snapshot. */
function addsOf({ survey }: Opened): number[] {
  const last: number[] = [];
  for (let order = 1; order <= survey.count; order++) {
    const { method, phase } = survey.stretch(order);
    if (method === 'add' && phase > 0) last[phase] = order;
  }
  return last.filter((order) => order !== undefined);
}

/** Of this process. */
function childProcesses(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'ProcessWrap').length;
}

/** Where it stands then, and that its process is gone: the next one begins anew, if none waits. */
async function seenAt({ engine }: Opened, order: number): Promise<unknown> {
  const stop: Stop = await engine.to({ order, list: 1, statement: 2 });
  const locals = (await engine.locals(0)).map(({ name, value }) => [name, value?.preview]);
  const evaluated = await engine.evaluate('this.sum');
  const actors = (await engine.actors()).map(({ worker, name, waiting }) => `${worker} ${name} ${waiting}`);
  await engine.finish();
  return { stop, locals, evaluated: evaluated.value?.preview, actors };
}

test('it stands where any other does, with whichever snapshot it begins', async () => {
  const its = await openedIn(room);
  const orders = addsOf(its);
  expect(orders.length).toBe(3);
  const first: unknown[] = [];
  for (const order of orders) first.push(await seenAt(its, order));
  for (const [i, order] of [...orders.entries()].toReversed()) {
    // It waits alone.
    await vi.waitFor(() => expect(childProcesses()).toBe(1), { timeout: 60_000 });
    expect(await seenAt(its, order)).toEqual(first[i]);
    expect(its.rans.at(-1)?.unbegun).toBe(undefined);
  }
  await its.engine.to(before(orders[0] as number));
  await expectSame(its);
});

test('it comes by what it is to look out for', async () => {
  const its = await openedIn(room);
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
  await seenAt(its, from);
  await vi.waitFor(() => expect(childProcesses()).toBe(1), { timeout: 60_000 });
  expect(await hits()).toEqual(first);
});
