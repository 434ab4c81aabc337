// Traces all statements of a task with their calls, so that a client can step through it without re-execution.
import type { Loader } from '../thread/loader.ts';
import type { ProbeLocation } from '@turntable/loader';
import { RUN_EVENT_KINDS, type RunEventKind } from '@turntable/time-machine/task-log';
import {
  packIntegers,
  type StatementLocation,
  type TaskTrace,
  type TracedEvent,
  type TracedSend,
} from '@turntable/time-machine/replay-process';
import type { CallProbe } from './call-tracer.ts';
import { IntegerList } from './integer-list.ts';
import { RunTracer } from './run-tracer.ts';
import { toStatementLocation } from './statement-location.ts';
import { runningStatementIndex } from './running-statement.ts';

/** Maximum number of statements, for which a process needs 250 MB. */
const MAX_TRACED_STATEMENTS = 30_000_000;
const MAX_TRACED_EVENTS = 100_000;

interface TracedProbe extends CallProbe {
  readonly file: string;
  readonly index: number;
}

export class TaskTracer {
  readonly runs = new RunTracer();
  /** Per statement: twice the index of its probe, plus 1 if it is the first of a list. */
  readonly #statements = new IntegerList();
  /** Per statement: the index of its call. */
  readonly #calls = new IntegerList();
  readonly #probes: TracedProbe[] = [];
  readonly #probesByFile = new Map<string, (TracedProbe | undefined)[]>();
  /** File of the last statement, and its probes by statement number. */
  #lastFile: string | undefined;
  #probesOfFile: (TracedProbe | undefined)[] = [];
  readonly #numberByFunction = new Map<string, number>();
  readonly #locateProbe: Loader['locateProbe'];
  readonly #sends: TracedSend[] = [];
  /** The list of the last statement; 0 before the first list. */
  #lastList = 0;
  #isTruncated = false;
  readonly #events: TracedEvent[] = [];

  constructor(locateProbe: Loader['locateProbe']) {
    this.#locateProbe = locateProbe;
  }

  /** Adds an event. When the statement limit is reached, events are dropped, because their statement is unknown. */
  addEvent(kind: RunEventKind, text: string): void {
    if (this.#isTruncated || this.#events.length >= MAX_TRACED_EVENTS) return;
    const probeAt = (index: number): ProbeLocation | undefined => {
      const { file, statement } = this.#probes[this.#statements.get(index) >> 1] as TracedProbe;
      return this.#locateProbe(file, statement);
    };
    const { anchor } = RUN_EVENT_KINDS[kind];
    const count = this.#statements.length;
    const index =
      anchor === 'task-start' ? -1 : anchor === 'current' ? runningStatementIndex(count, probeAt) : count - 1;
    this.#events.push([index, kind, text]);
  }

  addSend(actor: string, method: string): void {
    if (!this.#isTruncated) this.#sends.push([this.#statements.length - 1, actor, method]);
  }

  /** Adds a statement; returns false if the limit is reached. */
  addStatement(file: string, statement: number, list: number): boolean {
    if (this.#statements.length >= MAX_TRACED_STATEMENTS) {
      this.#isTruncated = true;
      return false;
    }
    const probe = this.#probeOf(file, statement);
    this.#statements.push(probe.index * 2 + (list === this.#lastList ? 0 : 1));
    this.#lastList = list;
    this.#calls.push(this.runs.addStatement(probe));
    return true;
  }

  #probeOf(file: string, statement: number): TracedProbe {
    if (file !== this.#lastFile) {
      this.#lastFile = file;
      this.#probesOfFile = this.#probesByFile.get(file) ?? [];
      this.#probesByFile.set(file, this.#probesOfFile);
    }
    return (this.#probesOfFile[statement] ??= this.#addProbe(file, statement));
  }

  #addProbe(file: string, statement: number): TracedProbe {
    const location = this.#locateProbe(file, statement);
    const isField = location?.kind === 'field';
    const { functionOrdinal = -1, startsCall = false, reportsEnd = false, constructorOrdinal = -1 } = location ?? {};
    const fn = this.#functionNumberOf(`${file} ${isField ? 'fields' : functionOrdinal}`);
    const constructorFn = constructorOrdinal === -1 ? -1 : this.#functionNumberOf(`${file} ${constructorOrdinal}`);
    const index = this.#probes.length;
    const probe = { file, statement, index, fn, isField, startsCall, reportsEnd, constructorFn };
    this.#probes.push(probe);
    return probe;
  }

  #functionNumberOf(fn: string): number {
    let number = this.#numberByFunction.get(fn);
    if (number === undefined) this.#numberByFunction.set(fn, (number = this.#numberByFunction.size));
    return number;
  }

  toTaskTrace(): TaskTrace {
    const locations = this.#probes.map(({ file, statement }): StatementLocation => {
      const probe = this.#locateProbe(file, statement);
      if (probe !== undefined) return toStatementLocation(probe, file, statement);
      const unknownRange = { line: 1, column: 1, endLine: 1, endColumn: 1 };
      return { file: '', ...unknownRange, function: '', ordinal: -1, kind: 'statement', code: file, number: statement };
    });
    const { runs, calls } = this.runs;
    return {
      locations,
      statements: packIntegers(this.#statements.toArray()),
      calls: packIntegers(this.#calls.toArray()),
      callParents: packIntegers(calls.parents.toArray()),
      callRuns: packIntegers(calls.runs.toArray()),
      isTruncated: this.#isTruncated,
      sends: this.#sends,
      events: this.#events,
      runs,
    };
  }
}
