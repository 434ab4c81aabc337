// Statement traces of the tasks in which a client steps. Only traces of the last run are kept.
import type { Loader } from '../thread/loader.ts';
import type { NumberedTaskTrace } from '@turntable/time-machine/replay-process';
import { onSend } from './send-events.ts';
import { TaskTracer } from './task-tracer.ts';

export class TaskTracers {
  current: TaskTracer | undefined;
  readonly #tracers = new Map<number, TaskTracer>();
  #runNumber = 0;
  #isObservingSends = false;

  startTask(task: number, runNumber: number, locateProbe: Loader['locateProbe']): void {
    if (!this.#isObservingSends) onSend((actor, method) => this.current?.addSend(actor, method));
    this.#isObservingSends = true;
    if (this.#runNumber !== runNumber) this.#tracers.clear();
    this.#runNumber = runNumber;
    this.current = new TaskTracer(locateProbe);
    this.#tracers.set(task, this.current);
  }

  toTaskTraces(): NumberedTaskTrace[] {
    return Array.from(this.#tracers, ([task, trace]) => ({ task, ...trace.toTaskTrace() }));
  }
}
