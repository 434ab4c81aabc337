// The snapshots of a worker: begun when it cuts, written while it runs, delivered when complete. A failure ends the
// snapshot and nothing else: the worker never waits for a snapshot and never fails because of one. docs/internals/snapshots.md
// has the protocol.

import type { ActorCell } from '../actors/actor-cell.ts';
import { FarReference } from '../references/far-reference.ts';
import { publishSnapshot } from '../channels.ts';
import type { QueueEntry, QueueSeal, QueueName } from '../messaging/queue-state.ts';
import type { TurnObserver } from '../turn-observer.ts';
import { DeferredReferences } from './deferred-references.ts';
import { SnapshotTrigger, type SnapshotInterval } from './snapshot-trigger.ts';
import { writeMessages } from './message-pieces.ts';
import { runtimeObjects } from './runtime-objects.ts';
import type { StateCapturer } from '@turntable/heap';
import { writeTables, type SchedulerTables } from './scheduler-tables.ts';
import { ChangedBuiltinError, PIECE, WorkerSnapshot, type InFlightMessage } from './worker-snapshot.ts';

/** Access of the snapshots to their worker. */
export interface SnapshotWorker {
  readonly ownWorker: number;
  readonly main: ActorCell;
  /** Returns the state of the scheduler without the queue. */
  tables(): SchedulerTables;
  /** Marks the queued messages, which are then reported before they are taken. */
  seal(
    onEntries: (entries: QueueEntry<ActorCell>[], queue: QueueName, recipient: ActorCell | undefined) => void,
  ): QueueSeal;
  /** Returns the workers from which messages can arrive. */
  openWorkers(): readonly number[];
  now(): number;
  turnCount(): number;
  /** Sets or removes the observer that is notified before an actor changes. */
  observe(observer: TurnObserver | undefined): void;
  wake(): void;
  readonly isReplaying: boolean;
  setTimer(milliseconds: number, callback: () => void): void;
}

export interface PartDelivery {
  readonly phase: number;
  /** Size of the part in bytes. */
  readonly size: number;
  /** Bytes of the part; undefined if a sink has taken them, in `chunks` chunks. */
  readonly bytes: Uint8Array | undefined;
  readonly chunks: number;
  readonly pauses: SnapshotPauses;
}

/** Pauses of the worker for one snapshot, in milliseconds. */
export interface SnapshotPauses {
  readonly cut: number;
  readonly total: number;
  readonly longest: number;
  readonly pieces: number;
}

/** Totals of a worker's snapshots; pauses in milliseconds. */
export interface SnapshotStats {
  readonly taken: number;
  /** Number of snapshots that failed. */
  readonly failed: number;
  /** Number of pieces written. */
  readonly pieces: number;
  readonly bytes: number;
  readonly total: number;
  /** Longest pause. */
  readonly longest: number;
  /** Pause of the last cut. */
  readonly cut: number;
}

/** Takes parts while they are written. Parts bypass the main thread, so that no thread holds a whole part. */
export interface PartSink {
  /** Takes the next bytes of this worker's part, and their ownership. */
  add(phase: number, bytes: Uint8Array): void;
  /** Number of bytes, from all workers, that are still in memory. */
  readonly pending: number;
}

export interface WorkerSnapshotsDeps {
  readonly capturer: StateCapturer;
  /** Sink for parts; without it, parts are delivered whole. */
  readonly sink?: PartSink | undefined;
  /** Reports that the worker has cut. */
  onCut?(phase: number): void;
  deliver(delivery: PartDelivery): void;
  /** `isRetryable`: another attempt may succeed. */
  onFailed(phase: number, reason: unknown, isRetryable: boolean): void;
}

interface ChunkTotals {
  count: number;
  size: number;
}

interface OpenSnapshot {
  readonly snapshot: WorkerSnapshot;
  readonly sealed: QueueSeal;
  /** Chunks given to the sink. */
  readonly chunks: ChunkTotals;
  cutMs: number;
  total: number;
  longest: number;
  pieces: number;
}

/** Number of objects that one step of a rehearsal visits. */
const OBJECTS_REHEARSED_AT_ONCE = 100;
/** Delay of each rehearsal from the start: modules still load at the first, and V8 optimizes only repeated code. */
const REHEARSAL_DELAYS_MS: readonly number[] = [0, 500, 2500];
/** While more bytes wait for the disk, only actors that are about to change are written, and the disk is polled. */
const MAX_PENDING_BYTES = 16 << 20;
const DISK_POLL_MS = 5;
/** Time per round for writing actors that are not about to change, in milliseconds. */
const SPARE_MS = 0.5;

export class WorkerSnapshots {
  readonly #worker: SnapshotWorker;
  readonly #deps: WorkerSnapshotsDeps;
  /** The last snapshot, until all of its pieces are written. */
  #current: OpenSnapshot | undefined;
  /** Incomplete snapshots, the oldest first. */
  #open: OpenSnapshot[] = [];
  /** The running rehearsal, if any; none starts after the first cut. */
  #rehearsal: ((budget: number) => boolean) | undefined;
  #rehearsals = 0;
  readonly #startedAt: number;
  /** Whether a timer will wake the worker to poll the disk. */
  #isWaitingForDisk = false;
  #stats = { taken: 0, failed: 0, pieces: 0, bytes: 0, total: 0, longest: 0, cut: 0 };
  /** Decides when the next snapshot is due. */
  #trigger: SnapshotTrigger | undefined;

  constructor(worker: SnapshotWorker, deps: WorkerSnapshotsDeps) {
    this.#worker = worker;
    this.#deps = deps;
    this.#startedAt = worker.now();
  }

  get stats(): SnapshotStats {
    return { ...this.#stats };
  }

  /** Returns the state of this worker between two turns, without in-flight messages. Nothing may run afterwards. */
  final(phase: number, date: number): Uint8Array {
    const snapshot = new WorkerSnapshot(phase, this.#worker.ownWorker, [], this.#deps.capturer);
    snapshot.add(
      { piece: PIECE.tables, ...writeTables(this.#worker.tables(), snapshot.deferred, date) },
      'the runtime',
    );
    const sealed = this.#seal(snapshot);
    snapshot.writeActor(this.#worker.main);
    for (let hasMore = true; hasMore;) hasMore = sealed.advance() || snapshot.writeNext();
    return snapshot.finish();
  }

  /** Begins a snapshot between two turns, as the worker enters a phase. `date`: milliseconds since 1970. */
  cut(phase: number, date: number): void {
    this.#finishWriting();
    this.#rehearsal = undefined;
    this.#rehearsals = REHEARSAL_DELAYS_MS.length;
    this.#trigger?.reset();
    const startedAt = this.#worker.now();
    let sealed: QueueSeal | undefined;
    try {
      const chunks: ChunkTotals = { count: 0, size: 0 };
      const give = this.#giveTo(phase, chunks);
      const snapshot = new WorkerSnapshot(
        phase,
        this.#worker.ownWorker,
        this.#worker.openWorkers(),
        this.#deps.capturer,
        give,
      );
      const tables = writeTables(this.#worker.tables(), snapshot.deferred, date);
      snapshot.add({ piece: PIECE.tables, ...tables }, 'the runtime');
      sealed = this.#seal(snapshot);
      snapshot.writeActor(this.#worker.main);
      const open: OpenSnapshot = { snapshot, sealed, chunks, cutMs: 0, total: 0, longest: 0, pieces: 0 };
      this.#open.push(open);
      this.#current = open;
      open.cutMs = this.#stats.cut = this.#addPause(open, startedAt, 'cut');
    } catch (error) {
      sealed?.end();
      this.#stats.failed++;
      return this.#deps.onFailed(phase, error, false);
    }
    this.#worker.observe({ touch: (actor) => this.touch(actor) });
    // In a replay the pause does not matter, and the thread may be ended at any time.
    if (this.#worker.isReplaying) this.#finishWriting();
    this.#deps.onCut?.(phase);
    this.#worker.wake();
  }

  /** Advances the capturer past a phase without writing a snapshot. */
  skip(): void {
    this.#deps.capturer.skipCapture?.();
  }

  #giveTo(phase: number, chunks: ChunkTotals): ((bytes: Uint8Array) => void) | undefined {
    const { sink } = this.#deps;
    return (
      sink &&
      ((bytes) => {
        chunks.count++;
        chunks.size += bytes.length;
        sink.add(phase, bytes);
      })
    );
  }

  /** Writes some queued messages now, and the others before they are taken. Writes no more after a failure. */
  #seal(snapshot: WorkerSnapshot): QueueSeal {
    let failure: { readonly error: unknown } | undefined;
    const writeEntries = (
      entries: QueueEntry<ActorCell>[],
      queue: QueueName,
      recipient: ActorCell | undefined,
    ): void => {
      const messages = writeMessages(entries, queue, recipient, snapshot.deferred);
      snapshot.add({ piece: PIECE.messages, ...messages }, 'messages that wait');
    };
    const sealed = this.#worker.seal((entries, queue, recipient) => {
      const open = this.#current;
      if (open?.snapshot === snapshot) return this.#write(open, () => writeEntries(entries, queue, recipient));
      try {
        if (failure === undefined) writeEntries(entries, queue, recipient);
      } catch (error) {
        failure = { error };
      }
    });
    if (failure === undefined) return sealed;
    sealed.end();
    throw (failure as { readonly error: unknown }).error;
  }

  /** Calls back when a snapshot is due; returns the function to call for each request. */
  onDue(interval: SnapshotInterval, callback: () => void): () => void {
    const trigger = (this.#trigger = new SnapshotTrigger(interval, () => this.#worker.turnCount(), callback));
    return () => trigger.onRequest();
  }

  /** Writes an actor that is still to be written. Must be called before the actor changes. */
  touch(actor: ActorCell): void {
    const open = this.#current;
    if (open === undefined || actor.writtenPhase >= open.snapshot.phase) return;
    this.#write(open, () => open.snapshot.writeActor(actor), actor);
  }

  /** Writes the actor of a reference, and mentions the reference. Must be called before the reference is released. */
  release(ref: FarReference): void {
    this.touch(FarReference.actorOf(ref));
    const open = this.#current;
    if (open !== undefined) this.#write(open, () => open.snapshot.mentionReference(ref));
  }

  /** Adds a message that was sent in an earlier phase, before it has any effect. */
  messageInFlight(sentIn: number, message: InFlightMessage): void {
    for (const open of this.#open)
      if (open.snapshot.phase > sentIn)
        this.#write(open, () => open.snapshot.add({ piece: PIECE.inFlight, ...message }, 'a message'));
  }

  /** Notes that later messages of a worker were sent in `phase` or after it. */
  markerReceived(worker: number, phase: number): void {
    for (const { snapshot } of this.#open) if (snapshot.phase <= phase) snapshot.markerReceived(worker);
    this.#deliver();
  }

  /** Fails incomplete snapshots, since the lost worker's markers will never arrive. */
  workerLost(worker: number): void {
    for (const open of this.#open)
      this.#fail(open, new Error(`worker ${worker} has ended before the snapshot was complete`));
  }

  /** Between two rounds: writes unchanged actors for a short time. Returns whether any are left. */
  runSpareWork(isIdle: boolean): boolean {
    this.#trigger?.check();
    const open = this.#current;
    if (open === undefined) return isIdle && this.#rehearse();
    if (this.#isDiskBehind()) return false;
    return this.#writeFor(open, isIdle);
  }

  /** Whether the disk is behind. Deferred writing then waits, since its bytes would only fill memory. */
  #isDiskBehind(): boolean {
    if ((this.#deps.sink?.pending ?? 0) <= MAX_PENDING_BYTES) return false;
    if (!this.#isWaitingForDisk) {
      this.#isWaitingForDisk = true;
      this.#worker.setTimer(DISK_POLL_MS, () => {
        this.#isWaitingForDisk = false;
        this.#worker.wake();
      });
    }
    return true;
  }

  #writeFor(open: OpenSnapshot, isIdle: boolean): boolean {
    const untilMs = this.#worker.now() + (isIdle ? 2 * SPARE_MS : SPARE_MS);
    do {
      let hasMore = open.sealed.advance();
      if (!hasMore && this.#current === open) this.#write(open, () => (hasMore = open.snapshot.writeNext()));
      if (this.#current !== open) return false;
      if (!hasMore) {
        this.#finishCurrent();
        return false;
      }
    } while (this.#worker.now() < untilMs);
    return true;
  }

  /** Runs a step of a rehearsal while the worker is idle. Returns whether steps are left. */
  #rehearse(): boolean {
    this.#rehearsal ??= this.#nextRehearsal();
    if (this.#rehearsal === undefined) return false;
    if (this.#rehearsal(OBJECTS_REHEARSED_AT_ONCE)) this.#rehearsal = undefined;
    return this.#rehearsal !== undefined;
  }

  #nextRehearsal(): ((budget: number) => boolean) | undefined {
    const delayMs = REHEARSAL_DELAYS_MS[this.#rehearsals];
    // In a replay, pauses of cuts do not matter.
    if (this.#worker.isReplaying || delayMs === undefined || this.#worker.now() - this.#startedAt < delayMs)
      return undefined;
    this.#rehearsals++;
    return this.#deps.capturer.startRehearsal?.({
      adapters: [runtimeObjects({ deferred: new DeferredReferences(this.#worker.ownWorker, () => true) })],
    });
  }

  #finishWriting(): void {
    for (let open = this.#current; open !== undefined; open = this.#current) this.#writeFor(open, true);
  }

  #finishCurrent(): void {
    this.#current = undefined;
    this.#worker.observe(undefined);
    this.#deliver();
  }

  /** Writes a piece and counts its pause; fails the snapshot on an error. `actor`: the actor of the piece. */
  #write(open: OpenSnapshot, write: () => void, actor?: ActorCell): void {
    const startedAt = this.#worker.now();
    try {
      write();
    } catch (error) {
      return this.#fail(open, error);
    }
    this.#addPause(open, startedAt, 'piece', actor);
  }

  #addPause(open: OpenSnapshot, startedAt: number, at: 'cut' | 'piece', actor?: ActorCell): number {
    const pauseMs = this.#worker.now() - startedAt;
    for (const each of [open, this.#stats]) {
      each.pieces++;
      each.total += pauseMs;
      each.longest = Math.max(each.longest, pauseMs);
    }
    const { phase, size: bytes } = open.snapshot;
    publishSnapshot({ at, phase, worker: this.#worker.ownWorker, name: actor?.name, pause: pauseMs, bytes });
    return pauseMs;
  }

  #fail(open: OpenSnapshot, reason: unknown): void {
    this.#open = this.#open.filter((each) => each !== open);
    this.#stats.failed++;
    open.sealed.end();
    if (this.#current === open) {
      this.#current = undefined;
      this.#worker.observe(undefined);
    }
    this.#deps.onFailed(open.snapshot.phase, reason, reason instanceof ChangedBuiltinError);
  }

  #deliver(): void {
    for (const open of this.#open) {
      if (open === this.#current || open.snapshot.isIncomplete) continue;
      let lastBytes: Uint8Array | undefined;
      this.#write(open, () => (lastBytes = open.snapshot.finish()));
      if (lastBytes === undefined) continue;
      this.#open = this.#open.filter((each) => each !== open);
      this.#deliverOne(open, lastBytes);
    }
  }

  #deliverOne({ snapshot, chunks, cutMs, total, longest, pieces }: OpenSnapshot, lastBytes: Uint8Array): void {
    const { phase } = snapshot;
    const size = chunks.size + lastBytes.length;
    const give = this.#giveTo(phase, chunks);
    give?.(lastBytes);
    this.#stats.taken++;
    this.#stats.bytes += size;
    const { ownWorker: worker } = this.#worker;
    publishSnapshot({ at: 'whole', phase, worker, name: undefined, pause: 0, bytes: size });
    const bytes = give === undefined ? lastBytes : undefined;
    this.#deps.deliver({ phase, size, bytes, chunks: chunks.count, pauses: { cut: cutMs, total, longest, pieces } });
  }
}
