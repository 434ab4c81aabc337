// Which snapshots a program can go on from: those of its own recording, and of those that it has gone on from, each up to where it did.
import { cpSync, mkdtempSync, readdirSync, renameSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { describeProcess, openRecording, startWriter, type Origin } from '@turntable/recording';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkProgram, lineage, snapshotAmong } from '../src/restore/lineage.ts';
import { recordingIn } from '../src/places/recording-in.ts';

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
const writer = startWriter({ recordings: directory });

async function recorded(phases: readonly number[], continues?: Origin): Promise<string> {
  const recording = writer.create(
    describeProcess({ turntable: '0.1.0', workers: 0, entry: 'file:///a.ts', continues }),
  );
  for (const phase of phases) {
    recording.add(phase, 0, 'state', Buffer.from(`phase ${phase}`));
    await recording.commitSnapshot(phase, {}, 1);
  }
  recording.end();
  return recording.directory;
}

/** As long as it is whole. */
async function whole({ recording, phase }: Origin): Promise<Origin> {
  using snapshot = openRecording(recording).readSnapshot(phase);
  snapshot.verify();
  return { recording, phase };
}

let first: string;
let second: string;
let third: string;

beforeAll(async () => {
  first = await recorded([1, 2, 3, 4]);
  second = await recorded([3, 4, 5], { recording: first, phase: 2 });
  third = await recorded([], { recording: second, phase: 4 });
  await writer.close();
});

describe('a program that goes on', () => {
  it('goes back to the last snapshot of its own, or else to the one it has gone on from', async () => {
    expect(await snapshotAmong(lineage(second), undefined, whole)).toEqual({ recording: second, phase: 5 });
    expect(await snapshotAmong(lineage(third), undefined, whole)).toEqual({ recording: second, phase: 4 });
    const unrecorded = lineage(undefined, { recording: first, phase: 2 });
    expect(await snapshotAmong(unrecorded, undefined, whole)).toEqual({ recording: first, phase: 2 });
  });

  it('goes back to any phase that it has behind it, and to none of another future', async () => {
    const at = (phase: number): Promise<Origin> => snapshotAmong(lineage(third), phase, whole);
    expect(await at(4)).toEqual({ recording: second, phase: 4 });
    expect(await at(3)).toEqual({ recording: second, phase: 3 });
    expect(await at(2)).toEqual({ recording: first, phase: 2 });
    await expect(at(5)).rejects.toThrow(`${third} and ${second} and ${first} have no snapshot 5`);
  });

  it('has a way back while nothing of its own recording is written', async () => {
    const behind = lineage(join(directory, 'not yet'), { recording: first, phase: 3 });
    expect(await snapshotAmong(behind, undefined, whole)).toEqual({ recording: first, phase: 3 });
    await expect(snapshotAmong(lineage(join(directory, 'never')), undefined, whole)).rejects.toThrow(
      /never has no snapshot that is whole/,
    );
  });

  it('finds what it has gone on from beside it, where both have been carried elsewhere', async () => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'turntable-'));
    const there = (recording: string): string => join(elsewhere, basename(recording));
    cpSync(third, there(third), { recursive: true });
    renameSync(second, there(second));
    expect(await snapshotAmong(lineage(there(third)), undefined, whole)).toEqual({
      recording: there(second),
      phase: 4,
    });
    renameSync(there(second), second);
    rmSync(elsewhere, { recursive: true });
  });

  it('passes over what is damaged, unless it is what was asked for', async () => {
    const name = readdirSync(join(second, 'snapshots')).toSorted().at(-1) as string;
    truncateSync(join(second, 'snapshots', name), 60);
    expect(await snapshotAmong(lineage(second), undefined, whole)).toEqual({ recording: second, phase: 4 });
    await expect(snapshotAmong(lineage(second), 5, whole)).rejects.toMatchObject({ code: 'TT_RECORDING' });
  });

  it('fails with what a snapshot is refused for, and does not look further', async () => {
    const refuse = (): Promise<never> => Promise.reject(new Error('other code'));
    await expect(snapshotAmong(lineage(third), undefined, refuse)).rejects.toThrow('other code');
  });
});

describe('a directory of recordings', () => {
  it('means the last one of which anything can be gone on from', () => {
    expect(recordingIn(directory)).toBe(third);
    expect(recordingIn(first)).toBe(first);
  });

  it('is refused if it is of another program', () => {
    expect(() => checkProgram(first, 'file:///a.ts')).not.toThrow();
    expect(() => checkProgram(first, 'file:///b.ts')).toThrow(
      `${first} is a recording of /a.ts, and this program is /b.ts; restore it in a process of its own`,
    );
  });
});
