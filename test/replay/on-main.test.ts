// Actors on the main thread: each host callback belongs to an actor and runs in the same context as in the main
// program.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { differences, differencesFrom, snapshotPhases, record, replay } from './record-and-replay.ts';

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

it('callbacks pending at a snapshot reach the same actor with the same stored values', () => {
  const recorded = record(directory, ['desks-on-main.ts']);
  expect(recorded.stdout).toMatch(/^372 .*\n\[ undefined, undefined, undefined, undefined \]\n$/);
  expect(differences(recorded, replay(directory))).toEqual([]);
  const phases = snapshotPhases(directory);
  expect(phases.length).toBe(5);
  expect([1, 3].flatMap((phase) => differencesFrom(phase, directory, recorded))).toEqual([]);
});
