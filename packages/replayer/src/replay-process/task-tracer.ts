// Traces all statements of a task with their stack depths, so that a client can step through it without re-execution.
// Depths are counts of frames: counts of calls and returns would be wrong after exceptions and callbacks from builtins.
import type { Loader } from '../thread/loader.ts';
import type { ProbeLocation } from '@turntable/loader';
import { RUN_EVENT_KINDS, type RunEventKind } from '@turntable/time-machine/task-log';
import type { StatementLocation, TracedEvent, TracedSend, TaskTrace } from '@turntable/time-machine/replay-process';
import { FrameDepths } from './frame-depths.ts';
import { RunTracer } from './run-tracer.ts';
import { toStatementLocation } from './statement-location.ts';
import { runningStatementIndex } from './running-statement.ts';

const MAX_TRACED_STATEMENTS = 1_000_000;
const MAX_TRACED_EVENTS = 100_000;

const UNKNOWN_PROBE = { functionOrdinal: -1, isSuspendable: false, firstStatement: -1 };

export class TaskTracer {
  readonly runs = new RunTracer();
  readonly #statements: number[] = [];
  readonly #probeIndexes = new Map<string, Map<number, number>>();
  readonly #probes: [file: string, statement: number][] = [];
  /** By probe: the number of its function (as in `FrameDepths`), and whether the probe is the first of the function. */
  readonly #functionNumbers: number[] = [];
  readonly #areCallStarts: boolean[] = [];
  readonly #areSuspendable: boolean[] = [];
  /** Depths of the frames of runs. */
  readonly #depthsOfRuns: (number | undefined)[] = [];
  readonly #numberByFunction = new Map<string, number>();
  readonly #depths = new FrameDepths();
  readonly #locateProbe: Loader['locateProbe'];
  readonly #sends: TracedSend[] = [];
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
    const run = this.runs.addStatement();
    const depth = this.#depthAt(probeIndex, run);
    this.#statements.push(list, listStatement, probeIndex, depth);
    return true;
  }

  #depthAt(probeIndex: number, run: number): number {
    if (this.#areSuspendable[probeIndex] !== true)
      return this.#depths.depthOfNext(
        this.#functionNumbers[probeIndex] as number,
        this.#areCallStarts[probeIndex] as boolean,
      );
    const depth = (this.#depthsOfRuns[run] ??= this.#depths.depthOfNext(-1, false));
    this.#depths.returnTo(depth);
    return depth;
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
    this.#areSuspendable[probeIndex] = isSuspendable;
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
    const { runs, runStarts } = this.runs;
    return {
      locations,
      statements,
      isTruncated: this.#isTruncated,
      sends: this.#sends,
      events: this.#events,
      runs,
      runStarts,
    };
  }
}
