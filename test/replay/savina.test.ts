// The programs of the Savina suite, some of them beside each other, on one worker and on two, with snapshots when they are half-way: each run again
// prints what was printed, and all states are equal at all cuts.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { PARTS } from '../snapshots/savina/parts.ts';
import { differences, record, replay } from './again.ts';

const MAIN = fileURLToPath(new URL('../snapshots/savina/main.ts', import.meta.url));
const GROUP = 8;
/** Milliseconds: other work may share the machine. */
const LIMIT = 600_000;

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const ids = Object.keys(PARTS);
const groups = Array.from({ length: Math.ceil(ids.length / GROUP) }, (_, group) =>
  ids.filter((_each, i) => i % Math.ceil(ids.length / GROUP) === group),
);

describe.each(['one', 'two'])('on %s', (place) => {
  test.each(groups.map((group, i) => [group.join(', '), group, i] as const))(
    '%s',
    (_, group, i) => {
      const into = join(directory, `${place} ${i}`);
      const recorded = record(into, [MAIN, place, ...group]);
      const again = replay(into);
      expect(differences(recorded, again)).toEqual([]);
      expect(again.report.cuts.compared).toBeGreaterThan(1);
      rmSync(into, { recursive: true });
    },
    LIMIT,
  );
});
