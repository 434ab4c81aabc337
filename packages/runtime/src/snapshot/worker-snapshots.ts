// The snapshots of a worker: begun when it cuts, written while it goes on, delivered when they are whole. Whatever cannot be written ends the
// snapshot and nothing else: the worker never waits for it and never fails by it. The protocol is docs/snapshots.md.

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

/** What is kept of a cut beside the program's own state. */
export interface SnapshotWorker {
  readonly ownWorker: number;
  readonly main: ActorCell;
  /** All that the scheduler keeps in mind. */
  tables(): SchedulerTables;
  /** What waits for the actors is told of before it is taken. */
  seal(
    onEntries: (entries: QueueEntry<ActorCell>[], queue: QueueName, recipient: ActorCell | undefined) => void,
  ): QueueSeal;
  /** Workers that messages come from. */
  openWorkers(): readonly number[];
  now(): number;
  /** So far. */
  turnCount(): number;
  /** From now on it is told of what is about to change, or not any more. */
  observe(observer: TurnObserver | undefined): void;
  wake(): void;
  /** It is a run again. */
  readonly isReplaying: boolean;
  setTimer(milliseconds: number, callback: () => void): void;
}

export interface PartDelivery {
  readonly phase: number;
  /** How many bytes it has. */
  readonly size: number;
  /** Undefined if the sink has them, in so many chunks. */
  readonly bytes: Uint8Array | undefined;
  readonly chunks: number;
  readonly pauses: SnapshotPauses;
}

/** Milliseconds that the worker was kept by a snapshot, and the most at one time. */
export interface SnapshotPauses {
  readonly cut: number;
  readonly total: number;
  readonly longest: number;
  readonly pieces: number;
}

/** Of a worker, so far; milliseconds for which it was kept. */
export interface SnapshotStats {
  readonly taken: number;
  /** Those that came to nothing. */
  readonly failed: number;
  /** Pieces written. */
  readonly pieces: number;
  readonly bytes: number;
  readonly total: number;
  /** The most at one time. */
  readonly longest: number;
  /** The last cut. */
  readonly cut: number;
}

/** Takes parts while they are written, past the main thread, so that nobody holds a whole one. */
export interface PartSink {
  /** The next bytes of this worker's part, which are given away. */
  add(phase: number, bytes: Uint8Array): void;
  /** Bytes that have been given away, by all workers, and are still in memory. */
  readonly pending: number;
}

export interface WorkerSnapshotsDeps {
  readonly capturer: StateCapturer;
  /** Without it parts are delivered whole. */
  readonly sink?: PartSink | undefined;
  /** The worker has cut. */
  onCut?(phase: number): void;
  deliver(delivery: PartDelivery): void;
  /** `again`: there is nothing in the way of another one. */
  onFailed(phase: number, reason: unknown, isRetryable: boolean): void;
}

interface ChunkTotals {
  count: number;
  size: number;
}

interface OpenSnapshot {
  readonly snapshot: WorkerSnapshot;
  readonly sealed: QueueSeal;
  /** Given away. */
  readonly chunks: ChunkTotals;
  cutMs: number;
  total: number;
  longest: number;
  pieces: number;
}

/** Objects that are written at a time for nothing. */
const OBJECTS_REHEARSED_AT_ONCE = 100;
/** Milliseconds from the beginning to each rehearsal: a program is still loading modules at the first one, and the engine makes code quick that has run more than once. */
const REHEARSAL_DELAYS_MS: readonly number[] = [0, 500, 2500];
/** When so many bytes wait for the disk, nothing more is written but what has to be; then it is looked again after so many milliseconds. */
const MAX_PENDING_BYTES = 16 << 20;
const DISK_POLL_MS = 5;
/** Milliseconds that may be spent on actors nobody is waiting for, between two rounds of turns. */
const SPARE_MS = 0.5;

export class WorkerSnapshots {
  readonly #worker: SnapshotWorker;
  readonly #deps: WorkerSnapshotsDeps;
  /** The last one, if something of it is still to be written. */
  #current: OpenSnapshot | undefined;
  /** Those that are not whole, the oldest first. */
  #open: OpenSnapshot[] = [];
  /** Until the first cut, or until it is done. */
  #rehearsal: ((budget: number) => boolean) | undefined;
  #rehearsals = 0;
  readonly #startedAt: number;
  /** Waits for the disk, and will be woken. */
  #isWaitingForDisk = false;
  #stats = { taken: 0, failed: 0, pieces: 0, bytes: 0, total: 0, longest: 0, cut: 0 };
  /** When the next one is. */
  #trigger: SnapshotTrigger | undefined;

  constructor(worker: SnapshotWorker, deps: WorkerSnapshotsDeps) {
    this.#worker = worker;
    this.#deps = deps;
    this.#startedAt = worker.now();
  }

  get stats(): SnapshotStats {
    return { ...this.#stats };
  }

  /** All of this worker as it is, between two turns, but what is under way to it. It does nothing any more. */
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

  /** The worker enters a phase, between two turns, at a moment in milliseconds since 1970. */
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
    // Nobody minds, and the thread may be ended any time.
    if (this.#worker.isReplaying) this.#finishWriting();
    this.#deps.onCut?.(phase);
    this.#worker.wake();
  }

  /** The same, without a snapshot: nothing is written, and it goes on as if it were. */
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

  /** What waits is written before it is taken: some of it now, and if that fails, nothing more. */
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

  /** Calls back once so much has been done since the last cut; answers who is to be told of each request. */
  onDue(interval: SnapshotInterval, callback: () => void): () => void {
    const trigger = (this.#trigger = new SnapshotTrigger(interval, () => this.#worker.turnCount(), callback));
    return () => trigger.onRequest();
  }

  /** Before an actor changes. */
  touch(actor: ActorCell): void {
    const open = this.#current;
    if (open === undefined || actor.writtenPhase >= open.snapshot.phase) return;
    this.#write(open, () => open.snapshot.writeActor(actor), actor);
  }

  /** Before a reference is taken back. */
  release(ref: FarReference): void {
    this.touch(FarReference.actorOf(ref));
    const open = this.#current;
    if (open !== undefined) this.#write(open, () => open.snapshot.mentionReference(ref));
  }

  /** Somebody's message is taken that was sent in an earlier phase; before it has any effect. */
  messageInFlight(sentIn: number, message: InFlightMessage): void {
    for (const open of this.#open)
      if (open.snapshot.phase > sentIn)
        this.#write(open, () => open.snapshot.add({ piece: PIECE.inFlight, ...message }, 'a message'));
  }

  /** Everything that comes of that worker from now on was sent in that phase. */
  markerReceived(worker: number, phase: number): void {
    for (const { snapshot } of this.#open) if (snapshot.phase <= phase) snapshot.markerReceived(worker);
    this.#deliver();
  }

  /** A worker has ended: what is not whole will never be. */
  workerLost(worker: number): void {
    for (const open of this.#open)
      this.#fail(open, new Error(`worker ${worker} has ended before the snapshot was whole`));
  }

  /** Between two rounds: writes what nobody has touched yet, for a while; whether anything is left. */
  runSpareWork(isIdle: boolean): boolean {
    this.#trigger?.check();
    const open = this.#current;
    if (open === undefined) return isIdle && this.#rehearse();
    if (this.#isDiskBehind()) return false;
    return this.#writeFor(open, isIdle);
  }

  /** Whether the disk does not keep up: what is written for nothing but to be done with it waits then, as it would wait in memory. */
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

  /** A little of it, when there is nothing else to do; whether anything is left. */
  #rehearse(): boolean {
    this.#rehearsal ??= this.#nextRehearsal();
    if (this.#rehearsal === undefined) return false;
    if (this.#rehearsal(OBJECTS_REHEARSED_AT_ONCE)) this.#rehearsal = undefined;
    return this.#rehearsal !== undefined;
  }

  #nextRehearsal(): ((budget: number) => boolean) | undefined {
    const delayMs = REHEARSAL_DELAYS_MS[this.#rehearsals];
    // Nobody waits for a cut of a run again.
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

  /** `actor`: whose piece it is. */
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
