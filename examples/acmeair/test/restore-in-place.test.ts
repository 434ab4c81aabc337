// Restores a snapshot in place under load: pending requests are answered or cut off, the actors have the state of the
// snapshot, and the service continues.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it, onTestFinished, vi } from 'vitest';
import { freePort } from '../../../test/outside/free-port.ts';
import { ProgramProcess, type Subject } from '../../../test/outside/recorded.ts';
import { CustomerClient } from '../story/customer.ts';

const VISITORS = 4;
/** Number of answers per visitor before the snapshot, after it, and after the restore. */
const VISITS = 5;
/** Generous, because other work may share the machine. */
const TIMEOUT_MS = 120_000;
const directory = mkdtempSync(join(tmpdir(), 'acmeair-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

it('restores a snapshot under load in the same process, and continues', { timeout: TIMEOUT_MS }, async () => {
  const into = join(directory, 'recordings');
  const port = await freePort();
  const subject: Subject = {
    file: '../../../examples/acmeair/test/fixtures/restore-in-place.ts',
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
  if (first === undefined) throw new Error('no customer logged in');

  const counts = { answered: 0, cut: 0, isStopped: false };
  const visit = async (customer: CustomerClient): Promise<void> => {
    while (!counts.isStopped)
      try {
        await customer.book('there');
        counts.answered++;
      } catch (error) {
        // HTTP errors fail the test; only lost connections are expected.
        if (!(error instanceof TypeError)) throw error;
        counts.cut++;
        await vi.waitUntil(() => isListening(url), { timeout: TIMEOUT_MS, interval: 20 });
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
  const after = await first.book('after');
  expect(await first.flights('JFK', 'LHR')).toBeGreaterThan(0);
  expect(await first.bookings()).toEqual(expect.arrayContaining([before, after]));
  await moreVisits();
  // From now on only the actors know the removed rows.
  expect(await post(`remove/${first.id}`)).toBe('removed');
  expect(await first.flights('JFK', 'LHR')).toBeGreaterThan(0);
  await expect(post(`restore/${phase}`)).rejects.toThrow(TypeError);
  await vi.waitUntil(() => isListening(url), { timeout: TIMEOUT_MS, interval: 20 });

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

async function isListening(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/checkstatus`)).ok;
  } catch {
    return false;
  }
}
