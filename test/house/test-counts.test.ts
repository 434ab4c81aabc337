import { describe, expect, test } from 'vitest';
import { add, closingLine, countsOf } from '../../scripts/test-counts.ts';

const file = (status: string, ...tests: string[]) => ({
  status,
  assertionResults: tests.map((each) => ({ status: each })),
});

describe('the counts of a test run', () => {
  test('add up passed, failed and all kinds of skipped tests over files', () => {
    const report = { testResults: [file('passed', 'passed', 'pending', 'todo'), file('failed', 'passed', 'failed')] };
    expect(countsOf(report, 1)).toEqual({ passed: 2, failed: 1, skipped: 2 });
  });

  test('hold a failure for a file that could not be loaded', () => {
    expect(countsOf({ testResults: [file('passed', 'passed'), file('failed')] }, 1)).toMatchObject({ failed: 1 });
  });

  test('hold a failure for a run that ends badly although every test passed', () => {
    expect(countsOf({ testResults: [file('passed', 'passed')] }, 1)).toEqual({ passed: 1, failed: 1, skipped: 0 });
  });

  test('hold a failure for a run that leaves no report, or is killed', () => {
    expect(countsOf(undefined, 1).failed).toBe(1);
    expect(countsOf(undefined, null).failed).toBe(1);
  });

  test('close with one plain line, which names skipped tests only if there are any', () => {
    const counts = add({ passed: 2, failed: 0, skipped: 0 }, { passed: 3, failed: 1, skipped: 0 });
    expect(closingLine(counts)).toBe('5 passed, 1 failed');
    expect(closingLine({ ...counts, skipped: 4 })).toBe('5 passed, 1 failed, 4 skipped');
  });
});
