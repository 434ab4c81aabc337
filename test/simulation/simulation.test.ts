// Random programs with actors on three threads in simulated processes. A seed determines the order in which the threads
// run, where workers are lost, when the disk fails, and when the process is killed. All replays of a recording are the
// same, and show what happened, up to the end of the recording.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { inSoak } from '../../scripts/test-run/soak.ts';

const COUNT = inSoak(300, 10_000);

interface Result {
  readonly count: number;
  readonly failures: readonly { readonly seed: number; readonly problems: readonly string[] }[];
}

test(`${COUNT} simulated programs replay the same five times`, { timeout: inSoak(300_000, 7_200_000) }, () => {
  const args = ['-C', 'turntable-source', join(import.meta.dirname, 'simulate.ts'), '--count', String(COUNT), '--json'];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 1 << 28 });
  expect(stderr).toBe('');
  const { count, failures } = JSON.parse(stdout) as Result;
  expect(failures).toEqual([]);
  expect(count).toBe(COUNT);
});
