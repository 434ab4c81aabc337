// Failures of a test file that can never count as flaky, decided from reports alone; `test-run.test.ts` runs real
// files.
import { describe, expect, test } from 'vitest';
import { RuntimeError } from '../../packages/runtime/src/runtime-error.ts';
import { formatReplayReport, type ReplayReport } from '../../packages/replayer/src/replay/replay-report.ts';
import { hungThreadsText } from '../../packages/replayer/src/replay/hung-threads-text.ts';
import { reasonsNotFlaky } from '../../scripts/test-run/flaky.ts';
import { checkForLeaks } from '../../scripts/test-run/leak-check.ts';
import type { ChildReport, ErrorReport } from '../../scripts/test-run/report.ts';
import { MAX_RERUNS, rerunFailures } from '../../scripts/test-run/rerun.ts';
import { createErrorReport, createFileReport, createRunReport, createTestReport } from './reports.ts';

const reasonsOf = (...errors: Partial<ErrorReport>[]) =>
  reasonsNotFlaky(createFileReport({ tests: [createTestReport({ errors: errors.map(createErrorReport) })] }));

/** The report of `turntable replay` on a recording with two workers. */
const replayed: ReplayReport = {
  verdict: 'same',
  recording: 'recordings/1',
  from: null,
  code: 'recorded',
  events: 3,
  turns: 2,
  messages: 1,
  cuts: { compared: 1, different: [] },
  milliseconds: 10,
  damage: [],
  unseenOutput: [],
  otherOutput: null,
  workers: [],
  missingThreads: [],
  hungThreads: [],
  until: null,
  reached: null,
  wasRecordingStopped: false,
  exitSignal: null,
  divergence: null,
};
const different: ReplayReport = { ...replayed, cuts: { compared: 1, different: [[2, 0]] } };
const diverged: ReplayReport = { ...replayed, verdict: 'diverged' };
const hungThreads = [{ worker: 1, epoch: 0, tasks: 3 }];

describe('output of the product', () => {
  test('about a replay without divergence is no reason', () => {
    for (const text of [formatReplayReport(replayed), JSON.stringify(replayed), JSON.stringify(replayed, null, 2)])
      expect(reasonsOf({ message: text })).toEqual([]);
  });

  test('about a divergence is a reason, as text, JSON, error code, and in the diff of an assertion', () => {
    for (const text of [formatReplayReport(diverged), JSON.stringify(diverged)])
      expect(reasonsOf({ message: text })).toEqual(['divergence']);
    const { code, message } = new RuntimeError('TT_DIVERGED', 'event 3 of the trace');
    expect(reasonsOf({ code, message })).toEqual(['divergence']);
    expect(reasonsOf({ diff: `- "verdict": "same",\n+ "verdict": "${diverged.verdict}",` })).toEqual(['divergence']);
  });

  test('about different states is a reason, as text, JSON and in the diff of an assertion', () => {
    for (const text of [formatReplayReport(different), JSON.stringify(different), JSON.stringify(different, null, 2)])
      expect(reasonsOf({ message: text })).toEqual(['state-mismatch']);
    const diff =
      '-   "different": [],\n+   "different": Array [\n+     Array [\n+       2,\n+       0,\n+     ],\n+   ],';
    expect(reasonsOf({ diff })).toEqual(['state-mismatch']);
    expect(reasonsOf({ expected: '3f2c91d07ab84e55', actual: '77e0b1f6d2a9c348' })).toEqual(['state-mismatch']);
  });

  test('about hung threads is a reason, as text and as JSON', () => {
    expect(reasonsOf({ message: hungThreadsText(hungThreads) })).toEqual(['hang-detector']);
    expect(reasonsOf({ message: JSON.stringify({ ...replayed, hungThreads }) })).toEqual(['hang-detector']);
    const missing: ReplayReport = { ...replayed, verdict: 'truncated', missingThreads: ['1.0'] };
    expect(reasonsOf({ message: formatReplayReport(missing) })).toEqual(['hang-detector']);
  });
});

describe('a signal that ends a child', () => {
  const child = (more: Partial<ChildReport>): ChildReport => ({
    pid: 7,
    command: 'node program.ts',
    hasEnded: true,
    endedDuring: ['1'],
    code: null,
    signal: 'SIGKILL',
    wasKilled: false,
    ...more,
  });
  const withChild = (more: Partial<ChildReport>) =>
    reasonsNotFlaky(createFileReport({ tests: [createTestReport({})], children: [child(more)] }));

  test('is a reason unless the test sent it', () => {
    expect(withChild({})).toEqual(['unexpected-signal']);
    expect(withChild({ wasKilled: true })).toEqual([]);
    expect(withChild({ signal: null, code: 1 })).toEqual([]);
  });

  test('is a reason when the test throws it in an error, unless the test sent it', () => {
    expect(reasonsOf({ signal: 'SIGTERM' })).toEqual(['unexpected-signal']);
    expect(reasonsOf({ signal: 'SIGTERM', wasKilled: true })).toEqual([]);
  });

  test('is no reason if a passed test ended that child, since it expects the signal', () => {
    const passed = createTestReport({ id: 'passed', state: 'passed' });
    const children = [child({ endedDuring: ['passed'] })];
    expect(reasonsNotFlaky(createFileReport({ tests: [passed, createTestReport({})], children }))).toEqual([]);
  });

  test('is a reason even if only its name is known', () => {
    expect(reasonsOf({ message: 'the program ended with SIGSEGV' })).toEqual(['unexpected-signal']);
  });
});

test('a failed leak check is a reason, and carries the message of its assertion', () => {
  let caught: unknown;
  try {
    checkForLeaks(() => expect(8).toBeLessThanOrEqual(2));
  } catch (error) {
    caught = error;
  }
  const { code, message } = caught as ErrorReport;
  expect(message).toMatch(/8.*2/);
  expect(reasonsOf({ code })).toEqual(['leak']);
});

describe('a timeout', () => {
  const timeout = createErrorReport({ name: 'TestTimeoutError', message: 'Test timed out in 60000ms.' });
  const left = (processesLeft: ReturnType<typeof createFileReport>['processesLeft'], error = timeout) =>
    reasonsNotFlaky(createFileReport({ tests: [createTestReport({ errors: [error] })], processesLeft }));

  test('is a reason if a process is left, or if the system cannot tell', () => {
    expect(left([{ pid: 7, command: 'node program.ts' }])).toEqual(['process-left-after-timeout']);
    expect(left(undefined)).toEqual(['process-left-after-timeout']);
    expect(left([])).toEqual([]);
  });

  test('of a hook counts, and other failures do not', () => {
    const process = [{ pid: 7, command: 'node program.ts' }];
    expect(left(process, createErrorReport({ message: 'Hook timed out in 60000ms.' }))).toEqual([
      'process-left-after-timeout',
    ]);
    expect(left(process, createErrorReport({ message: 'expected 1 to be 2' }))).toEqual([]);
  });
});

describe('output of a test file', () => {
  const tests = [createTestReport({ id: 'passed', state: 'passed' }), createTestReport({ id: 'failed' })];
  const printed = (...during: string[]) =>
    reasonsNotFlaky(
      createFileReport({ tests, output: [{ source: 'stderr of 7', at: 0, during, text: 'TT_DIVERGED: event 3' }] }),
    );

  test('counts during failed tests and hooks, not during passed tests, which expect it', () => {
    expect(printed('failed')).toEqual(['divergence']);
    expect(printed('passed', 'failed')).toEqual(['divergence']);
    expect(printed()).toEqual(['divergence']);
    expect(printed('passed')).toEqual([]);
  });
});

describe('a failed file', () => {
  const passed = { report: createRunReport([createFileReport({ state: 'passed' })]), exitCode: 0 };

  test('is rerun if it may be flaky, and not if a reason rules that out', () => {
    const candidate = createFileReport({
      tests: [createTestReport({ errors: [createErrorReport({ message: 'expected 1 to be 2' })] })],
    });
    const divergent = createFileReport({
      file: 'test/b.test.ts',
      errors: [createErrorReport({ code: 'TT_DIVERGED' })],
    });
    const rerunFiles: string[] = [];
    const { flaky, failed } = rerunFailures(
      { report: createRunReport([candidate, divergent]), exitCode: 1 },
      ({ file }) => {
        rerunFiles.push(file);
        return passed;
      },
    );
    expect(rerunFiles).toEqual(['test/a.test.ts']);
    expect(flaky.map(({ first }) => first.file)).toEqual(['test/a.test.ts']);
    expect(failed.map(({ first, reasons }) => [first.file, reasons])).toEqual([['test/b.test.ts', ['divergence']]]);
  });

  test('stays failed if its rerun fails, ends with an error, or does not include it', () => {
    const second = [
      { report: createRunReport([createFileReport({})]), exitCode: 1 },
      { ...passed, exitCode: 1 },
      { ...passed, exitCode: null },
      {
        ...passed,
        report: createRunReport([createFileReport({ state: 'passed' })], [createErrorReport({})]),
        exitCode: 1,
      },
      { ...passed, report: createRunReport([]) },
      { report: undefined, exitCode: 0 },
    ];
    for (const each of second) {
      const { flaky, report } = rerunFailures(
        { report: createRunReport([createFileReport({})]), exitCode: 1 },
        () => each,
      );
      expect(flaky).toEqual([]);
      expect(report?.files.map(({ state }) => state)).toEqual(['failed']);
    }
  });

  test('is not rerun if too many files failed for the run to pass', () => {
    const files = Array.from({ length: MAX_RERUNS + 1 }, (_, i) => createFileReport({ file: `test/${i}.test.ts` }));
    const { failed } = rerunFailures({ report: createRunReport(files), exitCode: 1 }, () => expect.unreachable());
    expect(failed).toHaveLength(MAX_RERUNS + 1);
  });
});
