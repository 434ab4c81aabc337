// The timers of the program as data: those that wait, in the order in which they fire, what each consists of, and how to make it wait
// again, here or in another process.
import type { Realm } from '@turntable/core';
import { firingOrder } from './order.ts';
import { functions, note, OwnTimeout, placeTimers, timeoutLists, timersView } from './functions.ts';
import { noteImmediate, waitingImmediates } from './immediates.ts';
import { isImmediate, native, type Callback } from './native.ts';
import { followTurns, mayBeInRound, turnClock } from './turn.ts';
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

function pending(now: number = turnClock()): object[] {
  const { due, later } = firingOrder(timeoutLists(), mayBeInRound() ? now : -Infinity);
  return [...due, ...waitingImmediates(), ...later];
}

/** The realm's host has `ambientTimers`. */
export function createTimers(realm: Realm): Timers {
  const states = new TimerStates(realm);
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
    pending,
    isTimer: (value) => states.isTimer(value),
    read: (timer, now) => states.read(timer, now),
    ownKeys: (kind) => states.ownKeys(kind),
    allocate(kind) {
      const timer = states.allocate(kind);
      if (kind === 'timeout') new OwnTimeout(timer);
      return timer;
    },
    fill: (timer, state) => states.fill(timer, state),
    arm(timer) {
      for (const msecs of states.arm(timer, resumedAt)) note(msecs);
      if (isImmediate(timer)) noteImmediate(timer);
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
