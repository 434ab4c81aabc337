// What a message with a deadline has led to: the messages that were sent while it was handled, and which of them are still to be answered. Other messages
// have no trail. A worker to which a trail leads reports back along the messages that led there, so the worker that has set the deadline knows of all of
// them. Trails are data in contexts and messages; `Trails` acts on them.

import type { Eventual } from '@turntable/core';
import type { ActorCell } from '../../actors/actor-cell.ts';
import { WIRE } from '../message-kinds.ts';

/** One message, and what it has led to. */
export class DeadlineTrail {
  readonly label: string;
  readonly parent: DeadlineTrail | undefined;
  readonly listener: TrailListener | undefined;
  /** By which the report knows it; 0 for the first one. */
  readonly number: number;
  /** Of what was sent first: its deadline, 0 if another worker has it, and whether it has been answered. */
  readonly deadline: number;
  isOver = false;
  /** What is still to be answered. */
  readonly pendingChildren = new Set<DeadlineTrail>();

  constructor(label: string, listener?: TrailListener, deadline = 0, parent?: DeadlineTrail, number = 0) {
    this.label = label;
    this.listener = listener;
    this.deadline = deadline;
    this.parent = parent;
    this.number = number;
  }

  /** Every chain of messages that nobody has answered yet, first the one that was sent first. */
  chains(): string[] {
    if (this.pendingChildren.size === 0) return [this.label];
    return [...this.pendingChildren].flatMap((each) => each.chains().map((chain) => `${this.label} → ${chain}`));
  }
}

/** Who is told what a trail leads to: somebody with a trail of its own, on this worker or on another one. */
export type TrailListener = ReportedTrail | RemoteTrail;

/** A trail as somebody else tells of it, who has numbered what it leads to. */
export class ReportedTrail {
  readonly byNumber = new Map<number, DeadlineTrail>();
  count = 0;

  constructor(first: DeadlineTrail) {
    this.byNumber.set(0, first);
  }
}

/** The life of a worker that has sent a tracked call, under the number of a question. */
export class RemoteTrail {
  readonly worker: number;
  readonly epoch: number;
  readonly callId: number;
  /** Messages it has been told of. */
  count: number;

  constructor(worker: number, epoch: number, callId: number, count = 0) {
    this.worker = worker;
    this.epoch = epoch;
    this.callId = callId;
    this.count = count;
  }
}

/** In the place of a method's name: a call that was sent with a deadline, or led to by one. */
export class TrackedCall {
  readonly name: string;
  readonly trail: DeadlineTrail;
  constructor(name: string, trail: DeadlineTrail) {
    this.name = name;
    this.trail = trail;
  }
}

/** What is asked on a trail: who waits for it, with what. */
export interface TrackedReply {
  readonly eventual: Eventual;
  readonly actor: ActorCell;
  readonly trail: DeadlineTrail;
}

interface DeadlineTrailsDeps {
  /** Tells another worker, unless its life has ended. */
  notifyWorker(
    worker: number,
    epoch: number,
    kind: number,
    parent: number,
    number: number,
    callId: number,
    label?: string,
  ): void;
  /** What was sent with a deadline has been answered. */
  onDeadlineAnswered(deadline: number): void;
}

/** So many eventuals are kept before those that are still waited for are only known. */
const MAX_RECENT = 64;

export class DeadlineTrails {
  readonly #deps: DeadlineTrailsDeps;
  /** Whether there ever were. */
  hasTrails = false;
  /** Of what was asked on the way of a message with a deadline. */
  readonly #tracked = new WeakMap<Eventual, { readonly actor: ActorCell; readonly trail: DeadlineTrail }>();
  /** The last ones that it was, answered ones among them. */
  #recent: Eventual[] = [];
  /** Earlier ones. An answer that never comes keeps nobody who waits for it. */
  #older: WeakRef<Eventual>[] = [];
  #maxOlder = MAX_RECENT;

  constructor(deps: DeadlineTrailsDeps) {
    this.#deps = deps;
  }

  /** A message that was sent on its way. */
  extend(parent: DeadlineTrail, label: string): DeadlineTrail {
    const { listener } = parent;
    const number = listener === undefined ? 0 : this.#reportExtended(listener, parent.number, label);
    const trail = new DeadlineTrail(label, listener, 0, parent, number);
    parent.pendingChildren.add(trail);
    return trail;
  }

  /** An actor waits for what the trail leads to. */
  track(eventual: Eventual, actor: ActorCell, trail: DeadlineTrail): void {
    this.hasTrails = true;
    const isTracked = this.#tracked.has(eventual);
    this.#tracked.set(eventual, { actor, trail });
    if (isTracked) return;
    if (this.#recent.length >= MAX_RECENT) this.#sweep();
    this.#recent.push(eventual);
  }

  #sweep(): void {
    for (const eventual of this.#recent) if (this.#tracked.has(eventual)) this.#older.push(new WeakRef(eventual));
    this.#recent = [];
    if (this.#older.length < this.#maxOlder) return;
    this.#older = this.#older.filter((ref) => {
      const eventual = ref.deref();
      return eventual !== undefined && this.#tracked.has(eventual);
    });
    this.#maxOlder = MAX_RECENT + 2 * this.#older.length;
  }

  /** An eventual is settled. */
  onSettled(eventual: Eventual): void {
    const tracked = this.#tracked.get(eventual);
    if (tracked === undefined) return;
    this.#tracked.delete(eventual);
    this.end(tracked.trail);
  }

  /** What is asked and not answered, in the order in which it was. */
  getState(): TrackedReply[] {
    const older = this.#older.flatMap((ref) => ref.deref() ?? []);
    return [...older, ...this.#recent].flatMap((eventual) => {
      const tracked = this.#tracked.get(eventual);
      return tracked === undefined ? [] : [{ eventual, ...tracked }];
    });
  }

  setState(tracked: readonly TrackedReply[]): void {
    for (const { eventual } of this.getState()) this.#tracked.delete(eventual);
    this.#older = [];
    this.#recent = [];
    for (const { eventual, actor, trail } of tracked) this.track(eventual, actor, trail);
  }

  /** This message has been answered. */
  end(trail: DeadlineTrail): void {
    const { parent, listener, number } = trail;
    // It was to be sent to what has not come to be.
    if (parent === undefined) return this.#deadlineAnswered(trail);
    if (listener !== undefined) this.#reportEnded(listener, number);
    if (parent.pendingChildren.delete(trail) && parent.deadline > 0) this.#deadlineAnswered(parent);
  }

  #deadlineAnswered(first: DeadlineTrail): void {
    if (first.isOver) return;
    first.isOver = true;
    this.#deps.onDeadlineAnswered(first.deadline);
  }

  /** Somebody tells: the message that is numbered `before` has led to another one, which has a number. */
  extendReported(reported: ReportedTrail, parentNumber: number, label: string, number: number): void {
    const trail = reported.byNumber.get(parentNumber);
    // What leads from an answered message is nothing that anybody waits for.
    if (trail !== undefined) reported.byNumber.set(number, this.extend(trail, label));
  }

  /** Somebody tells: that message has been answered. */
  endReported(reported: ReportedTrail, number: number): void {
    const trail = reported.byNumber.get(number);
    if (trail === undefined) return;
    reported.byNumber.delete(number);
    this.end(trail);
  }

  #reportExtended(listener: TrailListener, parentNumber: number, label: string): number {
    const number = ++listener.count;
    if (listener instanceof ReportedTrail) this.extendReported(listener, parentNumber, label, number);
    else
      this.#deps.notifyWorker(
        listener.worker,
        listener.epoch,
        WIRE.trailStep,
        parentNumber,
        number,
        listener.callId,
        label,
      );
    return number;
  }

  #reportEnded(listener: TrailListener, number: number): void {
    if (listener instanceof ReportedTrail) this.endReported(listener, number);
    else this.#deps.notifyWorker(listener.worker, listener.epoch, WIRE.trailEnd, 0, number, listener.callId);
  }
}
