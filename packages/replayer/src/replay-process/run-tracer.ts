// The runs of a traced task, and the statements that belong to each.
import type { RunName, TracedRun } from '@turntable/time-machine/replay-process';
import { runNumber, taskOfRun, type Awaiters, type PackedRunName, type RunListener } from './frame-runs.ts';

/** A run whose fields are set during the run. */
type MutableRun = { -readonly [K in keyof TracedRun]: TracedRun[K] };

export class RunTracer implements RunListener {
  readonly runs: MutableRun[] = [];
  /** Pairs of numbers: the index of a statement, and the index of the run to which it and the next ones belong. */
  readonly runStarts: number[] = [];
  /** Indexes of the runs that have not ended, outermost first. */
  readonly #stack: number[] = [];
  #depth = 0;
  /** Index of the run of the code that the host has called; -1 if it has no statement yet. */
  #hostRun = -1;
  #statementCount = 0;

  /** Adds a statement, and returns the index of its run. */
  addStatement(): number {
    const run = this.#depth === 0 ? this.#currentHostRun() : (this.#stack[this.#depth - 1] as number);
    const starts = this.runStarts;
    if (starts[starts.length - 1] !== run) {
      starts[starts.length] = this.#statementCount;
      starts[starts.length] = run;
    }
    this.#statementCount++;
    return run;
  }

  /** The host calls the program: in a new task, job or tick. */
  hostCalled(): void {
    if (this.#depth === 0) this.#hostRun = -1;
  }

  #currentHostRun(): number {
    if (this.#hostRun === -1) this.#hostRun = this.#addRun({});
    return this.#hostRun;
  }

  #addRun(run: MutableRun): number {
    const index = this.runs.length;
    this.runs[index] = run;
    return index;
  }

  runStarting(name: PackedRunName, previous: PackedRunName | 'none' | undefined, isCalled: boolean): void {
    const depth = this.#depth;
    const caller = depth > 0 ? this.#stack[depth - 1] : isCalled ? this.#currentHostRun() : undefined;
    this.#stack[this.#depth++] = this.#addRun({
      number: runNumber(name),
      start: this.#statementCount,
      caller,
      previous: previous === undefined ? undefined : previous === 'none' ? null : unpack(previous),
      hasEnded: undefined,
    });
  }

  runEnded(awaiters: Awaiters | undefined): void {
    if (this.#depth === 0) return;
    const run = this.runs[this.#stack[--this.#depth] as number] as MutableRun;
    run.hasEnded = awaiters !== undefined;
    if (awaiters === undefined) return;
    const names: RunName[] = [];
    for (let i = 0; i < awaiters.runs.length; i++) names[i] = unpack(awaiters.runs[i] as PackedRunName);
    run.awaiters = names;
    run.hasOlderAwaiters = awaiters.hasOlder;
  }
}

function unpack(name: PackedRunName): RunName {
  return [taskOfRun(name), runNumber(name)];
}
