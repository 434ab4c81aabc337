// Timers of a program that is recorded or runs again: they get numbers, of one that is recorded each that fires is noted, and those of one that
// runs again wait for the tape.
import type { Tape } from '@turntable/core';
import { SOURCES } from '@turntable/recording/sources';
import { isAnyTimeoutWaiting, parkTimersBy, watchRefreshing } from './functions.ts';
import { OwnTimeout } from './own-timeout.ts';
import { noteIds } from './ids.ts';
import { isAnyImmediateWaiting, OwnImmediate } from './immediates.ts';
import { countTimers } from './numbers.ts';
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
    const number = OwnTimeout.numberOf(timer) ?? OwnImmediate.numberOf(timer);
    if (number !== undefined) tape.entry(SOURCES.timer, number);
  });
  return undefined;
}
