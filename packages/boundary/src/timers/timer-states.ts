// The state of a timer, and how to recreate one: allocate, fill, and arm it if it waits. A rearmed timeout is in Node's
// list for the remaining time, and later, as an interval or refreshed, in the list of its full duration.
import type { Realm } from '@turntable/core';
import { LoaderError } from '@turntable/loader';
import { ProgramTimer } from './program-timer.ts';
import { turnNow } from './loop-turn.ts';
import {
  blankImmediate,
  blankTimeout,
  contextOf,
  setContext,
  assignId,
  isImmediate,
  isRefed,
  isTimeout,
  markRefed,
  programIdOf,
  queueImmediate,
} from './native-timers.ts';
import type { NativeTimeout } from './native-timers.ts';
import type { ParkedTimers } from './parked-timers.ts';

export type TimerKind = 'timeout' | 'immediate';

export interface TimerState {
  readonly kind: TimerKind;
  /** The program's callback; undefined or null once the timer is cleared, and for a finished immediate. */
  readonly callback: unknown;
  readonly args: readonly unknown[] | undefined;
  /** Duration in milliseconds; -1 once cleared; undefined for immediates. */
  readonly delay: number | undefined;
  /** Duration of an interval, or `null`. */
  readonly repeat: number | null;
  /** Whether the timer keeps the process alive; `null` for a finished or cleared immediate. */
  readonly refed: boolean | null;
  /** Whether the timer has fired or is cleared. `refresh()` can rearm a timeout that has fired. */
  readonly destroyed: boolean;
  readonly pending: boolean;
  /** Milliseconds until the timer fires, at most zero if it is due; undefined if it does not wait. */
  readonly remaining: number | undefined;
  readonly context: object | undefined;
  /** The number that the program has requested (`+timeout`), if any. */
  readonly id: number | undefined;
  /** The number that a tape uses for the timer, or 0. */
  readonly number: number;
}

/**
 * Fraction that marks a timeout in a list of another duration than its own: it is subtracted from `_idleStart`. Node
 * counts whole milliseconds, and stores a whole number when the timeout is refreshed or repeats.
 */
const OTHER_LIST_OFFSET = 0.5;

interface ArmPlan {
  readonly remaining: number;
  readonly refed: boolean;
}

export class TimerStates {
  readonly #realm: Realm;
  /** Durations of the lists that contain timeouts of another duration. */
  readonly #listDurations: WeakMap<object, number> = new WeakMap();
  readonly #plans: WeakMap<object, ArmPlan> = new WeakMap();
  /** Timers of a replay, in which no timer is armed and no time passes; undefined otherwise. */
  protected readonly parkedTimers: ParkedTimers | undefined;

  constructor(realm: Realm, parkedTimers?: ParkedTimers) {
    this.#realm = realm;
    this.parkedTimers = parkedTimers;
  }

  /** Whether a value is a `Timeout` or `Immediate` of Node, whichever code has created it. */
  isTimer(value: object): boolean {
    return isTimeout(value) || isImmediate(value);
  }

  read(timer: object, now: number = turnNow()): TimerState {
    const number = ProgramTimer.numberOf(timer) ?? 0;
    const common = { refed: isRefed(timer), context: contextOf(timer, this.#realm), number };
    if (isImmediate(timer)) {
      const { _onImmediate: callback, _argv: args, _destroyed: destroyed } = timer;
      const remaining = destroyed ? undefined : 0;
      const fixed = { kind: 'immediate', delay: undefined, repeat: null, id: undefined } as const;
      return { ...fixed, ...common, callback, args, destroyed, pending: !destroyed, remaining };
    }
    if (!isTimeout(timer)) throw new LoaderError('TT_STATE', 'Timers.read: the argument must be a timer');
    const { _onTimeout: callback, _timerArgs: args, _idleTimeout: delay } = timer;
    const { _repeat: repeat, _destroyed: destroyed } = timer;
    const pending = !destroyed && isListed(timer);
    const remaining = pending ? this.#remaining(timer, now) : undefined;
    const id = programIdOf(timer);
    return { kind: 'timeout', ...common, callback, args, delay, repeat, destroyed, pending, remaining, id };
  }

  allocate(kind: TimerKind): object {
    return kind === 'timeout' ? blankTimeout() : blankImmediate();
  }

  /** Own properties that Node gives every timer of the kind. */
  ownKeys(kind: TimerKind): readonly PropertyKey[] {
    return Reflect.ownKeys(this.allocate(kind));
  }

  fill(timer: object, state: TimerState): void {
    const { callback, refed, context, destroyed, pending, remaining, id } = state;
    const args = state.args === undefined ? undefined : [...state.args];
    if (isImmediate(timer)) {
      timer._onImmediate = callback;
      timer._argv = args;
    } else {
      const timeout = timer as NativeTimeout;
      timeout._idleTimeout = state.delay as number;
      timeout._repeat = state.repeat;
      timeout._onTimeout = callback;
      timeout._timerArgs = args;
      timeout._idlePrev = null;
      timeout._idleNext = null;
      timeout._destroyed = destroyed;
      if (id !== undefined) assignId(timeout, id);
    }
    setContext(timer, context);
    ProgramTimer.setNumber(timer, state.number ?? 0);
    if (pending) this.#plans.set(timer, { remaining: remaining as number, refed: refed === true });
    else markRefed(timer, refed);
  }

  /**
   * Arms a filled timer. A due timeout has waited since `dueSince`. Returns the durations of the lists that the timer
   * may enter.
   */
  protected startTimer(timer: object, dueSince: number | undefined): number[] {
    const plan = this.#plans.get(timer);
    if (plan === undefined) throw new LoaderError('TT_STATE', 'Timers.arm: the timer must be filled and waiting');
    this.#plans.delete(timer);
    if (this.parkedTimers !== undefined) {
      park(timer, plan.refed, this.parkedTimers);
      return [];
    }
    if (isImmediate(timer)) {
      queueImmediate(timer);
      if (!plan.refed) timer.unref();
      return [];
    }
    const timeout = timer as NativeTimeout;
    const { _idleTimeout: delay } = timeout;
    const listDuration = Math.max(1, plan.remaining);
    timeout._idleTimeout = listDuration;
    timeout.refresh();
    timeout._idleTimeout = delay;
    if (plan.refed) timeout.ref();
    const start = plan.remaining <= 0 && dueSince !== undefined ? dueSince : (timeout._idleStart as number);
    timeout._idleStart = start - OTHER_LIST_OFFSET;
    this.#listDurations.set(timeout, listDuration);
    return [listDuration, Math.trunc(delay)];
  }

  #remaining(timeout: NativeTimeout, now: number): number {
    const start = Math.ceil(timeout._idleStart as number);
    if (this.parkedTimers !== undefined) return Math.trunc(timeout._idleTimeout);
    const isInOtherList = start !== timeout._idleStart;
    const durationMs = isInOtherList ? (this.#listDurations.get(timeout) ?? 0) : Math.trunc(timeout._idleTimeout);
    // A timeout may be created after `now` in the same turn.
    return Math.min(start + durationMs - now, durationMs);
  }
}

function park(timer: object, refed: boolean, parkedTimers: ParkedTimers): void {
  if (isImmediate(timer)) return parkedTimers.armImmediate(timer, ProgramTimer.numberOf(timer) ?? 0, refed);
  parkedTimers.parkTimeout(timer as NativeTimeout, ProgramTimer.numberOf(timer) ?? 0);
  if (refed) (timer as NativeTimeout).ref();
}

/** Whether a timeout is in a list. A timeout that was only created links to itself. */
function isListed(timeout: NativeTimeout): boolean {
  return timeout._idleNext !== null && timeout._idleNext !== timeout;
}
