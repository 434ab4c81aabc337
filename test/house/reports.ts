// Builds reports of test files and runs from the parts that a test cares about.
import type { ErrorReport, FileReport, RunReport, TestReport } from '../../scripts/test-run/report.ts';

export function createErrorReport(error: Partial<ErrorReport>): ErrorReport {
  const empty = { stack: '', diff: '', code: undefined, signal: undefined, wasKilled: false };
  return { name: 'Error', message: '', expected: undefined, actual: undefined, ...empty, ...error };
}

export function createTestReport(test: Partial<TestReport>): TestReport {
  return { id: '1', name: 'a test', state: 'failed', durationMs: 100, errors: [], ...test };
}

export function createFileReport(file: Partial<FileReport>): FileReport {
  const nothing = { tests: [], errors: [], output: [], children: [], processesLeft: [] };
  return { file: 'test/a.test.ts', node: 24, state: 'failed', durationMs: 0, ...nothing, ...file };
}

export function createRunReport(
  files: readonly FileReport[],
  errorsOutsideTests: readonly ErrorReport[] = [],
): RunReport {
  return { files, errorsOutsideTests };
}
