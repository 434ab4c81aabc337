// Use of the host, one program for each part of Node, in sections (fixtures/features). A recorded program must print
// what it prints on Node alone. Its replay, with no files and no servers, must print exactly the same.
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

async function run(name: string, mode: RunMode): ReturnType<() => ProgramProcess['exited']> {
  return new ProgramProcess(mode, subjectOf(name, mode)).exited;
}

// Tests run one after the other, because replays compete for the machine and would slow each other down.
describe('a program that uses', () => {
  it.for(FEATURES)('%s behaves as on Node alone when recorded, and can be replayed without it', async (name) => {
    const [plain, recorded] = await Promise.all([run(name, 'plain'), run(name, 'recorded')]);
    expect(stableLines(recorded.stdout)).toEqual(stableLines(plain.stdout));
    expect(recorded).toMatchObject({ code: plain.code, signal: plain.signal });
    const { differences, replay: replayed } = replayAndCompare(subjectOf(name, 'recorded'), recorded);
    expect(differences).toEqual([]);
    expect(replayed.report.cuts.compared).toBeGreaterThan(0);
  });
});

it('actors use the host on their own workers', async () => {
  const [transformed, recorded] = await Promise.all([run('actors', 'transformed'), run('actors', 'recorded')]);
  expect(stableLines(recorded.stdout)).toEqual(stableLines(transformed.stdout));
  expect(replayAndCompare(subjectOf('actors', 'recorded'), recorded).differences).toEqual([]);
});

it('a program is replayed from a snapshot taken while it and its actors waited for the host', async () => {
  const recorded = await run('midst', 'recorded');
  expect(recorded.stdout).toBe('4\n0\ntrue true 4\nbe,af lo\n40\n');
  const { report, output } = replay(subjectOf('midst', 'recorded').recordings, ['--from', '1']);
  expect({ verdict: report.verdict, different: report.cuts.different }).toEqual({ verdict: 'same', different: [] });
  expect(output).toBe('true true 4\nbe,af lo\n40\n');
});

it('objects of an actor are counted for the actor even if the host holds functions of it', async () => {
  const { snapshot } = describeRecording(recordingIn(subjectOf('midst', 'recorded').recordings), 1);
  const { actors, workers } = snapshot as ViewDescription;
  expect(actors.find(({ class: name }) => name === 'Mill')?.bytes).toBeGreaterThan(10_000);
  expect(workers.find(({ worker }) => worker === 1)?.baseBytes).toBeLessThan(10_000);
});
