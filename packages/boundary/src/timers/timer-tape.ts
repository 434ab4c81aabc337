// Timers of a thread with a tape: a recorded thread numbers them and records each that fires; in a replay they are
// parked until the tape fires them.
import type { Tape } from '@turntable/core';
import { TRACE_SOURCES } from '@turntable/recording/sources';
import { replaceFunctions } from '@turntable/loader';
import { hasWaitingTimeout, setParkedTimers, patchRefresh } from './timer-functions.ts';
import { hasWaitingImmediate } from './immediates.ts';
import { assignId, programIdOf, timeoutPrototype, type NativeTimeout } from './native-timers.ts';
import { startCounting, ProgramTimer } from './program-timer.ts';
import { ParkedTimers } from './parked-timers.ts';
import { trackWhile, setOnFire } from './loop-turn.ts';

/** Must run before the first timer. Returns the parked timers of a replay; undefined while recording. */
export function installTimerTape(tape: Tape): ParkedTimers | undefined {
  startCounting();
  recordTimerIds(tape);
  if (tape.isReplay) {
    const parkedTimers = new ParkedTimers(tape);
    setParkedTimers(parkedTimers);
    return parkedTimers;
  }
  patchRefresh();
  trackWhile(() => hasWaitingTimeout() || hasWaitingImmediate());
  setOnFire((timer) => {
    const number = ProgramTimer.numberOf(timer);
    if (number !== undefined) tape.recordEntry(TRACE_SOURCES.timer, number);
  });
  return undefined;
}

/** Records `+timeout`, because Node numbers timers together with all other asynchronous resources of the process. */
function recordTimerIds(tape: Tape): void {
  const nativeToPrimitive = (timeoutPrototype as NativeTimeout)[Symbol.toPrimitive];
  const recordedIds = new WeakSet<object>();
  replaceFunctions(timeoutPrototype, {
    [Symbol.toPrimitive](this: NativeTimeout): number {
      if (!ProgramTimer.is(this) || recordedIds.has(this) || programIdOf(this) !== undefined)
        return Reflect.apply(nativeToPrimitive, this, []);
      recordedIds.add(this);
      if (tape.isReplay) assignId(this, tape.outcome(TRACE_SOURCES.timer) as number);
      const id = Reflect.apply(nativeToPrimitive, this, []);
      if (!tape.isReplay) tape.recordOutcome(TRACE_SOURCES.timer, id);
      return id;
    },
  });
}
