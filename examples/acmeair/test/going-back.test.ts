// Going back to a snapshot in the midst of load: who is being answered is cut or answered and nothing else, what the actors knew is what they knew at the
// snapshot, and the service goes on.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it, onTestFinished, vi } from 'vitest';
import { freePort } from '../../../test/outside/free-port.ts';
import { Life, type Subject } from '../../../test/outside/recorded.ts';
import { Customer } from '../story/customer.ts';

const VISITORS = 4;
/** So often each of them is answered before and behind the snapshot, and after the way back. */
const VISITS = 5;
/** Milliseconds: other work may share the machine. */
const LIMIT = 120_000;
const directory = mkdtempSync(join(tmpdir(), 'acmeair-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

it('goes back to a snapshot under load, in the same process, and goes on', { timeout: LIMIT }, async () => {
  const into = join(directory, 'recordings');
  const port = await freePort();
  const subject: Subject = {
    file: '../../../examples/acmeair/test/fixtures/going-back.ts',
    place: join(directory, 'place'),
    into,
    env: {
      ACMEAIR_PORT: String(port),
      ACMEAIR_CUSTOMERS: String(VISITORS + 1),
      ACMEAIR_DATABASE: `sqlite:${join(directory, 'acmeair.db')}`,
      TURNTABLE_RECORDINGS: into,
      TURNTABLE_TRACE: '1',
      TURNTABLE_INCLUDE: '',
    },
  };
  const life = new Life('transformed', subject);
  onTestFinished(() => life.kill());
  await life.port;
  const url = `http://127.0.0.1:${port}`;
  const ask = async (path: string): Promise<string> => (await fetch(`${url}/${path}`, { method: 'POST' })).text();
  await (await fetch(`${url}/rest/api/loader/load`)).text();
  const [one, ...visitors] = await Promise.all(
    Array.from({ length: VISITORS + 1 }, (_, i) => Customer.logIn(url, `uid${i}@email.com`)),
  );
  if (one === undefined) throw new Error('nobody has come');

  const counts = { answered: 0, cut: 0, isOver: false };
  const visit = async (customer: Customer): Promise<void> => {
    while (!counts.isOver)
      try {
        await customer.book('there');
        counts.answered++;
      } catch (error) {
        // What is answered with anything but yes is no such error.
        if (!(error instanceof TypeError)) throw error;
        counts.cut++;
        await vi.waitUntil(() => isThere(url), { timeout: LIMIT, interval: 20 });
      }
  };
  const visits = Promise.all(visitors.map(visit));
  const moreVisits = async (): Promise<void> => {
    const enough = counts.answered + VISITS * VISITORS;
    await vi.waitUntil(() => counts.answered >= enough, { timeout: LIMIT, interval: 5 });
  };

  const before = await one.book('before');
  expect(await one.flights('FRA', 'JFK')).toBeGreaterThan(0);
  await moreVisits();
  const { phase } = JSON.parse(await ask('snapshot')) as { readonly phase: number };
  const behind = await one.book('behind');
  expect(await one.flights('JFK', 'LHR')).toBeGreaterThan(0);
  expect(await one.bookings()).toEqual(expect.arrayContaining([before, behind]));
  await moreVisits();
  // From here on the actors are the only ones who know.
  expect(await ask(`forget/${one.id}`)).toBe('forgotten');
  expect(await one.flights('JFK', 'LHR')).toBeGreaterThan(0);
  await expect(ask(`back/${phase}`)).rejects.toThrow(TypeError);
  await vi.waitUntil(() => isThere(url), { timeout: LIMIT, interval: 20 });

  expect(await one.bookings()).toEqual([before]);
  expect(await one.flights('FRA', 'JFK')).toBeGreaterThan(0);
  expect(await one.flights('JFK', 'LHR')).toBe(0);
  await moreVisits();
  expect(await one.bookings()).toEqual([before]);
  counts.isOver = true;
  await visits;
  expect(counts.cut).toBeGreaterThan(0);
  life.terminate();
  const { code, stderr } = await life.ended;
  expect([code, stderr]).toEqual([0, '']);
});

async function isThere(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/checkstatus`)).ok;
  } catch {
    return false;
  }
}
