// Eventuals: core's own promises. State is four private fields, so that nothing shows and instances of the program's
// subclasses are eventuals too. This file is the state; `eventuals.ts` has the abstract operations on it, `promise.ts` the
// constructor and what hangs from it.
// Hot path: guarded by bench/prototype and the async rows of bench/awfy.

import { NativeWeakMap, construct, isArray, newTargetBelow, receiverFirst } from './intrinsics.ts';
import { journal } from './undo/journal.ts';
import type { Waiting } from './frame.ts';

export const PENDING = 0;
export const FULFILLED = 1;
export const REJECTED = 2;

export type Waitings = undefined | Waiting | Waiting[];

/** The hidden state. A base class whose prototype is the first realm's `Promise.prototype`: plain `new` is twice as fast as stamping fields on an object. */
export class Eventual {
  #state = PENDING;
  #value: unknown = undefined;
  #waiting: Waitings = undefined;
  #handled = false;

  static has(value: unknown): value is Eventual {
    return typeof value === 'object' && value !== null && #state in value;
  }
  static state(eventual: Eventual): number {
    return eventual.#state;
  }
  static value(eventual: Eventual): unknown {
    return eventual.#value;
  }
  static handled(eventual: Eventual): boolean {
    return eventual.#handled;
  }
  static handle(eventual: Eventual): void {
    journal.log?.eventual(eventual);
    eventual.#handled = true;
  }
  static settle(eventual: Eventual, state: number, value: unknown): Waitings {
    if (journal.log !== undefined) journal.log.eventual(eventual);
    const waiting = eventual.#waiting;
    eventual.#state = state;
    eventual.#value = value;
    eventual.#waiting = undefined;
    return waiting;
  }
  /** Adds to the waiting ones if pending (its rejection counts as handled from now on); answers the state. */
  static wait(eventual: Eventual, waiting: Waiting): number {
    const state = eventual.#state;
    if (state === PENDING) {
      if (journal.log !== undefined) journal.log.eventual(eventual);
      eventual.#handled = true;
      const before = eventual.#waiting;
      if (before === undefined) eventual.#waiting = waiting;
      else if (isArray(before)) before[before.length] = waiting;
      else eventual.#waiting = [before, waiting];
    }
    return state;
  }
  static read(eventual: Eventual): EventualState {
    return { state: eventual.#state, value: eventual.#value, waiting: eventual.#waiting, handled: eventual.#handled };
  }
  static write(eventual: Eventual, state: EventualState): void {
    eventual.#state = state.state;
    eventual.#value = state.value;
    eventual.#waiting = state.waiting;
    eventual.#handled = state.handled;
  }
}

let prototypeIsFree = true;

/** The prototype of a realm's eventuals, and what makes them. The first realm of a worker has the fast way. */
export function eventualsOfRealm(): { prototype: object; create: () => Eventual } {
  if (prototypeIsFree) {
    prototypeIsFree = false;
    return { prototype: Eventual.prototype, create: () => new Eventual() };
  }
  const prototype = {};
  const target = newTargetBelow(prototype);
  return { prototype, create: () => construct(Eventual, [], target) };
}

const constructors = new NativeWeakMap<object, new () => object>();
const constructorOf = receiverFirst(constructors.get);
const setConstructor = receiverFirst(constructors.set);

/** An eventual that inherits from an object of the program: an instance of a subclass. */
export function eventualUnder(prototype: object): Eventual {
  let target = constructorOf(constructors, prototype) as (new () => object) | undefined;
  if (target === undefined) {
    target = newTargetBelow(prototype);
    setConstructor(constructors, prototype, target);
  }
  return construct(Eventual, [], target);
}

export interface EventualState {
  state: number;
  value: unknown;
  waiting: Waitings;
  handled: boolean;
}
