// A worker's thread: connects to all other threads, and runs its actors until the main thread or the process ends it.

import { receiveMessageOnPort } from 'node:worker_threads';
import { setImmediate as nativeSetImmediate } from 'node:timers';
import { CutPoints } from './snapshot/cut-points.ts';
import { connect, loseWorker } from './link-connection.ts';
import { WORKER_START, type RecordedStart } from './recorded-start.ts';
import type {
  WorkerQueryResults,
  Predecessor,
  LinkData,
  WorkerQuery,
  SnapshotLocation,
  ThreadData,
  MessageToMain,
  MessageToWorker,
} from './control-messages.ts';
import { ActorPlacement } from './actors/actor-placement.ts';
import type { Scheduler } from './scheduler/scheduler.ts';
import type { WorkerPart } from './snapshot/snapshot-collector.ts';
import { triggerSnapshots } from './snapshot/snapshot-trigger.ts';
import { restoreWorker, reviveWorker } from './snapshot/restore-worker.ts';
import type { PartSink } from './snapshot/worker-snapshots.ts';
import type { StateCapturer } from '@turntable/heap';
import { markOwnListener } from './own-listener.ts';
import { describeEvent, type ReplayTape } from './trace/replay-tape.ts';
import type { ThreadHost } from './thread-host.ts';
import { threadStats } from './thread-stats.ts';

const { exit: nativeExit } = process;

/** Reads a worker's part of the last readable snapshot that contains one. */
export type LastPartReader = (
  location: SnapshotLocation,
  worker: number,
) => { readonly phase: number; readonly bytes: Uint8Array };

/** Dependencies of a worker for taking and restoring snapshots. */
export interface ServeDeps {
  readonly capturer?: StateCapturer | undefined;
  readonly sink?: PartSink | undefined;
  readonly readLastPart?: LastPartReader | undefined;
}

/** Runs this thread as a worker. Returns the placement of actors that are spawned on it. */
export function serve(data: ThreadData, scheduler: Scheduler, host: ThreadHost, deps: ServeDeps = {}): ActorPlacement {
  return new WorkerServer(data, scheduler, host, deps).actorPlacement;
}

class WorkerServer {
  readonly actorPlacement: ActorPlacement;
  readonly #data: ThreadData;
  readonly #scheduler: Scheduler;
  readonly #host: ThreadHost;
  readonly #deps: ServeDeps;
  readonly #lossCounter: Int32Array;
  /** Number of losses reported to this thread. */
  #lossesSeen: number;
  /** Queries to answer when no work is left. */
  #idleQueries: number[] = [];
  /** Whether the state of the predecessor is being read. */
  #isReviving: boolean;
  /** Whether this worker's part of a restored snapshot is being read. */
  #isRestoring: boolean;
  #resume: () => void = () => {};

  constructor(data: ThreadData, scheduler: Scheduler, host: ThreadHost, deps: ServeDeps) {
    const { bell, control, workers, placement, index, lossCounter, endedWorkers, lossesSeen } = data;
    scheduler.cutPoints = new CutPoints(data.cutPoints);
    const { phase, predecessor, links } = resolveThreadStart(data, scheduler);
    const { workerLinks } = scheduler;
    this.#data = data;
    this.#scheduler = scheduler;
    this.#host = host;
    this.#deps = deps;
    this.#lossCounter = new Int32Array(lossCounter);
    this.#lossesSeen = lossesSeen;
    this.actorPlacement = scheduler.actorPlacement = new ActorPlacement(index, workers, placement);
    workerLinks.onWorkerLost = (worker, isReplaced) => this.actorPlacement.workerLost(worker, isReplaced);
    workerLinks.onRestorableActor = () => {
      workerLinks.onRestorableActor = undefined;
      this.#send({ type: 'restorable' });
    };
    if (predecessor !== undefined) {
      scheduler.startEpoch(data.epoch, predecessor.lossReason);
      workerLinks.notRestoredReason = predecessor.notRestoredReason;
    }
    this.#isReviving = predecessor?.snapshot !== undefined;
    this.#isRestoring = data.restoredPart !== undefined;
    host.attachBell(bell);
    host.onIdle = () => this.#onIdle();
    if (this.#isRestoring || this.#isReviving) scheduler.pause();
    const rollbackCounts = new Int32Array(data.rollbackCounts);
    scheduler.watchRollbackCount((count) => Atomics.store(rollbackCounts, index, count));
    for (const link of links) connect(scheduler, link);
    for (const each of endedWorkers) loseWorker(scheduler, each);
    scheduler.startInPhase(phase);
    const { capturer } = deps;
    if (capturer !== undefined && data.hasSnapshots) this.#startSnapshots(capturer);
    if (predecessor?.snapshot !== undefined) void this.#revive(predecessor.snapshot);
    control.on('message', (message: MessageToWorker) => this.#onMessage(message));
    // The messages just taken may mention an actor on a replacement worker.
    workerLinks.messageIngest.onBatchTaken = () => this.#drainLosses();
    control.unref();
    process.on(
      'beforeExit',
      markOwnListener(() => this.#onBeforeExit()),
    );
    const { replayTape } = scheduler.ingests;
    if (replayTape === undefined) return;
    scheduler.onEnded = () => this.#onIdle();
    replayTape.onHalt(({ reason, events, turns, messages, divergence, isTraceWhole }) =>
      this.#send({
        type: 'stopped',
        worker: index,
        epoch: data.epoch,
        reason,
        events,
        turns,
        messages,
        ...(divergence === undefined ? {} : { divergence }),
        ...(isTraceWhole === undefined ? {} : { isTraceWhole }),
      }),
    );
    process.on(
      'exit',
      markOwnListener(() => replayTape.onThreadExit()),
    );
  }

  #send(message: MessageToMain, transfer?: readonly ArrayBuffer[]): void {
    this.#data.control.postMessage(message, transfer);
  }

  #reply(queryId: number, result: WorkerQueryResults[WorkerQuery]): void {
    this.#send({ type: 'answer', queryId, answer: result });
  }

  #startSnapshots(capturer: StateCapturer): void {
    const { index, epoch, snapshotInterval, restoredPart } = this.#data;
    this.#scheduler.startSnapshots({
      capturer,
      sink: this.#deps.sink,
      deliver: (delivery) => {
        const part: WorkerPart = { ...delivery, worker: index, epoch };
        const { bytes } = delivery;
        this.#send({ type: 'part', part }, bytes && [bytes.buffer as ArrayBuffer]);
      },
      onFailed: (phase, reason, isRetryable) =>
        this.#send({ type: 'partFailed', phase, reason: messageOf(reason), isRetryable }),
    });
    if (snapshotInterval !== undefined)
      triggerSnapshots(this.#scheduler, this.#host, snapshotInterval, () => this.#send({ type: 'snapshotDue' }));
    if (restoredPart !== undefined) void this.#restore(capturer, restoredPart);
  }

  async #restore(capturer: StateCapturer, bytes: Uint8Array): Promise<void> {
    try {
      this.#resume = await restoreWorker(this.#scheduler, capturer, bytes, {
        onResumed: () => (this.#isRestoring = false),
      });
    } catch (error) {
      const { code = 'TT_DAMAGED_SNAPSHOT', message = String(error) } = error as { code?: string; message?: string };
      return this.#send({ type: 'restored', failure: { code, message } });
    }
    this.#send({ type: 'restored', failure: undefined });
  }

  /** Restores this replacement worker to the state of its predecessor, if a snapshot contains that state. */
  async #revive(location: SnapshotLocation): Promise<void> {
    try {
      const part = this.#readLastPart(location);
      const { capturer } = this.#deps;
      if (part === undefined || capturer === undefined) {
        this.#scheduler.workerLinks.endClaims();
        this.#scheduler.resume();
      } else {
        this.#scheduler.workerLinks.notRestoredReason = `snapshot ${part.phase} does not have them`;
        await reviveWorker(this.#scheduler, capturer, part.bytes);
      }
      this.#isReviving = false;
    } catch (error) {
      // The state is partly restored and cannot be used.
      this.#send({ type: 'restoreFailed', reason: messageOf(error).replaceAll(/\s*\n\s*/g, ' ') });
      process.exit(1);
    }
  }

  #readLastPart(location: SnapshotLocation): ReturnType<LastPartReader> | undefined {
    try {
      return this.#deps.readLastPart?.(location, this.#data.index);
    } catch (error) {
      this.#scheduler.workerLinks.notRestoredReason = messageOf(error);
      return undefined;
    }
  }

  #onMessage(message: MessageToWorker): void {
    const scheduler = this.#scheduler;
    switch (message.type) {
      case 'idle':
        // Answered when Node reports that no work is left. The query itself is work, so that Node will report again.
        this.#idleQueries.push(message.queryId);
        return this.#onIdle();
      case 'lossesSeen':
        return this.#replyWhenLossesSeen(message.queryId);
      case 'stats':
      case 'actorStats':
        return this.#reply(message.queryId, threadStats(scheduler, this.#host, message.type === 'actorStats'));
      case 'halted':
        scheduler.pause();
        return void this.#halt(message.queryId);
      case 'lost':
        this.#lossesSeen++;
        return loseWorker(scheduler, message);
      case 'phase':
        return scheduler.startPhase(message.phase);
      case 'resume':
        return this.#resume();
      case 'replayIdle':
        this.#idleQueries.push(message.queryId);
        return this.#onIdle();
      case 'endIdle':
        return scheduler.ingests.replayTape?.endIdle(message.isCutOff);
      case 'end':
        scheduler.recordEnd();
        // Runs listeners of `exit` and flushes output. A call by the program would not be recorded.
        return nativeExit();
    }
  }

  #drainLosses(): void {
    while (Atomics.load(this.#lossCounter, 0) !== this.#lossesSeen) {
      const received = receiveMessageOnPort(this.#data.control) as { message: MessageToWorker } | undefined;
      if (received === undefined) return;
      const { message } = received;
      if (message.type === 'lost') this.#onMessage(message);
      else nativeSetImmediate(() => this.#onMessage(message));
    }
  }

  /** Replies when this worker knows which actors were restored: no snapshot may begin before every worker does. */
  #replyWhenLossesSeen(queryId: number): void {
    const { ingests, workerLinks } = this.#scheduler;
    if (!this.#isReviving && ingests.isEmpty && !workerLinks.hasRevivable) this.#reply(queryId, true);
    else nativeSetImmediate(() => this.#replyWhenLossesSeen(queryId));
  }

  /** Sends the output of this thread to the main thread, replies, and blocks for good. */
  async #halt(queryId: number): Promise<void> {
    const streams = [process.stdout, process.stderr];
    await Promise.all(streams.map((stream) => new Promise<unknown>((resolve) => stream.write('', resolve))));
    this.#reply(queryId, true);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  }

  /** Called when actors have no work left. Lets Node emit `beforeExit` when the thread has no other work either. */
  #onIdle(): void {
    if (this.#idleQueries.length === 0 && !this.#scheduler.ingests.isReplaying) return;
    this.#data.control.unref();
    nativeSetImmediate(() => {});
  }

  /** In a replay: reports the event that this thread awaits. At the end of the run, the tape reports the stop. */
  #reportIdle(replayTape: ReplayTape): void {
    const { index: worker, epoch } = this.#data;
    const event = this.#isReviving || this.#isRestoring ? undefined : replayTape.checkEnd();
    if (event !== undefined) this.#send({ type: 'idle', worker, epoch, events: replayTape.progress.events });
    const queries = this.#idleQueries;
    this.#idleQueries = [];
    for (const queryId of queries) this.#reply(queryId, true);
  }

  #onBeforeExit(): void {
    // Kept alive by its control port, since a thread without work waits for messages.
    this.#data.control.ref();
    const { replayTape } = this.#scheduler.ingests;
    if (replayTape !== undefined) return this.#reportIdle(replayTape);
    if (this.#isReviving || !this.#scheduler.isIdle) return;
    const queries = this.#idleQueries;
    this.#idleQueries = [];
    for (const queryId of queries) this.#reply(queryId, this.#scheduler.workerLinks.traffic);
  }
}

type ThreadStart = Pick<ThreadData, 'phase' | 'predecessor' | 'links'>;

/** Returns the start data of a worker about itself and others; in a replay, the recorded data. */
function resolveThreadStart(data: ThreadData, { ingests }: Scheduler): ThreadStart {
  const { replayTape } = ingests;
  const { epoch, phase, predecessor, links } = data;
  // A restored program continues from a cut, which is after the recorded start.
  if (data.restoredPart !== undefined) return data;
  if (replayTape === undefined) {
    const lossReasons = Object.fromEntries(
      links.flatMap((link) => (link.lossReason === undefined ? [] : [[link.worker, link.lossReason]])),
    );
    const predecessorRecord =
      predecessor === undefined ? null : { ...predecessor, snapshot: predecessor.snapshot?.phase ?? null };
    ingests.record(WORKER_START, String(epoch), {
      phase,
      predecessor: predecessorRecord,
      lossReasons,
    } satisfies RecordedStart);
    return data;
  }
  const { nextEvent: next } = replayTape;
  // The recorded process was killed before the start was written.
  if (next === undefined) {
    replayTape.reportEnd();
    return data;
  }
  if (next.type !== 'scheduler' || next.kind !== WORKER_START) {
    replayTape.reportDivergence(describeEvent(next), 'the worker starts');
    return data;
  }
  replayTape.take();
  const recorded = next.value as RecordedStart;
  const withLossReason = (link: LinkData): LinkData => ({ ...link, lossReason: recorded.lossReasons[link.worker] });
  const recording = predecessor?.snapshot?.recording ?? '';
  return {
    phase: recorded.phase,
    links: links.map(withLossReason),
    predecessor: recorded.predecessor === null ? undefined : recordedPredecessor(recorded.predecessor, recording),
  };
}

function recordedPredecessor(
  { snapshot, ...rest }: NonNullable<RecordedStart['predecessor']>,
  recording: string,
): Predecessor {
  return { ...rest, snapshot: snapshot === null ? undefined : { recording, phase: snapshot } };
}

function messageOf(reason: unknown): string {
  return reason instanceof Error ? reason.message : String(reason);
}
