// `setTimeout`, `setInterval`, `setImmediate` and `clearImmediate` of transformed code, and the program's view of the
// builtin `timers`. The functions call Node's functions and return Node's objects; in a replay, they park the timers.
// For capture, they mark timers and note the durations of timeouts, because Node's list of a duration leads to each
// timeout that waits, also after `refresh()`. Nothing here keeps a timeout, a callback or its arguments alive.
// docs/internals/abi.md has the costs.
import timersModule from 'node:timers';
import { promisify } from 'node:util';
import { replaceFunction } from '@turntable/loader';
import { forgetImmediate, noteImmediate } from './immediates.ts';
import {
  blankImmediate,
  blankTimeout,
  listHeadOf,
  immediatePrototype,
  isImmediate,
  native,
  timeoutPrototype,
} from './native-timers.ts';
import type { Callback, NativeImmediate, NativeTimeout, TimeoutHead } from './native-timers.ts';
import { noteTimerArmed } from './loop-turn.ts';
import { nextNumber, ProgramTimer } from './program-timer.ts';
import type { TimeoutList } from './firing-order.ts';
import type { ParkedTimers } from './parked-timers.ts';
import { nativeGlobal, setNativeGlobal } from '../realm/guarded-globals.ts';
import { ValueExchange } from '../realm/value-exchange.ts';

type TimerFunction = 'setTimeout' | 'setInterval' | 'setImmediate' | 'clearImmediate';

const { apply } = Reflect;
/** Heads of Node's lists by the durations of program timeouts. A refreshed timeout is in one of these lists too. */
const listHeads: Map<number, TimeoutHead | undefined> = new Map();
/** Direct-mapped cache of the latest durations, which saves lookups in the table. */
const recentDurations = new Float64Array(16);

export function noteDuration(duration: number): void {
  recentDurations[duration & 15] = duration;
  const listDuration = Math.trunc(duration);
  if (!listHeads.has(listDuration)) listHeads.set(listDuration, undefined);
}

const { setTimeout: nativeSetTimeout, setInterval: nativeSetInterval, setImmediate: nativeSetImmediate } = native;
const { clearImmediate: nativeClearImmediate } = native;

let onBeforeTimer: (() => void) | undefined;

export function setBeforeTimer(watcher: (() => void) | undefined): void {
  onBeforeTimer = watcher;
}

let onTimerRequested: ((callback: unknown, delayMs: unknown) => void) | undefined;

/** @param watcher called in a replay with the callback of each new timeout or immediate, and a timeout's duration */
export function setTimerRequested(watcher: typeof onTimerRequested): void {
  onTimerRequested = watcher;
}

let parkedTimers: ParkedTimers | undefined;

/** Makes the program's timers wait for the tape. Must precede the first timer. */
export function setParkedTimers(timers: ParkedTimers): void {
  parkedTimers = timers;
}

/** Intercepts timer callbacks, and the program's calls to timer functions, in a replay that can be undone. */
export function interceptTimers({
  callProgram,
  interceptCall,
}: Pick<ParkedTimers, 'callProgram' | 'interceptCall'>): void {
  if (parkedTimers === undefined) return;
  parkedTimers.callProgram = callProgram;
  parkedTimers.interceptCall = interceptCall;
}

function registerTimeout(timeout: NativeTimeout): NativeTimeout {
  noteTimerArmed();
  const number = nextNumber();
  new ProgramTimer(timeout, number);
  if (parkedTimers !== undefined) parkedTimers.parkTimeout(timeout, number);
  else if (recentDurations[timeout._idleTimeout & 15] !== timeout._idleTimeout) noteDuration(timeout._idleTimeout);
  return timeout;
}

function setTimeout(callback: unknown, delay?: unknown): unknown {
  onBeforeTimer?.();
  onTimerRequested?.(callback, delay);
  if (parkedTimers?.interceptCall !== undefined)
    return parkedTimers.interceptCall('setTimeout', () => registerTimeout(callNative(nativeSetTimeout, arguments)));
  return registerTimeout(
    arguments.length < 3
      ? nativeSetTimeout(callback, delay)
      : (apply(nativeSetTimeout, undefined, arguments as unknown as [unknown]) as NativeTimeout),
  );
}

function setInterval(callback: unknown, delay?: unknown): unknown {
  onBeforeTimer?.();
  if (parkedTimers?.interceptCall !== undefined)
    return parkedTimers.interceptCall('setInterval', () => registerTimeout(callNative(nativeSetInterval, arguments)));
  return registerTimeout(
    arguments.length < 3
      ? nativeSetInterval(callback, delay)
      : (apply(nativeSetInterval, undefined, arguments as unknown as [unknown]) as NativeTimeout),
  );
}

function setImmediate(callback: unknown): unknown {
  onBeforeTimer?.();
  onTimerRequested?.(callback, undefined);
  if (parkedTimers?.interceptCall !== undefined)
    return parkedTimers.interceptCall('setImmediate', () =>
      registerImmediate(callNative(nativeSetImmediate, arguments)),
    );
  return registerImmediate(
    arguments.length < 2
      ? nativeSetImmediate(callback)
      : (apply(nativeSetImmediate, undefined, arguments as unknown as [unknown]) as NativeImmediate),
  );
}

function callNative<T>(nativeFunction: (...args: never[]) => T, args: IArguments): T {
  return apply(nativeFunction, undefined, args as never);
}

function registerImmediate(immediate: NativeImmediate): NativeImmediate {
  const number = nextNumber();
  new ProgramTimer(immediate, number);
  noteTimerArmed();
  if (parkedTimers === undefined) noteImmediate(immediate);
  else parkedTimers.parkImmediate(immediate, number);
  return immediate;
}

function clearImmediate(immediate: unknown): void {
  if (parkedTimers?.interceptCall !== undefined)
    return parkedTimers.interceptCall('clearImmediate', () => endImmediate(immediate));
  endImmediate(immediate);
}

function endImmediate(immediate: unknown): void {
  if (parkedTimers?.clearImmediate(immediate) === true) return;
  if (typeof immediate === 'object' && immediate !== null && isImmediate(immediate)) forgetImmediate(immediate);
  nativeClearImmediate(immediate as object);
}

const { [Symbol.dispose]: nativeImmediateDispose } = immediatePrototype as { [Symbol.dispose](): void };

const { refresh: nativeRefresh } = timeoutPrototype as NativeTimeout;

const { refresh } = {
  refresh(this: NativeTimeout): NativeTimeout {
    if (ProgramTimer.is(this)) noteTimerArmed();
    return apply(nativeRefresh, this, []);
  },
};

let isRefreshWatched = false;

/** Watches `refresh()`, for threads that must know whether any timer waits. */
export function patchRefresh(): void {
  // A replay has replaced `refresh` already.
  if (isRefreshWatched || parkedTimers !== undefined) return;
  isRefreshWatched = true;
  replaceFunction(timeoutPrototype, 'refresh', refresh);
}

function dispose(this: object): void {
  const { interceptCall } = parkedTimers ?? {};
  if (
    (interceptCall === undefined
      ? parkedTimers?.clearImmediate(this)
      : interceptCall('dispose', () => parkedTimers?.clearImmediate(this))) === true
  )
    return;
  if (isImmediate(this)) forgetImmediate(this);
  apply(nativeImmediateDispose, this, []);
}

export const exchange: ValueExchange = new ValueExchange();

/** The program's view of the timer globals: Turntable's functions for Node's, and any other replacement as it is. */
export const ambientTimers: Record<TimerFunction, unknown> = {
  get setTimeout(): unknown {
    const current = nativeGlobal('setTimeout');
    return current === nativeSetTimeout ? setTimeout : exchange.toProgram(current);
  },
  set setTimeout(value) {
    setNativeGlobal('setTimeout', exchange.toNative(value));
  },
  get setInterval(): unknown {
    const current = nativeGlobal('setInterval');
    return current === nativeSetInterval ? setInterval : exchange.toProgram(current);
  },
  set setInterval(value) {
    setNativeGlobal('setInterval', exchange.toNative(value));
  },
  get setImmediate(): unknown {
    const current = nativeGlobal('setImmediate');
    return current === nativeSetImmediate ? setImmediate : exchange.toProgram(current);
  },
  set setImmediate(value) {
    setNativeGlobal('setImmediate', exchange.toNative(value));
  },
  get clearImmediate(): unknown {
    const current = nativeGlobal('clearImmediate');
    return current === nativeClearImmediate ? clearImmediate : exchange.toProgram(current);
  },
  set clearImmediate(value) {
    setNativeGlobal('clearImmediate', exchange.toNative(value));
  },
};

/** Returns the program's timeouts in one of Node's lists, oldest first. */
function programTimeoutsIn(head: TimeoutHead): TimeoutList<NativeTimeout> {
  const timeouts: { timeout: NativeTimeout; start: number }[] = [];
  for (let node = head._idlePrev; node !== head; node = (node as NativeTimeout)._idlePrev as NativeTimeout) {
    const timeout = node as NativeTimeout;
    if (ProgramTimer.is(timeout)) timeouts.push({ timeout, start: Math.ceil(timeout._idleStart as number) });
  }
  const { msecs, expiry, id } = head;
  return { msecs, expiry, id, timeouts };
}

const MAX_LISTS_TO_SCAN = 64;

/** Whether any timeout of the program waits. True if there are too many lists to scan. */
export function hasWaitingTimeout(): boolean {
  if (listHeads.size > MAX_LISTS_TO_SCAN) return true;
  for (const msecs of listHeads.keys()) {
    const head = listHeadOf(msecs);
    for (let node = head._idlePrev; node !== head; node = (node as NativeTimeout)._idlePrev as NativeTimeout)
      if (ProgramTimer.is(node)) return true;
  }
  return false;
}

export function programTimeoutLists(): TimeoutList<NativeTimeout>[] {
  const lists: TimeoutList<NativeTimeout>[] = [];
  for (const [msecs, knownHead] of listHeads) {
    // Node drops an empty list, and creates another list for the duration later.
    const head = knownHead === undefined || knownHead._idleNext === knownHead ? listHeadOf(msecs) : knownHead;
    listHeads.set(msecs, head);
    lists.push(programTimeoutsIn(head));
  }
  return lists;
}

type TimerPromiseFunctions = Readonly<Record<string, unknown>>;
let promisesView = (): TimerPromiseFunctions => timersModule.promises as unknown as TimerPromiseFunctions;

/** Sets the program's view of `timers/promises`, which `util.promisify` uses too. */
export function setPromisesView(newView: () => TimerPromiseFunctions): void {
  promisesView = newView;
}

let timersModuleView: Record<string, unknown> | undefined;

/** The program's view of the builtin `timers`, with the same functions as the globals. */
export function timersView(): Record<string, unknown> {
  // Called for its effect: the exchange of Node's object `timers.promises`.
  promisesView();
  return (timersModuleView ??= exchange.view(timersModule as unknown as Record<string, unknown>));
}

type ProgramFunctions = Readonly<Record<TimerFunction, Callback>>;
export const programFunctions: ProgramFunctions = { setTimeout, setInterval, setImmediate, clearImmediate };

/** Makes the program see its own timer functions. Must run in each thread before any other code creates timers. */
export function installTimers(): void {
  for (const name of Object.keys(programFunctions) as TimerFunction[]) {
    const programFunction = programFunctions[name];
    if (name === 'setTimeout' || name === 'setImmediate')
      Reflect.defineProperty(programFunction, promisify.custom, { get: () => promisesView()[name], enumerable: true });
    replaceFunction({ ...native }, name, programFunction);
    exchange.put(native[name], programFunction);
  }
  replaceFunction(immediatePrototype, Symbol.dispose, dispose);
  // V8 sizes the instances of a class after the first few. Without room for the stamp, stamping takes ten times as
  // long.
  for (let i = 0; i < 8; i++) {
    new ProgramTimer(blankTimeout(), 0);
    new ProgramTimer(blankImmediate(), 0);
  }
}
