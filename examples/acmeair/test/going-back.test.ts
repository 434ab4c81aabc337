// Going back to a snapshot in the midst of load: who is being answered is cut or answered and nothing else, what the actors knew is what they knew at the
// snapshot, and the service goes on.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it, onTestFinished, vi } from 'vitest';
import { freePort } from '../../../test/outside/free-port.ts';
import { ProgramProcess, type Subject } from '../../../test/outside/recorded.ts';
import { CustomerClient } from '../story/customer.ts';

const VISITORS = 4;
/** So often each of them is answered before and behind the snapshot, and after the way back. */
const VISITS = 5;
/** Milliseconds: other work may share the machine. */
const TIMEOUT_MS = 120_000;
const directory = mkdtempSync(join(tmpdir(), 'acmeair-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

it('goes back to a snapshot under load, in the same process, and goes on', { timeout: TIMEOUT_MS }, async () => {
  const into = join(directory, 'recordings');
  const port = await freePort();
  const subject: Subject = {
    file: '../../../examples/acmeair/test/fixtures/going-back.ts',
    workingDirectory: join(directory, 'place'),
    recordings: into,
    env: {
      ACMEAIR_PORT: String(port),
      ACMEAIR_CUSTOMERS: String(VISITORS + 1),
      ACMEAIR_DATABASE: `sqlite:${join(directory, 'acmeair.db')}`,
      TURNTABLE_RECORDINGS: into,
      TURNTABLE_TRACE: '1',
      TURNTABLE_INCLUDE: '',
    },
  };
  const program = new ProgramProcess('transformed', subject);
  onTestFinished(() => program.kill());
  await program.port;
  const url = `http://127.0.0.1:${port}`;
  const post = async (path: string): Promise<string> => (await fetch(`${url}/${path}`, { method: 'POST' })).text();
  await (await fetch(`${url}/rest/api/loader/load`)).text();
  const [first, ...visitors] = await Promise.all(
    Array.from({ length: VISITORS + 1 }, (_, i) => CustomerClient.logIn(url, `uid${i}@email.com`)),
  );
  if (first === undefined) throw new Error('nobody has come');

  const counts = { answered: 0, cut: 0, isStopped: false };
  const visit = async (customer: CustomerClient): Promise<void> => {
    while (!counts.isStopped)
      try {
        await customer.book('there');
        counts.answered++;
      } catch (error) {
        // What is answered with anything but yes is no such error.
        if (!(error instanceof TypeError)) throw error;
        counts.cut++;
        await vi.waitUntil(() => isThere(url), { timeout: TIMEOUT_MS, interval: 20 });
      }
  };
  const visits = Promise.all(visitors.map(visit));
  const moreVisits = async (): Promise<void> => {
    const target = counts.answered + VISITS * VISITORS;
    await vi.waitUntil(() => counts.answered >= target, { timeout: TIMEOUT_MS, interval: 5 });
  };

  const before = await first.book('before');
  expect(await first.flights('FRA', 'JFK')).toBeGreaterThan(0);
  await moreVisits();
  const { phase } = JSON.parse(await post('snapshot')) as { readonly phase: number };
  const after = await first.book('behind');
  expect(await first.flights('JFK', 'LHR')).toBeGreaterThan(0);
  expect(await first.bookings()).toEqual(expect.arrayContaining([before, after]));
  await moreVisits();
  // From here on the actors are the only ones who know.
  expect(await post(`forget/${first.id}`)).toBe('forgotten');
  expect(await first.flights('JFK', 'LHR')).toBeGreaterThan(0);
  await expect(post(`back/${phase}`)).rejects.toThrow(TypeError);
  await vi.waitUntil(() => isThere(url), { timeout: TIMEOUT_MS, interval: 20 });

  expect(await first.bookings()).toEqual([before]);
  expect(await first.flights('FRA', 'JFK')).toBeGreaterThan(0);
  expect(await first.flights('JFK', 'LHR')).toBe(0);
  await moreVisits();
  expect(await first.bookings()).toEqual([before]);
  counts.isStopped = true;
  await visits;
  expect(counts.cut).toBeGreaterThan(0);
  program.terminate();
  const { code, stderr } = await program.exited;
  expect([code, stderr]).toEqual([0, '']);
});

async function isThere(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/checkstatus`)).ok;
  } catch {
    return false;
  }
}
