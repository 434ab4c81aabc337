// Snapshots of a large state, and of a disk that is slow: the user learns of a long pause, and memory stays bounded.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createScratchDirectory, FIXTURES, runTurntable } from './processes.ts';
import { fetchText, serve } from './served.ts';

const scratch = createScratchDirectory();

test('a long pause for a snapshot of a large state is reported once, with its size', { timeout: 120_000 }, () => {
  const args = ['run', '--recordings', join(scratch, 'enlarging'), 'enlarging.ts'];
  const { stderr, status } = runTurntable(FIXTURES, args);
  expect(status).toBe(0);
  expect(stderr.match(/Warning:|TT_LONG_PAUSE/g)).toHaveLength(2);
  expect(stderr).toMatch(
    /a snapshot paused the program for \d+ ms to write [\d.]+ [KM]B of state; .*--snapshots every=5m/,
  );
});

test('snapshots wait for a disk that does not answer, so that their states do not fill memory', async () => {
  const env = { TURNTABLE_TRACE: '', TEST_FAULT: 'hang' };
  const { child, port } = await serve('held-up.ts', join(scratch, 'held-up'), env);
  const before = Number(await fetchText(port, '/snapshot'));
  expect(before).toBe(1);
  child.send('fail');
  let taken = before;
  for (let i = 0; i < 10; i++) taken = Number(await fetchText(port, '/snapshot'));
  expect(taken - before).toBeGreaterThan(0);
  expect(taken - before).toBeLessThanOrEqual(3);
});
