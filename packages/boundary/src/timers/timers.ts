// The program's timers as data: the waiting timers, the order in which they fire, the state of each, and how to rearm a
// timer, in this process or another one.
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
  readonly programFunctions: Readonly<Record<string, Callback>> = programFunctions;
  /** Start of the round of timeouts in which a state is resumed. */
  #resumeStartMs: number | undefined;

  /** @param parkedTimers timers of a replay; undefined otherwise */
  constructor(realm: Realm, parkedTimers?: ParkedTimers) {
    super(realm, parkedTimers);
    installTimers();
  }

  /** The program's view of the builtin `timers`, with the same functions as its globals. */
  get moduleView(): Record<string, unknown> {
    return timersView();
  }

  /** The loop's clock in milliseconds; the start of the turn once turns are tracked. */
  now(): number {
    return turnNow();
  }

  /** Starts to track turns of Node's loop. Must be called before the program is loaded. */
  trackTurns(): void {
    trackTurns();
  }

  /**
   * Returns the program's waiting timers in the order in which they will fire: timeouts that are due in the running round
   * (or, while turns are not tracked, all that are due at `now`), then immediates, then the other timeouts.
   */
  pending(now: number = turnNow()): object[] {
    return this.parkedTimers?.pending() ?? firingTimers(now);
  }

  /** Sorts timers by number, an order that does not depend on time. */
  sortByNumber(timers: readonly object[]): object[] {
    return timers.toSorted((a, b) => programNumberOf(a) - programNumberOf(b));
  }

  get lastNumber(): number {
    return lastNumber();
  }

  set lastNumber(number: number) {
    setLastNumber(number);
  }

  override allocate(kind: TimerKind): object {
    return new ProgramTimer(super.allocate(kind), 0);
  }

  /** Arms a filled timer. Must be called in the order of `pending`. */
  arm(timer: object): void {
    noteTimerArmed();
    for (const msecs of this.startTimer(timer, this.#resumeStartMs)) noteDuration(msecs);
    if (isImmediate(timer) && this.parkedTimers === undefined) noteImmediate(timer);
  }

  /** Clears the waiting timers whose callbacks have a matching context. */
  clearWhere(matches: (context: object) => boolean): void {
    for (const timer of this.pending()) {
      const { context } = this.read(timer);
      if (context === undefined || !matches(context)) continue;
      if (isImmediate(timer)) programFunctions['clearImmediate'](timer as never);
      else if (this.parkedTimers === undefined) native.clearTimeout(timer);
      else this.parkedTimers.clearTimeout(timer);
    }
  }

  /** Calls `continuation` in a timeout's callback. Due timeouts armed there fire in the same round. */
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
