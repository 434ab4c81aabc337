// What programs use of the outside, one program for each part of Node, section by section (fixtures/features): recorded, a program prints what it prints
// on Node alone; run again, where there is neither a file nor anybody to answer, it prints that to the letter.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { describeRecording } from '../../packages/turntable/src/commands/inspect-recording.ts';
import type { ViewDescription } from '../../packages/turntable/src/query/describe-view.ts';
import { recordingIn, replay } from '../replay/record-and-replay.ts';
import { featureInput, FEATURES } from './feature-programs.ts';
import { replayAndCompare, stableLines, ProgramProcess, type Subject, type RunMode } from './recorded.ts';

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const subjectOf = (name: string, mode: RunMode): Subject => ({
  file: `features/${name}.ts`,
  workingDirectory: join(directory, `${name}-${mode}`),
  recordings: join(directory, `${name}-recordings`),
  ...featureInput(name),
});

async function ended(name: string, mode: RunMode): ReturnType<() => ProgramProcess['exited']> {
  return new ProgramProcess(mode, subjectOf(name, mode)).exited;
}

// One after the other: what is replayed stands in everybody's way meanwhile, and would count as the time of all.
describe('a program that uses', () => {
  it.for(FEATURES)('%s does so recorded as on Node alone, and again without any', async (name) => {
    const [plain, recorded] = await Promise.all([ended(name, 'plain'), ended(name, 'recorded')]);
    expect(stableLines(recorded.stdout)).toEqual(stableLines(plain.stdout));
    expect(recorded).toMatchObject({ code: plain.code, signal: plain.signal });
    const { differences, replay: replayed } = replayAndCompare(subjectOf(name, 'recorded'), recorded);
    expect(differences).toEqual([]);
    expect(replayed.report.cuts.compared).toBeGreaterThan(0);
  });
});

it('has its actors do so on their own workers', async () => {
  const [transformed, recorded] = await Promise.all([ended('actors', 'transformed'), ended('actors', 'recorded')]);
  expect(stableLines(recorded.stdout)).toEqual(stableLines(transformed.stdout));
  expect(replayAndCompare(subjectOf('actors', 'recorded'), recorded).differences).toEqual([]);
});

it('goes on from a snapshot that was taken while it waited for that, and its actors did', async () => {
  const recorded = await ended('midst', 'recorded');
  expect(recorded.stdout).toBe('4\n0\ntrue true 4\nbe,af lo\n40\n');
  const { report, output } = replay(subjectOf('midst', 'recorded').recordings, ['--from', '1']);
  expect({ verdict: report.verdict, different: report.cuts.different }).toEqual({ verdict: 'same', different: [] });
  expect(output).toBe('true true 4\nbe,af lo\n40\n');
});

it('has what an actor holds with the actor, though the outside has functions of it', async () => {
  const { snapshot } = describeRecording(recordingIn(subjectOf('midst', 'recorded').recordings), 1);
  const { actors, workers } = snapshot as ViewDescription;
  expect(actors.find(({ class: name }) => name === 'Mill')?.bytes).toBeGreaterThan(10_000);
  expect(workers.find(({ worker }) => worker === 1)?.baseBytes).toBeLessThan(10_000);
});
