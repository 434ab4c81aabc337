// Forked processes and their parents. Each has its own recording, which is replayed alone, without the other end of the
// channel.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openRecording } from '@turntable/recording';
import { afterAll, expect, it } from 'vitest';
import { replay, runTurntable } from '../replay/record-and-replay.ts';
import { ProgramProcess, type Subject } from './recorded.ts';

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

it('a forked process and its parent are each replayed from their own recordings', async () => {
  const recordings = join(directory, 'recordings');
  const subject: Subject = { file: 'forked/parent.ts', workingDirectory: join(directory, 'place'), recordings };
  const plain = await new ProgramProcess('plain', subject).exited;
  const recorded = await new ProgramProcess('recorded', subject).exited;
  // The output of several processes is interleaved in any order.
  const lines = (text: string): string[] => text.split('\n').toSorted();
  expect({ ...recorded, stdout: lines(recorded.stdout) }).toEqual({ ...plain, stdout: lines(plain.stdout) });
  const found = readdirSync(recordings).map((name) => {
    const { report, output } = replay(join(recordings, name));
    expect(report.verdict, JSON.stringify(report.divergence)).toBe('same');
    expect(report.cuts.different).toEqual([]);
    return { ...openRecording(join(recordings, name)).manifest, output };
  });
  const [parent] = found.filter((each) => each.parent === undefined);
  const children = found.filter((each) => each.parent !== undefined);
  expect(children.map(({ entry }) => entry?.split('/').at(-1)).toSorted()).toEqual(['child.ts', 'worker.ts']);
  expect(lines(found.map(({ output }) => output).join(''))).toEqual(lines(plain.stdout));
  expect(runTurntable(['replay', recordings, '--json']).stderr).toBe(parent?.output);
}, 60_000);
