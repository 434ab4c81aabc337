// Programs of the Savina suite beside each other, on one worker and on two, with snapshots when they are half-way: each run again, from the start and
// from snapshots, prints what was printed, and all states are equal at all cuts. soak.ts does it with all of them.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { differences, differencesFrom, snapshotPhases, record, replay, sample } from './record-and-replay.ts';

const MAIN = fileURLToPath(new URL('../snapshots/savina/main.ts', import.meta.url));
/** Milliseconds: other work may share the machine. */
const LIMIT = 600_000;

/** So many snapshots a run is gone on from; soak.ts does it from all. */
const STARTS = 2;

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
  'on two, from snapshots in quick succession',
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
