// The timers of the program as data: those that wait, in the order in which they fire, what each consists of, and how to make it wait
// again, here or in another process.
import type { Realm } from '@turntable/core';
import { firingOrder } from './order.ts';
import { functions, note, placeTimers, timeoutLists, timersView } from './functions.ts';
import { noteImmediate, waitingImmediates } from './immediates.ts';
import { isImmediate, native, type Callback } from './native.ts';
import { countFrom, lastNumber, OwnTimer } from './own-timer.ts';
import type { ParkedTimers } from './parked.ts';
import { followTurns, mayBeInRound, timerWaits, turnClock } from './turn.ts';
import { TimerStates, type TimerKind } from './state.ts';

export type { TimerKind, TimerState } from './state.ts';

function firing(now: number): object[] {
  const { due, later } = firingOrder(timeoutLists(), mayBeInRound() ? now : -Infinity);
  return [...due, ...waitingImmediates(), ...later];
}

function numberOf(timer: object): number {
  return OwnTimer.numberOf(timer) ?? 0;
}

export class Timers extends TimerStates {
  /** Those that are ours, by name. */
  readonly functions: Readonly<Record<string, Callback>> = functions;
  /** When the round of timeouts began in which a state is resumed. */
  #resumedAt: number | undefined;

  /** The realm's host has `ambientTimers`. `parked`: where the timers of a program wait that runs again. */
  constructor(realm: Realm, parked?: ParkedTimers) {
    super(realm, parked);
    placeTimers();
  }

  /** What transformed code gets of the builtin `timers`; its globals are the same functions. */
  get exports(): Record<string, unknown> {
    return timersView();
  }

  /** The loop's clock, in milliseconds; once turns are followed, when the turn began. */
  clock(): number {
    return turnClock();
  }

  /** From now on it is known in which part of Node's loop a turn stands. To be called before the program is loaded. */
  followTurns(): void {
    followTurns();
  }

  /**
   * The program's timers that wait, in the order in which they will fire: timeouts that are due in the same round as the one that is
   * running (while turns are not followed, all that are due at `now`), then immediates, then the other timeouts.
   */
  pending(now: number = turnClock()): object[] {
    return this.parked?.pending() ?? firing(now);
  }

  /** The same timers in the order of their numbers, which no time decides. */
  byNumber(timers: readonly object[]): object[] {
    return timers.toSorted((a, b) => numberOf(a) - numberOf(b));
  }

  /** Of the timer that was made last, 0 if they have none; the next one's follows. */
  get lastNumber(): number {
    return lastNumber();
  }

  set lastNumber(number: number) {
    countFrom(number);
  }

  override allocate(kind: TimerKind): object {
    return new OwnTimer(super.allocate(kind), 0);
  }

  /** Makes a filled timer wait; to be called in the order of `pending`. */
  arm(timer: object): void {
    timerWaits();
    for (const msecs of this.startWaiting(timer, this.#resumedAt)) note(msecs);
    if (isImmediate(timer) && this.parked === undefined) noteImmediate(timer);
  }

  /**
   * Calls `continuation` as Node calls a timeout's callback, from its loop. Timers that are armed by it fire in the order in which they
   * were armed: the due ones in the same round of timeouts, immediates after that.
   */
  resume(continuation: () => void): void {
    const timeout = native.setTimeout(() => {
      this.#resumedAt = timeout._idleStart as number;
      try {
        continuation();
      } finally {
        this.#resumedAt = undefined;
      }
    }, 1);
  }
}
