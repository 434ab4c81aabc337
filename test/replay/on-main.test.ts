// Actors on the main thread: everything the outside calls there is somebody's, in the same context as the main program's own.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { differences, differencesFrom, snapshotPhases, record, replay } from './record-and-replay.ts';

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

it('what was under way at a snapshot is the same actor’s when it comes, with the same values stored', () => {
  const recorded = record(directory, ['desks-on-main.ts']);
  expect(recorded.stdout).toMatch(/^372 .*\n\[ undefined, undefined, undefined, undefined \]\n$/);
  expect(differences(recorded, replay(directory))).toEqual([]);
  const phases = snapshotPhases(directory);
  expect(phases.length).toBe(5);
  expect([1, 3].flatMap((phase) => differencesFrom(phase, directory, recorded))).toEqual([]);
});
