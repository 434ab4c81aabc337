// The timers of the program as data: those that wait, in the order in which they fire, what each consists of, and how to make it wait
// again, here or in another process.
import type { Realm } from '@turntable/core';
import { firingOrder } from './firing-order.ts';
import { programFunctions, noteDuration, installTimers, programTimeoutLists, timersView } from './timer-functions.ts';
import { noteImmediate, waitingImmediates } from './immediates.ts';
import { isImmediate, native, type Callback } from './native-timers.ts';
import { setLastNumber, lastNumber, ProgramTimer } from './program-timer.ts';
import type { ParkedTimers } from './parked-timers.ts';
import { trackTurns, mayBeInTimeoutRound, noteTimerArmed, turnNow } from './loop-turn.ts';
import { TimerStates, type TimerKind } from './timer-states.ts';

export type { TimerKind, TimerState } from './timer-states.ts';

function firingTimers(now: number): object[] {
  const { due, later } = firingOrder(programTimeoutLists(), mayBeInTimeoutRound() ? now : -Infinity);
  return [...due, ...waitingImmediates(), ...later];
}

function programNumberOf(timer: object): number {
  return ProgramTimer.numberOf(timer) ?? 0;
}

export class Timers extends TimerStates {
  /** Those that are ours, by name. */
  readonly programFunctions: Readonly<Record<string, Callback>> = programFunctions;
  /** When the round of timeouts began in which a state is resumed. */
  #resumeStartMs: number | undefined;

  /** The realm's host has `ambientTimers`. `parkedTimers`: where the timers of a program wait that runs again. */
  constructor(realm: Realm, parkedTimers?: ParkedTimers) {
    super(realm, parkedTimers);
    installTimers();
  }

  /** What transformed code gets of the builtin `timers`; its globals are the same functions. */
  get moduleView(): Record<string, unknown> {
    return timersView();
  }

  /** The loop's clock, in milliseconds; once turns are followed, when the turn began. */
  now(): number {
    return turnNow();
  }

  /** From now on it is known in which part of Node's loop a turn stands. To be called before the program is loaded. */
  trackTurns(): void {
    trackTurns();
  }

  /**
   * The program's timers that wait, in the order in which they will fire: timeouts that are due in the same round as the one that is
   * running (while turns are not followed, all that are due at `now`), then immediates, then the other timeouts.
   */
  pending(now: number = turnNow()): object[] {
    return this.parkedTimers?.pending() ?? firingTimers(now);
  }

  /** The same timers in the order of their numbers, which no time decides. */
  sortByNumber(timers: readonly object[]): object[] {
    return timers.toSorted((a, b) => programNumberOf(a) - programNumberOf(b));
  }

  /** Of the timer that was made last, 0 if they have none; the next one's follows. */
  get lastNumber(): number {
    return lastNumber();
  }

  set lastNumber(number: number) {
    setLastNumber(number);
  }

  override allocate(kind: TimerKind): object {
    return new ProgramTimer(super.allocate(kind), 0);
  }

  /** Makes a filled timer wait; to be called in the order of `pending`. */
  arm(timer: object): void {
    noteTimerArmed();
    for (const msecs of this.startTimer(timer, this.#resumeStartMs)) noteDuration(msecs);
    if (isImmediate(timer) && this.parkedTimers === undefined) noteImmediate(timer);
  }

  /**
   * Calls `continuation` as Node calls a timeout's callback, from its loop. Timers that are armed by it fire in the order in which they
   * were armed: the due ones in the same round of timeouts, immediates after that.
   */
  resume(continuation: () => void): void {
    const timeout = native.setTimeout(() => {
      this.#resumeStartMs = timeout._idleStart as number;
      try {
        continuation();
      } finally {
        this.#resumeStartMs = undefined;
      }
    }, 1);
  }
}
