// A device that asks for a module of the program's: there is one instance of it, inside, and what the device does with it is in the trace.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, it } from 'vitest';
import { replay } from '../replay/record-and-replay.ts';
import { replayAndCompare, ProgramProcess, snapshotPhasesOf, type Subject } from './recorded.ts';

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe.concurrent('a device has what the program has', () => {
  it.for(['required.cjs', 'imported.ts'])('and a run again has it without one: %s', async (file, { expect: here }) => {
    const subject: Subject = {
      file: `lending/${file}`,
      workingDirectory: join(directory, file),
      recordings: join(directory, `${file}-recordings`),
      env: { TURNTABLE_EXCLUDE: '/lending/device', TURNTABLE_SNAPSHOTS: 'every=50ms,end' },
    };
    const plain = await new ProgramProcess('plain', subject).exited;
    const recorded = await new ProgramProcess('recorded', subject).exited;
    here(recorded).toEqual(plain);
    const { differences, replay: replayed } = replayAndCompare(subject, recorded);
    here(differences).toEqual([]);
    here(replayed.report.cuts.compared).toBeGreaterThan(0);
    // Functions of the device are in the state, and in those of later snapshots.
    const { report } = replay(subject.recordings, [
      '--from',
      String(snapshotPhasesOf(subject).toSorted((a, b) => a - b)[0]),
    ]);
    here(report.verdict, JSON.stringify(report.divergence)).toBe('same');
    here(report.cuts.different).toEqual([]);
  });
});
