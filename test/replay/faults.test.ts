// Recordings of runs that ended badly: lost workers, killed processes, truncated or damaged traces.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Random } from '../../bench/savina/random.ts';
import { inSoak } from '../../scripts/test-run/soak.ts';
import {
  differences,
  traceEvents,
  FIXTURES,
  PROGRAMS,
  record,
  recordingIn,
  replay,
  type TurntableResult,
} from './record-and-replay.ts';
import { FLAGS, REGISTER } from '../../scripts/tested-form.ts';
import { unendRecording } from '../recordings/edit-manifest.ts';

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
let count = 0;
const fresh = (): string => join(directory, `${++count}`);
const CUTS = Number(process.env['TURNTABLE_CUTS'] ?? inSoak(2, 3));

it('replays the loss of workers and the run of their replacements', () => {
  const into = fresh();
  const recorded = record(into, ['mortal.ts']);
  expect(recorded.stdout).toMatch(/^one 50 [^]*\nclosed\n$/);
  expect(recorded.stdout.match(/TT_ACTOR_LOST/g)?.length).toBeGreaterThanOrEqual(7);
  const replayResult = replay(into);
  expect(
    { ...replayResult.report, verdict: replayResult.report.verdict }.verdict,
    JSON.stringify(replayResult.report.divergence),
  ).toBe('same');
  expect(replayResult.output.replaceAll(/^\(node.*\n|^\(Use.*\n/gm, '')).toBe(recorded.stdout);
});

it('replays the loss of the workers that ran out of memory, whatever memory the replay itself needs', () => {
  const into = fresh();
  const recorded = record(into, ['hogging.ts']);
  expect(recorded.stdout.match(/out of memory$/gm)?.length).toBe(2);
  const replayResult = replay(into);
  expect(replayResult.report.verdict, JSON.stringify(replayResult.report.divergence)).toBe('same');
  expect(replayResult.output.match(/^(?:1000|Hog#.*)$/gm)).toEqual(recorded.stdout.match(/^(?:1000|Hog#.*)$/gm));
  // The start of the actor and its first call, but not the call that ran out of memory.
  const lostWorkers = replayResult.report.workers.filter(({ worker, epoch }) => worker > 0 && epoch === 0);
  expect(lostWorkers).toMatchObject([1, 2].map((worker) => ({ worker, stopReason: 'cut off', turns: 2 })));
});

it('replays the loss of a worker whose replacement had no time to start', () => {
  const into = fresh();
  const recorded = record(into, ['leaving-at-loss.ts']);
  expect(recorded.stdout).toContain('worker 1 has ended');
  expect(differences(recorded, replay(into))).toEqual([]);
});

it('replays workers that print after the end of the main program', () => {
  const into = fresh();
  record(into, ['printing-past-end.ts']);
  const { report, output } = replay(into);
  expect({ verdict: report.verdict, missing: report.missingThreads }).toEqual({ verdict: 'same', missing: [] });
  expect(output).toContain('printed by worker 1');
});

it('waits for workers that were busy when the process ended, however long they are silent', () => {
  const into = fresh();
  record(into, ['exiting.ts']);
  const { report } = replay(into);
  expect({ verdict: report.verdict, missing: report.missingThreads }).toEqual({ verdict: 'same', missing: [] });
  expect(report.workers.find(({ worker }) => worker === 1)?.events).toBe(traceEvents(recordingIn(into), 1).length);
});

describe('a process that was killed', () => {
  it('replays to its last recorded event, from the start and from its last snapshot, with equal states', async () => {
    const into = fresh();
    const hooks = [...FLAGS, '--import', REGISTER];
    const child = spawn(process.execPath, [...hooks, 'giving.ts'], {
      cwd: FIXTURES,
      env: { ...process.env, TURNTABLE_RECORDINGS: into, TURNTABLE_TRACE: '1' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let printed = '';
    for await (const text of child.stdout.setEncoding('utf8'))
      if ((printed += String(text)).split('\n').length > 12) break;
    child.kill('SIGKILL');
    await once(child, 'exit');
    const { report, output } = replay(into);
    expect({ verdict: report.verdict, different: report.cuts.different }, JSON.stringify(report.divergence)).toEqual({
      verdict: 'truncated',
      different: [],
    });
    expect(report.cuts.compared).toBeGreaterThan(10);
    const [expected, actual] = [printed.split('\n').slice(0, -1), output.split('\n').slice(0, -1)];
    expect(actual.length).toBeGreaterThan(8);
    const commonLines = Math.min(expected.length, actual.length);
    expect(actual.slice(0, commonLines)).toEqual(expected.slice(0, commonLines));
    const from = replay(into, ['--from', '8']);
    expect(from.report.verdict, JSON.stringify(from.report.divergence)).toBe('truncated');
    expect(output.endsWith(from.output)).toBe(true);
  });
});

describe('traces truncated at any byte', () => {
  const into = fresh();
  let recorded: TurntableResult;
  beforeAll(() => void (recorded = record(into, [join(PROGRAMS, 'main.ts'), 'shop', '2', '2', '1'])));

  it.for(Array.from({ length: CUTS }, (_, i) => i))('replay up to the cut: %i', (i) => {
    const random = new Random(7 + i);
    random.spend(20);
    const copy = join(fresh(), 'copy');
    cpSync(recordingIn(into), copy, { recursive: true });
    const files = readdirSync(join(copy, 'traces'));
    const file = join(copy, 'traces', files[random.below(files.length)] as string);
    const { size } = statSync(file);
    truncateSync(file, random.below(size));
    const { report, output } = replay(copy);
    const label = `${file} at ${statSync(file).size} of ${size}: ${JSON.stringify(report.divergence)}`;
    expect(report.verdict, label).toBe('incomplete');
    expect(report.damage[0]).toMatch(/^traces\/\S+ is cut off: it has \d+ of \d+ bytes$/);
    expect(recorded.stdout.startsWith(output), label).toBe(true);
    unendRecording(copy);
    const killed = replay(copy);
    // For the other threads, a worker whose last events are missing was lost, or its process ended.
    const isWhole = killed.report.verdict === 'same' && killed.output === recorded.stdout;
    if (!isWhole) expect(killed.report.verdict, label).toBe('truncated');
    expect(killed.output).toBe(output);
  });

  it('replay in full when nothing was cut off', () => {
    expect(differences(recorded, replay(into))).toEqual([]);
  });
});
