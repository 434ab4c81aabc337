// The programs of the capture tests, area by area in one process: recorded with snapshots and replayed with equal
// output and states. `npm run soak:suite` runs each in its own process and also replays from snapshots.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { differences, record, replay } from './record-and-replay.ts';
import { SEPARATE_AREAS, RECORDING_DIFFERENCES, REPLAY_DIFFERENCES, programs, MEDLEY_AREAS } from './suite.ts';

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
const MEDLEY = fileURLToPath(new URL('medley/main.mjs', import.meta.url));
const tests = fileURLToPath(new URL('../', import.meta.url));

/** Warnings are off: a replay prints them to the stream that has the program's output. */
const QUIET = { NODE_NO_WARNINGS: '1' };

it('every area is replayed either in the medley or separately', () => {
  const areas = new Set(programs().flatMap((file) => /^programs\/fixtures\/([^/]*)\//.exec(file)?.[1] ?? []));
  expect([...areas].toSorted()).toEqual([...MEDLEY_AREAS, ...Object.keys(SEPARATE_AREAS)].toSorted());
  const files = new Set(programs());
  for (const file of [...Object.keys(RECORDING_DIFFERENCES), ...Object.keys(REPLAY_DIFFERENCES)])
    expect(files).toContain(file);
});

it('many programs in one process replay as recorded', { timeout: 120_000 }, () => {
  const chosen = programs().filter((file) =>
    MEDLEY_AREAS.some((area) => file.startsWith(`programs/fixtures/${area}/`)),
  );
  expect(chosen.length).toBeGreaterThan(110);
  const files = chosen.filter((file) => /\.[cm]?js$/.test(file)).map((file) => join(tests, file));
  const recorded = record(directory, ['--', 'node', '--expose-gc', MEDLEY, ...files], {
    TURNTABLE_SNAPSHOTS: 'every=2s,end',
    ...QUIET,
  });
  const replayResult = replay(directory, [], QUIET);
  expect(differences(recorded, replayResult)).toEqual([]);
  expect(replayResult.report.cuts.compared).toBeGreaterThan(0);
  expect(replayResult.report.events).toBeGreaterThan(100);
});
