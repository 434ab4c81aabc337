import { describe, expect, test } from 'vitest';
import { add, closingLine, countsOf } from '../../scripts/test-run/counts.ts';
import type { TestState } from '../../scripts/test-run/report.ts';
import { rerunFailures } from '../../scripts/test-run/rerun.ts';
import { createErrorReport, createFileReport, createRunReport, createTestReport } from './reports.ts';

const file = (state: TestState, ...tests: TestState[]) =>
  createFileReport({ state, tests: tests.map((each) => createTestReport({ state: each })) });
const nothing = () => ({ report: undefined, exitCode: 1 });

describe('the counts of a test run', () => {
  test('add up passed, failed and skipped tests over files', () => {
    const report = createRunReport([
      file('passed', 'passed', 'skipped', 'skipped'),
      file('failed', 'passed', 'failed'),
    ]);
    expect(countsOf(report, false)).toEqual({ passed: 2, failed: 1, skipped: 2 });
  });

  test('include a failure for a file that could not be loaded', () => {
    expect(countsOf(createRunReport([file('passed', 'passed'), file('failed')]), false)).toMatchObject({ failed: 1 });
  });

  test('include a failure for an error outside of tests, even if a flaky file explains the exit code', () => {
    const run = {
      report: createRunReport([file('failed', 'failed')], [createErrorReport({ message: 'unhandled' })]),
      exitCode: 1,
    };
    const { report, isBroken, flaky } = rerunFailures(run, () => ({
      report: createRunReport([file('passed', 'passed')]),
      exitCode: 0,
    }));
    expect(flaky).toHaveLength(1);
    expect(countsOf(report, isBroken)).toEqual({ passed: 1, failed: 1, skipped: 0 });
  });

  test('include a failure for a run that ends with an error although every test passed', () => {
    for (const exitCode of [1, null]) {
      const { report, isBroken } = rerunFailures(
        { report: createRunReport([file('passed', 'passed')]), exitCode },
        nothing,
      );
      expect(countsOf(report, isBroken)).toEqual({ passed: 1, failed: 1, skipped: 0 });
    }
  });

  test('include a failure for a run that is killed or leaves no report', () => {
    for (const exitCode of [0, 1, null]) {
      const { report, isBroken } = rerunFailures({ report: undefined, exitCode }, nothing);
      expect(countsOf(report, isBroken).failed).toBe(1);
    }
  });

  test('end with one plain line, which includes skipped tests only if there are any', () => {
    const counts = add({ passed: 2, failed: 0, skipped: 0 }, { passed: 3, failed: 1, skipped: 0 });
    expect(closingLine(counts)).toBe('5 passed, 1 failed');
    expect(closingLine({ ...counts, skipped: 4 })).toBe('5 passed, 1 failed, 4 skipped');
  });
});
