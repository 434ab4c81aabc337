// Programs of the Savina suite beside each other, on one worker and on two, with snapshots when they are half-way and in quick succession: each run
// again, from the start and from snapshots, prints what was printed, and all states are equal at all cuts. soak.ts does it with all of them.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { differences, differencesFrom, phasesIn, record, replay, someOf } from './again.ts';

const MAIN = fileURLToPath(new URL('../snapshots/savina/main.ts', import.meta.url));
/** Milliseconds: other work may share the machine. */
const LIMIT = 600_000;

/** So many snapshots a run is gone on from; soak.ts does it from all. */
const STARTS = 3;

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const GROUPS = [
  ['one', ['Counting', 'ForkJoinActorCreation', 'SleepingBarber', 'BankTransaction']],
  ['two', ['PingPong', 'ThreadRing', 'Philosophers', 'Chameneos', 'CigaretteSmokers']],
] as const;

test.each(GROUPS)(
  'on %s: %j',
  (place, group) => {
    const into = join(directory, place);
    const recorded = record(into, [MAIN, place, ...group], { TURNTABLE_SNAPSHOTS: 'turns=500,end' });
    const again = replay(into);
    expect(differences(recorded, again)).toEqual([]);
    const phases = phasesIn(into);
    expect(phases.length).toBeGreaterThan(2);
    for (const phase of someOf(phases, STARTS)) expect(differencesFrom(phase, into, recorded)).toEqual([]);
  },
  LIMIT,
);
