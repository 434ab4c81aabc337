// Programs whose actors are stopped, or lost while the app closes, replay as recorded.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { differences, record, recordingIn, replay } from './record-and-replay.ts';

const scratch = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

it.each(['stopped-timers.ts', 'lost-while-closing.ts'])('%s', (program) => {
  const recordings = join(scratch, program);
  const recorded = record(recordings, [fileURLToPath(new URL(`../actors/fixtures/${program}`, import.meta.url))]);
  expect(differences(recorded, replay(recordingIn(recordings)))).toEqual([]);
});
