// The base class for actors: messages pass its instances by reference, never by copy.

import { types } from 'node:util';
import type { actorMark } from '@turntable/runtime';

type InstanceListener = (object: object, type: unknown) => void;

let onInstance: InstanceListener = () => {};

/** Sets the listener for new instances. It is called before the constructors of derived classes run. */
export function setInstanceListener(listener: InstanceListener): void {
  onInstance = listener;
}

/**
 * Base class of actors. It is optional: any exported class can be the root of an actor. Within an actor's messages, an
 * instance of `Actor` passes as a reference.
 */
export abstract class Actor {
  declare readonly [actorMark]: true;

  constructor() {
    onInstance(this, new.target);
  }

  /** Whether a value is an actor, by its prototypes: a restored actor has run no constructor. Runs no proxy trap. */
  static has(value: object): boolean {
    return !types.isProxy(value) && isInPrototypeChain(Actor.prototype, value);
  }
}

const { call } = Function.prototype;
const isInPrototypeChain = call.bind(Object.prototype.isPrototypeOf) as (prototype: object, value: object) => boolean;
