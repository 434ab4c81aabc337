// Resumes programs of the Savina suite from snapshots taken half-way and at random moments. Several programs run side
// by side in a process, so that each snapshot meets each of them at another point; savina/soak.ts tries many more.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { WORKER_SETUPS } from '../../bench/savina/options.ts';
import { Random } from '../../bench/savina/random.ts';
import { CASES } from './savina/savina-cases.ts';
import { resumeFrom, runWithSnapshots, wrongResults } from './savina/snapshot-run.ts';

const GROUP = 6;
/** Range of turns in which each group takes `MOMENTS` extra snapshots. */
const TURNS = 40_000;
const MOMENTS = 1;
/** Timeout in milliseconds; other work may share the machine. */
const LIMIT = 900_000;

const ids = Object.keys(CASES);
/** Groups of programs far apart in the list: large and small, quick and slow. */
const groups = Array.from({ length: Math.ceil(ids.length / GROUP) }, (_, group) =>
  ids.filter((_each, i) => i % Math.ceil(ids.length / GROUP) === group),
);

test('every program is in a group', () => {
  expect(new Set(groups.flat()).size).toBe(24);
});

/** One setup for each version of Node; savina/soak.ts covers the third. */
const isOdd = (Number(process.versions.node.split('.')[0]) / 2) % 2 === 1;
const setups = WORKER_SETUPS.filter((workerSetup) => workerSetup === (isOdd ? 'main' : 'two'));

describe.each(setups)('on %s', (workerSetup) => {
  test.concurrent.each(groups.map((group, i) => [group.join(', '), group, i] as const))(
    '%s: snapshots change no results, and resumed runs end with the right results',
    async (_, group, number) => {
      const directory = mkdtempSync(join(tmpdir(), 'turntable-savina-'));
      const random = new Random(number + 1);
      const snapshotTurns = Array.from({ length: MOMENTS }, () => random.below(TURNS));
      const original = await runWithSnapshots({
        workerSetup,
        ids: group,
        snapshotTurns,
        recordings: join(directory, 'first'),
      });
      expect(await wrongResults(original, group)).toEqual([]);
      expect([...original.halfway.keys()].toSorted()).toEqual(group.toSorted());

      const { snapshots } = original;
      // Two snapshots; savina/soak.ts resumes from all.
      const chosen = [snapshots[0] as string, snapshots[1 + random.below(snapshots.length - 1)] as string];
      for (const [i, snapshot] of chosen.entries()) {
        const resumed = await resumeFrom(snapshot);
        expect(await wrongResults(resumed, group), snapshot).toEqual([]);
        if (i === 0) expect(resumed.over).not.toEqual([]);
      }
      rmSync(directory, { recursive: true });
    },
    LIMIT,
  );
});
