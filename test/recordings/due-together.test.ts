// Timers of a restored program fire in the order in which they were set, whichever actor has set them.
import { expect, it, vi } from 'vitest';
import { runTurntable } from '../replay/record-and-replay.ts';
import { recordOnce } from './recorded-once.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const fixture = recordOnce('due-together.ts');

it('timers that are due together fire in the order in which they were set', () => {
  const { stdout, stderr, status } = runTurntable(['restore', '--trusted', fixture.recording]);
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  // On a slow machine, some timers may have fired before the snapshot.
  expect(fixture.recorded.stdout.endsWith(stdout), stdout).toBe(true);
});
