// A device that imports a module of the program. There is one instance, on the program side, and the device's use of it
// is in the trace.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, it } from 'vitest';
import { replay } from '../replay/record-and-replay.ts';
import { replayAndCompare, ProgramProcess, snapshotPhasesOf, type Subject } from './recorded.ts';

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe.concurrent('a device and the program share one module instance', () => {
  it.for(['required.cjs', 'imported.ts'])(
    'and the program can be replayed without the device: %s',
    async (file, { expect: localExpect }) => {
      const subject: Subject = {
        file: `lending/${file}`,
        workingDirectory: join(directory, file),
        recordings: join(directory, `${file}-recordings`),
        env: { TURNTABLE_EXCLUDE: '/lending/device', TURNTABLE_SNAPSHOTS: 'every=50ms,end' },
      };
      const plain = await new ProgramProcess('plain', subject).exited;
      const recorded = await new ProgramProcess('recorded', subject).exited;
      localExpect(recorded).toEqual(plain);
      const { differences, replay: replayed } = replayAndCompare(subject, recorded);
      localExpect(differences).toEqual([]);
      localExpect(replayed.report.cuts.compared).toBeGreaterThan(0);
      // Functions of the device are part of the state and of later snapshots.
      const { report } = replay(subject.recordings, [
        '--from',
        String(snapshotPhasesOf(subject).toSorted((a, b) => a - b)[0]),
      ]);
      localExpect(report.verdict, JSON.stringify(report.divergence)).toBe('same');
      localExpect(report.cuts.different).toEqual([]);
    },
  );
});
