// A recording continues by itself after its disk was full, and one that reaches its size limit.
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { createScratchDirectory, FIXTURES, recordingIn, runTurntable } from './processes.ts';
import { fetchText, serve } from './served.ts';

const scratch = createScratchDirectory();

test.each(['ENOSPC', 'EIO', 'EMFILE'])(
  'a recording continues with a snapshot when the disk works again after %s',
  { timeout: 120_000 },
  async (fault) => {
    const recordings = join(scratch, fault);
    const env = { TURNTABLE_SNAPSHOTS: 'end', TEST_FAULT: fault };
    const { child, port, stderr } = await serve('durable/plain.ts', recordings, env);
    const hasSnapshot = (): boolean => {
      const snapshots = join(recordingIn(recordings), 'snapshots');
      return (
        existsSync(snapshots) && readdirSync(snapshots).some((name) => name.endsWith('.tts') && !name.startsWith('.'))
      );
    };
    await fetchText(port, '/free');
    child.send('fail');
    await vi.waitUntil(
      async () => {
        await fetchText(port, '/free');
        return stderr().includes('TT_RECORDING_WRITE');
      },
      { timeout: 60_000 },
    );
    expect(hasSnapshot()).toBe(false);
    child.send('recover');
    await vi.waitUntil(hasSnapshot, { timeout: 60_000 });
    expect(await fetchText(port, '/pay')).toBe('/pay');
    await fetchText(port, '/exit');
    await once(child, 'exit');
    expect(stderr().match(/TT_RECORDING_WRITE/g)).toHaveLength(1);
    const { stderr: report } = runTurntable(FIXTURES, ['replay', recordings]);
    expect(report).toMatch(/^(?:same|incomplete): /);
  },
);

test('a recording that reaches its size limit is shortened by a snapshot', { timeout: 120_000 }, () => {
  const recordings = join(scratch, 'filling');
  const args = ['--recordings', recordings, '--snapshots', 'end', '--keep', 'bytes=2MB', 'filling.ts', recordings, '1'];
  expect(runTurntable(FIXTURES, ['record', ...args])).toMatchObject({ stdout: 'true\n', status: 0 });
  expect(readdirSync(join(recordingIn(recordings), 'traces'))).not.toContain('0000000000-0.0.ttt');
  expect(runTurntable(FIXTURES, ['replay', recordings])).toMatchObject({ status: 0 });
});
