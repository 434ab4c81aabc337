// `setTimeout`, `setInterval` and `setImmediate` as transformed code has them. They are Node's, and so are the objects; what is added is
// as much as capture needs to find those that wait: a mark, and for a timeout its duration, for Node's list of that duration leads
// to it whenever it waits, after `refresh()` too. Nothing here keeps a timeout, a callback or its arguments alive.
// What it costs is in docs/abi.md.
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
  type Callback,
  type NativeImmediate,
  type NativeTimeout,
  timeoutPrototype,
  type TimeoutHead,
} from './native-timers.ts';
import { noteTimerArmed } from './loop-turn.ts';
import { nextNumber, ProgramTimer } from './program-timer.ts';
import type { TimeoutList } from './firing-order.ts';
import type { ParkedTimers } from './parked-timers.ts';
import { ValueExchange } from '../realm/value-exchange.ts';

type TimerFunction = 'setTimeout' | 'setInterval' | 'setImmediate' | 'clearImmediate';

const { apply } = Reflect;
/** The program's timeouts are in Node's lists for these durations, or for others that are refreshed to one of them. */
const listHeads: Map<number, TimeoutHead | undefined> = new Map();
/** Those noted last, each at a place of its own, so that the table need not be asked. */
const recentDurations = new Float64Array(16);

export function noteDuration(duration: number): void {
  recentDurations[duration & 15] = duration;
  const listDuration = Math.trunc(duration);
  if (!listHeads.has(listDuration)) listHeads.set(listDuration, undefined);
}

const globals = globalThis as unknown as Record<TimerFunction, unknown>;
const { setTimeout: nativeSetTimeout, setInterval: nativeSetInterval, setImmediate: nativeSetImmediate } = native;
const { clearImmediate: nativeClearImmediate } = native;

let onBeforeTimer: (() => void) | undefined;

/** `watcher` is told before the program makes a timer. */
export function setBeforeTimer(watcher: (() => void) | undefined): void {
  onBeforeTimer = watcher;
}

let onTimerRequested: ((callback: unknown, delayMs: unknown) => void) | undefined;

/** In a run again: is told of each timer that the program asks for, with what that is to call; of an immediate without a time. */
export function setTimerRequested(watcher: typeof onTimerRequested): void {
  onTimerRequested = watcher;
}

let parkedTimers: ParkedTimers | undefined;

/** From now on the program's timers wait for the tape. Before the first of them. */
export function setParkedTimers(timers: ParkedTimers): void {
  parkedTimers = timers;
}

/** In a replay whose tasks are undone: intercepts calls to timer callbacks, and the program's calls to timer functions. */
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

/** Where it is to be known whether any timer waits. */
export function patchRefresh(): void {
  // In a run again it is another one already.
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

/** What the globals mean to the program: Node's are ours, what somebody has put in their place is what it is. */
export const ambientTimers: Record<TimerFunction, unknown> = {
  get setTimeout(): unknown {
    const { setTimeout: current } = globals;
    return current === nativeSetTimeout ? setTimeout : exchange.toProgram(current);
  },
  set setTimeout(value) {
    globals.setTimeout = exchange.toNative(value);
  },
  get setInterval(): unknown {
    const { setInterval: current } = globals;
    return current === nativeSetInterval ? setInterval : exchange.toProgram(current);
  },
  set setInterval(value) {
    globals.setInterval = exchange.toNative(value);
  },
  get setImmediate(): unknown {
    const { setImmediate: current } = globals;
    return current === nativeSetImmediate ? setImmediate : exchange.toProgram(current);
  },
  set setImmediate(value) {
    globals.setImmediate = exchange.toNative(value);
  },
  get clearImmediate(): unknown {
    const { clearImmediate: current } = globals;
    return current === nativeClearImmediate ? clearImmediate : exchange.toProgram(current);
  },
  set clearImmediate(value) {
    globals.clearImmediate = exchange.toNative(value);
  },
};

/** The program's timeouts in one of Node's lists, oldest first. */
function programTimeoutsIn(head: TimeoutHead): TimeoutList<NativeTimeout> {
  const timeouts: { timeout: NativeTimeout; start: number }[] = [];
  for (let node = head._idlePrev; node !== head; node = (node as NativeTimeout)._idlePrev as NativeTimeout) {
    const timeout = node as NativeTimeout;
    if (ProgramTimer.is(timeout)) timeouts.push({ timeout, start: Math.ceil(timeout._idleStart as number) });
  }
  const { msecs, expiry, id } = head;
  return { msecs, expiry, id, timeouts };
}

/** So many lists can be looked through now and then. */
const MAX_LISTS_TO_SCAN = 64;

/** Whether any of them waits; or there are too many to know. */
export function hasWaitingTimeout(): boolean {
  if (listHeads.size > MAX_LISTS_TO_SCAN) return true;
  for (const msecs of listHeads.keys()) {
    const head = listHeadOf(msecs);
    for (let node = head._idlePrev; node !== head; node = (node as NativeTimeout)._idlePrev as NativeTimeout)
      if (ProgramTimer.is(node)) return true;
  }
  return false;
}

/** The lists in which the program's timeouts stand. */
export function programTimeoutLists(): TimeoutList<NativeTimeout>[] {
  const lists: TimeoutList<NativeTimeout>[] = [];
  for (const [msecs, knownHead] of listHeads) {
    // Node drops a list that is empty, and makes another.
    const head = knownHead === undefined || knownHead._idleNext === knownHead ? listHeadOf(msecs) : knownHead;
    listHeads.set(msecs, head);
    lists.push(programTimeoutsIn(head));
  }
  return lists;
}

type TimerPromiseFunctions = Readonly<Record<string, unknown>>;
let promisesView = (): TimerPromiseFunctions => timersModule.promises as unknown as TimerPromiseFunctions;

/** What the program sees of `timers/promises`, and gets by `util.promisify`. */
export function setPromisesView(newView: () => TimerPromiseFunctions): void {
  promisesView = newView;
}

let timersModuleView: Record<string, unknown> | undefined;

/** What the program sees of the builtin `timers`; its globals are the same functions. */
export function timersView(): Record<string, unknown> {
  // Node's object of that name is exchanged from here on.
  promisesView();
  return (timersModuleView ??= exchange.view(timersModule as unknown as Record<string, unknown>));
}

export const programFunctions: Readonly<Record<TimerFunction, Callback>> = {
  setTimeout,
  setInterval,
  setImmediate,
  clearImmediate,
};

/** Once a thread, before any other code makes timers. */
export function installTimers(): void {
  for (const name of Object.keys(programFunctions) as TimerFunction[]) {
    const programFunction = programFunctions[name];
    if (name === 'setTimeout' || name === 'setImmediate')
      Reflect.defineProperty(programFunction, promisify.custom, { get: () => promisesView()[name], enumerable: true });
    replaceFunction({ ...native }, name, programFunction);
    exchange.put(native[name], programFunction);
  }
  replaceFunction(immediatePrototype, Symbol.dispose, dispose);
  // V8 decides by the first instances of a class how much room its instances have: here for the stamp, ten times dearer without.
  for (let i = 0; i < 8; i++) {
    new ProgramTimer(blankTimeout(), 0);
    new ProgramTimer(blankImmediate(), 0);
  }
}
