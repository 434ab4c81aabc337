// A worker's thread: joined to all others, it does what its actors have to do until it is told to end, or the process does.

import { receiveMessageOnPort } from 'node:worker_threads';
import { setImmediate as nativeSetImmediate } from 'node:timers';
import { CutPoints } from './snapshot/cut-points.ts';
import { connect, loseWorker } from './link-connection.ts';
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
import { idleState } from './replay-monitor.ts';
import { describeEvent, type ReplayTape } from './trace/replay-tape.ts';
import type { ThreadHost } from './thread-host.ts';
import { threadStats } from './thread-stats.ts';

/** What a worker was in the last snapshot that says so and can be read. */
export type LastPartReader = (
  location: SnapshotLocation,
  worker: number,
) => { readonly phase: number; readonly bytes: Uint8Array };

/** What a worker is given to be written down and to go on from what was. */
export interface ServeDeps {
  readonly capturer?: StateCapturer | undefined;
  readonly sink?: PartSink | undefined;
  readonly readLastPart?: LastPartReader | undefined;
}

/** Answers where actors that are spawned here are to live. */
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
  /** How many losses this thread has been told of. */
  #lossesSeen: number;
  /** Who wants to know when nothing is left to do. */
  #idleQueries: number[] = [];
  /** What this worker was is being read. */
  #isReviving: boolean;
  /** The same, or what others were. */
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
    // What was just taken may speak of an actor of a worker that has the place of another.
    workerLinks.messageIngest.onBatchTaken = () => this.#drainLosses();
    control.unref();
    process.on(
      'beforeExit',
      markOwnListener(() => this.#onBeforeExit()),
    );
    const { replayTape } = scheduler.ingests;
    if (replayTape === undefined) return;
    scheduler.onEnded = () => this.#onIdle();
    replayTape.onHalt(({ reason, events, turns, messages, divergence }) =>
      this.#send({
        type: 'stopped',
        worker: index,
        epoch: data.epoch,
        reason,
        events,
        turns,
        messages,
        ...(divergence === undefined ? {} : { divergence }),
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
      this.#resume = await restoreWorker(this.#scheduler, capturer, bytes, () => (this.#isRestoring = false));
    } catch (error) {
      const { code = 'TT_DAMAGED_SNAPSHOT', message = String(error) } = error as { code?: string; message?: string };
      return this.#send({ type: 'restored', failure: { code, message } });
    }
    this.#send({ type: 'restored', failure: undefined });
  }

  /** This worker has the place of a lost one, and is to be what that one was, if that can be had. */
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
      // What it is now is neither what it was nor nothing.
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
        // Node says when nothing is left to do: now it has something.
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
      case 'end':
        scheduler.recordEnd();
        // Listeners of `exit` are to run, and what was written is to be seen.
        process.exit();
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

  /** No snapshot can begin before it is known who is what it was. */
  #replyWhenLossesSeen(queryId: number): void {
    const { ingests, workerLinks } = this.#scheduler;
    if (!this.#isReviving && ingests.isEmpty && !workerLinks.hasRevivable) this.#reply(queryId, true);
    else nativeSetImmediate(() => this.#replyWhenLossesSeen(queryId));
  }

  /** For good, once the main thread has what this one has written. */
  async #halt(queryId: number): Promise<void> {
    const streams = [process.stdout, process.stderr];
    await Promise.all(streams.map((stream) => new Promise<unknown>((resolve) => stream.write('', resolve))));
    this.#reply(queryId, true);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  }

  /** Nothing is to be done between actors: Node will say when nothing is left at all. */
  #onIdle(): void {
    if (this.#idleQueries.length === 0 && !this.#scheduler.ingests.isReplaying) return;
    this.#data.control.unref();
    nativeSetImmediate(() => {});
  }

  /** In a run again: what it waits for is told; that it has come to its end is told by its tape. */
  #reportIdle(replayTape: ReplayTape): void {
    const { index: worker, epoch } = this.#data;
    const event = this.#isReviving || this.#isRestoring ? undefined : replayTape.checkEnd();
    if (event !== undefined) this.#send({ type: 'idle', worker, epoch, ...idleState(replayTape, event) });
    const queries = this.#idleQueries;
    this.#idleQueries = [];
    for (const queryId of queries) this.#reply(queryId, true);
  }

  #onBeforeExit(): void {
    // A thread that has nothing to do waits for what comes.
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

/** A birth, as it is noted. */
type RecordedStart = {
  readonly phase: number;
  readonly predecessor: {
    readonly lossReason: string;
    readonly notRestoredReason: string;
    readonly snapshot: number | null;
  } | null;
  /** Workers that are in the place of others, and why those have ended. */
  readonly lossReasons: { readonly [worker: string]: string };
  /** How many workers had ended before: no two are born behind as many. */
  readonly losses: number;
};

/** What it is to know of itself and of others; in a run again, what it knew. */
function resolveThreadStart(data: ThreadData, { ingests }: Scheduler): ThreadStart {
  const { replayTape } = ingests;
  const { epoch, phase, predecessor, links, lossesSeen: losses } = data;
  // It goes on from a cut.
  if (data.restoredPart !== undefined) return data;
  if (replayTape === undefined) {
    const lossReasons = Object.fromEntries(
      links.flatMap((link) => (link.lossReason === undefined ? [] : [[link.worker, link.lossReason]])),
    );
    const withLossReason =
      predecessor === undefined ? null : { ...predecessor, snapshot: predecessor.snapshot?.phase ?? null };
    ingests.record('worker-start', String(epoch), {
      phase,
      predecessor: withLossReason,
      lossReasons,
      losses,
    } satisfies RecordedStart);
    return data;
  }
  const { nextEvent: next } = replayTape;
  // It had begun, and its process was killed.
  if (next === undefined) {
    replayTape.onThreadExit();
    return data;
  }
  if (next.type !== 'scheduler' || next.kind !== 'worker-start') {
    replayTape.reportDivergence(describeEvent(next), 'the worker begins');
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
  { snapshot, ...lossReason }: NonNullable<RecordedStart['predecessor']>,
  recording: string,
): Predecessor {
  return { ...lossReason, snapshot: snapshot === null ? undefined : { recording, phase: snapshot } };
}

function messageOf(reason: unknown): string {
  return reason instanceof Error ? reason.message : String(reason);
}
