// A restored program that is recorded takes snapshots by its settings.
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openRecording } from '@turntable/recording';
import { createProgramDirectory, recordingIn, runTurntable } from './processes.ts';

const PROGRAM = `import { setTimeout as sleep } from 'node:timers/promises';
import { start } from 'turntable';

const app = start({ workers: 0 });
await app.snapshot();
for (let i = 0; i < 20; i++) await sleep(20);
console.log('done');
`;

it('at an interval, after it is resumed', () => {
  const directory = createProgramDirectory(PROGRAM);
  const recordings = (name: string): string => join(directory, name);
  expect(runTurntable(directory, ['run', '--recordings', recordings('first'), 'main.ts']).stdout).toBe('done\n');
  const flags = ['--recordings', recordings('second'), '--snapshots', 'every=50ms'];
  expect(runTurntable(directory, ['restore', '--trusted', ...flags, recordings('first')]).stdout).toBe('done\n');
  expect(openRecording(recordingIn(recordings('second'))).snapshots().length).toBeGreaterThan(0);
});
