// Where the outcome of an eventual goes once there is one: back to who has asked, to another worker that was given the eventual, or to a message
// that was sent to what it would be. Plain fields: they stand among the reactions of eventuals, which are captured.

import type { Eventual } from '@turntable/core';
import type { Actor } from '../../actors/actor.ts';
import type { Trail } from './trail.ts';

/** What is asked by: an eventual of this worker's, or the number of a question of another one's. */
export type Settles = Eventual | number | undefined;

/** In the place of a method's name. */
export const PASSED = 'an eventual that was passed';

/** The outcome of what an actor has been asked. */
export class Forward {
  readonly owner: Actor;
  readonly to: Actor;
  readonly settles: Settles;
  readonly call: string;
  constructor(owner: Actor, to: Actor, settles: Settles, call: string) {
    this.owner = owner;
    this.to = to;
    this.settles = settles;
    this.call = call;
  }
}

/** What leads to the life of a worker, as long as that is open. */
export interface Way {
  readonly peer: Actor;
  readonly isOpen: boolean;
}

/** An eventual that was passed to another worker, under a number. */
export class Passed {
  readonly link: Way;
  readonly number: number;
  constructor(link: Way, number: number) {
    this.link = link;
    this.number = number;
  }
}

/** A message to what an eventual will be. */
export class Later {
  readonly call: string;
  readonly args: readonly unknown[];
  readonly settles: Eventual | undefined;
  readonly trail: Trail | undefined;
  constructor(call: string, args: readonly unknown[], settles: Eventual | undefined, trail: Trail | undefined) {
    this.call = call;
    this.args = args;
    this.settles = settles;
    this.trail = trail;
  }
}
