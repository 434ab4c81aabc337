// The tasks in which somebody wants to move about, each with all of its statements: those of the last way only.
import type { Loader } from '../thread/loader.ts';
import type { NumberedTaskTrace } from '@turntable/time-machine/replay-process';
import { onSend } from './send-events.ts';
import { TaskTracer } from './task-tracer.ts';

export class TaskTracers {
  /** Of the task that runs, if it is wanted. */
  current: TaskTracer | undefined;
  readonly #tracers = new Map<number, TaskTracer>();
  /** Since it was told for the so-manieth time how far to go. */
  #runNumber = 0;
  #isObservingSends = false;

  /** @param runNumber so often it was told how far to go */
  startTask(task: number, runNumber: number, statementOf: Loader['locateProbe']): void {
    if (!this.#isObservingSends) onSend((actor, method) => this.current?.addSend(actor, method));
    this.#isObservingSends = true;
    if (this.#runNumber !== runNumber) this.#tracers.clear();
    this.#runNumber = runNumber;
    this.current = new TaskTracer(statementOf);
    this.#tracers.set(task, this.current);
  }

  toTaskTraces(): NumberedTaskTrace[] {
    return Array.from(this.#tracers, ([task, trace]) => ({ task, ...trace.toTaskTrace() }));
  }
}
