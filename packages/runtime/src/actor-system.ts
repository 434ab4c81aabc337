// The main thread's part of an app: places actors, sends queries to all workers, starts phases, and ends all threads
// when no work is left or the program closes the app.

import { once } from 'node:events';
import type { ActorSystemOptions, WorkerSettings } from './actor-system-options.ts';
import { MAX_WORKERS } from './actors/actor-cell.ts';
import type {
  WorkerQueryResults,
  AppStats,
  WorkerQuery,
  TrafficTotals,
  MessageToWorker,
  WorkerStats,
} from './control-messages.ts';
import { ActorPlacement, type Placement } from './actors/actor-placement.ts';
import { markOwnListener } from './own-listener.ts';
import { ReplayMonitor } from './replay-monitor.ts';
import {
  SnapshotCollector,
  type WorkerPart,
  type Snapshot,
  type StoredSnapshot,
} from './snapshot/snapshot-collector.ts';
import { triggerSnapshots, type SnapshotInterval } from './snapshot/snapshot-trigger.ts';
import { restoreWorker } from './snapshot/restore-worker.ts';
import { damagedSnapshotError } from './snapshot/restored-worker.ts';
import { RuntimeError } from './runtime-error.ts';
import type { Scheduler } from './scheduler/scheduler.ts';
import type { ThreadHost } from './thread-host.ts';
import { threadStats } from './thread-stats.ts';
import { WorkerPool, type WorkerMessage } from './worker-pool.ts';
import type { ReplayTape } from './trace/replay-tape.ts';

const { setTimeout: nativeSetTimeout, clearTimeout: nativeClearTimeout, setImmediate: nativeSetImmediate } = globalThis;
/** Time for a worker to exit by itself, in milliseconds. */
const END_TIMEOUT_MS = 2000;

function checkWorkerCount(workers: number): void {
  if (!Number.isInteger(workers) || workers < 0 || workers >= MAX_WORKERS)
    throw new RuntimeError('TT_PLACEMENT', `workers must be a number from 0 to ${MAX_WORKERS - 1}, not ${workers}`);
}

export class ActorSystem {
  readonly actorPlacement: ActorPlacement;
  readonly #scheduler: Scheduler;
  readonly #host: ThreadHost;
  readonly #options: { -readonly [Name in keyof ActorSystemOptions]: ActorSystemOptions[Name] };
  readonly #pool: WorkerPool;
  readonly #queries = new Map<number, (worker: number, answer: unknown) => void>();
  #lastQueryId = 0;
  /** Numbers of messages sent and taken in total at the last check that found no work left. */
  #lastTotals: TrafficTotals | undefined;
  #phase = 0;
  readonly #collector = new SnapshotCollector({
    startPhase: () => this.startPhase(),
    whenLossesSeen: () => this.#lossesSeen,
    onAbandoned: (phase) => this.#options.onSnapshotAbandoned?.(phase),
  });
  #snapshotTrigger: { readonly interval: SnapshotInterval; readonly callback: () => void } | undefined;
  /** Settles when all threads have learned of the same lost workers. */
  #lossesSeen: Promise<void> | undefined;
  /** Whether the program has closed the app, or no work was left. */
  #isClosing = false;
  /** Whether the threads are being ended, so that the exit of a worker is no loss. */
  #isEnding = false;
  /** Monitor of a replay; undefined in a recorded run. */
  readonly #replayMonitor: ReplayMonitor | undefined;
  /** Set by `halt`, after which no actor runs. */
  #isHalted = false;

  constructor(scheduler: Scheduler, host: ThreadHost, options: ActorSystemOptions) {
    const { workers, placement = 'least-loaded' } = options;
    checkWorkerCount(workers);
    this.#scheduler = scheduler;
    this.#host = host;
    this.#options = { ...options };
    this.actorPlacement = scheduler.actorPlacement = new ActorPlacement(0, workers, placement);
    this.#pool = new WorkerPool({
      scheduler,
      host,
      options: this.#options,
      actorPlacement: this.actorPlacement,
      snapshotInterval: () => this.#snapshotTrigger?.interval,
      replayMonitor: () => this.#replayMonitor,
      isEnding: () => this.#isEnding || this.#isHalted,
      onMessage: (worker, message) => this.#onMessage(worker, message),
      onGone: (worker) => {
        this.#cancelQueries(worker);
        this.#collector.workerLost(worker);
      },
      onLost: (worker, reason, isReplaced) => this.#onLost(worker, reason, isReplaced),
    });
    scheduler.workerLinks.onWorkerLost = (worker, isReplaced) => this.actorPlacement.workerLost(worker, isReplaced);
    if (options.capturer !== undefined)
      scheduler.startSnapshots({
        capturer: options.capturer,
        sink: options.partSink,
        onCut: (phase) => {
          this.#collector.mainThreadCut(phase, [0, ...this.#pool.running().map(({ index }) => index)]);
          options.replayedRun?.onCut?.(phase, [0, ...scheduler.workerLinks.openWorkers]);
        },
        deliver: (delivery) => this.#onPart({ ...delivery, worker: 0, epoch: 0 }),
        onFailed: (phase, reason, isRetryable) => this.#collector.partFailed(0, phase, reason, isRetryable),
      });
    process.on(
      'beforeExit',
      markOwnListener(() => this.#onBeforeExit()),
    );
    const { replayTape } = scheduler.ingests;
    if (replayTape === undefined || options.replayedRun === undefined) return;
    this.#replayMonitor = new ReplayMonitor(options.replayedRun, {
      eventsTaken: () => replayTape.progress.events,
      isIdle: () => scheduler.isReplayIdle,
      reportWhenIdle: () => host.onIdle?.(),
      queryIdle: async () => void (await this.#query('replayIdle')),
      replace: (worker, epoch) => this.#pool.replaceStopped(worker, epoch),
      endIdle: (worker, isCutOff) => {
        if (worker === 0) replayTape.endIdle(isCutOff);
        else this.#pool.endIdle(worker, isCutOff);
      },
    });
    options.replayedRun.setMessagePump?.(() => this.#pool.drainMessages());
    this.#replayMonitor.threadStarted(0, 0);
    replayTape.onHalt((halt) => this.#replayMonitor?.threadStopped({ ...halt, worker: 0, epoch: 0 }));
    // Node emits `beforeExit` on an idle main thread only if no worker keeps the process alive.
    host.onIdle = () => {
      this.#pool.keepProcessAlive(false);
      nativeSetImmediate(() => {});
    };
  }

  /** Sets the options of an app that started before its program could set them; must precede the first actor. */
  configure(options: WorkerSettings): void {
    const { workers, placement = 'least-loaded' } = options;
    checkWorkerCount(workers);
    Object.assign(this.#options, options);
    this.actorPlacement.configure(workers, placement);
  }

  get areThreadsStarted(): boolean {
    return this.#pool.areStarted;
  }

  /** Chooses the worker of an actor. Starts all workers unless the choice is the main thread. */
  placeActor(placement: Placement | undefined): number {
    const worker = this.actorPlacement.choose(placement);
    if (worker !== 0) this.#pool.start();
    return worker;
  }

  #onLost(worker: number, reason: string, isReplaced: boolean): void {
    const lossesSeen = this.#waitForLossesSeen().then(() => {
      if (this.#lossesSeen === lossesSeen) this.#lossesSeen = undefined;
    });
    this.#lossesSeen = lossesSeen;
    this.#options.onWorkerLost?.(worker, reason, isReplaced);
  }

  /** Waits until every thread has processed all losses. */
  async #waitForLossesSeen(): Promise<void> {
    await this.#query('lossesSeen');
    while (!this.#scheduler.ingests.isEmpty) await new Promise<void>((resolve) => nativeSetImmediate(resolve));
  }

  #onMessage(worker: number, message: WorkerMessage): void {
    switch (message.type) {
      case 'answer':
        return this.#queries.get(message.queryId)?.(worker, message.answer);
      case 'snapshotDue':
        return this.#snapshotTrigger?.callback();
      case 'idle':
        return this.#replayMonitor?.threadIdle(message);
      case 'stopped':
        this.#cancelQueries(worker);
        return this.#replayMonitor?.threadStopped(message);
      case 'part':
        return this.#onPart(message.part);
      case 'partFailed':
        return this.#collector.partFailed(worker, message.phase, message.reason, message.isRetryable);
    }
  }

  /** Settles the queries that await a worker which no longer answers. */
  #cancelQueries(worker: number): void {
    for (const resolveQuery of this.#queries.values()) resolveQuery(worker, undefined);
  }

  /** Queries every worker, except workers that end meanwhile. Keeps the process alive until all have answered. */
  async #query<W extends WorkerQuery>(type: W): Promise<WorkerQueryResults[W][]> {
    const queryId = ++this.#lastQueryId;
    const unanswered = new Set(
      this.#pool.running().flatMap(({ index }) => (this.#replayMonitor?.hasEnded(index) === true ? [] : index)),
    );
    const answers: WorkerQueryResults[W][] = [];
    if (unanswered.size === 0) return answers;
    // Also keeps the thread, since the port of a worker that ends without an answer closes before the thread exits.
    this.#pool.keepProcessAlive(true);
    this.#pool.broadcast({ type, queryId });
    await new Promise<void>((resolve) => {
      this.#queries.set(queryId, (worker, answer) => {
        if (answer !== undefined) answers.push(answer as WorkerQueryResults[W]);
        if (unanswered.delete(worker) && unanswered.size === 0) resolve();
      });
    });
    this.#queries.delete(queryId);
    if (this.#queries.size === 0 && this.#replayMonitor === undefined) this.#pool.keepProcessAlive(false);
    return answers;
  }

  /** Called when Node has no work left on this thread. Ends the threads if the workers have none either. */
  #onBeforeExit(): void {
    const { replayTape } = this.#scheduler.ingests;
    if (replayTape !== undefined) return this.#reportIdle(replayTape);
    if (!this.#pool.areStarted || this.#isClosing || this.#pool.running().length === 0) return;
    void this.#isAllDone().then((isAllDone) => (isAllDone ? this.#endThreads() : undefined));
  }

  /** In a replay: reports the event that the idle main thread awaits. Workers may still produce the event. */
  #reportIdle(replayTape: ReplayTape): void {
    const event = replayTape.checkEnd();
    this.#pool.keepProcessAlive(true);
    if (event !== undefined)
      this.#replayMonitor?.threadIdle({ worker: 0, epoch: 0, events: replayTape.progress.events });
  }

  /** Whether all workers were idle and all sent messages were taken, twice in a row with the same counts. */
  async #isAllDone(): Promise<boolean> {
    const answers = await this.#query('idle');
    let { sent, taken } = this.#scheduler.workerLinks.traffic;
    for (const each of answers) {
      sent += each.sent;
      taken += each.taken;
    }
    const isSnapshotAwaited = this.#options.isSnapshotAwaited?.() === true;
    const isQuiet = this.#scheduler.isIdle && sent === taken && !isSnapshotAwaited;
    const isUnchanged = this.#lastTotals?.sent === sent && this.#lastTotals.taken === taken;
    this.#lastTotals = isQuiet ? { sent, taken } : undefined;
    return isQuiet && isUnchanged;
  }

  /** Prevents the program from spawning more actors. */
  stopSpawning(): void {
    this.actorPlacement.close();
  }

  /** Ends the app when actors have no work left, or after `timeoutMs`. Returns whether all work was done. */
  async close(timeoutMs = Infinity): Promise<boolean> {
    if (this.#isClosing) return true;
    this.#isClosing = true;
    this.actorPlacement.end();
    const aborter = new AbortController();
    const timer = timeoutMs === Infinity ? undefined : nativeSetTimeout(() => aborter.abort(), timeoutMs);
    const timedOut = once(aborter.signal, 'abort').then(() => false);
    let isAllDone = !this.#pool.areStarted;
    while (!isAllDone && !aborter.signal.aborted) {
      isAllDone = await Promise.race([this.#isAllDone(), timedOut]);
      if (!isAllDone) await new Promise<void>((resolve) => nativeSetTimeout(resolve, 1));
    }
    nativeClearTimeout(timer);
    await this.#endThreads();
    this.#scheduler.workerLinks.close();
    return isAllDone;
  }

  /** Makes every thread exit, and terminates threads that do not exit in time. */
  async #endThreads(): Promise<void> {
    this.#isClosing = this.#isEnding = true;
    this.actorPlacement.end();
    // The remaining work needs the workers and a process that stays alive.
    this.#pool.keepProcessAlive(true);
    await this.#options.beforeEnd?.();
    const exits = this.#pool.running().map(async ({ worker, port }) => {
      const exit = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
      worker.ref();
      port.postMessage({ type: 'end' } satisfies MessageToWorker);
      const timer = nativeSetTimeout(() => void worker.terminate(), END_TIMEOUT_MS);
      await exit;
      nativeClearTimeout(timer);
    });
    await Promise.all(exits);
  }

  /** Stops all actors for good. Settles when all workers that still answer have sent their output. */
  async halt(): Promise<void> {
    this.#isHalted = true;
    this.#scheduler.pause();
    await this.#query('halted');
  }

  /** Number of the phase that was started last. */
  get phase(): number {
    return this.#phase;
  }

  /** Starts a phase, which each thread enters at its next turn boundary. Returns the number of the phase. */
  startPhase(): number {
    this.#phase++;
    this.#scheduler.startPhase(this.#phase);
    this.#pool.broadcast({ type: 'phase', phase: this.#phase });
    return this.#phase;
  }

  /** Starts a phase without a snapshot (a cut point, docs/internals/snapshots.md). Returns false while that is not possible. */
  startCutPoint(): boolean {
    if (this.#lossesSeen !== undefined || this.#collector.isTaking || this.#isClosing || this.#isHalted) return false;
    this.#scheduler.cutPoints.add(this.#phase + 1);
    this.startPhase();
    return true;
  }

  #onPart(part: WorkerPart): void {
    if (this.#replayMonitor === undefined) this.#collector.addPart(part);
    else this.#replayMonitor.onPart(part);
  }

  /** Calls back when the work of a thread since its last snapshot reaches `interval`. */
  onSnapshotDue(interval: SnapshotInterval, callback: () => void): void {
    this.#snapshotTrigger = { interval, callback };
    triggerSnapshots(this.#scheduler, this.#host, interval, callback);
  }

  /** Takes a snapshot of the whole program; settles when it is complete. */
  snapshot(): Promise<Snapshot> {
    if (this.#options.capturer === undefined)
      throw new RuntimeError(
        'TT_NO_SNAPSHOT',
        'this program is not recorded, so it has no snapshots; start it with --recordings DIR',
      );
    return this.#collector.take();
  }

  /** Restores all workers. Returns a function that runs them. `snapshot` answers requests for the snapshot. */
  async restore({ phase, parts }: StoredSnapshot, snapshot: unknown): Promise<() => Promise<void>> {
    const { capturer } = this.#options;
    const mainPart = parts.find(({ worker }) => worker === 0);
    if (capturer === undefined || mainPart === undefined)
      throw damagedSnapshotError('it has no part of the main thread');
    this.#phase = phase;
    this.#scheduler.pause();
    this.#scheduler.startInPhase(phase);
    const restores = this.#pool.restore(parts);
    this.#pool.keepProcessAlive(true);
    const hooks = { connectEndedWorkers: () => this.#pool.startEnded() };
    const [resume] = await Promise.all([restoreWorker(this.#scheduler, capturer, mainPart.bytes, hooks), ...restores]);
    return () => {
      this.#pool.keepProcessAlive(false);
      this.#pool.broadcast({ type: 'resume' });
      this.#scheduler.appRequests.answerAll(snapshot);
      return resume();
    };
  }

  async stats(withActors: boolean): Promise<AppStats> {
    const workers: WorkerStats[] = await this.#query(withActors ? 'actorStats' : 'stats');
    workers.push(threadStats(this.#scheduler, this.#host, withActors));
    return { epoch: this.#options.epoch ?? 0, workers: workers.toSorted((a, b) => a.worker - b.worker) };
  }
}
