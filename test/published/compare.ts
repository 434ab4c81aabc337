// What a file of tests says in one way beside what it says on Node alone; of what was recorded also whether it runs again, and says so.
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
  /** So many tests said the same on Node alone. */
  readonly same: number;
  /** A line for each that did not, and for what else was not as it should be. */
  readonly different: readonly string[];
  /** Where the recording is, if something is wrong with it. */
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
    if (mode === 'plain' || mode === 'again') continue;
    compared.push(...(await compareInMode(mode, subject, plain, modes)));
  }
  // What says nothing says it everywhere.
  if (plain.tests.length === 0)
    compared.push({ mode: 'plain', same: 0, different: [`no test is told of on Node alone: ended with ${plain.end}`] });
  const failing = plain.tests.filter(({ outcome }) => outcome === 'failed').length;
  return { file: subject.file, tests: plain.tests.length, failing, compared };
}

async function compareInMode(
  mode: Exclude<PublishedRunMode, 'plain' | 'again'>,
  subject: TestFile,
  plain: TestRun,
  modes: readonly PublishedRunMode[],
): Promise<ModeComparison[]> {
  if (mode !== 'recorded') return [{ mode, ...compareRuns(plain, await runTests(mode, subject)) }];
  const recordings = mkdtempSync(join(tmpdir(), 'turntable-published-'));
  const recorded = await runTests(mode, subject, recordings);
  const found: ModeComparison[] = [{ mode, ...compareRuns(plain, recorded) }];
  if (modes.includes('again'))
    found.push({ mode: 'again', ...compareReplay(recorded, await replayTests(recordings, subject.style)) });
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
    if (foundCount < times) different.push(`not there: ${test}`);
  }
  for (const [test, times] of actualCounts)
    if (times > (expectedCounts.get(test) ?? 0)) different.push(`instead: ${test}`);
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

/** What Node's runner of tests has said is shown as what the outside has printed. */
function compareReplay(recorded: TestRun, replay: ReplayedTestRun): Pick<ModeComparison, 'same' | 'different'> {
  const { report } = replay;
  if (report === undefined) return { same: 0, different: [`nothing was said of it: ${replay.end}`] };
  const { same, different } = compareRuns(recorded, { ...replay, end: recorded.end });
  const verdictLines =
    report.verdict === 'same'
      ? []
      : [`${report.verdict}: ${JSON.stringify(report.divergence ?? report.missingThreads)}`];
  const states = report.cuts.different.map(([phase, worker]) => `state of worker ${worker} in snapshot ${phase}`);
  return { same, different: [...verdictLines, ...states, ...different] };
}
