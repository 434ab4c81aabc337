// Programs with unpredictable results, recorded with snapshots on two workers: the replay prints the same text, and the
// states of all threads are equal at all cuts. soak.ts repeats this more often and with other numbers of workers.
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { differences, PROGRAMS, record, recordingIn, replay } from './record-and-replay.ts';

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const RACY = ['messages', 'deadlock', 'philosophers', 'counting', 'sequence', 'shop'];

describe.each(RACY)('%s', (name) => {
  it('replays with the recorded result', () => {
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

it('continues from a snapshot as recorded', () => {
  const into = join(directory, 'from');
  const recorded = record(into, [join(PROGRAMS, 'main.ts'), 'shop', '2', '3', '1']);
  const { output, report } = replay(into, ['--from', '1']);
  expect({ verdict: report.verdict, divergence: report.divergence }).toEqual({ verdict: 'same', divergence: null });
  expect(recorded.stdout.endsWith(output)).toBe(true);
  expect(output).toContain('"round":3');
});

it('detects a state that differs although every event is the same', () => {
  const [first, second] = ['one', 'other'].map((name) => join(directory, name)) as [string, string];
  for (const into of [first, second]) record(into, [join(PROGRAMS, 'main.ts'), 'shop', '2', '1', '1']);
  const [recording, otherRecording] = [recordingIn(first), recordingIn(second)];
  const snapshot = join('snapshots', '0000000001.tts');
  copyFileSync(join(otherRecording, snapshot), join(recording, snapshot));
  const { report, status } = replay(first);
  expect({ verdict: report.verdict, status, divergence: report.divergence }).toEqual({
    verdict: 'diverged',
    status: 3,
    divergence: null,
  });
  expect(report.cuts.different.length).toBeGreaterThan(0);
});
