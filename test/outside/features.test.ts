// What programs use of the outside, one program for each part of Node, section by section (fixtures/features): recorded, a program prints what it prints
// on Node alone; run again, where there is neither a file nor anybody to answer, it prints that to the letter.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { describeRecording } from '../../packages/turntable/src/commands/inspect-recording.ts';
import type { ViewDescription } from '../../packages/turntable/src/query/describe-view.ts';
import { recordingIn, replay } from '../replay/again.ts';
import { inputOf, PARTS } from './feature-programs.ts';
import { again, lasting, Life, type Subject, type Way } from './recorded.ts';

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const subjectOf = (name: string, way: Way): Subject => ({
  file: `features/${name}.ts`,
  place: join(directory, `${name}-${way}`),
  into: join(directory, `${name}-recordings`),
  ...inputOf(name),
});

async function ended(name: string, way: Way): ReturnType<() => Life['ended']> {
  return new Life(way, subjectOf(name, way)).ended;
}

// One after the other: what is replayed stands in everybody's way meanwhile, and would count as the time of all.
describe('a program that uses', () => {
  it.for(PARTS)('%s does so recorded as on Node alone, and again without any', async (name) => {
    const [plain, recorded] = await Promise.all([ended(name, 'plain'), ended(name, 'recorded')]);
    expect(lasting(recorded.stdout)).toEqual(lasting(plain.stdout));
    expect(recorded).toMatchObject({ code: plain.code, signal: plain.signal });
    const { differences, replayed } = again(subjectOf(name, 'recorded'), recorded);
    expect(differences).toEqual([]);
    expect(replayed.report.cuts.compared).toBeGreaterThan(0);
  });
});

it('has its actors do so on their own workers', async () => {
  const [transformed, recorded] = await Promise.all([ended('actors', 'transformed'), ended('actors', 'recorded')]);
  expect(lasting(recorded.stdout)).toEqual(lasting(transformed.stdout));
  expect(again(subjectOf('actors', 'recorded'), recorded).differences).toEqual([]);
});

it('goes on from a snapshot that was taken while it waited for that, and its actors did', async () => {
  const recorded = await ended('midst', 'recorded');
  expect(recorded.stdout).toBe('4\n0\ntrue true 4\nbe,af lo\n40\n');
  const { report, output } = replay(subjectOf('midst', 'recorded').into, ['--from', '1']);
  expect({ verdict: report.verdict, different: report.cuts.different }).toEqual({ verdict: 'same', different: [] });
  expect(output).toBe('true true 4\nbe,af lo\n40\n');
});

it('has what an actor holds with the actor, though the outside has functions of it', async () => {
  const { snapshot } = describeRecording(recordingIn(subjectOf('midst', 'recorded').into), 1);
  const { actors, workers } = snapshot as ViewDescription;
  expect(actors.find(({ class: name }) => name === 'Mill')?.bytes).toBeGreaterThan(10_000);
  expect(workers.find(({ worker }) => worker === 1)?.baseBytes).toBeLessThan(10_000);
});
