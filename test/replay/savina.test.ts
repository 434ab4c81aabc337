// Groups of Savina programs in one process, on one worker and on two, with a snapshot halfway. Replays from the start
// and from snapshots print the same text, and all states are equal at all cuts. soak.ts does this with all programs.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { inSoak } from '../../scripts/test-run/soak.ts';
import { differences, differencesFrom, snapshotPhases, record, replay, sample } from './record-and-replay.ts';

const MAIN = fileURLToPath(new URL('../snapshots/savina/main.ts', import.meta.url));
/** Milliseconds, with room for other load on the machine. */
const LIMIT = 600_000;

/** Number of snapshots that a run is replayed from; soak.ts replays from all. */
const STARTS = inSoak(1, 2);

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const GROUPS = [
  ['one', ['Counting', 'ForkJoinActorCreation', 'SleepingBarber', 'BankTransaction']],
  ['two', ['PingPong', 'ThreadRing', 'Philosophers', 'Chameneos', 'CigaretteSmokers']],
] as const;

test.each(GROUPS)(
  'on %s: %j',
  (workerSetup, group) => {
    const into = join(directory, workerSetup);
    const recorded = record(into, [MAIN, workerSetup, ...group]);
    const replayResult = replay(into);
    expect(differences(recorded, replayResult)).toEqual([]);
    expect(replayResult.report.cuts.compared).toBeGreaterThan(1);
  },
  LIMIT,
);

test(
  'on two workers, from snapshots in quick succession',
  () => {
    const into = join(directory, 'from');
    const recorded = record(into, [MAIN, 'two', 'ForkJoinActorCreation', 'CigaretteSmokers'], {
      TURNTABLE_SNAPSHOTS: 'turns=600,end',
    });
    const phases = snapshotPhases(into);
    expect(phases.length).toBeGreaterThan(STARTS);
    for (const phase of sample(phases, STARTS)) expect(differencesFrom(phase, into, recorded)).toEqual([]);
  },
  LIMIT,
);
