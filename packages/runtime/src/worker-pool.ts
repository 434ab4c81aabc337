// The threads of workers, on the main thread: starts, connects, replaces and lists them. `ActorSystem` handles their
// answers to queries.

import { MessageChannel, receiveMessageOnPort, type MessagePort, type Worker } from 'node:worker_threads';
import { hostClock } from '@turntable/core';
import { MAX_WORKERS } from './actors/actor-cell.ts';
import type { ActorSystemOptions } from './actor-system-options.ts';
import { startThread } from './standby-thread.ts';
import { connect, loseWorker } from './link-connection.ts';
import type {
  Predecessor,
  LinkData,
  WorkerLoss,
  ThreadData,
  MessageToMain,
  MessageToWorker,
} from './control-messages.ts';
import type { ActorPlacement } from './actors/actor-placement.ts';
import type { ReplayMonitor } from './replay-monitor.ts';
import { RuntimeError } from './runtime-error.ts';
import type { Scheduler } from './scheduler/scheduler.ts';
import type { StoredSnapshot } from './snapshot/snapshot-collector.ts';
import type { SnapshotInterval } from './snapshot/snapshot-trigger.ts';
import type { ThreadHost } from './thread-host.ts';
import { createRing } from './transport/ring.ts';
import { createBell } from './transport/bell.ts';

export interface PooledWorker {
  readonly index: number;
  readonly epoch: number;
  readonly bell: SharedArrayBuffer;
  readonly worker: Worker;
  readonly port: MessagePort;
  isLost: boolean;
  /** Error that the worker reported before it exited, if any. */
  failureReason: string | undefined;
  isOutOfMemory: boolean;
  /** Reported reason why the worker could not be restored, if any. */
  restoreFailure: string | undefined;
}

/** Messages of a worker, except those about its own start and restoration. */
export type WorkerMessage = Exclude<MessageToMain, { readonly type: 'restorable' | 'restoreFailed' | 'restored' }>;

export interface WorkerPoolDeps {
  readonly scheduler: Scheduler;
  readonly host: ThreadHost;
  readonly options: ActorSystemOptions;
  readonly actorPlacement: ActorPlacement;
  /** Work after which a worker reports that a snapshot is due. */
  snapshotInterval(): SnapshotInterval | undefined;
  /** Returns the monitor of a replay; undefined in a recorded run. */
  replayMonitor(): ReplayMonitor | undefined;
  /** Whether the end of a worker is expected. */
  isEnding(): boolean;
  onMessage(worker: number, message: WorkerMessage): void;
  /** Called when a worker no longer answers queries. */
  onGone(worker: number): void;
  /** Called when a worker was lost and all others have been sent the loss. */
  onLost(worker: number, reason: string, isReplaced: boolean): void;
}

type LinkEnd = Pick<LinkData, 'worker' | 'epoch' | 'lossReason' | 'bell'>;
type RestoreFailure = { readonly code: string; readonly message: string };

/** A worker lost more than `MAX_LOSSES` times within `LOSS_WINDOW_MS` is not replaced. */
const MAX_LOSSES = 3;
const LOSS_WINDOW_MS = 10_000;

export class WorkerPool {
  readonly #deps: WorkerPoolDeps;
  readonly #scheduler: Scheduler;
  readonly #options: ActorSystemOptions;
  /** The last thread of each worker, by index. */
  readonly #workers = new Map<number, PooledWorker>();
  readonly #bell = createBell();
  /** Number of losses; shared with all workers. */
  readonly #lossCounter = new SharedArrayBuffer(4);
  /** Number of actors of each worker whose loss rolls the program back; shared with all workers. */
  readonly #rollbackCounts = new SharedArrayBuffer(4 * MAX_WORKERS);
  /** Times of the recent losses of each worker. */
  readonly #recentLosses: number[][] = [];
  /** Reason of the last loss of each worker. */
  readonly #lossReasons: string[] = [];
  /** Workers that have, or had, actors with `supervise: 'restore'`. */
  readonly #restorableWorkers = new Set<number>();
  /** Epoch in which each worker starts in a restored program. */
  readonly #epochs: number[] = [];
  /** Parts of the workers that are about to start in a restored program. */
  #partsToRestore: ReadonlyMap<number, Uint8Array> | undefined;
  readonly #restoreListeners = new Map<number, (failure: RestoreFailure | undefined) => void>();
  #areStarted = false;
  /** In a replay: ended workers that will be replaced. */
  readonly #awaitingReplacement = new Set<PooledWorker>();

  constructor(deps: WorkerPoolDeps) {
    this.#deps = deps;
    this.#scheduler = deps.scheduler;
    this.#options = deps.options;
  }

  get areStarted(): boolean {
    return this.#areStarted;
  }

  /** Starts all workers at the first call. */
  start(): void {
    if (this.#areStarted) return;
    this.#areStarted = true;
    const { workers } = this.#deps.actorPlacement;
    const bells = Array.from({ length: workers + 1 }, (_, index) => (index === 0 ? this.#bell : createBell()));
    const links: LinkData[][] = bells.map(() => []);
    for (let a = 0; a <= workers; a++) {
      for (let b = a + 1; b <= workers; b++) {
        const [forward, backward] = createLinkPair(
          this.#linkEnd(a, bells[a] as SharedArrayBuffer, this.#epochs[a]),
          this.#linkEnd(b, bells[b] as SharedArrayBuffer, this.#epochs[b]),
        );
        (links[a] as LinkData[]).push(forward);
        (links[b] as LinkData[]).push(backward);
      }
    }
    this.#deps.host.attachBell(this.#bell);
    for (const link of links[0] as LinkData[]) connect(this.#scheduler, link);
    for (let index = 1; index <= workers; index++) {
      // A worker without a part had ended for good before the snapshot.
      if (this.#partsToRestore?.has(index) === false) continue;
      this.#startWorker(
        this.#linkEnd(index, bells[index] as SharedArrayBuffer, this.#epochs[index]),
        links[index] as LinkData[],
        [],
        this.#predecessorOf(index),
      );
    }
  }

  /** Returns the predecessor of a worker that starts in a later epoch of a restored program. */
  #predecessorOf(index: number): Predecessor | undefined {
    const reason = this.#lossReasons[index];
    return reason === undefined ? undefined : { lossReason: reason, snapshot: undefined, notRestoredReason: '' };
  }

  /** Returns the predecessor of a worker that replaces a lost one. */
  #endedPredecessor({ index, restoreFailure }: PooledWorker, reason: string): Predecessor {
    // In a replay, the recorded start decides whether actors are restored.
    const shouldRestore = this.#restorableWorkers.has(index) || this.#deps.replayMonitor() !== undefined;
    const snapshot =
      restoreFailure ?? (shouldRestore ? this.#options.lastSnapshot?.() : undefined) ?? 'no snapshot was requested';
    return typeof snapshot === 'string'
      ? { lossReason: reason, snapshot: undefined, notRestoredReason: snapshot }
      : { lossReason: reason, snapshot, notRestoredReason: '' };
  }

  /** Returns one worker's end of a link. */
  #linkEnd(worker: number, bell: SharedArrayBuffer, epoch = 0): LinkEnd {
    return { worker, epoch, lossReason: this.#lossReasons[worker], bell };
  }

  #startWorker(
    { worker: index, epoch, bell }: Omit<LinkEnd, 'lossReason'>,
    links: readonly LinkData[],
    endedWorkers: readonly WorkerLoss[],
    predecessor: Predecessor | undefined,
  ): void {
    const { placement = 'least-loaded', workerData = {} } = this.#options;
    const { workers } = this.#deps.actorPlacement;
    const { port1, port2 } = new MessageChannel();
    const feed = this.#options.feed?.();
    const losses = Atomics.load(new Int32Array(this.#lossCounter), 0);
    const trace = this.#options.trace?.(index, epoch, this.#scheduler.phase, losses);
    const replay = this.#options.replay?.(index, epoch);
    this.#deps.replayMonitor()?.threadStarted(index, epoch);
    const data: ThreadData = {
      index,
      epoch,
      predecessor,
      workers,
      placement,
      links,
      bell,
      phase: this.#scheduler.phase,
      control: port2,
      lossCounter: this.#lossCounter,
      lossesSeen: losses,
      endedWorkers,
      rollbackCounts: this.#rollbackCounts,
      hasSnapshots: this.#options.capturer !== undefined,
      cutPoints: this.#scheduler.cutPoints.memory,
      feed: feed?.data,
      restoredPart: this.#partsToRestore?.get(index),
      snapshotInterval: this.#deps.snapshotInterval(),
      trace: trace?.data,
      replay: replay?.data,
    };
    const fullWorkerData = { ...workerData, turntable: data };
    const transfers = [feed, trace, replay].flatMap((each) => each?.transfer ?? []);
    const deps = [port2, ...links.map(({ port }) => port), ...transfers];
    const standby = this.#options.standbyThread?.(index, epoch);
    const worker = standby?.worker ?? startThread(index, this.#options, fullWorkerData, deps);
    standby?.assign(fullWorkerData, deps);
    const pooled: PooledWorker = {
      index,
      epoch,
      bell,
      worker,
      port: port1,
      isLost: false,
      failureReason: undefined,
      isOutOfMemory: false,
      restoreFailure: undefined,
    };
    this.#workers.set(index, pooled);
    worker.unref();
    worker.on('error', (error: unknown) => {
      pooled.isOutOfMemory = (error as { code?: unknown } | null)?.code === 'ERR_WORKER_OUT_OF_MEMORY';
      pooled.failureReason = pooled.isOutOfMemory ? 'it was out of memory' : messageOf(error);
    });
    worker.on('exit', (code) => this.#onExit(pooled, code));
    port1.on('message', (message: MessageToMain) => this.#onMessage(pooled, message));
    port1.unref();
  }

  #onExit(pooled: PooledWorker, code: number): void {
    const { index } = pooled;
    // In a replay, a worker may be replaced before its thread exits.
    if (pooled.isLost) return;
    this.#markLost(pooled);
    if (this.#deps.isEnding()) return;
    const replayMonitor = this.#deps.replayMonitor();
    if (replayMonitor !== undefined) return this.#onReplayExit(pooled, replayMonitor);
    this.#options.traceLost?.(index, pooled.epoch, pooled.isOutOfMemory);
    const reason = `worker ${index} has ended: ${pooled.failureReason ?? `process.exit(${code})`}`;
    this.#lossReasons[index] = reason;
    // The failure has no effect if the worker is already restored.
    this.#restoreListeners.get(index)?.({ code: 'TT_ACTOR_LOST', message: reason });
    const rollbacks = Atomics.exchange(new Int32Array(this.#rollbackCounts), index, 0);
    const rollback = rollbacks > 0 ? this.#options.rollback?.(reason) : undefined;
    if (rollback === undefined) this.#handleLoss(pooled, reason);
    else void rollback.then(() => this.#handleLoss(pooled, reason));
  }

  #markLost(pooled: PooledWorker): void {
    pooled.isLost = true;
    this.#drainMessagesOf(pooled);
    pooled.port.close();
    this.#deps.onGone(pooled.index);
  }

  /** In a replay: reports the exit of a thread that has not reported its stop. */
  #onReplayExit(pooled: PooledWorker, replayMonitor: ReplayMonitor): void {
    const { index: worker, epoch, failureReason } = pooled;
    // The thread ended without reporting a reason, for example because it was out of memory.
    const hasReplacement = replayMonitor.hasReplacement(worker, epoch);
    const reason = hasReplacement ? 'cut off' : 'failed';
    replayMonitor.threadStopped({ worker, epoch, reason, events: 0, messages: 0, turns: 0, failure: failureReason });
    if (hasReplacement) this.replaceStopped(worker, epoch);
  }

  /** In a replay: ends the thread of a worker that has stopped, and replaces the worker without waiting for its exit. */
  replaceStopped(index: number, epoch: number): void {
    const pooled = this.#workers.get(index);
    const replayMonitor = this.#deps.replayMonitor();
    if (pooled?.epoch !== epoch || replayMonitor === undefined) return;
    if (!pooled.isLost) {
      void pooled.worker.terminate();
      this.#markLost(pooled);
    }
    if (this.#deps.isEnding()) return;
    this.#awaitingReplacement.add(pooled);
    this.#replaceEnded(replayMonitor);
  }

  /** Replaces all workers that can be replaced. A replacement may allow another one. */
  #replaceEnded(replayMonitor: ReplayMonitor): void {
    const epochOf = (worker: number): number => this.#workers.get(worker)?.epoch ?? 0;
    const canReplace = ({ index: worker, epoch }: PooledWorker): boolean =>
      replayMonitor.canStart({ worker, epoch: epoch + 1 }, epochOf);
    for (let next = [...this.#awaitingReplacement].find(canReplace); next !== undefined;) {
      this.#awaitingReplacement.delete(next);
      this.#replace(next, `worker ${next.index} has ended`);
      next = [...this.#awaitingReplacement].find(canReplace);
    }
    for (const { index, epoch } of this.#awaitingReplacement) replayMonitor.replacementWaits(index, epoch + 1);
  }

  #handleLoss(pooled: PooledWorker, reason: string): void {
    const { index } = pooled;
    const isReplaced = pooled.restoreFailure !== undefined || !this.#isLostTooOften(index);
    if (isReplaced) this.#replace(pooled, reason);
    else {
      const loss = finalLoss(index, pooled.epoch, reason);
      this.broadcast({ type: 'lost', ...loss });
      Atomics.add(new Int32Array(this.#lossCounter), 0, 1);
      loseWorker(this.#scheduler, loss);
    }
    this.#deps.onLost(index, reason, isReplaced);
  }

  #isLostTooOften(index: number): boolean {
    const now = hostClock.now();
    const recent = (this.#recentLosses[index] ?? []).filter((time) => now - time < LOSS_WINDOW_MS);
    recent.push(now);
    this.#recentLosses[index] = recent;
    return recent.length > MAX_LOSSES;
  }

  /** Replaces a lost worker. Reports the loss to all workers before any of them can learn of new actors there. */
  #replace(pooled: PooledWorker, reason: string): void {
    const { index, epoch } = pooled;
    const predecessor = this.#endedPredecessor(pooled, reason);
    const linkEnd = this.#linkEnd(index, createBell(), epoch + 1);
    const links: LinkData[] = [];
    const endedWorkers: WorkerLoss[] = [];
    const loss = { worker: index, epoch, reason, isRestored: predecessor.snapshot !== undefined };
    const connectTo = (other: LinkEnd): LinkData => {
      const [forward, backward] = createLinkPair(linkEnd, other);
      links.push(forward);
      return backward;
    };
    for (const other of this.#workers.values()) {
      if (other.index === index) continue;
      const successor = connectTo(this.#linkEnd(other.index, other.bell, other.epoch));
      // A worker that is still to be replaced is reported by its own loss message.
      if (other.isLost && !this.#awaitingReplacement.has(other))
        endedWorkers.push(finalLoss(other.index, other.epoch, this.#lossReasons[other.index] as string));
      else other.port.postMessage({ type: 'lost', ...loss, successor } satisfies MessageToWorker, [successor.port]);
    }
    for (const { worker, epoch, lossReason: reason } of this.#scheduler.workerLinks.links) {
      if (reason === undefined || worker === index || this.#workers.has(worker)) continue;
      connectTo(this.#linkEnd(worker, createBell(), epoch));
      endedWorkers.push(finalLoss(worker, epoch, reason));
    }
    Atomics.add(new Int32Array(this.#lossCounter), 0, 1);
    const backward = connectTo(this.#linkEnd(0, this.#bell));
    this.#startWorker(linkEnd, links, endedWorkers, predecessor);
    loseWorker(this.#scheduler, { ...loss, successor: backward });
  }

  broadcast(message: MessageToWorker): void {
    for (const { port } of this.running()) port.postMessage(message);
  }

  /** Sets whether running workers keep the process alive. */
  keepProcessAlive(isKept: boolean): void {
    for (const each of this.running().flatMap(({ port, worker }) => [port, worker])) {
      if (isKept) each.ref();
      else each.unref();
    }
  }

  /** Returns the workers that have not ended. */
  running(): PooledWorker[] {
    return [...this.#workers.values()].filter(({ isLost }) => !isLost);
  }

  /** Processes pending messages of workers while the event loop does not run. */
  drainMessages(): void {
    for (const pooled of this.running()) this.#drainMessagesOf(pooled);
  }

  #drainMessagesOf(pooled: PooledWorker): void {
    for (let next = receiveMessageOnPort(pooled.port); next !== undefined; next = receiveMessageOnPort(pooled.port))
      this.#onMessage(pooled, next.message as MessageToMain);
  }

  #onMessage(pooled: PooledWorker, message: MessageToMain): void {
    const { index } = pooled;
    switch (message.type) {
      case 'restorable':
        return void this.#restorableWorkers.add(index);
      case 'restoreFailed':
        pooled.restoreFailure = message.reason;
        pooled.failureReason = `it could not be restored: ${message.reason}`;
        return;
      case 'restored':
        return this.#restoreListeners.get(index)?.(message.failure);
      default:
        return this.#deps.onMessage(index, message);
    }
  }

  /** Connects the main thread to workers that had all ended for good before the snapshot; starts no thread. */
  startEnded(): void {
    this.#partsToRestore = new Map();
    this.start();
    this.#partsToRestore = undefined;
  }

  /** In a replay: stops the current thread of a worker, whose next event cannot arrive. */
  endIdle(index: number, isCutOff: boolean): void {
    this.#workers.get(index)?.port.postMessage({ type: 'endIdle', isCutOff } satisfies MessageToWorker);
  }

  /** Starts workers in the state of a snapshot. Returns a promise for each worker, settled when it is restored. */
  restore(parts: StoredSnapshot['parts']): Promise<void>[] {
    for (const { worker, epoch } of parts) {
      this.#epochs[worker] = epoch;
      if (epoch > 0) this.#lossReasons[worker] = `worker ${worker} has ended`;
    }
    this.#partsToRestore = new Map(parts.map(({ worker, bytes }) => [worker, bytes]));
    const others = [...this.#partsToRestore.keys()].filter((worker) => worker > 0);
    const all = others.map(
      (worker) =>
        new Promise<void>((resolve, reject) =>
          this.#restoreListeners.set(worker, (failure) => {
            if (failure === undefined) resolve();
            else reject(new RuntimeError(failure.code as never, `worker ${worker}: ${failure.message}`));
          }),
        ),
    );
    if (others.length > 0) this.start();
    this.#partsToRestore = undefined;
    return all;
  }
}

/** Returns the loss of a worker that is not replaced. */
function finalLoss(worker: number, epoch: number, reason: string): WorkerLoss {
  return { worker, epoch, reason, successor: undefined, isRestored: false };
}

/** Creates both ends of a new link between two workers. */
function createLinkPair(one: LinkEnd, other: LinkEnd): [LinkData, LinkData] {
  const { port1, port2 } = new MessageChannel();
  const [forward, backward] = [createRing(), createRing()];
  return [
    { ...other, out: forward, in: backward, port: port1 },
    { ...one, out: backward, in: forward, port: port2 },
  ];
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
