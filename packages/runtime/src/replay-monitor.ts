// A replay as its main thread sees it: which threads run, what the others wait for, and when nothing more can come, because a trace is cut off or the run
// has diverged. Threads say when they are idle, and are asked twice, since an event that one waits for may be under way.

import type { TraceEvent } from '@turntable/recording';
import type { WorkerPart } from './snapshot/snapshot-collector.ts';
import { describeEvent, type ReplayTape, type Halt } from './trace/replay-tape.ts';

/** A thread has come to an end, in one way or another: plain data. */
export interface ThreadStop extends Omit<Halt, 'error' | 'reason'> {
  readonly worker: number;
  readonly epoch: number;
  /** `failed`: its thread has ended and nobody has told it to; why it has, if it has said so. */
  readonly reason: Halt['reason'] | 'failed';
  readonly failure?: string | undefined;
}

/** A worker in one of its lives that is not its first. */
export interface WorkerReplacement {
  readonly worker: number;
  readonly epoch: number;
}

export interface ReplayedRun {
  /** By worker: the last life that it had, 0 for one that was never lost. */
  readonly lastEpochs: readonly number[];
  /** Lives that took the place of others, in the order in which they did, as far as it is known. */
  readonly replacements?: readonly WorkerReplacement[];
  /** A worker's part of a snapshot that is whole. */
  onPart?(part: WorkerPart): void;
  /** The main thread has cut, and its state is written: of which workers the snapshot has parts, itself among them. */
  onCut?(phase: number, workers: readonly number[]): void;
  /** Of each life of each thread, once; of the main thread, too. */
  onThreadStop(stop: ThreadStop): void;
  /** @param drainMessages tells what threads have said so far, where the main thread does not come to hear it */
  setMessagePump?(drainMessages: () => void): void;
}

/** A thread stands still. */
export interface IdleThread {
  readonly worker: number;
  readonly epoch: number;
  /** What it would take next. */
  readonly expected: string;
  readonly events: number;
  readonly messages: number;
  readonly turns: number;
}

/** What a thread stands at that has nothing left to do. */
export function idleState(tape: ReplayTape, event: TraceEvent): Omit<IdleThread, 'worker' | 'epoch'> {
  const { events, messages, turns } = tape.progress;
  return { expected: describeEvent(event), events, messages, turns };
}

export interface ReplayMonitorDeps {
  /** So many events the main thread has taken. */
  eventsTaken(): number;
  /** Whether it has nothing to do. */
  isIdle(): boolean;
  /** It is to say where it stands when it does. */
  reportWhenIdle(): void;
  /** Asks all other threads but those that have stopped to say where they are as soon as they stand still; answers when they have. */
  queryIdle(): Promise<void>;
  /** A life has come to its end, and another one is to begin. */
  terminate(worker: number): void;
}

export class ReplayMonitor {
  readonly #run: ReplayedRun;
  readonly #deps: ReplayMonitorDeps;
  /** Lives that have begun and not stopped, and where they stand if they do. */
  readonly #threads = new Map<number, { readonly epoch: number; idle: IdleThread | undefined }>();
  #isCutOff = false;
  #isConfirming = false;

  constructor(run: ReplayedRun, deps: ReplayMonitorDeps) {
    this.#run = run;
    this.#deps = deps;
  }

  threadStarted(worker: number, epoch: number): void {
    this.#threads.set(worker, { epoch, idle: undefined });
  }

  /** Whether a worker had a life after this one. */
  hasReplacement(worker: number, epoch: number): boolean {
    return epoch < (this.#run.lastEpochs[worker] ?? 0);
  }

  /** Whether a life may begin: all lives that began before it have, since it is linked to them. `lifeOf`: which life of a worker was started last. */
  canStart({ worker, epoch }: WorkerReplacement, epochOf: (worker: number) => number): boolean {
    const { replacements = [] } = this.#run;
    const index = replacements.findIndex((each) => each.worker === worker && each.epoch === epoch);
    return replacements.slice(0, Math.max(0, index)).every((each) => each.epoch <= epochOf(each.worker));
  }

  /** Whether a worker's thread does nothing any more. */
  hasEnded(worker: number): boolean {
    return !this.#threads.has(worker);
  }

  threadIdle(idle: IdleThread): void {
    const thread = this.#threads.get(idle.worker);
    if (thread?.epoch !== idle.epoch) return;
    thread.idle = idle;
    this.#checkIdle();
  }

  /** Once for each life; what comes of it later is no news. */
  threadStopped(stop: ThreadStop): void {
    const { worker, epoch } = stop;
    if (this.#threads.get(worker)?.epoch !== epoch) return;
    this.#threads.delete(worker);
    const hasReplacement = this.hasReplacement(worker, epoch);
    // One that another took the place of was cut off by its end.
    if (stop.reason !== 'ended' && !hasReplacement) this.#isCutOff = true;
    this.#run.onThreadStop(stop);
    if (hasReplacement && stop.reason !== 'diverged') {
      this.threadStarted(worker, epoch + 1);
      this.#deps.terminate(worker);
    }
    this.#checkIdle();
  }

  onPart(part: WorkerPart): void {
    this.#run.onPart?.(part);
  }

  get #areIdle(): boolean {
    return this.#threads.size > 0 && [...this.#threads.values()].every(({ idle }) => idle !== undefined);
  }

  /** Whether all stand for good. */
  #checkIdle(): void {
    if (this.#isConfirming || !this.#areIdle) return;
    this.#isConfirming = true;
    void this.#confirmIdle().finally(() => {
      this.#isConfirming = false;
    });
  }

  async #confirmIdle(): Promise<void> {
    const progressBefore = this.#progress();
    await this.#deps.queryIdle();
    await this.#deps.queryIdle();
    if (!this.#areIdle) return;
    const main = this.#threads.get(0);
    const isMainUpToDate = main === undefined || main.idle?.events === this.#deps.eventsTaken();
    if (isMainUpToDate && progressBefore === this.#progress() && this.#deps.isIdle()) {
      // Others may begin when one has stopped.
      const all = [...this.#threads];
      for (const [worker, { epoch, idle }] of all) this.#endHung(worker, epoch, idle as IdleThread);
      return;
    }
    if (main === undefined) return void (await this.#confirmIdle());
    // It says anew where it is.
    main.idle = undefined;
    this.#deps.reportWhenIdle();
  }

  #progress(): string {
    const threads = [...this.#threads].map(([worker, { epoch, idle }]) => `${worker}.${epoch}:${idle?.events}`);
    return [this.#deps.eventsTaken(), ...threads].join(' ');
  }

  /** It waits for what will not come. */
  #endHung(worker: number, epoch: number, { expected, events, messages, turns }: IdleThread): void {
    const position = { worker, epoch, events, messages, turns };
    if (this.#isCutOff) return this.threadStopped({ ...position, reason: 'cut off' });
    const divergence = {
      ordinal: events + 1,
      expected,
      actual: 'nothing comes any more, and every thread waits',
      actor: worker === 0 ? 'the main thread' : `worker ${worker}`,
      turn: turns,
      stack: undefined,
    };
    this.threadStopped({ ...position, reason: 'diverged', divergence });
  }
}
