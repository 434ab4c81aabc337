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
import { TimerStates, type TimerKind, type TimerState } from './state.ts';

export type { TimerKind, TimerState } from './state.ts';

export interface Timers {
  /** What transformed code gets of the builtin `timers`; its globals are the same functions. */
  readonly exports: Record<string, unknown>;
  /** Those that are ours, by name. */
  readonly functions: Readonly<Record<string, Callback>>;
  /** The loop's clock, in milliseconds; once turns are followed, when the turn began. */
  clock(): number;
  /** From now on it is known in which part of Node's loop a turn stands. To be called before the program is loaded. */
  followTurns(): void;
  /**
   * The program's timers that wait, in the order in which they will fire: timeouts that are due in the same round as the one that is
   * running (while turns are not followed, all that are due at `now`), then immediates, then the other timeouts.
   */
  pending(now?: number): object[];
  /** The same timers in the order of their numbers, which no time decides. */
  byNumber(timers: readonly object[]): object[];
  /** Of the timer that was made last, 0 if they have none; the next one's follows. */
  lastNumber: number;
  /** Whether it is a Timeout or Immediate of Node's, whoever made it. */
  isTimer(value: object): boolean;
  read(timer: object, now?: number): TimerState;
  /** Own properties that Node gives every timer of the kind. */
  ownKeys(kind: TimerKind): readonly PropertyKey[];
  /** A blank one, that does not wait. */
  allocate(kind: TimerKind): object;
  fill(timer: object, state: TimerState): void;
  /** Makes a filled one wait; to be called in the order of `pending`. */
  arm(timer: object): void;
  /**
   * Calls `continuation` as Node calls a timeout's callback, from its loop. Timers that are armed by it fire in the order in which they
   * were armed: the due ones in the same round of timeouts, immediates after that.
   */
  resume(continuation: () => void): void;
}

function firing(now: number): object[] {
  const { due, later } = firingOrder(timeoutLists(), mayBeInRound() ? now : -Infinity);
  return [...due, ...waitingImmediates(), ...later];
}

function numberOf(timer: object): number {
  return OwnTimer.numberOf(timer) ?? 0;
}

/** The realm's host has `ambientTimers`. `parked`: where the timers of a program wait that runs again. */
export function createTimers(realm: Realm, parked?: ParkedTimers): Timers {
  const states = new TimerStates(realm, parked);
  /** When the round of timeouts began in which a state is resumed. */
  let resumedAt: number | undefined;
  placeTimers();

  return {
    get exports() {
      return timersView();
    },
    functions,
    clock: turnClock,
    followTurns,
    pending: (now = turnClock()) => parked?.pending() ?? firing(now),
    byNumber: (timers) => timers.toSorted((a, b) => numberOf(a) - numberOf(b)),
    get lastNumber() {
      return lastNumber();
    },
    set lastNumber(number) {
      countFrom(number);
    },
    isTimer: (value) => states.isTimer(value),
    read: (timer, now) => states.read(timer, now),
    ownKeys: (kind) => states.ownKeys(kind),
    allocate(kind) {
      const timer = states.allocate(kind);
      new OwnTimer(timer, 0);
      return timer;
    },
    fill: (timer, state) => states.fill(timer, state),
    arm(timer) {
      timerWaits();
      for (const msecs of states.arm(timer, resumedAt)) note(msecs);
      if (isImmediate(timer) && parked === undefined) noteImmediate(timer);
    },
    resume(continuation) {
      const timeout = native.setTimeout(() => {
        resumedAt = timeout._idleStart as number;
        try {
          continuation();
        } finally {
          resumedAt = undefined;
        }
      }, 1);
    },
  };
}
