// What a test run came to. A test file that cannot be loaded, an error outside any test, and a run that leaves no report
// all count as one failure at least: the counts never look better than the run was.

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** The parts of Vitest's JSON report that are read here. */
export interface Report {
  readonly testResults: readonly {
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string }[];
  }[];
}

export function add(a: Counts, b: Counts): Counts {
  return { passed: a.passed + b.passed, failed: a.failed + b.failed, skipped: a.skipped + b.skipped };
}

export function countsOf(report: Report | undefined, exitCode: number | null): Counts {
  let [passed, failed, skipped] = [0, 0, 0];
  for (const file of report?.testResults ?? []) {
    const before = failed;
    for (const { status } of file.assertionResults) {
      if (status === 'passed') passed++;
      else if (status === 'failed') failed++;
      else skipped++;
    }
    if (file.status === 'failed' && failed === before) failed++;
  }
  if (exitCode !== 0 && failed === 0) failed++;
  return { passed, failed, skipped };
}

/** The plain line that closes a run. */
export function closingLine({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed` + (skipped > 0 ? `, ${skipped} skipped` : '');
}
