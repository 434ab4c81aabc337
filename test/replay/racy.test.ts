// Programs whose outcome nobody knows before, each of them recorded with snapshots, on two workers: the run again prints what was printed, to the letter,
// and the states of all threads at all cuts are what they were. soak.ts does it more often, with other numbers of workers.
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { differences, PROGRAMS, record, recordingIn, replay } from './record-and-replay.ts';

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const RACY = ['messages', 'deadlock', 'philosophers', 'counting', 'sequence', 'shop'];

describe.each(RACY)('%s', (name) => {
  it('comes out as it came out', () => {
    const into = join(directory, name);
    const recorded = record(into, [join(PROGRAMS, 'main.ts'), name, '2', '2', '1'], {
      TURNTABLE_SNAPSHOTS: 'turns=150,end',
    });
    expect(recorded.stdout.split('\n')).toHaveLength(4);
    const replayResult = replay(into);
    expect(differences(recorded, replayResult)).toEqual([]);
    expect(replayResult.report.cuts.compared).toBeGreaterThanOrEqual(6);
  });
});

it('goes on from a snapshot as it went on', () => {
  const into = join(directory, 'from');
  const recorded = record(into, [join(PROGRAMS, 'main.ts'), 'shop', '2', '3', '1']);
  const { output, report } = replay(into, ['--from', '1']);
  expect({ verdict: report.verdict, divergence: report.divergence }).toEqual({ verdict: 'same', divergence: null });
  expect(recorded.stdout.endsWith(output)).toBe(true);
  expect(output).toContain('"round":3');
});

it('finds a state that is not what it was, though every event is', () => {
  const [one, other] = ['one', 'other'].map((name) => join(directory, name)) as [string, string];
  for (const into of [one, other]) record(into, [join(PROGRAMS, 'main.ts'), 'shop', '2', '1', '1']);
  const [recording, another] = [recordingIn(one), recordingIn(other)];
  const snapshot = join('snapshots', '0000000001.tts');
  copyFileSync(join(another, snapshot), join(recording, snapshot));
  const { report, status } = replay(one);
  expect({ verdict: report.verdict, status, divergence: report.divergence }).toEqual({
    verdict: 'diverged',
    status: 3,
    divergence: null,
  });
  expect(report.cuts.different.length).toBeGreaterThan(0);
});
