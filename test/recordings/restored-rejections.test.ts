// A program that handles a rejection late and asks for a snapshot at once gets the report of Node before the snapshot,
// and not again after a restore.
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createProgramDirectory, runTurntable } from './processes.ts';

const PROGRAM = `import { setTimeout as sleep } from 'node:timers/promises';
import { start } from 'turntable';

const app = start({ workers: 0 });
const late = Promise.reject(new Error('late'));
process.on('unhandledRejection', (reason, promise) => console.log('unhandled', reason.message, promise === late));
process.on('rejectionHandled', (promise) => console.log('handled', promise === late));
await sleep(1);
await new Promise((resolve) => {
  setTimeout(() => {
    late.catch(() => console.log('caught'));
    resolve(app.snapshot());
  });
});
await sleep(1);
console.log('done');
`;

it('a rejection that was handled late is reported once, before the snapshot', () => {
  const directory = createProgramDirectory(PROGRAM);
  const recordings = join(directory, 'recordings');
  const { stdout } = runTurntable(directory, ['run', '--recordings', recordings, 'main.ts']);
  expect(stdout).toBe('unhandled late true\ncaught\nhandled true\ndone\n');
  expect(runTurntable(directory, ['restore', '--trusted', recordings]).stdout).toBe('done\n');
});
