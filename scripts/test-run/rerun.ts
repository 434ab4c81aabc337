// Reruns of failed test files: each file that may be flaky is rerun alone. If the rerun passes, its report replaces the
// first one.
import { reasonsNotFlaky, type Reason } from './flaky.ts';
import type { FileReport, RunReport } from './report.ts';

/**
 * With more failed files than this, none is rerun. More than `MAX_FLAKY_FILES` failed files fail the run whether their
 * reruns pass or not, so the reruns would only cost time.
 */
export const MAX_RERUNS = 12;

/**
 * Result of one Vitest run: its report, undefined if it crashed before it wrote one; its exit code, null after a
 * signal.
 */
export interface VitestRun {
  readonly report: RunReport | undefined;
  readonly exitCode: number | null;
}

export interface SecondRun {
  readonly first: FileReport;
  /** Undefined if the file was not rerun, or left no report. */
  readonly second: FileReport | undefined;
  readonly reasons: readonly Reason[];
}

export interface RerunResult {
  /** The report with the second run of each flaky file. */
  readonly report: RunReport | undefined;
  /** Whether the run left no report, or one that does not explain how Vitest ended. */
  readonly isBroken: boolean;
  readonly flaky: readonly SecondRun[];
  readonly failed: readonly SecondRun[];
}

export function rerunFailures({ report, exitCode }: VitestRun, runAgain: (file: FileReport) => VitestRun): RerunResult {
  if (report === undefined || !isExplained(report, exitCode)) return { report, isBroken: true, flaky: [], failed: [] };
  const failures = report.files.filter(({ state }) => state === 'failed');
  const isTooMany = failures.length > MAX_RERUNS;
  const all = failures.map((first): SecondRun => {
    const reasons = reasonsNotFlaky(first);
    const second = isTooMany || reasons.length > 0 ? undefined : onlyFile(runAgain(first), first.file);
    return { first, second, reasons };
  });
  const flaky = all.filter(({ second }) => second?.state === 'passed');
  const seconds = new Map(flaky.map(({ first, second }) => [first, second]));
  return {
    report: { ...report, files: report.files.map((file) => seconds.get(file) ?? file) },
    isBroken: false,
    flaky,
    failed: all.filter((each) => !flaky.includes(each)),
  };
}

function isExplained({ files, errorsOutsideTests }: RunReport, exitCode: number | null): boolean {
  const hasFailed = errorsOutsideTests.length > 0 || files.some(({ state }) => state === 'failed');
  return exitCode === 0 || (exitCode !== null && hasFailed);
}

/** The report of a second run, if that run itself was in order. */
function onlyFile({ report, exitCode }: VitestRun, file: string): FileReport | undefined {
  if (report === undefined || report.errorsOutsideTests.length > 0 || !isExplained(report, exitCode)) return undefined;
  return report.files.find((each) => each.file === file);
}
