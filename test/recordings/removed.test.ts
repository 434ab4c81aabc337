// A service whose recording is deleted while it runs: it serves on, warns once, and is recorded again from a snapshot.
import { once } from 'node:events';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { createScratchDirectory, FIXTURES, recordingIn, runTurntable } from './processes.ts';
import { fetchText, serve } from './served.ts';

const scratch = createScratchDirectory();

test.each(['', 'requests=10'])(
  'a deleted recording with snapshots "%s" begins again with a snapshot',
  { timeout: 120_000 },
  async (snapshots) => {
    const recordings = join(scratch, `removed ${snapshots}`);
    const { child, port, stderr } = await serve(
      'durable/plain.ts',
      recordings,
      snapshots === '' ? {} : { TURNTABLE_SNAPSHOTS: snapshots },
    );
    expect(await fetchText(port, '/pay')).toBe('/pay');
    const recording = recordingIn(recordings);
    rmSync(recordings, { recursive: true });
    const hasSnapshot = (): boolean => {
      const directory = join(recording, 'snapshots');
      return existsSync(directory) && readdirSync(directory).some((name) => /^\d+\.tts$/.test(name));
    };
    await vi.waitUntil(
      async () => {
        expect(await fetchText(port, '/pay')).toBe('/pay');
        return hasSnapshot();
      },
      { timeout: 60_000 },
    );
    expect(await fetchText(port, '/free')).toBe('/free');
    await fetchText(port, '/exit');
    await once(child, 'exit');
    expect(stderr().match(/Warning:|TT_\w+/g)).toEqual(['TT_RECORDING_WRITE']);
    expect(stderr()).toContain('a part of the recording was deleted: ');
    const { stdout, stderr: report, status } = runTurntable(FIXTURES, ['replay', recordings]);
    expect({ status, text: stdout + report }).toEqual({ status: 0, text: expect.stringContaining('same: ') });
  },
);
