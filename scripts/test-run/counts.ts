// Counts of a test run. A test file that cannot be loaded, an error outside of any test, and a run without a report
// count as one failure at least: the counts never look better than the run was.
import type { RunReport } from './report.ts';

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export function add(a: Counts, b: Counts): Counts {
  return { passed: a.passed + b.passed, failed: a.failed + b.failed, skipped: a.skipped + b.skipped };
}

/** @param isBroken whether Vitest ended badly for a reason that its report does not tell */
export function countsOf(report: RunReport | undefined, isBroken: boolean): Counts {
  let [passed, failed, skipped] = [0, isBroken ? 1 : 0, 0];
  for (const file of report?.files ?? []) {
    const before = failed;
    for (const { state } of file.tests) {
      if (state === 'passed') passed++;
      else if (state === 'failed') failed++;
      else skipped++;
    }
    if (file.state === 'failed' && failed === before) failed++;
  }
  if (report !== undefined && report.errorsOutsideTests.length > 0) failed++;
  return { passed, failed, skipped };
}

/** The plain line that closes a run. */
export function closingLine({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed` + (skipped > 0 ? `, ${skipped} skipped` : '');
}
