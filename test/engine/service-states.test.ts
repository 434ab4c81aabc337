// States of a run index's, of a service that has its requests by the plug-in, which is another one in bundles.
import '../../scripts/from-sources.ts';
import './own-process.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, test, vi } from 'vitest';
import { record, recordingIn } from '../replay/record-and-replay.ts';
import { expectSameAfterCheckpoints, indexRecording } from './after-checkpoints.ts';

vi.setConfig({ testTimeout: 240_000 });

const room = mkdtempSync(join(tmpdir(), 'turntable-service-states-'));
afterAll(() => rmSync(room, { recursive: true, force: true }));

test('behind a state with requests of Fastify under way all is as from the start, and goes on as recorded', async () => {
  record(room, ['--snapshots', 'work=5ms', join(import.meta.dirname, 'programs/ordering.mjs')]);
  rmSync(join(recordingIn(room), 'snapshots'), { recursive: true });
  await expectSameAfterCheckpoints(await indexRecording(room));
});
