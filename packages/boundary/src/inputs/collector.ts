// What the garbage collector does, as far as a program can see it: a `WeakRef` that has lost its target, a callback of a
// `FinalizationRegistry`. Noted are the first look that finds nothing, and each callback. In a run again nothing that can be lost is lost
// before that.
import { SOURCES } from '@turntable/recording/sources';
import type { Realm, Tape } from '@turntable/core';

export interface CollectorState {
  /** So many times the program has looked for targets. */
  readonly looks: number;
  /** So many objects were registered to be told of their end. */
  readonly registered: number;
}

export interface Collector {
  read(): CollectorState;
  write(state: CollectorState): void;
}

export function followCollector(tape: Tape, realm: Realm): Collector {
  const { observer } = realm.parts.weak;
  let looks = 0;
  let isGone: (ref: object, target: unknown) => boolean;
  if (tape.isReplay) {
    const held = new WeakMap<object, unknown>();
    isGone = (ref) => {
      if (tape.peek(SOURCES.collector) !== looks) return false;
      held.delete(ref);
      return true;
    };
    observer.made = (ref, target) => void held.set(ref, target);
    observer.holds = true;
    tape.on(SOURCES.collector, (number) => {
      if (!realm.parts.weak.finalize(number))
        tape.diverge(`the object of registration ${number} of this worker is gone`, 'there is no such registration');
    });
  } else {
    isGone = (_, target) => target === undefined;
    observer.finalized = (number, callback) => {
      tape.entry(SOURCES.collector, number);
      callback();
    };
  }
  /** Of those that are buried the first look has been noted. */
  const buried = new WeakSet<object>();
  observer.dereferenced = (ref, target) => {
    looks++;
    if (buried.has(ref)) return undefined;
    if (!isGone(ref, target)) return target;
    if (tape.isReplay) tape.outcome(SOURCES.collector);
    else tape.outcome(SOURCES.collector, looks);
    buried.add(ref);
    realm.parts.weak.bury(ref);
    return undefined;
  };
  return {
    read: () => ({ looks, registered: observer.registered }),
    write(state) {
      looks = state.looks;
      observer.registered = state.registered;
    },
  };
}
