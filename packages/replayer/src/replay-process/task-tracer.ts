// Traces all statements of a task with their stack depths, so that a client can step through it without re-execution.
// Depths are counts of frames: counts of calls and returns would be wrong after exceptions and callbacks from builtins.
import type { Loader } from '../thread/loader.ts';
import type { ProbeLocation } from '@turntable/loader';
import { RUN_EVENT_KINDS, type RunEventKind } from '@turntable/time-machine/task-log';
import type {
  RunName as TracedRunName,
  StatementLocation,
  TracedEvent,
  TracedRun,
  TracedSend,
  TaskTrace,
} from '@turntable/time-machine/replay-process';
import { FrameDepths } from './frame-depths.ts';
import { runNumber, taskOfRun, type Awaiters, type RunListener, type RunName } from './frame-runs.ts';
import { toStatementLocation } from './statement-location.ts';
import { runningStatementIndex } from './running-statement.ts';

const MAX_TRACED_STATEMENTS = 1_000_000;
const MAX_TRACED_EVENTS = 100_000;

const UNKNOWN_PROBE = { functionOrdinal: -1, isSuspendable: false, firstStatement: -1 };

/** A run whose fields are filled as it goes on. */
type MutableRun = { -readonly [K in keyof TracedRun]: TracedRun[K] };

export class TaskTracer implements RunListener {
  readonly #statements: number[] = [];
  readonly #probeIndexes = new Map<string, Map<number, number>>();
  readonly #probes: [file: string, statement: number][] = [];
  /** By probe: the number of its function (as in `FrameDepths`), and whether the probe is the first of the function. */
  readonly #functionNumbers: number[] = [];
  readonly #areCallStarts: boolean[] = [];
  readonly #numberByFunction = new Map<string, number>();
  readonly #depths = new FrameDepths();
  readonly #locateProbe: Loader['locateProbe'];
  readonly #sends: TracedSend[] = [];
  readonly #runs: MutableRun[] = [];
  /** Pairs of numbers, as in `TaskTrace`. */
  readonly #runStarts: number[] = [];
  /** Indexes of the runs that have not ended, outermost first. */
  readonly #runStack: number[] = [];
  #runDepth = 0;
  /** Index of the run of the code that the host has called; -1 if it has no statement yet. */
  #hostRun = -1;
  #isTruncated = false;
  readonly #events: TracedEvent[] = [];

  constructor(locateProbe: Loader['locateProbe']) {
    this.#locateProbe = locateProbe;
  }

  /** Adds an event. When the statement limit is reached, events are dropped, because their statement is unknown. */
  addEvent(kind: RunEventKind, text: string): void {
    if (this.#isTruncated || this.#events.length >= MAX_TRACED_EVENTS) return;
    const probeAt = (index: number): ProbeLocation | undefined => {
      const [file, statement] = this.#probes[this.#statements[index * 4 + 2] as number] ?? ['', -1];
      return this.#locateProbe(file, statement);
    };
    const { anchor } = RUN_EVENT_KINDS[kind];
    const count = this.#statements.length / 4;
    const index =
      anchor === 'task-start' ? -1 : anchor === 'current' ? runningStatementIndex(count, probeAt) : count - 1;
    this.#events.push([index, kind, text]);
  }

  addSend(actor: string, method: string): void {
    if (this.#sends.length < MAX_TRACED_STATEMENTS) this.#sends.push([this.#statements.length / 4 - 1, actor, method]);
  }

  /** Adds a statement; returns false if the limit is reached. */
  addStatement(file: string, statement: number, list: number, listStatement: number): boolean {
    if (this.#statements.length >= MAX_TRACED_STATEMENTS * 4) {
      this.#isTruncated = true;
      return false;
    }
    const probeIndex = this.#probeIndexOf(file, statement);
    const depth = this.#depths.depthOfNext(
      this.#functionNumbers[probeIndex] as number,
      this.#areCallStarts[probeIndex] as boolean,
    );
    const run = this.#runDepth === 0 ? this.#currentHostRun() : (this.#runStack[this.#runDepth - 1] as number);
    const runStarts = this.#runStarts;
    if (runStarts[runStarts.length - 1] !== run) {
      runStarts[runStarts.length] = this.#statements.length / 4;
      runStarts[runStarts.length] = run;
    }
    this.#statements.push(list, listStatement, probeIndex, depth);
    return true;
  }

  /** The host calls the program: in a new task, job or tick. */
  hostCalled(): void {
    if (this.#runDepth === 0) this.#hostRun = -1;
  }

  #currentHostRun(): number {
    if (this.#hostRun === -1) this.#hostRun = this.#addRun({});
    return this.#hostRun;
  }

  #addRun(run: MutableRun): number {
    const index = this.#runs.length;
    this.#runs[index] = run;
    return index;
  }

  runStarting(name: RunName, previous: RunName | 'none' | undefined, isCalled: boolean): void {
    if (this.#isTruncated) return;
    const depth = this.#runDepth;
    const caller = depth > 0 ? this.#runStack[depth - 1] : isCalled ? this.#currentHostRun() : undefined;
    this.#runStack[this.#runDepth++] = this.#addRun({
      number: runNumber(name),
      start: this.#statements.length / 4,
      caller,
      previous: previous === undefined ? undefined : previous === 'none' ? null : toPair(previous),
      hasEnded: undefined,
    });
  }

  runEnded(awaiters: Awaiters | undefined): void {
    if (this.#isTruncated || this.#runDepth === 0) return;
    const run = this.#runs[this.#runStack[--this.#runDepth] as number] as MutableRun;
    run.hasEnded = awaiters !== undefined;
    if (awaiters === undefined) return;
    const pairs: TracedRunName[] = [];
    for (let i = 0; i < awaiters.runs.length; i++) pairs[i] = toPair(awaiters.runs[i] as RunName);
    run.awaiters = pairs;
    run.hasOlderAwaiters = awaiters.hasOlder;
  }

  #probeIndexOf(file: string, statement: number): number {
    let indexes = this.#probeIndexes.get(file);
    if (indexes === undefined) this.#probeIndexes.set(file, (indexes = new Map<number, number>()));
    let probeIndex = indexes.get(statement);
    if (probeIndex !== undefined) return probeIndex;
    indexes.set(statement, (probeIndex = this.#probes.push([file, statement]) - 1));
    const { functionOrdinal, isSuspendable, firstStatement } = this.#locateProbe(file, statement) ?? UNKNOWN_PROBE;
    this.#functionNumbers[probeIndex] =
      functionOrdinal === -1 || isSuspendable ? -1 : this.#functionNumberOf(`${file} ${functionOrdinal}`);
    this.#areCallStarts[probeIndex] = statement === firstStatement;
    return probeIndex;
  }

  #functionNumberOf(fn: string): number {
    let number = this.#numberByFunction.get(fn);
    if (number === undefined) this.#numberByFunction.set(fn, (number = this.#numberByFunction.size));
    return number;
  }

  toTaskTrace(): TaskTrace {
    const locations = this.#probes.map(([file, statement]): StatementLocation => {
      const probe = this.#locateProbe(file, statement);
      if (probe !== undefined) return toStatementLocation(probe, file, statement);
      const unknownRange = { line: 1, column: 1, endLine: 1, endColumn: 1 };
      const unknownFunction = { function: '', ordinal: -1, firstStatement: 0, kind: 'statement' } as const;
      return { file: '', ...unknownRange, ...unknownFunction, code: file, number: statement };
    });
    const statements = this.#statements;
    return {
      locations,
      statements,
      isTruncated: this.#isTruncated,
      sends: this.#sends,
      events: this.#events,
      runs: this.#runs,
      runStarts: this.#runStarts,
    };
  }
}

function toPair(name: RunName): TracedRunName {
  return [taskOfRun(name), runNumber(name)];
}
