// Native promises that settle something of the program's: when each does is noted, and with what, if that is a simple value. In a run again
// its own native promise says the rest: the native code behind it runs there, too, and the tape says when the program hears of it.
import { SOURCES } from '@turntable/recording/sources';
import type { Realm, Tape, TapeValue } from '@turntable/core';

/** In a list: how it ended and the value, or how it ended alone where the value is no simple one. */
type Settled = readonly [state: number, value?: TapeValue];

interface Waiting {
  readonly settle: (state: number, value: unknown) => void;
  /** What the native promise of this run has ended with, once it has. */
  own: readonly [state: number, value: unknown] | undefined;
}

export interface NativePromises {
  count: number;
  calls<T>(call: () => T): T;
  /** Takes what the program waits for. */
  asks<T>(ask: () => T): T;
}

export function followNativePromises(tape: Tape, realm: Realm): NativePromises {
  const promises: NativePromises = { count: 0, calls: (call) => call(), asks: (ask) => ask() };
  const { eventuals } = realm.parts;
  if (!tape.isReplay) {
    eventuals.settledBy((settle) => {
      const number = promises.count++;
      return (state, value) => {
        tape.entry(SOURCES.promise, number, isSimple(value) ? [state, value] : [state]);
        settle(state, value);
      };
    });
    return promises;
  }
  const waiting = new Map<number, Waiting>();
  eventuals.settledBy((settle) =>
    promises.asks(() => {
      const number = promises.count++;
      const entry: Waiting = { settle, own: undefined };
      waiting.set(number, entry);
      tape.wake();
      return (state, value) => {
        entry.own = [state, value];
        tape.wake();
      };
    }),
  );
  tape.on(
    SOURCES.promise,
    (number, noted) => {
      const entry = waiting.get(number);
      const settled = noted as Settled;
      if (entry === undefined || (settled.length === 1 && entry.own === undefined)) return false;
      waiting.delete(number);
      const [state, value] = settled.length === 1 ? (entry.own as Settled) : settled;
      promises.calls(() => entry.settle(state, value));
      return true;
    },
    () => 'microtask',
  );
  return promises;
}

function isSimple(value: unknown): value is TapeValue {
  return value === null || (typeof value !== 'object' && typeof value !== 'function' && typeof value !== 'symbol');
}
