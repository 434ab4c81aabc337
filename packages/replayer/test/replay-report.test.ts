// Tests the report of a replay: its numbers, and its text for each verdict.
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describeProcess, type Recording } from '@turntable/recording';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Divergence, ReachedEnd, ReplayedWorker, ReplayOutcome } from '../src/replay/replay-outcome.ts';
import {
  createReplayReport,
  findChangedFiles,
  formatReplayReport,
  type ReplayReport,
  type ReportInput,
} from '../src/replay/replay-report.ts';
import type { RecordingCondition } from '../src/replay/verdict.ts';
import type { TurnNote } from '../src/replay/turn-notes.ts';
import { packageRoot, version } from '../src/version.ts';

type Changes = Partial<Omit<ReportInput, 'outcome' | 'condition'>> & {
  readonly outcome?: Partial<ReplayOutcome>;
  readonly condition?: Partial<RecordingCondition>;
};

const MAIN: ReplayedWorker = { worker: 0, epoch: 0, stopReason: 'ended', events: 10, turns: 0, messages: 0 };
const SECOND: ReplayedWorker = { worker: 1, epoch: 0, stopReason: 'ended', events: 5, turns: 3, messages: 2 };

function reportOf({ outcome, condition, ...changes }: Changes = {}): ReplayReport {
  return createReplayReport({
    directory: 'recording',
    from: null,
    code: 'recorded',
    outcome: {
      workers: [MAIN],
      cuts: [],
      missingThreads: [],
      uncomparedReasons: [],
      milliseconds: 1239.6,
      ...outcome,
    },
    changedFiles: [],
    condition: {
      isEnded: true,
      wasStopped: false,
      exitSignal: null,
      missingParts: [],
      unseenOutput: [],
      ...condition,
    },
    manifest: describeProcess({ turntable: version, workers: 0 }),
    ...changes,
  });
}

/** Lines of the report's text. */
const linesOf = (changes: Changes = {}): string[] => formatReplayReport(reportOf(changes)).trimEnd().split('\n');

const cut = (phase: number, worker: number, isSame: boolean) => ({ phase, worker, isSame });

describe('the first line', () => {
  it('has the amounts of all workers, and turns and messages only if there are any', () => {
    expect(linesOf()).toEqual(['same: 10 events, in 1.2 s; no snapshot to compare with']);
    expect(linesOf({ outcome: { workers: [MAIN, SECOND], milliseconds: 50 } })).toEqual([
      'same: 3 turns, 2 messages between workers, 15 events, in 0.1 s; no snapshot to compare with',
    ]);
    expect(linesOf({ outcome: { workers: [{ ...MAIN, turns: 1 }] } })[0]).toContain('1 turn, 0 messages between');
    expect(linesOf({ outcome: { workers: [{ ...MAIN, messages: 1 }] } })[0]).toContain('0 turns, 1 message between');
    expect(reportOf({ outcome: { workers: [MAIN, SECOND] } })).toMatchObject({
      events: 15,
      turns: 3,
      messages: 2,
      milliseconds: 1240,
    });
  });

  it('has the compared states and those that differ', () => {
    const report = (cuts: ReplayOutcome['cuts']): string | undefined => linesOf({ outcome: { cuts } })[0];
    expect(report([cut(3, 0, true)])).toBe('same: 10 events, in 1.2 s; 1 state compared at cuts, all equal');
    expect(report([cut(3, 0, true), cut(3, 1, false), cut(4, 0, false)])).toBe(
      'diverged: 10 events, in 1.2 s; 3 states compared at cuts, different: worker 1 in snapshot 3, the main thread in snapshot 4',
    );
    expect(reportOf({ outcome: { cuts: [cut(3, 0, true), cut(3, 1, false)] } }).cuts).toEqual({
      compared: 2,
      different: [[3, 1]],
    });
  });
});

describe('the end of a recording', () => {
  const KILLED = { isEnded: false };
  const CUT_OFF = { workers: [{ ...MAIN, stopReason: 'cut off' as const }] };

  it('is explained if it is not the end of the run', () => {
    expect(linesOf({ outcome: CUT_OFF, condition: KILLED })).toEqual([
      'truncated: 10 events, in 1.2 s; no snapshot to compare with',
      'the recording ends here, where its process was killed; later output is not compared',
    ]);
    expect(linesOf({ outcome: CUT_OFF }).slice(1)).toEqual(['the recording has a gap or damage here']);
    expect(linesOf({ outcome: { missingThreads: ['1 0', '2 1'] } }).slice(1)).toEqual([
      'the recording has no more of worker 1, worker 2, which waits for an event',
    ]);
    expect(
      linesOf({
        outcome: { workers: [MAIN, { ...SECOND, stopReason: 'cut off' }], missingThreads: ['2 0'] },
        condition: KILLED,
      }).slice(1),
    ).toEqual(['the recording has no more of worker 2, which waits for an event']);
    expect(linesOf({ condition: { missingParts: ['snapshot 3 is missing'] } }).slice(1)).toEqual([
      'snapshot 3 is missing',
    ]);
  });

  it('has all damage', () => {
    const damaged = {
      outcome: { workers: [MAIN, { ...SECOND, damage: 'a trace' }], uncomparedReasons: ['a state'] },
      condition: { missingParts: ['a part'] },
    };
    expect(reportOf(damaged).damage).toEqual(['a part', 'a state', 'a trace']);
    expect(linesOf(damaged).slice(1)).toEqual(['a part', 'a state', 'a trace']);
  });

  it('can be the end of recording, or a signal of the program to itself', () => {
    const stopped = 'recording was stopped here; the program kept running';
    const killed = 'the program killed itself here with SIGTERM';
    const condition = { wasStopped: true, exitSignal: 'SIGTERM' };
    expect(linesOf({ condition: { wasStopped: true } }).slice(1)).toEqual([stopped]);
    expect(linesOf({ condition: { exitSignal: 'SIGTERM' } }).slice(1)).toEqual([killed]);
    expect(linesOf({ condition }).slice(1)).toEqual([stopped]);
    // A limit that was not reached is more interesting.
    expect(linesOf({ condition, until: { kind: 'phase', phase: 9 } }).slice(1)).toEqual([
      'the run ended before snapshot 9',
    ]);
    expect(linesOf({ condition, outcome: { cuts: [cut(1, 0, false)] } })).toHaveLength(1);
  });

  it('has the threads that hang, and output that is not compared', () => {
    expect(linesOf({ outcome: { hungThreads: [{ worker: 0, epoch: 0, tasks: 1 }] } }).slice(1)).toEqual([
      'the main thread hung in native code, such as a regular expression; the recording ends at the task in which it hung',
    ]);
    expect(linesOf({ condition: { unseenOutput: ['a child', 'an addon'] } }).slice(1)).toEqual([
      'not compared: output of a child, an addon',
    ]);
    expect(reportOf().hungThreads).toEqual([]);
  });

  it('has the first event before which changed code printed something else', () => {
    const printed = (otherOutputAt: number): string[] =>
      linesOf({ outcome: { workers: [MAIN, { ...SECOND, otherOutputAt }] } }).slice(1);
    expect(printed(5)).toEqual(['it prints something else than recorded, first before event 5 of worker 1']);
    expect(printed(6)).toEqual(['it prints something else than recorded, first after the last event of worker 1']);
  });

  it('has the failure of a thread', () => {
    const failed = (failure?: string): string[] =>
      linesOf({ outcome: { workers: [MAIN, { ...SECOND, stopReason: 'failed', failure }] } }).slice(1);
    expect(failed('out of memory')).toEqual(['worker 1 has ended: out of memory']);
    expect(failed()).toEqual(['worker 1 has ended']);
  });
});

describe('a reached limit', () => {
  const REACHED: ReachedEnd = { worker: 1, epoch: 0, events: 4, turns: 2, stateDigests: [] };
  const until = { kind: 'turn', worker: 1, turn: 2 } as const;

  it('has the turn that reached it, and states', () => {
    const reached = (more: Partial<ReachedEnd> = {}): string[] =>
      linesOf({ until, outcome: { reached: { ...REACHED, ...more } } });
    expect(reached()).toEqual([
      'same until turn 2 of worker 1, in 1.2 s; no snapshot to compare with',
      '  event 4 of worker 1, turn 2',
    ]);
    expect(reached({ actor: 'Cart#1' })[1]).toBe('  event 4 of worker 1, turn 2, Cart#1');
    expect(reached({ actor: 'Cart#1', method: 'add' })[1]).toBe('  event 4 of worker 1, turn 2, Cart#1.add');
    expect(
      reached({
        error: 'Error: no\n    at add',
        stateDigests: [
          [0, 'abc'],
          [1, 'def'],
        ],
      }).slice(2),
    ).toEqual(['  Error: no', '      at add', '  state of the main thread: abc', '  state of worker 1: def']);
    expect(reportOf({ until, outcome: { reached: REACHED } })).toMatchObject({
      reached: REACHED,
      until: 'turn 2 of worker 1',
    });
    expect(reportOf()).toMatchObject({ reached: null, until: null });
  });

  it('has the last event of each worker if no turn reached it', () => {
    const workers = [
      { ...MAIN, stopReason: 'until' as const, stateDigest: 'abc' },
      { ...SECOND, stopReason: 'ended' as const },
    ];
    expect(linesOf({ until, outcome: { workers } }).slice(1)).toEqual([
      '  event 10 of the main thread, turn 0',
      '  state of the main thread: abc',
      '  event 5 of worker 1, turn 3',
    ]);
  });

  it('does not count in a replay that has diverged', () => {
    expect(linesOf({ until, outcome: { reached: REACHED, cuts: [cut(1, 0, false)] } })).toEqual([
      'diverged: 10 events, in 1.2 s; 1 state compared at cuts, different: the main thread in snapshot 1',
    ]);
  });
});

describe('a divergence', () => {
  const DIVERGENCE: Divergence = { ordinal: 4, expected: 'it ends', actual: 'it prints' };
  const diverged = (more: Partial<Divergence> = {}, changes: Changes = {}): string[] =>
    linesOf({
      outcome: {
        workers: [MAIN, { ...SECOND, stopReason: 'diverged', divergence: { ...DIVERGENCE, ...more } }],
      },
      ...changes,
    }).slice(1);

  it('has its place, both events and the cause', () => {
    expect(diverged()).toEqual([
      'first at event 4 of worker 1',
      '  recorded: it ends',
      '  now:      it prints',
      '  likely:   the program has an input that is not recorded',
    ]);
    expect(diverged({ isInOutput: true })[0]).toBe('first before event 4 of worker 1');
    expect(diverged({ turn: 7, actor: 'Cart#1' })[0]).toBe('first at event 4 of worker 1, turn 7, Cart#1');
    expect(reportOf().divergence).toBeNull();
  });

  it.each([
    [{ method: 'add', from: undefined }, 'Cart#1.add'],
    [{ method: 'add', from: 'Shop#1' }, 'Cart#1.add for Shop#1'],
    [{ method: 'fulfil', from: undefined }, 'Cart#1, at an answer'],
    [{ method: 'reject', from: 'Shop#1' }, 'Cart#1, at an answer from Shop#1'],
  ])('has the message of its turn: %j', (message, text) => {
    expect(diverged({ actor: 'Cart#1', message })[0]).toBe(`first at event 4 of worker 1, ${text}`);
  });

  it('has the recorded event, unless the output before it differs', () => {
    const recorded = (recordedEvent: string, isInOutput?: boolean): string | undefined =>
      diverged({ isInOutput }, { recordedEvent })[1];
    expect(recorded('calls object 3()')).toBe('  recorded: it ends; calls object 3()');
    expect(recorded('the program calls a')).toBe('  recorded: the program calls a');
    expect(recorded('the program calls a', true)).toBe('  recorded: it ends');
  });

  it('has the first location of the program on the stack', () => {
    const located = (...frames: string[]): string | undefined =>
      diverged({ stack: ['Error: no', ...frames.map((frame) => `    at ${frame}`)].join('\n') })[0];
    const prefix = 'first at event 4 of worker 1';
    expect(located(`${pathToFileURL(packageRoot).href}/src/a.ts:1:2`, 'node:fs:1:2')).toBe(prefix);
    expect(located('add (file:///srv/node_modules/turntable/a.js:1:2)', 'file:///srv/shop/cart.ts:3:4')).toBe(
      `${prefix}, /srv/shop/cart.ts:3:4`,
    );
    expect(located('async Cart.add (/srv/shop/cart.cjs:3:4)', 'file:///srv/shop/cart.ts:5:6')).toBe(
      `${prefix}, /srv/shop/cart.cjs:3:4`,
    );
    expect(located('x (file:///srv/node_modules/@turntable/core/a.js:1:2)')).toBe(prefix);
    expect(located('x (file:///srv/node_modules/turntables/a.js:1:2)')).toContain('turntables/a.js:1:2');
    const near = join(process.cwd(), 'near.ts');
    expect(located(`${pathToFileURL(near).href}:7:8`)).toBe(`${prefix}, near.ts:7:8`);
  });
});

it('lists the requested turns', () => {
  const note = (more: Partial<TurnNote>): TurnNote => ({
    worker: 1,
    epoch: 0,
    turn: 2,
    actor: 'Cart#1',
    kind: 'call',
    method: 'add',
    from: undefined,
    values: ["'tea'", '2'],
    resumedFunction: undefined,
    location: undefined,
    ...more,
  });
  const near = pathToFileURL(join(process.cwd(), 'near.ts')).href;
  const turnNotes = [
    note({}),
    note({ from: 'Shop#1', location: `${near}:3` }),
    note({ kind: 'fulfil', from: 'Shop#1', resumedFunction: 'pay', location: `${near}:3:4` }),
    note({ kind: 'reject', worker: 0 }),
    note({ kind: 'construct' }),
    note({ kind: 'stop' }),
  ];
  expect(linesOf({ turnNotes }).slice(1)).toEqual([
    '6 turns of these actors:',
    "  worker 1, turn 2: Cart#1.add('tea', 2)",
    "  worker 1, turn 2: Cart#1.add('tea', 2) for Shop#1, near.ts:3",
    "  worker 1, turn 2: Cart#1, answered by Shop#1: 'tea', 2, pay resumes at near.ts:3:4",
    "  the main thread, turn 2: Cart#1, rejected: 'tea', 2",
    '  worker 1, turn 2: Cart#1, created',
    '  worker 1, turn 2: Cart#1, stopped',
  ]);
  expect(reportOf({ turnNotes: [] }).turnNotes).toEqual([]);
  expect(reportOf()).not.toHaveProperty('turnNotes');
});

it('names changed files, and those that are deleted', () => {
  const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const module = (name: string, text: string, settings?: string) => ({
    url: name.includes(':') ? name : pathToFileURL(join(directory, name)).href,
    sha256: createHash('sha256').update(text).digest('hex'),
    ...(settings === undefined ? {} : { settings }),
  });
  writeFileSync(join(directory, 'same.ts'), 'same');
  writeFileSync(join(directory, 'marked.ts'), '\uFEFFsame');
  writeFileSync(join(directory, 'changed.ts'), 'changed');
  writeFileSync(join(directory, 'twice.ts'), 'second');
  const modules = [
    module('same.ts', 'same'),
    module('marked.ts', 'same'),
    module('changed.ts', 'before'),
    // A file that has changed while the program ran.
    module('twice.ts', 'first'),
    module('twice.ts', 'second'),
    module('deleted.ts', 'text'),
    module('data:text/javascript,1', '1'),
  ];
  const changedFiles = findChangedFiles({ manifest: { modules } } as unknown as Recording);
  expect(changedFiles.map((file) => relative(directory, file))).toEqual(['changed.ts', 'deleted.ts']);
  const divergence = { ordinal: 1, expected: 'a', actual: 'b' };
  const { divergence: reported } = reportOf({
    changedFiles,
    outcome: { workers: [{ ...MAIN, stopReason: 'diverged', divergence }] },
  });
  expect(reported?.cause).toMatch(/^the code has changed: \S*changed\.ts, \S*deleted\.ts \(deleted\)$/);
});
