// A recording continues by itself after its disk was full, and one that reaches its size limit.
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { createScratchDirectory, FIXTURES, recordingIn, runTurntable } from './processes.ts';
import { fetchText, serve } from './served.ts';

const scratch = createScratchDirectory();

const FAULTS = [
  { fault: 'ENOSPC', snapshots: 'end' },
  { fault: 'EIO', snapshots: '' },
  { fault: 'EMFILE', snapshots: '' },
];

test.each(FAULTS)(
  'a recording with snapshots "$snapshots" continues with one when the disk works again after $fault',
  { timeout: 120_000 },
  async ({ fault, snapshots }) => {
    const recordings = join(scratch, fault);
    const env = { TEST_FAULT: fault, ...(snapshots !== '' && { TURNTABLE_SNAPSHOTS: snapshots }) };
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

test.each(['end', ''])(
  'a recording with snapshots "%s" that reaches its size limit is shortened by one',
  { timeout: 120_000 },
  (snapshots) => {
    const recordings = join(scratch, `filling ${snapshots}`);
    const triggers = snapshots === '' ? [] : ['--snapshots', snapshots];
    const args = ['--recordings', recordings, ...triggers, '--keep', 'bytes=2MB', 'filling.ts', recordings, '1'];
    expect(runTurntable(FIXTURES, ['record', ...args])).toMatchObject({ stdout: 'true\n', status: 0 });
    expect(readdirSync(join(recordingIn(recordings), 'traces'))).not.toContain('0000000000-0.0.ttt');
    expect(runTurntable(FIXTURES, ['replay', recordings])).toMatchObject({ status: 0 });
  },
);

test(
  'a recording at its size limit rests while a snapshot would pause a busy program for long, with one warning',
  { timeout: 120_000 },
  () => {
    const recordings = join(scratch, 'resting');
    const args = ['--recordings', recordings, '--keep', 'bytes=2MB', 'resting.ts', recordings];
    const { stdout, stderr, status } = runTurntable(FIXTURES, ['record', ...args]);
    expect({ stdout, status }).toEqual({ stdout: 'resting 0\nrecorded again 200000 true\n', status: 0 });
    expect(stderr.match(/TT_RECORDING_WRITE/g)).toHaveLength(1);
    expect(runTurntable(FIXTURES, ['replay', recordings])).toMatchObject({
      stderr: expect.stringMatching(/^(?:same|incomplete): /),
    });
  },
);
