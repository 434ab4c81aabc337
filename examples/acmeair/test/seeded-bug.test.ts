import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { ToldTurn } from '../../../packages/replayer/src/replay/turn-notes.ts';
import { lostUpdate } from '../story/lost-update.ts';
import { recordSeededBug, replaySeededBug } from '../story/seeded-bug.ts';

/** `npm run soak:acmeair` does it a hundred times. */
const TIMES = 5;
const directory = mkdtempSync(join(tmpdir(), 'acmeair-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

it('is there in each run again, in the same turns', { timeout: 120_000 }, async () => {
  await recordSeededBug(directory);
  expect(replaySeededBug(directory, TIMES)).toEqual([]);
});

describe('a lost update', () => {
  const turn = (number: number, more: Partial<ToldTurn>): ToldTurn => ({
    worker: 2,
    life: 0,
    turn: number,
    actor: 'customers',
    kind: 'call',
    method: undefined,
    from: 'worker 1',
    values: [],
    goesOn: undefined,
    place: undefined,
    ...more,
  });
  const find = (number: number): ToldTurn => turn(number, { method: 'find', values: ["'ann'"] });
  const customer = (miles: number): string[] => [`{ _id: 'ann', total_miles: ${miles} }`];
  const replace = (number: number, miles: number): ToldTurn =>
    turn(number, { method: 'replace', values: customer(miles) });
  const goesOn = (number: number, miles: number): ToldTurn =>
    turn(number, {
      worker: 1,
      actor: 'bookings 1',
      kind: 'fulfil',
      from: 'worker 2',
      values: customer(miles),
      goesOn: 'Bookings.#creditRacily',
    });

  it('is found where two have read the same and written the same', () => {
    const [a, b, c, d] = [goesOn(3, 1000), goesOn(4, 1000), find(5), find(6)];
    const [e, f] = [replace(9, 1500), replace(10, 1500)];
    expect(lostUpdate([a, b, c, d, e, f], 'ann')).toEqual({
      reads: [c, d],
      goesOn: [a, b],
      writes: [e, f],
      read: 1000,
      written: 1500,
    });
  });

  it('is not where one has read behind the other', () => {
    const turns = [goesOn(3, 1000), goesOn(4, 1500), find(5), replace(6, 1500), find(7), replace(8, 2000)];
    expect(lostUpdate(turns, 'ann')).toBe(undefined);
  });
});
