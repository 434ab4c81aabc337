// The runs of a traced task, and the calls in them.
import type { CallListener } from '@turntable/core';
import type { RunName, TracedRun } from '@turntable/time-machine/replay-process';
import { CallTracer, type CallProbe } from './call-tracer.ts';
import { runNumber, taskOfRun, type Awaiters, type PackedRunName, type RunListener } from './frame-runs.ts';

/** A run whose fields are set during the run. */
type MutableRun = { -readonly [K in keyof TracedRun]: TracedRun[K] };

export class RunTracer implements RunListener, CallListener {
  readonly runs: MutableRun[] = [];
  readonly calls = new CallTracer();
  /** Indexes of the runs of frames that have not ended, outermost first. */
  readonly #stack: number[] = [];
  #depth = 0;
  /** Index of the run of the code that the host has called; -1 if it has no statement yet. */
  #hostRun = -1;
  #statementCount = 0;

  /** Adds a statement, and returns the index of its call. */
  addStatement(probe: CallProbe): number {
    this.#startHostRun();
    this.#statementCount++;
    return this.calls.callOf(probe);
  }

  callStarted(): void {
    this.#startHostRun();
    this.calls.callStarted();
  }

  callEnded(): void {
    this.calls.callEnded();
  }

  /** The host calls the program: in a new task, job or tick. */
  hostCalled(): void {
    if (this.#depth === 0) this.#hostRun = -1;
  }

  #startHostRun(): void {
    if (this.#depth > 0 || this.#hostRun !== -1) return;
    this.#hostRun = this.#addRun({});
    this.calls.hostCalled(this.#hostRun);
  }

  #addRun(run: MutableRun): number {
    const index = this.runs.length;
    this.runs[index] = run;
    return index;
  }

  runStarting(name: PackedRunName, previous: PackedRunName | 'none' | undefined, isCalled: boolean): void {
    if (isCalled) this.#startHostRun();
    const run = this.#addRun({
      number: runNumber(name),
      start: this.#statementCount,
      call: this.calls.parents.length,
      previous: previous === undefined ? undefined : previous === 'none' ? null : unpack(previous),
      hasEnded: undefined,
    });
    this.#stack[this.#depth++] = run;
    this.calls.runStarted(run, isCalled);
  }

  runEnded(hasFinished: boolean, awaiters: Awaiters | undefined): void {
    if (this.#depth === 0) return;
    this.calls.runEnded();
    const run = this.runs[this.#stack[--this.#depth] as number] as MutableRun;
    run.hasEnded = hasFinished;
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
