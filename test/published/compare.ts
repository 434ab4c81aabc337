// Compares the results of a test file in one mode with those on Node alone. For a recorded run, also compares its
// replay.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  runTests,
  replayTests,
  type ReplayedTestRun,
  type TestRun,
  type TestFile,
  type PublishedRunMode,
} from './run-modes.ts';

export interface ModeComparison {
  readonly mode: PublishedRunMode;
  /** Number of tests with the same result as on Node alone. */
  readonly same: number;
  /** One line for each test that differs, and for other problems. */
  readonly different: readonly string[];
  /** Directory of the recording, kept if there is a problem with it. */
  readonly keptRecording?: string;
}

export interface FileReport {
  readonly file: string;
  readonly tests: number;
  /** Tests that failed on Node alone. */
  readonly failing: number;
  readonly compared: readonly ModeComparison[];
}

export async function compareFile(modes: readonly PublishedRunMode[], subject: TestFile): Promise<FileReport> {
  const plain = await runTests('plain', subject);
  const compared: ModeComparison[] = [];
  for (const mode of modes) {
    if (mode === 'plain' || mode === 'replayed') continue;
    compared.push(...(await compareInMode(mode, subject, plain, modes)));
  }
  // A file without results would be the same in every mode.
  if (plain.tests.length === 0)
    compared.push({ mode: 'plain', same: 0, different: [`no test results on Node alone: ended with ${plain.end}`] });
  const failing = plain.tests.filter(({ outcome }) => outcome === 'failed').length;
  return { file: subject.file, tests: plain.tests.length, failing, compared };
}

async function compareInMode(
  mode: Exclude<PublishedRunMode, 'plain' | 'replayed'>,
  subject: TestFile,
  plain: TestRun,
  modes: readonly PublishedRunMode[],
): Promise<ModeComparison[]> {
  if (mode !== 'recorded') return [{ mode, ...compareRuns(plain, await runTests(mode, subject)) }];
  const recordings = mkdtempSync(join(tmpdir(), 'turntable-published-'));
  const recorded = await runTests(mode, subject, recordings);
  const found: ModeComparison[] = [{ mode, ...compareRuns(plain, recorded) }];
  if (modes.includes('replayed'))
    found.push({ mode: 'replayed', ...compareReplay(recorded, await replayTests(recordings, subject.style)) });
  if (found.every(({ different }) => different.length === 0)) rmSync(recordings, { recursive: true, force: true });
  return found.map((each) => (each.different.length === 0 ? each : { ...each, keptRecording: recordings }));
}

function compareRuns(plain: TestRun, testRun: TestRun): Pick<ModeComparison, 'same' | 'different'> {
  const expectedCounts = countTests(plain);
  const actualCounts = countTests(testRun);
  const different: string[] = [];
  let same = 0;
  for (const [test, times] of expectedCounts) {
    const foundCount = Math.min(times, actualCounts.get(test) ?? 0);
    same += foundCount;
    if (foundCount < times) different.push(`missing: ${test}`);
  }
  for (const [test, times] of actualCounts)
    if (times > (expectedCounts.get(test) ?? 0)) different.push(`unexpected: ${test}`);
  if (plain.end !== testRun.end) different.push(`ended with ${testRun.end}, on Node alone with ${plain.end}`);
  return { same, different };
}

function countTests({ tests }: TestRun): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { name, outcome } of tests) {
    const test = `${outcome} ${name}`;
    counts.set(test, (counts.get(test) ?? 0) + 1);
  }
  return counts;
}

/** Compares a recorded run with its replay. Output of Node's test runner counts as output of the host. */
function compareReplay(recorded: TestRun, replay: ReplayedTestRun): Pick<ModeComparison, 'same' | 'different'> {
  const { report } = replay;
  if (report === undefined) return { same: 0, different: [`no replay report: ${replay.end}`] };
  const { same, different } = compareRuns(recorded, { ...replay, end: recorded.end });
  const verdictLines =
    report.verdict === 'same'
      ? []
      : [`${report.verdict}: ${JSON.stringify(report.divergence ?? report.missingThreads)}`];
  const states = report.cuts.different.map(([phase, worker]) => `state of worker ${worker} in snapshot ${phase}`);
  return { same, different: [...verdictLines, ...states, ...different] };
}
