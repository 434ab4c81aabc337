// The class that actors may extend: its instances never pass by copy.

import { types } from 'node:util';
import type { actorMark } from '@turntable/runtime';

type InstanceListener = (object: object, type: unknown) => void;

let onInstance: InstanceListener = () => {};

/** The listener gets each instance before the constructors of its classes run. */
export function setInstanceListener(listener: InstanceListener): void {
  onInstance = listener;
}

export abstract class Actor {
  declare readonly [actorMark]: true;

  constructor() {
    onInstance(this, new.target);
  }

  /** Checks the prototype, since a restored actor has run no constructor. No proxy is asked. */
  static has(value: object): boolean {
    return !types.isProxy(value) && isInPrototypeChain(Actor.prototype, value);
  }
}

const { call } = Function.prototype;
const isInPrototypeChain = call.bind(Object.prototype.isPrototypeOf) as (prototype: object, value: object) => boolean;
