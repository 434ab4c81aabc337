// Where the outcome of an eventual goes once there is one: back to who has asked, to another worker that was given the eventual, or to a message
// that was sent to what it would be. Plain fields: they stand among the reactions of eventuals, which are captured.

import type { Eventual } from '@turntable/core';
import type { ActorCell } from '../../actors/actor-cell.ts';
import type { DeadlineTrail } from './deadline-trail.ts';

/** What is asked by: an eventual of this worker's, or the number of a question of another one's. */
export type ReplyTo = Eventual | number | undefined;

/** In the place of a method's name. */
export const PASSED_EVENTUAL = 'an eventual that was passed';

/** The outcome of what an actor has been asked. */
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

/** What leads to the life of a worker, as long as that is open. */
export interface LinkRef {
  readonly peer: ActorCell;
  readonly isOpen: boolean;
}

/** An eventual that was passed to another worker, under a number. */
export class WorkerForward {
  readonly link: LinkRef;
  readonly eventualId: number;
  constructor(link: LinkRef, eventualId: number) {
    this.link = link;
    this.eventualId = eventualId;
  }
}

/** A message to what an eventual will be. */
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
