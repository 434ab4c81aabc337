// What a timer consists of, and how to make one again: allocated blank, filled, and armed if it waits. A timeout that is armed again
// stands in Node's list for the time that remains, and from then on, as an interval or refreshed, in that of its duration.
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
  type NativeTimeout,
} from './native-timers.ts';
import type { ParkedTimers } from './parked-timers.ts';

export type TimerKind = 'timeout' | 'immediate';

export interface TimerState {
  readonly kind: TimerKind;
  /** `undefined` or `null` once it is cleared; an immediate that has run has none either. */
  readonly callback: unknown;
  readonly args: readonly unknown[] | undefined;
  /** In milliseconds; -1 once it is cleared. Immediates have none. */
  readonly delay: number | undefined;
  /** The duration of an interval, else `null`. */
  readonly repeat: number | null;
  /** Whether it keeps the process alive; `null` for an immediate that has run or is cleared. */
  readonly refed: boolean | null;
  /** It has fired or is cleared. Only `refresh()` can make a timeout that has fired wait again. */
  readonly destroyed: boolean;
  readonly pending: boolean;
  /** Until it fires, in milliseconds; not above zero if it could have fired already. Nothing if it does not wait. */
  readonly remaining: number | undefined;
  /** The asynchronous context it was made in, as core keeps contexts. */
  readonly context: object | undefined;
  /** The number it is known by, if the program has asked for one. */
  readonly id: number | undefined;
  /** What a tape calls it by; 0 if there is none. */
  readonly number: number;
}

/**
 * Taken from `_idleStart` of a timeout that stands in another list than that of its duration: Node counts in whole milliseconds, and
 * sets a whole number when the timeout is refreshed or repeats.
 */
const OTHER_LIST_OFFSET = 0.5;

interface ArmPlan {
  readonly remaining: number;
  readonly refed: boolean;
}

export class TimerStates {
  readonly #realm: Realm;
  /** The durations of the lists in which timeouts stand elsewhere. */
  readonly #listDurations: WeakMap<object, number> = new WeakMap();
  /** Of timers that are filled and not armed yet. */
  readonly #plans: WeakMap<object, ArmPlan> = new WeakMap();
  /** In a run again: nothing is armed, and no time passes. */
  protected readonly parkedTimers: ParkedTimers | undefined;

  constructor(realm: Realm, parkedTimers?: ParkedTimers) {
    this.#realm = realm;
    this.parkedTimers = parkedTimers;
  }

  /** Whether it is a Timeout or Immediate of Node's, whoever made it. */
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
    if (!isTimeout(timer)) throw new LoaderError('TT_STATE', 'Timers: read was given something that is no timer');
    const {
      _onTimeout: callback,
      _timerArgs: args,
      _idleTimeout: delay,
      _repeat: repeat,
      _destroyed: destroyed,
    } = timer;
    const pending = !destroyed && isListed(timer);
    const remaining = pending ? this.#remaining(timer, now) : undefined;
    return {
      kind: 'timeout',
      ...common,
      callback,
      args,
      delay,
      repeat,
      destroyed,
      pending,
      remaining,
      id: programIdOf(timer),
    };
  }

  /** A blank one, that does not wait. */
  allocate(kind: TimerKind): object {
    return kind === 'timeout' ? blankTimeout() : blankImmediate();
  }

  /** Own properties that every timer of the kind has: Node's own, and not of the program. */
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

  /** Makes a filled timer wait. A timeout that is due waits since `dueSince`, if that is given. Answers the lists it will stand in. */
  protected startTimer(timer: object, dueSince: number | undefined): number[] {
    const plan = this.#plans.get(timer);
    if (plan === undefined)
      throw new LoaderError('TT_STATE', 'Timers: arm was given a timer that was not filled as one that waits');
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
    // It may have been made after `now`, in the same turn.
    return Math.min(start + durationMs - now, durationMs);
  }
}

function park(timer: object, refed: boolean, parkedTimers: ParkedTimers): void {
  if (isImmediate(timer)) return parkedTimers.armImmediate(timer, ProgramTimer.numberOf(timer) ?? 0, refed);
  parkedTimers.parkTimeout(timer as NativeTimeout, ProgramTimer.numberOf(timer) ?? 0);
  if (refed) (timer as NativeTimeout).ref();
}

/** Whether it stands in a list; one that was only made leads to itself. */
function isListed(timeout: NativeTimeout): boolean {
  return timeout._idleNext !== null && timeout._idleNext !== timeout;
}
