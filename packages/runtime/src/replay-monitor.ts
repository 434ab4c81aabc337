// Tracks the threads of a replay on its main thread: which threads run, and what the others wait for. Detects that
// nothing more can arrive, because a trace is cut off or the run has diverged. Threads report when they are idle. They
// are queried twice, since an awaited event may be on its way.

import type { WorkerPart } from './snapshot/snapshot-collector.ts';
import type { Halt } from './trace/replay-tape.ts';

/** Report of a stopped thread: plain data. */
export interface ThreadStop extends Omit<Halt, 'error' | 'reason'> {
  readonly worker: number;
  readonly epoch: number;
  /** `failed`: the thread ended unexpectedly; `failure` is its error, if it has reported one. */
  readonly reason: Halt['reason'] | 'failed';
  readonly failure?: string | undefined;
}

/** A worker that replaced a lost one. */
export interface WorkerReplacement {
  readonly worker: number;
  readonly epoch: number;
}

export interface ReplayedRun {
  /** Number of each worker's last epoch; 0 for a worker that was never lost. */
  readonly lastEpochs: readonly number[];
  /** The replacements in the order in which they started, if known. */
  readonly replacements?: readonly WorkerReplacement[];
  /** Receives a worker's complete part of a snapshot. */
  onPart?(part: WorkerPart): void;
  /** Called when the main thread has cut and written its state. `workers`: all with a part in the snapshot. */
  onCut?(phase: number, workers: readonly number[]): void;
  /** Called once for each epoch of each thread, including the main thread. */
  onThreadStop(stop: ThreadStop): void;
  /** Called when a worker that has a replacement has stopped. It may delay the call of `replace`. */
  onReplaceable?(stopped: Pick<ThreadStop, 'worker' | 'epoch'>, replace: () => void): void;
  /** @param drainMessages delivers pending messages of threads while the main thread blocks its event loop */
  setMessagePump?(drainMessages: () => void): void;
}

/** Report of a thread that has no work left. */
export interface IdleThread {
  readonly worker: number;
  readonly epoch: number;
  /** Number of events that the thread has taken. */
  readonly events: number;
}

export interface ReplayMonitorDeps {
  /** Number of events that the main thread has taken. */
  eventsTaken(): number;
  /** Whether the main thread has no work left. */
  isIdle(): boolean;
  /** Makes the main thread report its position when it is idle. */
  reportWhenIdle(): void;
  /** Makes all other running threads report their positions when idle. Settles when they have. */
  queryIdle(): Promise<void>;
  /** Ends the thread of a worker's epoch, if it is the current one, and starts that of the next epoch. */
  replace(worker: number, epoch: number): void;
  /** Stops the replay of an idle thread whose next event cannot arrive. The thread reports its stop. */
  endIdle(worker: number, isCutOff: boolean): void;
}

export class ReplayMonitor {
  readonly #run: ReplayedRun;
  readonly #deps: ReplayMonitorDeps;
  /**
   * Threads that have started and not stopped, with their positions if they are idle. A replacement that cannot start
   * yet waits for an earlier one.
   */
  readonly #threads = new Map<
    number,
    { readonly epoch: number; idle: IdleThread | undefined; isStartWaiting: boolean }
  >();
  #isCutOff = false;
  #isConfirming = false;
  #isCheckDue = false;

  constructor(run: ReplayedRun, deps: ReplayMonitorDeps) {
    this.#run = run;
    this.#deps = deps;
  }

  threadStarted(worker: number, epoch: number): void {
    this.#threads.set(worker, { epoch, idle: undefined, isStartWaiting: false });
  }

  /** A worker that has ended cannot be replaced before an earlier replacement starts. */
  replacementWaits(worker: number, epoch: number): void {
    const thread = this.#threads.get(worker);
    if (thread?.epoch !== epoch || thread.isStartWaiting) return;
    thread.isStartWaiting = true;
    if (this.#isConfirming) this.#isCheckDue = true;
    else this.#checkIdle();
  }

  /** Whether a worker was replaced after this epoch. */
  hasReplacement(worker: number, epoch: number): boolean {
    return epoch < (this.#run.lastEpochs[worker] ?? 0);
  }

  /** Whether a replacement may start: all earlier ones must have. `epochOf` returns a worker's last started epoch. */
  canStart({ worker, epoch }: WorkerReplacement, epochOf: (worker: number) => number): boolean {
    const { replacements = [] } = this.#run;
    const index = replacements.findIndex((each) => each.worker === worker && each.epoch === epoch);
    return replacements.slice(0, Math.max(0, index)).every((each) => each.epoch <= epochOf(each.worker));
  }

  /** Whether a worker's thread has stopped. */
  hasEnded(worker: number): boolean {
    return !this.#threads.has(worker);
  }

  threadIdle(idle: IdleThread): void {
    const thread = this.#threads.get(idle.worker);
    if (thread?.epoch !== idle.epoch) return;
    thread.idle = idle;
    this.#checkIdle();
  }

  /** Handles the stop of a thread. Repeated reports about the same epoch are ignored. */
  threadStopped(stop: ThreadStop): void {
    const { worker, epoch } = stop;
    if (this.#threads.get(worker)?.epoch !== epoch) return;
    this.#threads.delete(worker);
    const hasReplacement = this.hasReplacement(worker, epoch);
    // The trace of a lost worker is always cut off. The run continues if it is whole and the worker was replaced.
    if (stop.reason !== 'ended' && !(hasReplacement && stop.isTraceWhole === true)) this.#isCutOff = true;
    this.#run.onThreadStop(stop);
    if (hasReplacement && stop.reason !== 'diverged') {
      this.threadStarted(worker, epoch + 1);
      const replace = (): void => this.#deps.replace(worker, epoch);
      if (this.#run.onReplaceable === undefined) replace();
      else this.#run.onReplaceable({ worker, epoch }, replace);
    }
    this.#checkIdle();
  }

  onPart(part: WorkerPart): void {
    this.#run.onPart?.(part);
  }

  get #areIdle(): boolean {
    const running = [...this.#threads.values()].filter(({ isStartWaiting }) => !isStartWaiting);
    return running.length > 0 && running.every(({ idle }) => idle !== undefined);
  }

  /** Checks whether all threads are idle and nothing more can arrive. */
  #checkIdle(): void {
    if (this.#isConfirming || !this.#areIdle) return;
    this.#isConfirming = true;
    void this.#confirmIdle().finally(() => {
      this.#isConfirming = false;
      if (!this.#isCheckDue) return;
      this.#isCheckDue = false;
      this.#checkIdle();
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
      // Copied, since stopping a thread may start a replacement.
      const all = [...this.#threads];
      for (const [worker, { epoch, isStartWaiting }] of all) if (!isStartWaiting) this.#endIdle(worker, epoch);
      return;
    }
    if (main === undefined) return void (await this.#confirmIdle());
    // The main thread reports its position again.
    main.idle = undefined;
    this.#deps.reportWhenIdle();
  }

  #progress(): string {
    const threads = [...this.#threads].map(([worker, { epoch, idle }]) => `${worker}.${epoch}:${idle?.events}`);
    return [this.#deps.eventsTaken(), ...threads].join(' ');
  }

  /** Stops a thread that waits for an event which cannot arrive. If no trace was cut off, one thread has diverged. */
  #endIdle(worker: number, epoch: number): void {
    const isCutOff = this.#isCutOff;
    if (!this.hasReplacement(worker, epoch)) this.#isCutOff = true;
    this.#deps.endIdle(worker, isCutOff);
  }
}
