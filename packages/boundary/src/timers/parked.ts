// The program's timers in a run again: none of them fires by itself. A timeout stands in Node's list of the longest duration there is, so that
// Node clears and shows it as ever, but does not count it: nothing of the program's holds the loop. An immediate stands nowhere. The tape says which is next, and then all is done that Node does.
import timersModule from 'node:timers';
import type { TapePlayer } from '@turntable/core';
import { SOURCES } from '@turntable/recording/sources';
import { standIn, standInAll } from '@turntable/loader';
import { lastNumber, OwnTimer } from './own-timer.ts';
import {
  CLEANS,
  contextsOf,
  isImmediate,
  immediatePrototype,
  LONGEST,
  markRefed,
  native,
  NOTHING_LEFT,
  numberOf,
  isRefed,
  removeContext,
  scopeOf,
  timeoutPrototype,
  type NativeImmediate,
  type NativeTimeout,
} from './native.ts';
import { beginTurn } from './turn.ts';

type Timer = NativeTimeout | NativeImmediate;
type Fn = (...args: unknown[]) => unknown;

const { apply } = Reflect;
const { refresh, unref } = timeoutPrototype as NativeTimeout;
/** So many may be over before they are looked through. */
const FEW = 64;

export class ParkedTimers {
  readonly #tape: TapePlayer;
  /** Those that wait, and some that have been cleared, by number. */
  readonly #waiting = new Map<number, Timer>();
  #sweepAt = FEW;
  calls: <T>(call: () => T) => T = (call) => call();
  /** Intercepts what the program asks of its timers, where a replay can be undone. */
  asks: (<T>(name: string, ask: () => T) => T) | undefined;

  constructor(tape: TapePlayer) {
    this.#tape = tape;
    tape.on(SOURCES.timer, (number) => {
      // Nothing of the program has run yet.
      if (lastNumber() === 0) return false;
      this.#fire(number);
      return true;
    });
    this.#standIn();
  }

  #standIn(): void {
    const asked = <T>(name: string, ask: () => T): T => (this.asks === undefined ? ask() : this.asks(name, ask));
    const clear = (value: unknown): boolean => asked('clearTimeout', () => this.#clearTimeout(value));
    standIn(
      timeoutPrototype,
      'refresh',
      this.#method(refresh, (timeout) => this.#insert(timeout)),
    );
    for (const [name, refed] of [
      ['ref', true],
      ['unref', false],
    ] as const) {
      const ofTimeout = (timeoutPrototype as NativeTimeout)[name];
      standIn(
        timeoutPrototype,
        name,
        this.#method(ofTimeout, (timeout) => markRefed(timeout, refed)),
      );
      const ofImmediate = (immediatePrototype as NativeImmediate)[name];
      standInAll(immediatePrototype, {
        [name](this: NativeImmediate): NativeImmediate {
          if (!OwnTimer.is(this)) return apply(ofImmediate, this, []);
          asked(name, () => {
            if (isRefed(this) !== null) markRefed(this, refed);
          });
          return this;
        },
      });
    }
    for (const name of ['close', Symbol.dispose] as const) {
      const native = (timeoutPrototype as Record<PropertyKey, (this: NativeTimeout) => NativeTimeout>)[name];
      if (native !== undefined) standIn(timeoutPrototype, name, this.#method(native, clear, name));
    }
    for (const name of ['clearTimeout', 'clearInterval'] as const) {
      const native = globalThis[name] as (value: unknown) => void;
      const { [name]: own } = {
        [name](value: unknown): void {
          if (!clear(value)) native(value);
        },
      };
      // One and the same, whoever has it.
      for (const holder of [globalThis, timersModule]) standIn(holder, name, own as never);
    }
  }

  /** A method of timeouts that does something else to the program's. */
  #method(
    native: (this: NativeTimeout) => NativeTimeout,
    change: (timeout: NativeTimeout) => unknown,
    name: PropertyKey = '',
  ): (this: NativeTimeout) => NativeTimeout | undefined {
    const asked = <T>(ask: () => T): T => (this.asks === undefined ? ask() : this.asks('a timeout', ask));
    return function (this: NativeTimeout): NativeTimeout | undefined {
      if (!OwnTimer.is(this)) return apply(native, this, []);
      asked(() => change(this));
      return name === Symbol.dispose ? undefined : this;
    };
  }

  /** Made just now, or armed again; it stands in one of Node's lists, or in none. */
  parkTimeout(timeout: NativeTimeout, number: number): void {
    this.#add(number, timeout);
    const refed = isRefed(timeout);
    apply(unref, timeout, []);
    markRefed(timeout, refed);
    this.#insert(timeout);
  }

  parkImmediate(immediate: NativeImmediate, number: number): void {
    this.#add(number, immediate);
    const { _onImmediate: callback, _argv: args } = immediate;
    const putBack = contextsOf(immediate);
    native.clearImmediate(immediate);
    immediate._onImmediate = callback;
    immediate._argv = args;
    immediate._destroyed = false;
    markRefed(immediate, true);
    putBack();
  }

  /** One that is filled, and stands in no queue. */
  armImmediate(immediate: NativeImmediate, number: number, refed: boolean): void {
    this.#add(number, immediate);
    immediate._destroyed = false;
    markRefed(immediate, refed);
  }

  /** Whether it is one of the program's: then it does not wait any more. */
  clearImmediate(value: unknown): boolean {
    if (typeof value !== 'object' || value === null || !isImmediate(value)) return false;
    const number = OwnTimer.numberOf(value);
    if (number === undefined) return false;
    if (value._destroyed) return true;
    value._destroyed = true;
    this.#end(value);
    this.#waiting.delete(number);
    return true;
  }

  /** In the order in which they were made. */
  pending(): object[] {
    return [...this.#waiting]
      .filter(([, timer]) => isParked(timer))
      .toSorted(([a], [b]) => a - b)
      .map(([, timer]) => timer);
  }

  #add(number: number, timer: Timer): void {
    const waiting = this.#waiting;
    waiting.set(number, timer);
    this.#tape.wake();
    if (waiting.size < this.#sweepAt) return;
    for (const [each, other] of waiting) if (other !== timer && !isParked(other)) waiting.delete(each);
    this.#sweepAt = FEW + 2 * waiting.size;
  }

  #insert(timeout: NativeTimeout): void {
    const { _idleTimeout: delay } = timeout;
    // Node does nothing with one that is cleared.
    if (delay >= 0) timeout._idleTimeout = LONGEST;
    uncounted(timeout, () => apply(refresh, timeout, []));
    timeout._idleTimeout = delay;
    const number = OwnTimer.numberOf(timeout);
    if (number !== undefined && isParked(timeout)) this.#waiting.set(number, timeout);
  }

  /** Of a timeout or the number of one; whether it is the program's. */
  #clearTimeout(value: unknown): boolean {
    const timeout = typeof value === 'number' || typeof value === 'string' ? this.#withId(Number(value)) : value;
    if (typeof timeout !== 'object' || timeout === null || isImmediate(timeout) || !OwnTimer.is(timeout)) return false;
    uncounted(timeout, () => native.clearTimeout(timeout));
    return true;
  }

  #withId(id: number): Timer | undefined {
    for (const timer of this.#waiting.values()) if (!isImmediate(timer) && numberOf(timer) === id) return timer;
    return undefined;
  }

  #fire(number: number): void {
    const timer = this.#waiting.get(number);
    if (timer === undefined || !isParked(timer)) {
      const state =
        number > lastNumber()
          ? `the program has made ${lastNumber()}`
          : timer === undefined
            ? 'it has fired before, or is cleared'
            : 'it is cleared';
      this.#tape.diverge(`timer ${number} of this worker fires`, state);
    }
    this.#waiting.delete(number);
    beginTurn(timer);
    if (isImmediate(timer)) this.#fireImmediate(timer);
    else this.#fireTimeout(timer);
  }

  #fireTimeout(timeout: NativeTimeout): void {
    takeOut(timeout);
    const { _onTimeout: callback, _timerArgs: args } = timeout;
    try {
      inContextOf(timeout, () => this.calls(() => apply(callback as Fn, timeout, args ?? [])));
    } finally {
      if (timeout._repeat && timeout._idleTimeout !== -1) {
        timeout._idleTimeout = timeout._repeat;
        this.#insert(timeout);
      } else if (!timeout._idleNext && !timeout._idlePrev) {
        if (timeout._destroyed) cleanTimeout(timeout);
        else expire(timeout);
        removeContext(timeout);
      }
    }
  }

  #fireImmediate(immediate: NativeImmediate): void {
    const { _onImmediate: callback, _argv: args } = immediate;
    immediate._destroyed = true;
    markRefed(immediate, null);
    try {
      inContextOf(immediate, () => this.calls(() => apply(callback as Fn, immediate, args ?? [])));
    } finally {
      this.#end(immediate);
    }
  }

  #end(immediate: NativeImmediate): void {
    markRefed(immediate, null);
    immediate._onImmediate = NOTHING_LEFT;
    if (CLEANS) immediate._argv = undefined;
    removeContext(immediate);
  }
}

function isParked(timer: Timer): boolean {
  if (isImmediate(timer)) return !timer._destroyed;
  const { _idleNext: next, _destroyed: destroyed } = timer as NativeTimeout;
  return !destroyed && next !== null && next !== timer;
}

/** Node counts timeouts that hold its loop; those that are parked hold nothing, whatever they say. */
function uncounted(timeout: object, change: () => void): void {
  const refed = isRefed(timeout);
  markRefed(timeout, false);
  change();
  markRefed(timeout, refed);
}

/** Twice: whoever watches who is called looks when the context has been entered. */
function inContextOf(timer: object, run: () => void): void {
  scopeOf(timer).runInAsyncScope(() => scopeOf(timer).runInAsyncScope(run));
}

/** Of its list, as Node does before it calls back. */
function takeOut(timeout: NativeTimeout): void {
  const { _idlePrev: previous, _idleNext: next } = timeout;
  if (next !== null) (next as NativeTimeout)._idlePrev = previous;
  if (previous !== null) (previous as NativeTimeout)._idleNext = next;
  timeout._idleNext = null;
  timeout._idlePrev = null;
}

/** Node's own ending of a timeout clears it, and forgets what one that has fired still has. */
function expire(timeout: NativeTimeout): void {
  const { _onTimeout: callback, _timerArgs: args, _idleTimeout: delay } = timeout;
  uncounted(timeout, () => native.clearTimeout(timeout));
  timeout._onTimeout = callback;
  timeout._timerArgs = args;
  timeout._idleTimeout = delay;
}

function cleanTimeout(timeout: NativeTimeout): void {
  if (!CLEANS) return;
  timeout._onTimeout = undefined;
  timeout._timerArgs = undefined;
}
