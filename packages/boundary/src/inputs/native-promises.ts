// Native promises that settle an object of the program. The tape records when each settlement reaches the program, and
// its value if it is primitive. Otherwise a replay takes the value from its own native promise, because the native code
// that settles the promise runs there, too.
import { TRACE_SOURCES } from '@turntable/recording/sources';
import type { Realm, Tape, TapeValue } from '@turntable/core';

/** State and value of a settlement; the state alone if the value is not primitive. */
type RecordedSettlement = readonly [state: number, value?: TapeValue];

interface PendingSettlement {
  readonly settle: (state: number, value: unknown) => void;
  /** The settlement of this process's native promise. */
  nativeSettlement: readonly [state: number, value: unknown] | undefined;
}

export interface NativePromises {
  count: number;
  callProgram<T>(call: () => T): T;
  /** Runs code that registers a native promise. A replay replaces this function, to intercept the registration. */
  registerWaiter<T>(register: () => T): T;
}

export function trackNativePromises(tape: Tape, realm: Realm): NativePromises {
  const promises: NativePromises = {
    count: 0,
    callProgram: (call) => call(),
    registerWaiter: (register) => register(),
  };
  const { eventuals } = realm.parts;
  if (!tape.isReplay) {
    eventuals.wrapNativeSettle((settle) => {
      const number = promises.count++;
      return (state, value) => {
        tape.recordEntry(TRACE_SOURCES.promise, number, isPrimitiveTapeValue(value) ? [state, value] : [state]);
        settle(state, value);
      };
    });
    return promises;
  }
  const waiting = new Map<number, PendingSettlement>();
  eventuals.wrapNativeSettle((settle) =>
    promises.registerWaiter(() => {
      const number = promises.count++;
      const entry: PendingSettlement = { settle, nativeSettlement: undefined };
      waiting.set(number, entry);
      tape.wake();
      return (state, value) => {
        entry.nativeSettlement = [state, value];
        tape.wake();
      };
    }),
  );
  tape.setPerformer(
    TRACE_SOURCES.promise,
    (number, recorded) => {
      const entry = waiting.get(number);
      const settlement = recorded as RecordedSettlement;
      if (entry === undefined || (settlement.length === 1 && entry.nativeSettlement === undefined)) return false;
      waiting.delete(number);
      const [state, value] = settlement.length === 1 ? (entry.nativeSettlement as RecordedSettlement) : settlement;
      promises.callProgram(() => entry.settle(state, value));
      return true;
    },
    () => 'microtask',
  );
  return promises;
}

function isPrimitiveTapeValue(value: unknown): value is TapeValue {
  return value === null || (typeof value !== 'object' && typeof value !== 'function' && typeof value !== 'symbol');
}
