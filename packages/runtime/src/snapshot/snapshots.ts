// The snapshots of a worker: begun when it cuts, written while it goes on, delivered when they are whole. Whatever cannot be written ends the
// snapshot and nothing else: the worker never waits for it and never fails by it. The protocol is docs/snapshots.md.

import type { Actor } from '../actors/actor.ts';
import { FarRef } from '../references/far-ref.ts';
import { publishSnapshot } from '../channels.ts';
import type { QueueEntry, Sealed, Where } from '../messaging/queue-state.ts';
import type { Onlooker } from '../onlooker.ts';
import { Debts } from './debts.ts';
import { Due, type Pace } from './due.ts';
import { writeMessages } from './messages.ts';
import { runtimeObjects } from './objects.ts';
import type { StateRoom } from '@turntable/heap';
import { writeTables, type Tables } from './tables.ts';
import { ChangedMeanwhile, PIECE, WorkerSnapshot, type UnderWay } from './worker-snapshot.ts';

/** What is kept of a cut beside the program's own state. */
export interface SnapshotWorker {
  readonly here: number;
  readonly main: Actor;
  /** All that the scheduler keeps in mind. */
  tables(): Tables;
  /** What waits for the actors is told of before it is taken. */
  seal(tell: (entries: QueueEntry<Actor>[], where: Where, recipient: Actor | undefined) => void): Sealed;
  /** Workers that messages come from. */
  others(): readonly number[];
  now(): number;
  /** So far. */
  turns(): number;
  /** From now on it is told of what is about to change, or not any more. */
  watch(onlooker: Onlooker | undefined): void;
  wake(): void;
  /** It is a run again. */
  readonly isFollowing: boolean;
  after(milliseconds: number, callback: () => void): void;
}

export interface Delivery {
  readonly phase: number;
  /** How many bytes it has. */
  readonly size: number;
  /** Undefined if the sink has them, in so many chunks. */
  readonly bytes: Uint8Array | undefined;
  readonly chunks: number;
  readonly pauses: Pauses;
}

/** Milliseconds that the worker was kept by a snapshot, and the most at one time. */
export interface Pauses {
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

export interface SnapshotPorts {
  readonly room: StateRoom;
  /** Without it parts are delivered whole. */
  readonly sink?: PartSink | undefined;
  /** The worker has cut. */
  cut?(phase: number): void;
  deliver(delivery: Delivery): void;
  /** `again`: there is nothing in the way of another one. */
  failed(phase: number, reason: unknown, again: boolean): void;
}

interface Chunks {
  count: number;
  size: number;
}

interface Open {
  readonly snapshot: WorkerSnapshot;
  readonly sealed: Sealed;
  /** Given away. */
  readonly chunks: Chunks;
  cut: number;
  total: number;
  longest: number;
  pieces: number;
}

/** Objects that are written at a time for nothing. */
const REHEARSED = 100;
/** Milliseconds from the beginning to each rehearsal: a program is still loading modules at the first one, and the engine makes code quick that has run more than once. */
const REHEARSALS: readonly number[] = [0, 500, 2500];
/** When so many bytes wait for the disk, nothing more is written but what has to be; then it is looked again after so many milliseconds. */
const MOST_PENDING = 16 << 20;
const LOOK_AGAIN = 5;
/** Milliseconds that may be spent on actors nobody is waiting for, between two rounds of turns. */
const SPARE = 0.5;

export class Snapshots {
  readonly #worker: SnapshotWorker;
  readonly #ports: SnapshotPorts;
  /** The last one, if something of it is still to be written. */
  #current: Open | undefined;
  /** Those that are not whole, the oldest first. */
  #open: Open[] = [];
  /** Until the first cut, or until it is done. */
  #rehearsal: ((budget: number) => boolean) | undefined;
  #rehearsals = 0;
  readonly #begun: number;
  /** Waits for the disk, and will be woken. */
  #isWaiting = false;
  #stats = { taken: 0, failed: 0, pieces: 0, bytes: 0, total: 0, longest: 0, cut: 0 };
  /** When the next one is. */
  #due: Due | undefined;

  constructor(worker: SnapshotWorker, ports: SnapshotPorts) {
    this.#worker = worker;
    this.#ports = ports;
    this.#begun = worker.now();
  }

  get stats(): SnapshotStats {
    return { ...this.#stats };
  }

  /** All of this worker as it is, between two turns, but what is under way to it. It does nothing any more. */
  last(phase: number, date: number): Uint8Array {
    const snapshot = new WorkerSnapshot(phase, this.#worker.here, [], this.#ports.room);
    snapshot.add({ piece: PIECE.tables, ...writeTables(this.#worker.tables(), snapshot.debts, date) }, 'the runtime');
    const sealed = this.#seal(snapshot);
    snapshot.writeActor(this.#worker.main);
    for (let isLeft = true; isLeft;) isLeft = sealed.goOn() || snapshot.goOn();
    return snapshot.finish();
  }

  /** The worker enters a phase, between two turns, at a moment in milliseconds since 1970. */
  cut(phase: number, date: number): void {
    this.#finishWriting();
    this.#rehearsal = undefined;
    this.#rehearsals = REHEARSALS.length;
    this.#due?.cut();
    const began = this.#worker.now();
    let sealed: Sealed | undefined;
    try {
      const chunks: Chunks = { count: 0, size: 0 };
      const give = this.#giving(phase, chunks);
      const snapshot = new WorkerSnapshot(phase, this.#worker.here, this.#worker.others(), this.#ports.room, give);
      const tables = writeTables(this.#worker.tables(), snapshot.debts, date);
      snapshot.add({ piece: PIECE.tables, ...tables }, 'the runtime');
      sealed = this.#seal(snapshot);
      snapshot.writeActor(this.#worker.main);
      const open: Open = { snapshot, sealed, chunks, cut: 0, total: 0, longest: 0, pieces: 0 };
      this.#open.push(open);
      this.#current = open;
      open.cut = this.#stats.cut = this.#spent(open, began, 'cut');
    } catch (error) {
      sealed?.end();
      this.#stats.failed++;
      return this.#ports.failed(phase, error, false);
    }
    this.#worker.watch({ touch: (actor) => this.touch(actor) });
    // Nobody minds, and the thread may be ended any time.
    if (this.#worker.isFollowing) this.#finishWriting();
    this.#ports.cut?.(phase);
    this.#worker.wake();
  }

  /** The same, without a snapshot: nothing is written, and it goes on as if it were. */
  pass(): void {
    this.#ports.room.pass?.();
  }

  #giving(phase: number, chunks: Chunks): ((bytes: Uint8Array) => void) | undefined {
    const { sink } = this.#ports;
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
  #seal(snapshot: WorkerSnapshot): Sealed {
    let failure: { readonly error: unknown } | undefined;
    const write = (entries: QueueEntry<Actor>[], where: Where, recipient: Actor | undefined): void => {
      const messages = writeMessages(entries, where, recipient, snapshot.debts);
      snapshot.add({ piece: PIECE.messages, ...messages }, 'messages that wait');
    };
    const sealed = this.#worker.seal((entries, where, recipient) => {
      const open = this.#current;
      if (open?.snapshot === snapshot) return this.#writing(open, () => write(entries, where, recipient));
      try {
        if (failure === undefined) write(entries, where, recipient);
      } catch (error) {
        failure = { error };
      }
    });
    if (failure === undefined) return sealed;
    sealed.end();
    throw (failure as { readonly error: unknown }).error;
  }

  /** Calls back once so much has been done since the last cut; answers who is to be told of each request. */
  whenDue(pace: Pace, callback: () => void): () => void {
    const due = (this.#due = new Due(pace, () => this.#worker.turns(), callback));
    return () => due.requested();
  }

  /** Before an actor changes. */
  touch(actor: Actor): void {
    const open = this.#current;
    if (open === undefined || actor.writtenIn >= open.snapshot.phase) return;
    this.#writing(open, () => open.snapshot.writeActor(actor), actor);
  }

  /** Before a reference is taken back. */
  release(ref: FarRef): void {
    this.touch(FarRef.actorOf(ref));
    const open = this.#current;
    if (open !== undefined) this.#writing(open, () => open.snapshot.mention(ref));
  }

  /** Somebody's message is taken that was sent in an earlier phase; before it has any effect. */
  underWay(sentIn: number, message: UnderWay): void {
    for (const open of this.#open)
      if (open.snapshot.phase > sentIn)
        this.#writing(open, () => open.snapshot.add({ piece: PIECE.underWay, ...message }, 'a message'));
  }

  /** Everything that comes of that worker from now on was sent in that phase. */
  marked(worker: number, phase: number): void {
    for (const { snapshot } of this.#open) if (snapshot.phase <= phase) snapshot.marked(worker);
    this.#deliver();
  }

  /** A worker has ended: what is not whole will never be. */
  lost(worker: number): void {
    for (const open of this.#open)
      this.#fail(open, new Error(`worker ${worker} has ended before the snapshot was whole`));
  }

  /** Between two rounds: writes what nobody has touched yet, for a while; whether anything is left. */
  spare(isIdle: boolean): boolean {
    this.#due?.look();
    const open = this.#current;
    if (open === undefined) return isIdle && this.#rehearse();
    if (this.#isHeldUp()) return false;
    return this.#writeOn(open, isIdle);
  }

  /** Whether the disk does not keep up: what is written for nothing but to be done with it waits then, as it would wait in memory. */
  #isHeldUp(): boolean {
    if ((this.#ports.sink?.pending ?? 0) <= MOST_PENDING) return false;
    if (!this.#isWaiting) {
      this.#isWaiting = true;
      this.#worker.after(LOOK_AGAIN, () => {
        this.#isWaiting = false;
        this.#worker.wake();
      });
    }
    return true;
  }

  #writeOn(open: Open, isIdle: boolean): boolean {
    const until = this.#worker.now() + (isIdle ? 2 * SPARE : SPARE);
    do {
      let isLeft = open.sealed.goOn();
      if (!isLeft && this.#current === open) this.#writing(open, () => (isLeft = open.snapshot.goOn()));
      if (this.#current !== open) return false;
      if (!isLeft) {
        this.#written();
        return false;
      }
    } while (this.#worker.now() < until);
    return true;
  }

  /** A little of it, when there is nothing else to do; whether anything is left. */
  #rehearse(): boolean {
    this.#rehearsal ??= this.#nextRehearsal();
    if (this.#rehearsal === undefined) return false;
    if (this.#rehearsal(REHEARSED)) this.#rehearsal = undefined;
    return this.#rehearsal !== undefined;
  }

  #nextRehearsal(): ((budget: number) => boolean) | undefined {
    const after = REHEARSALS[this.#rehearsals];
    // Nobody waits for a cut of a run again.
    if (this.#worker.isFollowing || after === undefined || this.#worker.now() - this.#begun < after) return undefined;
    this.#rehearsals++;
    return this.#ports.room.rehearsal?.({
      adapters: [runtimeObjects({ debts: new Debts(this.#worker.here, () => true) })],
    });
  }

  #finishWriting(): void {
    for (let open = this.#current; open !== undefined; open = this.#current) this.#writeOn(open, true);
  }

  #written(): void {
    this.#current = undefined;
    this.#worker.watch(undefined);
    this.#deliver();
  }

  /** `actor`: whose piece it is. */
  #writing(open: Open, write: () => void, actor?: Actor): void {
    const began = this.#worker.now();
    try {
      write();
    } catch (error) {
      return this.#fail(open, error);
    }
    this.#spent(open, began, 'piece', actor);
  }

  #spent(open: Open, began: number, at: 'cut' | 'piece', actor?: Actor): number {
    const spent = this.#worker.now() - began;
    for (const each of [open, this.#stats]) {
      each.pieces++;
      each.total += spent;
      each.longest = Math.max(each.longest, spent);
    }
    const { phase, size: bytes } = open.snapshot;
    publishSnapshot({ at, phase, worker: this.#worker.here, name: actor?.name, pause: spent, bytes });
    return spent;
  }

  #fail(open: Open, reason: unknown): void {
    this.#open = this.#open.filter((each) => each !== open);
    this.#stats.failed++;
    open.sealed.end();
    if (this.#current === open) {
      this.#current = undefined;
      this.#worker.watch(undefined);
    }
    this.#ports.failed(open.snapshot.phase, reason, reason instanceof ChangedMeanwhile);
  }

  #deliver(): void {
    for (const open of this.#open) {
      if (open === this.#current || open.snapshot.isMissing) continue;
      let rest: Uint8Array | undefined;
      this.#writing(open, () => (rest = open.snapshot.finish()));
      if (rest === undefined) continue;
      this.#open = this.#open.filter((each) => each !== open);
      this.#delivered(open, rest);
    }
  }

  #delivered({ snapshot, chunks, cut, total, longest, pieces }: Open, rest: Uint8Array): void {
    const { phase } = snapshot;
    const size = chunks.size + rest.length;
    const give = this.#giving(phase, chunks);
    give?.(rest);
    this.#stats.taken++;
    this.#stats.bytes += size;
    const { here: worker } = this.#worker;
    publishSnapshot({ at: 'whole', phase, worker, name: undefined, pause: 0, bytes: size });
    const bytes = give === undefined ? rest : undefined;
    this.#ports.deliver({ phase, size, bytes, chunks: chunks.count, pauses: { cut, total, longest, pieces } });
  }
}
