// The class that actors may extend: its instances never pass by copy.

import { types } from 'node:util';
import type { actorMark } from '@turntable/runtime';

type Meet = (object: object, type: unknown) => void;

let meet: Meet = () => {};

/** Is told of each instance before the constructors of its classes run. */
export function meetActors(taker: Meet): void {
  meet = taker;
}

export abstract class Actor {
  declare readonly [actorMark]: true;

  constructor() {
    meet(this, new.target);
  }

  /** By its prototype, since an actor that was captured and made again has run no constructor. No proxy is asked. */
  static has(value: object): boolean {
    return !types.isProxy(value) && isBelow(Actor.prototype, value);
  }
}

const { call } = Function.prototype;
const isBelow = call.bind(Object.prototype.isPrototypeOf) as (prototype: object, value: object) => boolean;
