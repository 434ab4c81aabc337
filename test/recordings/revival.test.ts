// Recorded programs that lose workers: supervised actors come back with their state of the last snapshot, while all
// other actors continue.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { CLI, FLAGS } from '../../scripts/tested-form.ts';
import { record, recordingIn, replay } from '../replay/record-and-replay.ts';

const FIXTURES = fileURLToPath(new URL('fixtures/', import.meta.url));

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
let count = 0;

interface RunResult {
  /** Lines of standard output. */
  readonly lines: readonly string[];
  /** Codes and texts of the warnings. */
  readonly warnings: readonly string[];
}

const settings = { ...process.env, NODE_OPTIONS: '', NO_COLOR: '1' };

function turntable(...args: readonly string[]): RunResult {
  const { stdout, stderr, status } = spawnSync(process.execPath, [...FLAGS, CLI, ...args], {
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
    other: stderrLines.filter((line) => !/^\(node:\d+\) \[\w+\] Warning: /.test(line) && line !== ''),
  }).toEqual({
    status: 0,
    other: [],
  });
  const warnings = stderrLines.map((line) => line.replace(/^\(node:\d+\) /, '').replaceAll(directory, ''));
  return { lines: stdout.trim().split('\n'), warnings };
}

/** Runs a program with recording. */
function run(fixture: string, ...args: readonly string[]): RunResult {
  return turntable('run', '--recordings', join(directory, `recordings ${++count}`), fixture, ...args);
}

const aftermath = 'its actors are lost, except supervised ones, which are restarted or restored';

describe('an actor supervised with "restore"', () => {
  it('has its state of the last snapshot, however its worker was lost and however often', () => {
    const { lines, warnings } = run('revived.ts');
    const exit = 'worker 1 has ended: process.exit(3)';
    const earlier = `TT_ACTOR_LOST this object belonged to an earlier epoch of`;
    expect(lines).toEqual([
      'snapshot 1',
      `exit: TT_ACTOR_LOST one is lost: ${exit}`,
      `waits: TT_ACTOR_LOST one is lost: ${exit}`,
      'one: one 10 [told]',
      `has heard: one was restored, and calls that it awaited before that are not answered: ${exit}`,
      'by two: 11',
      'two: 11',
      'lent by two: 1',
      'one restarted: 1',
      `one that is lost: TT_ACTOR_LOST actor 4 is lost: ${exit}`,
      `lost: TT_ACTOR_LOST lost is lost: ${exit}`,
      `lent before: ${earlier} one: ${exit}`,
      'lent before, to itself: false ActorLostError: this object, a Counter, belonged to an earlier epoch of actor 1: its worker has ended since',
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

describe('a spawned actor', () => {
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

  it('is restored together with a supervisor on the same worker, and supervised again by one on another worker', () => {
    const first = run('families.ts');
    expect(first.lines).toEqual([...lines, ...later]);
    // The restored run is not recorded, but supervises them too.
    const restoredRun = turntable('restore', '--trusted', join(directory, `recordings ${count}`));
    expect(restoredRun.lines).toEqual(later);
    expect([first, restoredRun].map(({ warnings }) => warnings.length)).toEqual([3, 1]);
  });
});

describe('an actor that cannot be restored', () => {
  const createdNew = (reason: string, subject = 'one was'): string =>
    `[TT_NOT_RESTORED] Warning: ${subject} restarted without the previous state: ${reason}`;
  const ended = `[TT_ACTOR_LOST] Warning: worker 1 has ended: process.exit(0); ${aftermath}`;

  it('is created new when nothing is recorded, with one warning that says why', () => {
    expect(turntable('run', 'not-revived.ts', 'not recorded')).toEqual({
      lines: ['one: 100', 'held: 1', 'closed true'],
      warnings: [ended, createdNew('this program is not recorded; start it with --recordings DIR')],
    });
  });

  it('is created new when there is no snapshot yet', () => {
    expect(run('not-revived.ts', 'without snapshots')).toEqual({
      lines: ['one: 100', 'held: 1', 'closed true'],
      warnings: [
        ended,
        createdNew('no snapshot is complete yet; take them regularly (--snapshots every=30s), or call app.snapshot()'),
      ],
    });
  });

  it('is restored from an older snapshot when the last one is damaged, or created new if it is not in there', () => {
    expect(run('not-revived.ts', 'a damaged one')).toEqual({
      lines: ['one: 101', 'late: 100', 'held: 1', 'closed true'],
      warnings: [ended, createdNew('snapshot 1 does not have them', 'late was')],
    });
  });

  it('is created new by a clean worker when the code has changed', () => {
    const copy = join(directory, 'copy');
    cpSync(FIXTURES, copy, { recursive: true });
    symlinkSync(fileURLToPath(new URL('../../node_modules', import.meta.url)), join(copy, 'node_modules'));
    const { lines, warnings } = run(join(copy, 'not-revived.ts'), 'changed code');
    const reason = /counters\.ts/;
    // Messages sent meanwhile are rejected with the reason.
    expect(lines).toEqual([expect.stringMatching(reason), 'one: 100', 'held: 1', 'closed true']);
    expect(warnings).toEqual([ended, expect.stringMatching(reason), expect.stringMatching(reason)]);
  });

  it('is restored from the last intact snapshot when it dies while another one is being taken', () => {
    const { lines } = run('not-revived.ts', 'in a snapshot');
    // From the first snapshot, or from the second if that was complete by then.
    expect(lines).toEqual([expect.stringMatching(/^one: 1[01]1$/), 'true', 'held: 1', 'closed true']);
  });
});

describe('a replay restores actors as the recorded run did', () => {
  it.each([
    { run: ['revived.ts'] },
    { run: ['families.ts'] },
    { run: ['not-revived.ts', 'without snapshots'] },
    { run: ['not-revived.ts', 'in a snapshot'] },
    // The damaged snapshot is missing in the comparison of states.
    { run: ['not-revived.ts', 'a damaged one'], verdict: 'incomplete' },
  ])('$run', ({ run: args, verdict = 'same' }) => {
    const recordings = join(directory, `recordings ${++count}`);
    const { stdout } = record(recordings, args, {}, FIXTURES);
    const { output, report } = replay(recordings, [], { NODE_NO_WARNINGS: '1' });
    expect({ output, verdict: report.verdict, divergence: report.divergence }).toEqual({
      output: stdout,
      verdict,
      divergence: null,
    });
  });

  it('unless the snapshot of that time is gone, which is no divergence', () => {
    const recordings = join(directory, `recordings ${++count}`);
    record(recordings, ['families.ts'], {}, FIXTURES);
    rmSync(join(recordingIn(recordings), 'snapshots/0000000001.tts'));
    const { report } = replay(recordings, [], { NODE_NO_WARNINGS: '1' });
    expect({ verdict: report.verdict, divergence: report.divergence, damage: report.damage }).toEqual({
      verdict: 'incomplete',
      divergence: null,
      damage: [
        'snapshots/0000000001.tts is missing',
        'snapshot 1, from which worker 1 was restored, is missing',
        'snapshot 1, from which worker 2 was restored, is missing',
      ],
    });
  });
});
