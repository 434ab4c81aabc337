// Random programs with actors on three threads, in simulated processes: the threads run in an order that a seed
// determines, workers are lost in the middle of their code, the disk fails, the process is killed. What is recorded
// replays with one result, which is the beginning of what happened.
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
