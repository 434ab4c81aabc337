// Eventuals: core's own promises. Their state is four private fields, so that nothing is visible, and instances of the
// program's subclasses are eventuals too. This file has the state, eventuals.ts the abstract operations, and promise.ts
// the constructor. Hot path: guarded by bench/prototype and the async rows of bench/awfy.

import { NativeWeakMap, construct, isArray, newTargetWithPrototype, receiverFirst } from './intrinsics.ts';
import { journal } from './undo/journal.ts';
import type { PendingReaction } from './frame.ts';

export const PENDING = 0;
export const FULFILLED = 1;
export const REJECTED = 2;

export type PendingReactions = undefined | PendingReaction | PendingReaction[];

/** Bits of `#flags`. */
const HANDLED = 1;
const WATCHED = 2;

/** Hidden state. The prototype is the first realm's `Promise.prototype`: plain `new` is twice as fast as stamping. */
export class Eventual {
  #state = PENDING;
  #value: unknown = undefined;
  #reactions: PendingReactions = undefined;
  #flags = 0;

  static is(value: unknown): value is Eventual {
    return typeof value === 'object' && value !== null && #state in value;
  }
  static state(eventual: Eventual): number {
    return eventual.#state;
  }
  static value(eventual: Eventual): unknown {
    return eventual.#value;
  }
  static isHandled(eventual: Eventual): boolean {
    return (eventual.#flags & HANDLED) !== 0;
  }
  static markHandled(eventual: Eventual): void {
    journal.log?.noteEventual(eventual);
    eventual.#flags |= HANDLED;
  }
  /** Calls a function when a pending eventual is settled, before its reactions run. Invisible to the program. */
  static onSettled(eventual: Eventual, callback: () => void): void {
    const earlier = callbackOf(callbacks, eventual);
    setCallback(callbacks, eventual, earlier === undefined ? callback : () => (earlier(), callback()));
    eventual.#flags |= WATCHED;
  }
  static settle(eventual: Eventual, state: number, value: unknown): PendingReactions {
    if (journal.log !== undefined) journal.log.noteEventual(eventual);
    const reactions = eventual.#reactions;
    eventual.#state = state;
    eventual.#value = value;
    eventual.#reactions = undefined;
    if ((eventual.#flags & WATCHED) !== 0) {
      eventual.#flags &= ~WATCHED;
      const callback = callbackOf(callbacks, eventual);
      deleteCallback(callbacks, eventual);
      callback?.();
    }
    return reactions;
  }
  /** Adds a reaction if the eventual is pending, which marks its rejection as handled. Returns the state. */
  static addReaction(eventual: Eventual, reaction: PendingReaction): number {
    const state = eventual.#state;
    if (state === PENDING) {
      if (journal.log !== undefined) journal.log.noteEventual(eventual);
      eventual.#flags |= HANDLED;
      const existing = eventual.#reactions;
      if (existing === undefined) eventual.#reactions = reaction;
      else if (isArray(existing)) existing[existing.length] = reaction;
      else eventual.#reactions = [existing, reaction];
    }
    return state;
  }
  static read(eventual: Eventual): EventualState {
    return {
      state: eventual.#state,
      value: eventual.#value,
      waiting: eventual.#reactions,
      handled: (eventual.#flags & HANDLED) !== 0,
    };
  }
  static write(eventual: Eventual, state: EventualState): void {
    eventual.#state = state.state;
    eventual.#value = state.value;
    eventual.#reactions = state.waiting;
    eventual.#flags = (eventual.#flags & WATCHED) | (state.handled ? HANDLED : 0);
  }
}

let isPrototypeFree = true;

/** Prototype and constructor function of a realm's eventuals. The first realm of a thread gets the fast constructor. */
export function createEventualFactory(): { prototype: object; create: () => Eventual } {
  if (isPrototypeFree) {
    isPrototypeFree = false;
    return { prototype: Eventual.prototype, create: () => new Eventual() };
  }
  const prototype = {};
  const newTarget = newTargetWithPrototype(prototype);
  return { prototype, create: () => construct(Eventual, [], newTarget) };
}

/** Callbacks of watched eventuals. */
const callbacks = new NativeWeakMap<Eventual, () => void>();
const callbackOf = receiverFirst(callbacks.get);
const setCallback = receiverFirst(callbacks.set);
const deleteCallback = receiverFirst(callbacks.delete);
const constructors = new NativeWeakMap<object, new () => object>();
const constructorOf = receiverFirst(constructors.get);
const setConstructor = receiverFirst(constructors.set);

/** Makes an eventual with the prototype of a subclass. */
export function createEventualWithPrototype(prototype: object): Eventual {
  let newTarget = constructorOf(constructors, prototype) as (new () => object) | undefined;
  if (newTarget === undefined) {
    newTarget = newTargetWithPrototype(prototype);
    setConstructor(constructors, prototype, newTarget);
  }
  return construct(Eventual, [], newTarget);
}

export interface EventualState {
  state: number;
  value: unknown;
  waiting: PendingReactions;
  handled: boolean;
}
