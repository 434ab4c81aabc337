// Declared devices of a program: a replay has them from any snapshot on and creates none.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { replay } from '../replay/record-and-replay.ts';
import { ProgramProcess, snapshotPhasesOf, type Subject } from './recorded.ts';

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

it('a replay from a snapshot has the declared devices of the program', async () => {
  const subject: Subject = {
    file: 'declared.ts',
    workingDirectory: join(directory, 'place'),
    recordings: join(directory, 'recordings'),
    env: { TURNTABLE_SNAPSHOTS: 'end' },
  };
  const recorded = await new ProgramProcess('recorded', subject).exited;
  expect(recorded).toMatchObject({ code: 0, stdout: expect.stringMatching(/^made 1\n(?:\d hello 1\n){6}$/) });
  const phases = snapshotPhasesOf(subject);
  expect(phases.length).toBeGreaterThan(2);
  const { report, output } = replay(subject.recordings, ['--from', String(phases[1])]);
  expect(report.verdict, JSON.stringify(report.divergence)).toBe('same');
  expect(report.cuts).toEqual({ compared: expect.any(Number), different: [] });
  expect(recorded.stdout.endsWith(output)).toBe(true);
});
