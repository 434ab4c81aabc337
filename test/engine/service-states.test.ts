// Checkpoints of a service that uses the Fastify plugin.
import './own-process.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, test, vi } from 'vitest';
import { record, recordingIn } from '../replay/record-and-replay.ts';
import { expectSameAfterCheckpoints, indexRecording } from './after-checkpoints.ts';
import { removeSnapshots } from '../recordings/edit-manifest.ts';

vi.setConfig({ testTimeout: 240_000 });

const scratch = mkdtempSync(join(tmpdir(), 'turntable-service-states-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

test('a checkpoint with Fastify requests under way gives the same states as a replay from the start', async () => {
  record(scratch, ['--snapshots', 'work=5ms', join(import.meta.dirname, 'programs/ordering.mjs')]);
  removeSnapshots(recordingIn(scratch));
  await expectSameAfterCheckpoints(await indexRecording(scratch));
});
