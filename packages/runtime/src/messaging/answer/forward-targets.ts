// Targets for the outcome of an eventual: the caller of an actor, another worker that received the eventual, or a
// message that was sent to the eventual's value. Targets have only plain fields, because they are captured with the
// reactions of eventuals.

import type { Eventual } from '@turntable/core';
import type { ActorCell } from '../../actors/actor-cell.ts';
import type { DeadlineTrail } from './deadline-trail.ts';

/** Receiver of an answer: an eventual of this worker, or a call id of another worker; undefined if none is wanted. */
export type ReplyTo = Eventual | number | undefined;

/** Value of `call` where an eventual was passed and no method was called. */
export const PASSED_EVENTUAL = 'an eventual that was passed';

/** Target that sends the outcome as the answer to a call. */
export class ReplyForward {
  readonly owner: ActorCell;
  readonly to: ActorCell;
  readonly replyTo: ReplyTo;
  readonly call: string;
  constructor(owner: ActorCell, to: ActorCell, replyTo: ReplyTo, call: string) {
    this.owner = owner;
    this.to = to;
    this.replyTo = replyTo;
    this.call = call;
  }
}

/** A link to another worker, which is closed when that worker's epoch ends. */
export interface LinkRef {
  readonly peer: ActorCell;
  readonly isOpen: boolean;
}

/** Target that sends the outcome to another worker, which knows the eventual by its id. */
export class WorkerForward {
  readonly link: LinkRef;
  readonly eventualId: number;
  constructor(link: LinkRef, eventualId: number) {
    this.link = link;
    this.eventualId = eventualId;
  }
}

/** A call of a method of the value that an eventual is fulfilled with. */
export class PipelinedCall {
  readonly call: string;
  readonly args: readonly unknown[];
  readonly replyTo: Eventual | undefined;
  readonly trail: DeadlineTrail | undefined;
  constructor(call: string, args: readonly unknown[], replyTo: Eventual | undefined, trail: DeadlineTrail | undefined) {
    this.call = call;
    this.args = args;
    this.replyTo = replyTo;
    this.trail = trail;
  }
}
