// Tests the snapshots from which a program can be restored: those in its own recording and in earlier ones of its
// lineage.
import { cpSync, mkdtempSync, readdirSync, renameSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { describeProcess, openRecording, startWriter, type SnapshotOrigin } from '@turntable/recording';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requireSameProgram, lineage, findSnapshot } from '../src/restore/lineage.ts';
import { resolveRecording } from '../src/paths/recording-lookup.ts';

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
const writer = startWriter({ recordings: directory });

async function makeRecording(phases: readonly number[], restoredFrom?: SnapshotOrigin, into = writer): Promise<string> {
  const recording = into.create(
    describeProcess({ turntable: '0.1.0', workers: 0, entry: 'file:///a.ts', restoredFrom }),
  );
  for (const phase of phases) {
    recording.add(phase, 0, 'state', Buffer.from(`phase ${phase}`));
    await recording.commitSnapshot(phase, {}, 1);
  }
  recording.end();
  return recording.directory;
}

/** Returns the snapshot if it is complete. */
async function verifySnapshot({ recording, phase }: SnapshotOrigin): Promise<SnapshotOrigin> {
  using snapshot = openRecording(recording).readSnapshot(phase);
  snapshot.verify();
  return { recording, phase };
}

let first: string;
let second: string;
let third: string;

beforeAll(async () => {
  first = await makeRecording([1, 2, 3, 4]);
  second = await makeRecording([3, 4, 5], { recording: first, phase: 2 });
  third = await makeRecording([], { recording: second, phase: 4 });
  await writer.close();
});

describe('a restored program', () => {
  it('returns to its own last snapshot, otherwise to the snapshot from which it was restored', async () => {
    expect(await findSnapshot(lineage(second), undefined, verifySnapshot)).toEqual({ recording: second, phase: 5 });
    expect(await findSnapshot(lineage(third), undefined, verifySnapshot)).toEqual({ recording: second, phase: 4 });
    const unrecorded = lineage(undefined, { recording: first, phase: 2 });
    expect(await findSnapshot(unrecorded, undefined, verifySnapshot)).toEqual({ recording: first, phase: 2 });
  });

  it('returns to any phase of its past, but not to later snapshots of earlier recordings', async () => {
    const snapshotAt = (phase: number): Promise<SnapshotOrigin> => findSnapshot(lineage(third), phase, verifySnapshot);
    expect(await snapshotAt(4)).toEqual({ recording: second, phase: 4 });
    expect(await snapshotAt(3)).toEqual({ recording: second, phase: 3 });
    expect(await snapshotAt(2)).toEqual({ recording: first, phase: 2 });
    await expect(snapshotAt(5)).rejects.toThrow(`${third} and ${second} and ${first} have no snapshot 5`);
  });

  it('can return before its own recording has been written', async () => {
    const origins = lineage(join(directory, 'not yet'), { recording: first, phase: 3 });
    expect(await findSnapshot(origins, undefined, verifySnapshot)).toEqual({ recording: first, phase: 3 });
    await expect(findSnapshot(lineage(join(directory, 'never')), undefined, verifySnapshot)).rejects.toThrow(
      /never has no complete snapshot; record with --snapshots every=30s/,
    );
  });

  it('finds the earlier recording after both have been moved', async () => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'turntable-'));
    const carried = (recording: string): string => join(elsewhere, basename(recording));
    cpSync(third, carried(third), { recursive: true });
    renameSync(second, carried(second));
    expect(await findSnapshot(lineage(carried(third)), undefined, verifySnapshot)).toEqual({
      recording: carried(second),
      phase: 4,
    });
    renameSync(carried(second), second);
    rmSync(elsewhere, { recursive: true });
  });

  it('skips damaged snapshots unless they are requested', async () => {
    const name = readdirSync(join(second, 'snapshots')).toSorted().at(-1) as string;
    truncateSync(join(second, 'snapshots', name), 60);
    expect(await findSnapshot(lineage(second), undefined, verifySnapshot)).toEqual({ recording: second, phase: 4 });
    await expect(findSnapshot(lineage(second), 5, verifySnapshot)).rejects.toMatchObject({ code: 'TT_RECORDING' });
  });

  it('fails with the reason for which a snapshot is refused, and tries no other', async () => {
    const refuse = (): Promise<never> => Promise.reject(new Error('other code'));
    await expect(findSnapshot(lineage(third), undefined, refuse)).rejects.toThrow('other code');
  });
});

describe('a directory of recordings', () => {
  it('resolves to the newest that can be restored', () => {
    expect(resolveRecording(directory)).toBe(third);
    expect(resolveRecording(first)).toBe(first);
  });

  it('resolves to an older one if the newest has nothing to restore from', async () => {
    const recordings = mkdtempSync(join(directory, 'other-'));
    const otherWriter = startWriter({ recordings });
    const older = await makeRecording([1], undefined, otherWriter);
    const newer = await makeRecording([], undefined, otherWriter);
    await otherWriter.close();
    expect(newer > older).toBe(true);
    expect(resolveRecording(recordings)).toBe(older);
  });

  it('is refused if it belongs to another program', () => {
    expect(() => requireSameProgram(first, 'file:///a.ts')).not.toThrow();
    expect(() => requireSameProgram(first, 'file:///b.ts')).toThrow(
      `${first} is a recording of /a.ts, and this program is /b.ts; restore it in another process with turntable restore`,
    );
  });
});
