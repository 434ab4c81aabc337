// Runs `npm test` on fixtures/test-run, whose files fail in each way that decides whether a file is flaky.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { root } from '../../scripts/node-release.mjs';
import type { Reason } from '../../scripts/test-run/flaky.ts';

const FOLDER = 'test/house/fixtures/test-run';
const MAJOR = Number.parseInt(process.versions.node, 10);
const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

interface Run {
  readonly status: number | null;
  readonly output: string;
  /** Lines of standard output, last one first. */
  readonly last: readonly string[];
  readonly state: string;
  readonly kept: (file: string) => string;
}

function npmTest(pattern: string): Run {
  const [state, results] = ['state-', 'results-'].map((name) => mkdtempSync(join(directory, name))) as [string, string];
  const { TURNTABLE_TEST_RUN: _run, TURNTABLE_TEST_REPORT: _report, ...environment } = process.env;
  const args = ['--node', String(MAJOR), '--results', results, '--config', `${FOLDER}/vitest.config.ts`];
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/test.ts', ...args, `${FOLDER}/${pattern}`], {
    cwd: root,
    encoding: 'utf8',
    env: { ...environment, FIXTURE_STATE: state, NO_COLOR: '1' },
  });
  const kept = (file: string): string => join(results, 'kept', `node-${MAJOR}`, FOLDER, pattern, file);
  return { status, output: stdout + stderr, last: stdout.trimEnd().split('\n').toReversed(), state, kept };
}

const flakyLines = ({ last }: Run): string[] =>
  last.filter((line) => line.startsWith('flaky: ')).map((line) => line.slice(`flaky: ${FOLDER}/`.length));

describe('npm test', { timeout: 120_000 }, () => {
  const kinds = npmTest('kinds/');
  const many = npmTest('many/');

  it('lists files whose rerun passes as flaky, above the last line', () => {
    const files = ['expected-signal', 'fails-once', 'timeout-nothing-left'].map((name) => `kinds/${name}.test.ts`);
    expect(flakyLines(kinds).toSorted(), kinds.output).toEqual(files);
    expect(kinds.last.slice(1, 4).every((line) => line.startsWith('flaky: '))).toBe(true);
  });

  it('counts the rerun of a flaky file and prints the counts last', () => {
    expect(kinds.last[0]).toBe('5 passed, 8 failed');
    expect(kinds.status).toBe(1);
  });

  it.for<[string, Reason]>([
    ['divergence', 'divergence'],
    ['state-mismatch', 'state-mismatch'],
    ['unexpected-signal', 'unexpected-signal'],
    ['signal-while-loading', 'unexpected-signal'],
    ['hang-detector', 'hang-detector'],
    ['leak', 'leak'],
    ['timeout-process-left', 'process-left-after-timeout'],
  ])('does not count %s as flaky', ([name, reason]) => {
    const file = `${FOLDER}/kinds/${name}.test.ts`;
    expect(kinds.output).toContain(`${file} failed, never flaky for ${reason};`);
    expect(kinds.output).not.toContain(`flaky: ${file}`);
  });

  it('reruns a failed file only once', () => {
    const file = `${FOLDER}/kinds/fails-twice.test.ts`;
    expect(kinds.output.split(`${file} failed; rerunning it alone`)).toHaveLength(2);
    expect(kinds.output).toContain(`${file} failed, failed when rerun alone;`);
  });

  it('gives each file a temporary directory with the permissions of /tmp', () => {
    expect(kinds.output).toContain(`✓ ${FOLDER}/kinds/open-directory.test.ts`);
  });

  it('kills processes left by a failed file', () => {
    const pid = Number(readFileSync(join(kinds.state, 'left.pid'), 'utf8'));
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });

  it('keeps the output of both runs', () => {
    const [first, second] = ['first.txt', 'second.txt'].map((name) =>
      readFileSync(join(kinds.kept('fails-once.test.ts'), name), 'utf8'),
    ) as [string, string];
    for (const text of [first, second]) expect(text).toContain('said by a child');
    expect(first).toContain('in the test "passes when it is rerun": AssertionError: expected true to be false');
    expect(second).toMatch(/: passed\n/);
  });

  it('keeps the recording of a failed test that deletes it', () => {
    const deleted = join(kinds.kept('fails-once.test.ts'), 'scratch/deleted');
    const [name] = readdirSync(deleted);
    expect(readFileSync(join(deleted, String(name), 'recording.txt'), 'utf8')).toBe('a recording');
  });

  it('fails with more than three flaky files', () => {
    expect(flakyLines(many), many.output).toHaveLength(4);
    expect(many.last[0]).toBe('4 passed, 1 failed');
    expect(many.output).toContain('4 test files are flaky; more than 3 fail the run');
    expect(many.status).toBe(1);
  });
});
