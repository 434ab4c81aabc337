// Recorded programs that lose workers, whose actors come back with the state that they had in the last snapshot, beside all others.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';

const FIXTURES = fileURLToPath(new URL('fixtures/', import.meta.url));
const CLI = fileURLToPath(new URL('../../packages/turntable/src/cli.ts', import.meta.url));

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
let count = 0;

interface RunResult {
  /** What it has said. */
  readonly lines: readonly string[];
  /** What it was warned of: codes and texts. */
  readonly warnings: readonly string[];
}

const settings = { ...process.env, NODE_OPTIONS: '', NO_COLOR: '1' };

function turntable(...args: readonly string[]): RunResult {
  const { stdout, stderr, status } = spawnSync(process.execPath, ['-C', 'turntable-source', CLI, ...args], {
    cwd: FIXTURES,
    encoding: 'utf8',
    env: settings,
  });
  const stderrLines = stderr
    .trim()
    .split('\n')
    .filter((line) => !line.startsWith('(Use `node'));
  expect({
    status,
    said: stderrLines.filter((line) => !/^\(node:\d+\) \[\w+\] Warning: /.test(line) && line !== ''),
  }).toEqual({
    status: 0,
    said: [],
  });
  const warnings = stderrLines.map((line) => line.replace(/^\(node:\d+\) /, '').replaceAll(directory, ''));
  return { lines: stdout.trim().split('\n'), warnings };
}

/** Runs a program that is recorded. */
function run(fixture: string, ...args: readonly string[]): RunResult {
  return turntable('run', '--recordings', join(directory, `recordings ${++count}`), fixture, ...args);
}

const aftermath = 'its actors are lost; supervised actors are restarted or restored';

describe('an actor that is supervised by restoring it', () => {
  it('is what it was in the last snapshot, however its worker was lost, and however often', () => {
    const { lines, warnings } = run('revived.ts');
    const exit = 'worker 1 has ended: process.exit(3)';
    const earlier = `TT_ACTOR_LOST this object belonged to an earlier life of`;
    expect(lines).toEqual([
      'snapshot 1',
      `exit: TT_ACTOR_LOST one is lost: ${exit}`,
      `waits: TT_ACTOR_LOST one is lost: ${exit}`,
      'one: one 10 [told]',
      `has heard: one was restored, and what it was waiting for then is not answered any more: ${exit}`,
      'by two: 11',
      'two: 11',
      'lent by two: 1',
      'one made anew: 1',
      `one that is lost: TT_ACTOR_LOST actor 4 is lost: ${exit}`,
      `lost: TT_ACTOR_LOST lost is lost: ${exit}`,
      `lent before: ${earlier} one: ${exit}`,
      'lent before, to itself: false ActorLostError: this object, a Counter, belonged to an earlier life of actor 1: its worker has ended since',
      'lent now: 1',
      'ticking: true',
      'throws: TT_ACTOR_LOST one is lost: worker 1 has ended: a timer has failed',
      'one: 10',
      'snapshot 2',
      'hoards: TT_ACTOR_LOST two is lost: worker 2 has ended: it was out of memory',
      'two: 11',
      'exit: TT_ACTOR_LOST one is lost: worker 1 has ended: process.exit(4)',
      'one: 110',
      'two: 12',
      'closed true',
    ]);
    expect(warnings).toEqual([
      `[TT_ACTOR_LOST] Warning: ${exit}; ${aftermath}`,
      `[TT_ACTOR_LOST] Warning: worker 1 has ended: a timer has failed; ${aftermath}`,
      `[TT_ACTOR_LOST] Warning: worker 2 has ended: it was out of memory; ${aftermath}`,
      `[TT_ACTOR_LOST] Warning: worker 1 has ended: process.exit(4); ${aftermath}`,
    ]);
  });
});

describe('what an actor has spawned', () => {
  const lines = [
    'snapshot 1',
    'beside: 101',
    'alone: TT_ACTOR_LOST actor 2@1 is lost: worker 1 has ended: process.exit(0)',
    'elsewhere: 111',
    'stopped: TT_ACTOR_STOPPED Counter#4@1 has been stopped; it takes no more messages',
    'beside: 101',
    'main: 11',
    'elsewhere: 1001',
    'stopped: TT_ACTOR_LOST actor 4@1 is lost: worker 2 has ended: process.exit(1)',
  ];
  const later = ['snapshot 2', 'beside: 102', 'elsewhere: 1002', 'beside: 101', 'elsewhere: 1002', 'closed true'];

  it('comes back with it if it lived beside it and is to be restored, and is supervised again if it lives elsewhere', () => {
    const first = run('families.ts');
    expect(first.lines).toEqual([...lines, ...later]);
    // Where it goes on, though nothing is recorded there.
    const restoredRun = turntable('restore', join(directory, `recordings ${count}`));
    expect(restoredRun.lines).toEqual(later);
    expect([first, restoredRun].map(({ warnings }) => warnings.length)).toEqual([3, 1]);
  });
});

describe('an actor that cannot be restored', () => {
  const forgotten = (reason: string, subject = 'one was'): string =>
    `[TT_NOT_RESTORED] Warning: ${subject} restarted without the earlier state: ${reason}`;
  const ended = `[TT_ACTOR_LOST] Warning: worker 1 has ended: process.exit(0); ${aftermath}`;

  it('is made anew, and one warning says why: nothing is recorded', () => {
    expect(turntable('run', 'not-revived.ts', 'not recorded')).toEqual({
      lines: ['one: 100', 'held: 1', 'closed true'],
      warnings: [ended, forgotten('this program is not recorded; start it with --recordings DIR')],
    });
  });

  it('the same if there is no snapshot yet', () => {
    expect(run('not-revived.ts', 'without snapshots')).toEqual({
      lines: ['one: 100', 'held: 1', 'closed true'],
      warnings: [
        ended,
        forgotten(
          'there is no complete snapshot yet; take some regularly (--snapshots every=30s), or call app.snapshot()',
        ),
      ],
    });
  });

  it('is restored from an older one if the last is damaged, and made anew if it was spawned after that', () => {
    expect(run('not-revived.ts', 'a damaged one')).toEqual({
      lines: ['one: 101', 'late: 100', 'held: 1', 'closed true'],
      warnings: [ended, forgotten('snapshot 1 does not have them', 'late was')],
    });
  });

  it('is made anew, by a worker that has none of the old state, if the code is no longer what it was', () => {
    const copy = join(directory, 'copy');
    cpSync(FIXTURES, copy, { recursive: true });
    symlinkSync(fileURLToPath(new URL('../../node_modules', import.meta.url)), join(copy, 'node_modules'));
    const { lines, warnings } = run(join(copy, 'not-revived.ts'), 'changed code');
    const reason = /counters\.ts/;
    // What was asked meanwhile is asked of the one that could not be restored.
    expect(lines).toEqual([expect.stringMatching(reason), 'one: 100', 'held: 1', 'closed true']);
    expect(warnings).toEqual([ended, expect.stringMatching(reason), expect.stringMatching(reason)]);
  });

  it('is restored from the last whole one if it dies while another one is taken', () => {
    const { lines } = run('not-revived.ts', 'in a snapshot');
    // Of the one before, or of the one that was whole by then.
    expect(lines).toEqual([expect.stringMatching(/^one: 1[01]1$/), 'true', 'held: 1', 'closed true']);
  });
});
