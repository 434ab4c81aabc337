// The program's timers in a replay. Node fires none of them: the tape says which timer is next, and `ParkedTimers` then
// does what Node does when it fires one. A parked timeout is in Node's list of the longest duration, so that Node can
// clear and print it, but is not counted and does not keep the process alive. A parked immediate is in no queue.
import timersModule from 'node:timers';
import type { TapePlayer } from '@turntable/core';
import { TRACE_SOURCES } from '@turntable/recording/sources';
import { replaceFunction, replaceFunctions } from '@turntable/loader';
import { lastNumber, ProgramTimer } from './program-timer.ts';
import {
  CLEARS_STATE,
  saveContexts,
  isImmediate,
  immediatePrototype,
  MAX_DELAY_MS,
  markRefed,
  native,
  CLEARED_VALUE,
  programIdOf,
  isRefed,
  removeContext,
  scopeFor,
  timeoutPrototype,
} from './native-timers.ts';
import type { NativeImmediate, NativeTimeout } from './native-timers.ts';
import { startTurn } from './loop-turn.ts';

type NativeTimer = NativeTimeout | NativeImmediate;
type AnyFunction = (...args: unknown[]) => unknown;

const { apply } = Reflect;
const { refresh: nativeRefresh, unref: nativeUnref } = timeoutPrototype as NativeTimeout;
const MIN_SWEEP_SIZE = 64;

export class ParkedTimers {
  readonly #tape: TapePlayer;
  /** Waiting timers, and some cleared ones, by number. */
  readonly #byNumber = new Map<number, NativeTimer>();
  #sweepSize = MIN_SWEEP_SIZE;
  callProgram: <T>(call: () => T) => T = (call) => call();
  /** Intercepts the program's calls to timer functions in a replay that can be undone. */
  interceptCall: (<T>(name: string, call: () => T) => T) | undefined;

  constructor(tape: TapePlayer) {
    this.#tape = tape;
    tape.setPerformer(TRACE_SOURCES.timer, (number) => {
      if (lastNumber() === 0) return false;
      this.#fire(number);
      return true;
    });
    this.#patchPrototypes();
  }

  #patchPrototypes(): void {
    const intercepted = <T>(name: string, call: () => T): T =>
      this.interceptCall === undefined ? call() : this.interceptCall(name, call);
    const clearProgramTimeout = (value: unknown): boolean => this.clearTimeout(value);
    const refresh = this.#timeoutMethod(nativeRefresh, (timeout) => this.#insert(timeout));
    replaceFunction(timeoutPrototype, 'refresh', refresh);
    for (const name of ['ref', 'unref'] as const) {
      const refed = name === 'ref';
      const nativeTimeoutMethod = (timeoutPrototype as NativeTimeout)[name];
      const timeoutMethod = this.#timeoutMethod(nativeTimeoutMethod, (timeout) => markRefed(timeout, refed));
      replaceFunction(timeoutPrototype, name, timeoutMethod);
      const nativeImmediateMethod = (immediatePrototype as NativeImmediate)[name];
      replaceFunctions(immediatePrototype, {
        [name](this: NativeImmediate): NativeImmediate {
          if (!ProgramTimer.is(this)) return apply(nativeImmediateMethod, this, []);
          intercepted(name, () => {
            if (isRefed(this) !== null) markRefed(this, refed);
          });
          return this;
        },
      });
    }
    for (const name of ['close', Symbol.dispose] as const) {
      const nativeFunction = (timeoutPrototype as Record<PropertyKey, (this: NativeTimeout) => NativeTimeout>)[name];
      if (nativeFunction !== undefined)
        replaceFunction(timeoutPrototype, name, this.#timeoutMethod(nativeFunction, clearProgramTimeout, name));
    }
    for (const name of ['clearTimeout', 'clearInterval'] as const) {
      const nativeFunction = globalThis[name] as (value: unknown) => void;
      const { [name]: patchedFunction } = {
        [name](value: unknown): void {
          if (!clearProgramTimeout(value)) nativeFunction(value);
        },
      };
      // All holders must share one function.
      for (const holder of [globalThis, timersModule]) replaceFunction(holder, name, patchedFunction as never);
    }
  }

  /** Creates a timeout method that calls `change` for the program's timeouts, and Node's method for all others. */
  #timeoutMethod(
    nativeMethod: (this: NativeTimeout) => NativeTimeout,
    change: (timeout: NativeTimeout) => unknown,
    name: PropertyKey = '',
  ): (this: NativeTimeout) => NativeTimeout | undefined {
    const intercepted = <T>(call: () => T): T =>
      this.interceptCall === undefined ? call() : this.interceptCall('a timeout', call);
    return function (this: NativeTimeout): NativeTimeout | undefined {
      if (!ProgramTimer.is(this)) return apply(nativeMethod, this, []);
      intercepted(() => change(this));
      return name === Symbol.dispose ? undefined : this;
    };
  }

  /** Parks a timeout that was created or refreshed, whichever list it is in. */
  parkTimeout(timeout: NativeTimeout, number: number): void {
    this.#add(number, timeout);
    const refed = isRefed(timeout);
    apply(nativeUnref, timeout, []);
    markRefed(timeout, refed);
    this.#insert(timeout);
  }

  parkImmediate(immediate: NativeImmediate, number: number): void {
    this.#add(number, immediate);
    const { _onImmediate: callback, _argv: args } = immediate;
    const restoreContexts = saveContexts(immediate);
    native.clearImmediate(immediate);
    immediate._onImmediate = callback;
    immediate._argv = args;
    immediate._destroyed = false;
    markRefed(immediate, true);
    restoreContexts();
  }

  /** Parks a restored immediate, whose fields are set and which is in no queue. */
  armImmediate(immediate: NativeImmediate, number: number, refed: boolean): void {
    this.#add(number, immediate);
    immediate._destroyed = false;
    markRefed(immediate, refed);
  }

  /** Clears a timeout, given itself or its number. Returns whether it is the program's. */
  clearTimeout(value: unknown): boolean {
    const clear = (): boolean => this.#clearTimeout(value);
    return this.interceptCall === undefined ? clear() : this.interceptCall('clearTimeout', clear);
  }

  /** Clears an immediate. Returns whether it is the program's. */
  clearImmediate(value: unknown): boolean {
    if (typeof value !== 'object' || value === null || !isImmediate(value)) return false;
    const number = ProgramTimer.numberOf(value);
    if (number === undefined) return false;
    if (value._destroyed) return true;
    value._destroyed = true;
    this.#clearState(value);
    this.#byNumber.delete(number);
    return true;
  }

  pending(): object[] {
    return [...this.#byNumber]
      .filter(([, timer]) => isParked(timer))
      .toSorted(([a], [b]) => a - b)
      .map(([, timer]) => timer);
  }

  #add(number: number, timer: NativeTimer): void {
    const byNumber = this.#byNumber;
    byNumber.set(number, timer);
    this.#tape.wake();
    if (byNumber.size < this.#sweepSize) return;
    for (const [otherNumber, otherTimer] of byNumber)
      if (otherTimer !== timer && !isParked(otherTimer)) byNumber.delete(otherNumber);
    this.#sweepSize = MIN_SWEEP_SIZE + 2 * byNumber.size;
  }

  #insert(timeout: NativeTimeout): void {
    const { _idleTimeout: delay } = timeout;
    // Node ignores a cleared timeout, whose delay is negative.
    if (delay >= 0) timeout._idleTimeout = MAX_DELAY_MS;
    withoutCounting(timeout, () => apply(nativeRefresh, timeout, []));
    timeout._idleTimeout = delay;
    const number = ProgramTimer.numberOf(timeout);
    if (number !== undefined && isParked(timeout)) this.#byNumber.set(number, timeout);
  }

  #clearTimeout(value: unknown): boolean {
    const timeout = typeof value === 'number' || typeof value === 'string' ? this.#findById(Number(value)) : value;
    if (typeof timeout !== 'object' || timeout === null || isImmediate(timeout) || !ProgramTimer.is(timeout))
      return false;
    withoutCounting(timeout, () => native.clearTimeout(timeout));
    return true;
  }

  #findById(id: number): NativeTimer | undefined {
    for (const timer of this.#byNumber.values()) if (!isImmediate(timer) && programIdOf(timer) === id) return timer;
    return undefined;
  }

  #fire(number: number): void {
    const timer = this.#byNumber.get(number);
    if (timer === undefined || !isParked(timer)) {
      const state =
        number > lastNumber()
          ? `the program has created ${lastNumber()}`
          : timer === undefined
            ? 'it has fired before, or is cleared'
            : 'it is cleared';
      this.#tape.diverge(`timer ${number} of this worker fires`, state);
    }
    this.#byNumber.delete(number);
    startTurn(timer);
    if (isImmediate(timer)) this.#fireImmediate(timer);
    else this.#fireTimeout(timer);
  }

  #fireTimeout(timeout: NativeTimeout): void {
    removeFromList(timeout);
    const { _onTimeout: callback, _timerArgs: args } = timeout;
    try {
      runInTimerContext(timeout, () => this.callProgram(() => apply(callback as AnyFunction, timeout, args ?? [])));
    } finally {
      if (timeout._repeat && timeout._idleTimeout !== -1) {
        timeout._idleTimeout = timeout._repeat;
        this.#insert(timeout);
      } else if (!timeout._idleNext && !timeout._idlePrev) {
        if (timeout._destroyed) clearTimeoutState(timeout);
        else markExpired(timeout);
        removeContext(timeout);
      }
    }
  }

  #fireImmediate(immediate: NativeImmediate): void {
    const { _onImmediate: callback, _argv: args } = immediate;
    immediate._destroyed = true;
    markRefed(immediate, null);
    try {
      runInTimerContext(immediate, () => this.callProgram(() => apply(callback as AnyFunction, immediate, args ?? [])));
    } finally {
      this.#clearState(immediate);
    }
  }

  #clearState(immediate: NativeImmediate): void {
    markRefed(immediate, null);
    immediate._onImmediate = CLEARED_VALUE;
    if (CLEARS_STATE) immediate._argv = undefined;
    removeContext(immediate);
  }
}

function isParked(timer: NativeTimer): boolean {
  if (isImmediate(timer)) return !timer._destroyed;
  const { _idleNext: next, _destroyed: destroyed } = timer as NativeTimeout;
  return !destroyed && next !== null && next !== timer;
}

/** Changes a parked timeout, which Node must not count as refed, whatever its `hasRef` says. */
function withoutCounting(timeout: object, change: () => void): void {
  const refed = isRefed(timeout);
  markRefed(timeout, false);
  change();
  markRefed(timeout, refed);
}

/** Enters the context twice, so that the inner scope's hook finds the context entered. */
function runInTimerContext(timer: object, run: () => void): void {
  scopeFor(timer).runInAsyncScope(() => scopeFor(timer).runInAsyncScope(run));
}

/** Removes a timeout from its list, as Node does before it calls back. */
function removeFromList(timeout: NativeTimeout): void {
  const { _idlePrev: previous, _idleNext: next } = timeout;
  if (next !== null) (next as NativeTimeout)._idlePrev = previous;
  if (previous !== null) (previous as NativeTimeout)._idleNext = next;
  timeout._idleNext = null;
  timeout._idlePrev = null;
}

/** Keeps the fields of a fired timeout, which `clearTimeout` would clear. */
function markExpired(timeout: NativeTimeout): void {
  const { _onTimeout: callback, _timerArgs: args, _idleTimeout: delay } = timeout;
  withoutCounting(timeout, () => native.clearTimeout(timeout));
  timeout._onTimeout = callback;
  timeout._timerArgs = args;
  timeout._idleTimeout = delay;
}

function clearTimeoutState(timeout: NativeTimeout): void {
  if (!CLEARS_STATE) return;
  timeout._onTimeout = undefined;
  timeout._timerArgs = undefined;
}
