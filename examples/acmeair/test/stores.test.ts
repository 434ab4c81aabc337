import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Booking } from '../src/model.ts';
import { openStore } from '../src/store/open.ts';
import { hasPostgres, PostgresServer } from './postgres-server.ts';

const directory = mkdtempSync(join(tmpdir(), 'acmeair-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const booking = (_id: string, customerId: string): Booking => ({
  _id,
  customerId,
  flightId: 'f1',
  dateOfBooking: '2026-11-22T00:00:00.000Z',
});

let postgres: PostgresServer | undefined;
beforeAll(async () => {
  if (hasPostgres) postgres = await PostgresServer.start();
});
afterAll(() => postgres?.stop());

describe.each([
  ['SQLite in memory', () => 'sqlite::memory:', true],
  ['SQLite in a file', () => `sqlite:${join(directory, 'acmeair.db')}`, true],
  ['PostgreSQL', () => postgres?.url ?? '', hasPostgres],
])('a store of %s', (_name, urlOf, isInstalled) => {
  it.runIf(isInstalled)('keeps, finds, replaces, removes and counts records', async () => {
    const store = openStore(urlOf());
    const before = await store.count('booking');
    await store.insert('booking', [booking('b1', 'ann'), booking('b2', 'bob'), booking('b3', 'ann')]);
    expect(await store.find('booking', 'b2')).toEqual(booking('b2', 'bob'));
    expect(await store.find('booking', 'b9')).toBe(undefined);
    expect((await store.findBy('booking', { customerId: 'ann' })).map(({ _id }) => _id)).toEqual(['b1', 'b3']);
    expect(await store.update('booking', booking('b3', 'bob'))).toBe(true);
    expect(await store.update('booking', booking('b9', 'bob'))).toBe(false);
    expect((await store.findBy('booking', { customerId: 'bob' })).map(({ _id }) => _id)).toEqual(['b2', 'b3']);
    expect(await store.remove('booking', { _id: 'b2', customerId: 'ann' })).toBe(0);
    expect(await store.remove('booking', { customerId: 'bob' })).toBe(2);
    expect(await store.count('booking')).toBe(before + 1);
    expect(await store.remove('booking', { _id: 'b1' })).toBe(1);
    await store.close();
  });

  it.runIf(isInstalled)('inserts several records atomically', async () => {
    const store = openStore(urlOf());
    await store.insert('booking', [booking('b1', 'ann')]);
    await expect(store.insert('booking', [booking('b2', 'ann'), booking('b1', 'ann')])).rejects.toThrow();
    expect((await store.findBy('booking', { customerId: 'ann' })).map(({ _id }) => _id)).toEqual(['b1']);
    await store.remove('booking', { customerId: 'ann' });
    await store.close();
  });
});

it('rejects an unknown database URL', () => {
  expect(() => openStore('mongodb://here')).toThrow(
    'no database at mongodb://here: give sqlite:FILE or postgres://USER@HOST/NAME',
  );
});
