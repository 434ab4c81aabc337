import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { TurnNote } from '../../../packages/replayer/src/replay/turn-notes.ts';
import { findLostUpdate } from '../story/lost-update.ts';
import { recordSeededBug, replaySeededBug } from '../story/seeded-bug.ts';

/** `npm run soak:acmeair` replays a hundred times. */
const TIMES = 5;
const directory = mkdtempSync(join(tmpdir(), 'acmeair-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

it('occurs in each replay in the same turns', { timeout: 120_000 }, async () => {
  await recordSeededBug(directory);
  expect(replaySeededBug(directory, TIMES)).toEqual([]);
});

describe('a lost update', () => {
  const turn = (number: number, more: Partial<TurnNote>): TurnNote => ({
    worker: 2,
    epoch: 0,
    turn: number,
    actor: 'customers',
    kind: 'call',
    method: undefined,
    from: 'worker 1',
    values: [],
    resumedFunction: undefined,
    location: undefined,
    ...more,
  });
  const find = (number: number): TurnNote => turn(number, { method: 'find', values: ["'ann'"] });
  const customer = (miles: number): string[] => [`{ _id: 'ann', total_miles: ${miles} }`];
  const replace = (number: number, miles: number): TurnNote =>
    turn(number, { method: 'replace', values: customer(miles) });
  const resumes = (number: number, miles: number): TurnNote =>
    turn(number, {
      worker: 1,
      actor: 'bookings 1',
      kind: 'fulfil',
      from: 'worker 2',
      values: customer(miles),
      resumedFunction: 'Bookings.#creditRacily',
    });

  it('is found in two equal reads with two equal writes', () => {
    const [a, b, c, d] = [resumes(3, 1000), resumes(4, 1000), find(5), find(6)];
    const [e, f] = [replace(9, 1500), replace(10, 1500)];
    expect(findLostUpdate([a, b, c, d, e, f], 'ann')).toEqual({
      reads: [c, d],
      resumptions: [a, b],
      writes: [e, f],
      read: 1000,
      written: 1500,
    });
  });

  it('is not reported when the second read follows the first write', () => {
    const turns = [resumes(3, 1000), resumes(4, 1500), find(5), replace(6, 1500), find(7), replace(8, 2000)];
    expect(findLostUpdate(turns, 'ann')).toBe(undefined);
  });
});
