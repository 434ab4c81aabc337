// The programs of the Savina suite go on from their snapshots: those taken when they are half-way, and those taken at random moments. Several
// run beside each other in a process, so that a snapshot has each of them at another place; soak.ts goes through many more.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { WORKER_SETUPS } from '../../bench/savina/options.ts';
import { Random } from '../../bench/savina/random.ts';
import { CASES } from './savina/savina-cases.ts';
import { resumeFrom, runWithSnapshots, wrongResults } from './savina/snapshot-run.ts';

const GROUP = 6;
/** Turns within which a group has a snapshot taken so often, besides those half-way. */
const TURNS = 40_000;
const MOMENTS = 1;
/** Milliseconds: other work may share the machine. */
const LIMIT = 900_000;

const ids = Object.keys(CASES);
/** Each with programs that are far from each other in the list: large and small, quick and slow ones. */
const groups = Array.from({ length: Math.ceil(ids.length / GROUP) }, (_, group) =>
  ids.filter((_each, i) => i % Math.ceil(ids.length / GROUP) === group),
);

test('every program is in a group', () => {
  expect(new Set(groups.flat()).size).toBe(24);
});

/** One on each version of Node; on one worker soak.ts does it. */
const isOdd = (Number(process.versions.node.split('.')[0]) / 2) % 2 === 1;
const places = WORKER_SETUPS.filter((place) => place === (isOdd ? 'main' : 'two'));

describe.each(places)('on %s', (place) => {
  test.concurrent.each(groups.map((group, i) => [group.join(', '), group, i] as const))(
    '%s: snapshots change nothing, and what goes on from them ends with the right results',
    async (_, group, number) => {
      const directory = mkdtempSync(join(tmpdir(), 'turntable-savina-'));
      const random = new Random(number + 1);
      const moments = Array.from({ length: MOMENTS }, () => random.below(TURNS));
      const performed = await runWithSnapshots({
        workerSetup: place,
        ids: group,
        snapshotTurns: moments,
        recordings: join(directory, 'first'),
      });
      expect(await wrongResults(performed, group)).toEqual([]);
      expect([...performed.halfway.keys()].toSorted()).toEqual(group.toSorted());

      const { snapshots } = performed;
      // Two of them: soak.ts goes on from all.
      const chosen = [snapshots[0] as string, snapshots[1 + random.below(snapshots.length - 1)] as string];
      for (const [i, snapshot] of chosen.entries()) {
        const again = await resumeFrom(snapshot);
        expect(await wrongResults(again, group), snapshot).toEqual([]);
        if (i === 0) expect(again.over).not.toEqual([]);
      }
      rmSync(directory, { recursive: true });
    },
    LIMIT,
  );
});
