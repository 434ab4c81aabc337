// Trails of messages with a deadline. A trail consists of the messages that were sent while such a message was handled,
// and knows which of these are unanswered. Other messages have no trail. Each worker on a trail reports its steps to
// the worker that called it, so the worker that set the deadline knows the whole trail. Trails are data in contexts and
// messages; `DeadlineTrails` changes them.

import type { Eventual } from '@turntable/core';
import type { ActorCell } from '../../actors/actor-cell.ts';
import { WIRE } from '../message-kinds.ts';

/** A step of a trail: the actor that set the deadline, or a message. Has the unanswered messages that it caused. */
export class DeadlineTrail {
  readonly label: string;
  readonly parent: DeadlineTrail | undefined;
  readonly listener: TrailListener | undefined;
  /** Number of this step in reports to the listener; 0 for the first step. */
  readonly number: number;
  /** For the first step: number of the deadline (0 if another worker has it), and whether its call was answered. */
  readonly deadline: number;
  isOver = false;
  readonly pendingChildren = new Set<DeadlineTrail>();

  constructor(label: string, listener?: TrailListener, deadline = 0, parent?: DeadlineTrail, number = 0) {
    this.label = label;
    this.listener = listener;
    this.deadline = deadline;
    this.parent = parent;
    this.number = number;
  }

  /** Returns every chain of unanswered messages that starts at this step. */
  chains(): string[] {
    if (this.pendingChildren.size === 0) return [this.label];
    return [...this.pendingChildren].flatMap((each) => each.chains().map((chain) => `${this.label} → ${chain}`));
  }
}

/** Receives the steps of a trail: the same steps in another trail of this worker, or another worker. */
export type TrailListener = ReportedTrail | RemoteTrail;

/** A trail that is extended by reports, with its steps by the numbers that the reporter assigned. */
export class ReportedTrail {
  readonly byNumber = new Map<number, DeadlineTrail>();
  count = 0;

  constructor(first: DeadlineTrail) {
    this.byNumber.set(0, first);
  }
}

/** The trail of a call from another worker: that worker and its epoch, and the id of the call. */
export class RemoteTrail {
  readonly worker: number;
  readonly epoch: number;
  readonly callId: number;
  /** Number of steps reported to the worker. */
  count: number;

  constructor(worker: number, epoch: number, callId: number, count = 0) {
    this.worker = worker;
    this.epoch = epoch;
    this.callId = callId;
    this.count = count;
  }
}

/** A call with a deadline, or on the trail of such a call. Replaces the method name in a queue. */
export class TrackedCall {
  readonly name: string;
  readonly trail: DeadlineTrail;
  constructor(name: string, trail: DeadlineTrail) {
    this.name = name;
    this.trail = trail;
  }
}

/** An eventual that waits for a message on a trail. */
export interface TrackedReply {
  readonly eventual: Eventual;
  readonly actor: ActorCell;
  readonly trail: DeadlineTrail;
}

interface DeadlineTrailsDeps {
  /** Sends a report to a worker, unless its epoch has ended. */
  notifyWorker(
    worker: number,
    epoch: number,
    kind: number,
    parent: number,
    number: number,
    callId: number,
    label?: string,
  ): void;
  /** Called when a message with a deadline was answered. */
  onDeadlineAnswered(deadline: number): void;
}

/** Maximum number of eventuals that are referenced strongly. Earlier eventuals are referenced weakly. */
const MAX_RECENT = 64;

export class DeadlineTrails {
  readonly #deps: DeadlineTrailsDeps;
  /** Whether any eventual was ever tracked. If not, settling an eventual costs a single check. */
  hasTrails = false;
  /** Eventuals that wait for a message on a trail. */
  readonly #tracked = new WeakMap<Eventual, { readonly actor: ActorCell; readonly trail: DeadlineTrail }>();
  /** The last tracked eventuals, settled ones included. */
  #recent: Eventual[] = [];
  /** Eventuals that were tracked earlier. Weak, so that an answer that never arrives keeps no memory. */
  #older: WeakRef<Eventual>[] = [];
  #maxOlder = MAX_RECENT;

  constructor(deps: DeadlineTrailsDeps) {
    this.#deps = deps;
  }

  /** Adds a message that was sent while `parent` was handled. */
  extend(parent: DeadlineTrail, label: string): DeadlineTrail {
    const { listener } = parent;
    const number = listener === undefined ? 0 : this.#reportExtended(listener, parent.number, label);
    const trail = new DeadlineTrail(label, listener, 0, parent, number);
    parent.pendingChildren.add(trail);
    return trail;
  }

  /** Tracks the eventual that awaits the answer to a trail's message. */
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

  /** Ends the trail of an eventual that is being settled. */
  onSettled(eventual: Eventual): void {
    const tracked = this.#tracked.get(eventual);
    if (tracked === undefined) return;
    this.#tracked.delete(eventual);
    this.end(tracked.trail);
  }

  /** Returns the tracked eventuals in the order in which their messages were sent. */
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

  /** Records that the trail's message was answered, or could not be sent. */
  end(trail: DeadlineTrail): void {
    const { parent, listener, number } = trail;
    // The call of the first step was never sent, since its target was an eventual that was rejected.
    if (parent === undefined) return this.#deadlineAnswered(trail);
    if (listener !== undefined) this.#reportEnded(listener, number);
    if (parent.pendingChildren.delete(trail) && parent.deadline > 0) this.#deadlineAnswered(parent);
  }

  #deadlineAnswered(first: DeadlineTrail): void {
    if (first.isOver) return;
    first.isOver = true;
    this.#deps.onDeadlineAnswered(first.deadline);
  }

  /** Adds a reported step: the message `parentNumber` caused the message `number`. */
  extendReported(reported: ReportedTrail, parentNumber: number, label: string, number: number): void {
    const trail = reported.byNumber.get(parentNumber);
    // Messages that an answered message caused are not reported as pending.
    if (trail !== undefined) reported.byNumber.set(number, this.extend(trail, label));
  }

  /** Records a reported answer. */
  endReported(reported: ReportedTrail, number: number): void {
    const trail = reported.byNumber.get(number);
    if (trail === undefined) return;
    reported.byNumber.delete(number);
    this.end(trail);
  }

  #reportExtended(listener: TrailListener, parentNumber: number, label: string): number {
    const number = ++listener.count;
    if (listener instanceof ReportedTrail) this.extendReported(listener, parentNumber, label, number);
    else {
      const { worker, epoch, callId } = listener;
      this.#deps.notifyWorker(worker, epoch, WIRE.trailStep, parentNumber, number, callId, label);
    }
    return number;
  }

  #reportEnded(listener: TrailListener, number: number): void {
    if (listener instanceof ReportedTrail) this.endReported(listener, number);
    else this.#deps.notifyWorker(listener.worker, listener.epoch, WIRE.trailEnd, 0, number, listener.callId);
  }
}
