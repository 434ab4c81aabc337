// With ACMEAIR_FLUSH the reply to a booking waits for a snapshot with the booking. Every acknowledged booking must
// survive a kill of the process: in the database, and in the actors that resume from the last snapshot.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { ProgramProcess, type Subject } from '../../../test/outside/recorded.ts';
import { replay } from '../../../test/replay/record-and-replay.ts';
import { openStore } from '../src/store/open.ts';
import { CustomerClient } from '../story/customer.ts';

const BOOKERS = 6;
/** Number of acknowledged bookings before the kill. */
const KILL_AFTER = 8;
const directory = mkdtempSync(join(tmpdir(), 'acmeair-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

it('keeps every acknowledged booking when it is killed', { timeout: 120_000 }, async () => {
  const into = join(directory, 'recordings');
  const database = `sqlite:${join(directory, 'acmeair.db')}`;
  const subject: Subject = {
    file: '../../../examples/acmeair/src/main.ts',
    workingDirectory: join(directory, 'place'),
    recordings: into,
    env: {
      ACMEAIR_PORT: '0',
      ACMEAIR_CUSTOMERS: String(BOOKERS),
      ACMEAIR_DATABASE: database,
      ACMEAIR_FLUSH: '1',
      TURNTABLE_RECORDINGS: into,
      TURNTABLE_TRACE: '1',
      TURNTABLE_INCLUDE: '',
    },
  };
  const first = new ProgramProcess('transformed', subject);
  const url = `http://127.0.0.1:${await first.port}`;
  await (await fetch(`${url}/rest/api/loader/load`)).text();
  const customers = await Promise.all(
    Array.from({ length: BOOKERS }, (_, i) => CustomerClient.logIn(url, `uid${i}@email.com`)),
  );
  const acknowledged = new Map(customers.map(({ id }) => [id, new Set<string>()]));
  let count = 0;
  const bookOn = async (customer: CustomerClient): Promise<never> => {
    for (;;) {
      acknowledged.get(customer.id)?.add(await customer.book('there'));
      if (++count === KILL_AFTER) first.kill();
    }
  };
  const ends = await Promise.allSettled(customers.map(bookOn));
  expect(ends.every(({ status }) => status === 'rejected')).toBe(true);
  expect((await first.exited).signal).toBe('SIGKILL');
  expect(count).toBeGreaterThanOrEqual(KILL_AFTER);

  const run = replay(into, ['--console', 'mute']);
  expect([run.report.verdict, run.report.cuts.different]).toEqual(['truncated', []]);

  const store = openStore(database);
  for (const [customerId, numbers] of acknowledged) {
    const stored = await store.findBy('booking', { customerId });
    expect([...numbers.difference(new Set(stored.map(({ _id }) => _id)))]).toEqual([]);
    // From now on only the actors know these bookings.
    await store.remove('booking', { customerId });
  }
  await store.close();

  const second = new ProgramProcess('restored', subject);
  const restoredUrl = `http://127.0.0.1:${await second.port}`;
  const checkReturningCustomer = async ([id, numbers]: [string, Set<string>]): Promise<void> => {
    const customer = await CustomerClient.logIn(restoredUrl, id);
    expect([...numbers.difference(new Set(await customer.bookings()))]).toEqual([]);
    const number = await customer.book('back');
    expect(await customer.bookings()).toContain(number);
  };
  await Promise.all([...acknowledged].map(checkReturningCustomer));
  second.terminate();
  const { code, stderr } = await second.exited;
  expect([code, stderr]).toEqual([0, '']);
});
