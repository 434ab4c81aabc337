// The garbage collector as an input: `WeakRef` objects that lose their target, and callbacks of `FinalizationRegistry`.
// The first `deref` that finds no target is recorded, and so is each callback. A replay keeps every target alive until
// its recorded death.
import { TRACE_SOURCES } from '@turntable/recording/sources';
import type { Realm, Tape } from '@turntable/core';

export interface GarbageCollectorState {
  readonly derefCount: number;
  readonly registrationCount: number;
}

export interface GarbageCollectorInput {
  capture(): GarbageCollectorState;
  restore(state: GarbageCollectorState): void;
}

export function installGarbageCollectorInput(tape: Tape, realm: Realm): GarbageCollectorInput {
  const { observer } = realm.parts.weak;
  let derefCount = 0;
  let hasLostTarget: (ref: object, target: unknown) => boolean;
  if (tape.isReplay) {
    const targets = new WeakMap<object, unknown>();
    hasLostTarget = (ref) => {
      if (tape.peek(TRACE_SOURCES.collector) !== derefCount) return false;
      targets.delete(ref);
      return true;
    };
    observer.onCreated = (ref, target) => void targets.set(ref, target);
    observer.holdsTargets = true;
    tape.setPerformer(TRACE_SOURCES.collector, (number) => {
      if (!realm.parts.weak.finalize(number))
        tape.diverge(`the object of registration ${number} of this worker is gone`, 'there is no such registration');
    });
  } else {
    hasLostTarget = (_, target) => target === undefined;
    observer.onFinalized = (number, callback) => {
      tape.recordEntry(TRACE_SOURCES.collector, number);
      callback();
    };
  }
  /** References whose first empty `deref` was recorded. */
  const clearedRefs = new WeakSet<object>();
  observer.onDeref = (ref, target) => {
    derefCount++;
    if (clearedRefs.has(ref)) return undefined;
    if (!hasLostTarget(ref, target)) return target;
    if (tape.isReplay) tape.outcome(TRACE_SOURCES.collector);
    else tape.recordOutcome(TRACE_SOURCES.collector, derefCount);
    clearedRefs.add(ref);
    realm.parts.weak.markDead(ref);
    return undefined;
  };
  return {
    capture: () => ({ derefCount, registrationCount: observer.registeredCount }),
    restore(state) {
      derefCount = state.derefCount;
      observer.registeredCount = state.registrationCount;
    },
  };
}
