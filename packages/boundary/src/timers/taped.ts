// Timers of a program that is recorded or runs again: they get numbers, of one that is recorded each that fires is noted, and those of one that
// runs again wait for the tape.
import type { Tape } from '@turntable/core';
import { SOURCES } from '@turntable/recording/sources';
import { standInAll } from '@turntable/loader';
import { isAnyTimeoutWaiting, parkTimersBy, watchRefreshing } from './functions.ts';
import { isAnyImmediateWaiting } from './immediates.ts';
import { giveNumber, numberOf, timeoutPrototype, type NativeTimeout } from './native.ts';
import { countTimers, OwnTimer } from './own-timer.ts';
import { ParkedTimers } from './parked.ts';
import { followWhile, watchFiring } from './turn.ts';

/** Before the first of them. Answers where they wait, if Node does not fire them. */
export function followTimers(tape: Tape): ParkedTimers | undefined {
  countTimers();
  noteIds(tape);
  if (tape.isReplay) {
    const parked = new ParkedTimers(tape);
    parkTimersBy(parked);
    return parked;
  }
  watchRefreshing();
  followWhile(() => isAnyTimeoutWaiting() || isAnyImmediateWaiting());
  watchFiring((timer) => {
    const number = OwnTimer.numberOf(timer);
    if (number !== undefined) tape.entry(SOURCES.timer, number);
  });
  return undefined;
}

/** The numbers that programs get for their timers (`+timeout`) count all that is asynchronous in a process, so they are recorded. */
function noteIds(tape: Tape): void {
  const native = (timeoutPrototype as NativeTimeout)[Symbol.toPrimitive];
  const known = new WeakSet<object>();
  standInAll(timeoutPrototype, {
    [Symbol.toPrimitive](this: NativeTimeout): number {
      if (!OwnTimer.is(this) || known.has(this) || numberOf(this) !== undefined) return Reflect.apply(native, this, []);
      known.add(this);
      if (tape.isReplay) giveNumber(this, tape.outcome(SOURCES.timer) as number);
      const id = Reflect.apply(native, this, []);
      if (!tape.isReplay) tape.outcome(SOURCES.timer, id);
      return id;
    },
  });
}
