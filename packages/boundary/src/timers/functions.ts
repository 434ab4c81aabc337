// `setTimeout`, `setInterval` and `setImmediate` as transformed code has them. They are Node's, and so are the objects; what is added is
// as much as capture needs to find those that wait: a mark, and for a timeout its duration, for Node's list of that duration leads
// to it whenever it waits, after `refresh()` too. Nothing here keeps a timeout, a callback or its arguments alive.
// What it costs is in docs/abi.md.
import timersModule from 'node:timers';
import { promisify } from 'node:util';
import { standIn } from '@turntable/loader';
import { leaveImmediate, noteImmediate } from './immediates.ts';
import {
  blankImmediate,
  blankTimeout,
  headOf,
  immediatePrototype,
  isImmediate,
  native,
  type Callback,
  type NativeImmediate,
  type NativeTimeout,
  timeoutPrototype,
  type TimeoutHead,
} from './native.ts';
import { timerWaits } from './turn.ts';
import { nextNumber, OwnTimer } from './own-timer.ts';
import type { TimeoutList } from './order.ts';
import type { ParkedTimers } from './parked.ts';
import { Exchange } from '../realm/exchange.ts';

type Names = 'setTimeout' | 'setInterval' | 'setImmediate' | 'clearImmediate';

const { apply } = Reflect;
/** The program's timeouts are in Node's lists for these durations, or for others that are refreshed to one of them. */
const durations: Map<number, TimeoutHead | undefined> = new Map();
/** Those noted last, each at a place of its own, so that the table need not be asked. */
const recent = new Float64Array(16);

export function note(duration: number): void {
  recent[duration & 15] = duration;
  const msecs = Math.trunc(duration);
  if (!durations.has(msecs)) durations.set(msecs, undefined);
}

const globals = globalThis as unknown as Record<Names, unknown>;
const { setTimeout: startTimeout, setInterval: startInterval, setImmediate: startImmediate } = native;
const { clearImmediate: endImmediate } = native;

let beforeTimer: (() => void) | undefined;

/** `watcher` is told before the program makes a timer. */
export function watchTimers(watcher: (() => void) | undefined): void {
  beforeTimer = watcher;
}

let askedTimer: ((callback: unknown, milliseconds: unknown) => void) | undefined;

/** In a run again: is told of each timer that the program asks for, with what that is to call; of an immediate without a time. */
export function watchAskedTimers(watcher: typeof askedTimer): void {
  askedTimer = watcher;
}

let parked: ParkedTimers | undefined;

/** From now on the program's timers wait for the tape. Before the first of them. */
export function parkTimersBy(parking: ParkedTimers): void {
  parked = parking;
}

/** In a replay whose tasks are undone: intercepts calls to timer callbacks, and the program's calls to timer functions. */
export function interceptTimers({ calls, asks }: Pick<ParkedTimers, 'calls' | 'asks'>): void {
  if (parked === undefined) return;
  parked.calls = calls;
  parked.asks = asks;
}

function ownTimeout(timeout: NativeTimeout): NativeTimeout {
  timerWaits();
  const number = nextNumber();
  new OwnTimer(timeout, number);
  if (parked !== undefined) parked.parkTimeout(timeout, number);
  else if (recent[timeout._idleTimeout & 15] !== timeout._idleTimeout) note(timeout._idleTimeout);
  return timeout;
}

function setTimeout(callback: unknown, after?: unknown): unknown {
  beforeTimer?.();
  askedTimer?.(callback, after);
  if (parked?.asks !== undefined) return parked.asks('setTimeout', () => ownTimeout(nativeBy(startTimeout, arguments)));
  return ownTimeout(
    arguments.length < 3
      ? startTimeout(callback, after)
      : (apply(startTimeout, undefined, arguments as unknown as [unknown]) as NativeTimeout),
  );
}

function setInterval(callback: unknown, repeat?: unknown): unknown {
  beforeTimer?.();
  if (parked?.asks !== undefined)
    return parked.asks('setInterval', () => ownTimeout(nativeBy(startInterval, arguments)));
  return ownTimeout(
    arguments.length < 3
      ? startInterval(callback, repeat)
      : (apply(startInterval, undefined, arguments as unknown as [unknown]) as NativeTimeout),
  );
}

function setImmediate(callback: unknown): unknown {
  beforeTimer?.();
  askedTimer?.(callback, undefined);
  if (parked?.asks !== undefined)
    return parked.asks('setImmediate', () => ownImmediate(nativeBy(startImmediate, arguments)));
  return ownImmediate(
    arguments.length < 2
      ? startImmediate(callback)
      : (apply(startImmediate, undefined, arguments as unknown as [unknown]) as NativeImmediate),
  );
}

function nativeBy<T>(start: (...args: never[]) => T, args: IArguments): T {
  return apply(start, undefined, args as never);
}

function ownImmediate(immediate: NativeImmediate): NativeImmediate {
  const number = nextNumber();
  new OwnTimer(immediate, number);
  timerWaits();
  if (parked === undefined) noteImmediate(immediate);
  else parked.parkImmediate(immediate, number);
  return immediate;
}

function clearImmediate(immediate: unknown): void {
  if (parked?.asks !== undefined) return parked.asks('clearImmediate', () => endOf(immediate));
  endOf(immediate);
}

function endOf(immediate: unknown): void {
  if (parked?.clearImmediate(immediate) === true) return;
  if (typeof immediate === 'object' && immediate !== null && isImmediate(immediate)) leaveImmediate(immediate);
  endImmediate(immediate as object);
}

const { [Symbol.dispose]: disposeOfImmediate } = immediatePrototype as { [Symbol.dispose](): void };

const { refresh: refreshTimeout } = timeoutPrototype as NativeTimeout;

const { refresh } = {
  refresh(this: NativeTimeout): NativeTimeout {
    if (OwnTimer.is(this)) timerWaits();
    return apply(refreshTimeout, this, []);
  },
};

let isRefreshWatched = false;

/** Where it is to be known whether any timer waits. */
export function watchRefreshing(): void {
  // In a run again it is another one already.
  if (isRefreshWatched || parked !== undefined) return;
  isRefreshWatched = true;
  standIn(timeoutPrototype, 'refresh', refresh);
}

function dispose(this: object): void {
  const { asks } = parked ?? {};
  if (
    (asks === undefined ? parked?.clearImmediate(this) : asks('dispose', () => parked?.clearImmediate(this))) === true
  )
    return;
  if (isImmediate(this)) leaveImmediate(this);
  apply(disposeOfImmediate, this, []);
}

export const exchange: Exchange = new Exchange();

/** What the globals mean to the program: Node's are ours, what somebody has put in their place is what it is. */
export const ambientTimers: Record<Names, unknown> = {
  get setTimeout(): unknown {
    const { setTimeout: now } = globals;
    return now === startTimeout ? setTimeout : exchange.toProgram(now);
  },
  set setTimeout(value) {
    globals.setTimeout = exchange.toNative(value);
  },
  get setInterval(): unknown {
    const { setInterval: now } = globals;
    return now === startInterval ? setInterval : exchange.toProgram(now);
  },
  set setInterval(value) {
    globals.setInterval = exchange.toNative(value);
  },
  get setImmediate(): unknown {
    const { setImmediate: now } = globals;
    return now === startImmediate ? setImmediate : exchange.toProgram(now);
  },
  set setImmediate(value) {
    globals.setImmediate = exchange.toNative(value);
  },
  get clearImmediate(): unknown {
    const { clearImmediate: now } = globals;
    return now === endImmediate ? clearImmediate : exchange.toProgram(now);
  },
  set clearImmediate(value) {
    globals.clearImmediate = exchange.toNative(value);
  },
};

/** The program's timeouts in one of Node's lists, oldest first. */
function ownIn(head: TimeoutHead): TimeoutList<NativeTimeout> {
  const timeouts: { timeout: NativeTimeout; start: number }[] = [];
  for (let at = head._idlePrev; at !== head; at = (at as NativeTimeout)._idlePrev as NativeTimeout) {
    const timeout = at as NativeTimeout;
    if (OwnTimer.is(timeout)) timeouts.push({ timeout, start: Math.ceil(timeout._idleStart as number) });
  }
  const { msecs, expiry, id } = head;
  return { msecs, expiry, id, timeouts };
}

/** So many lists can be looked through now and then. */
const FEW_LISTS = 64;

/** Whether any of them waits; or there are too many to know. */
export function isAnyTimeoutWaiting(): boolean {
  if (durations.size > FEW_LISTS) return true;
  for (const msecs of durations.keys()) {
    const head = headOf(msecs);
    for (let at = head._idlePrev; at !== head; at = (at as NativeTimeout)._idlePrev as NativeTimeout)
      if (OwnTimer.is(at)) return true;
  }
  return false;
}

/** The lists in which the program's timeouts stand. */
export function timeoutLists(): TimeoutList<NativeTimeout>[] {
  const lists: TimeoutList<NativeTimeout>[] = [];
  for (const [msecs, before] of durations) {
    // Node drops a list that is empty, and makes another.
    const head = before === undefined || before._idleNext === before ? headOf(msecs) : before;
    durations.set(msecs, head);
    lists.push(ownIn(head));
  }
  return lists;
}

type PromiseFunctions = Readonly<Record<string, unknown>>;
let promises = (): PromiseFunctions => timersModule.promises as unknown as PromiseFunctions;

/** What the program sees of `timers/promises`, and gets by `util.promisify`. */
export function showPromisesAs(view: () => PromiseFunctions): void {
  promises = view;
}

let view: Record<string, unknown> | undefined;

/** What the program sees of the builtin `timers`; its globals are the same functions. */
export function timersView(): Record<string, unknown> {
  // Node's object of that name is exchanged from here on.
  promises();
  return (view ??= exchange.view(timersModule as unknown as Record<string, unknown>));
}

export const functions: Readonly<Record<Names, Callback>> = { setTimeout, setInterval, setImmediate, clearImmediate };

/** Once a thread, before any other code makes timers. */
export function placeTimers(): void {
  for (const name of Object.keys(functions) as Names[]) {
    const own = functions[name];
    if (name === 'setTimeout' || name === 'setImmediate')
      Reflect.defineProperty(own, promisify.custom, { get: () => promises()[name], enumerable: true });
    standIn({ ...native }, name, own);
    exchange.put(native[name], own);
  }
  standIn(immediatePrototype, Symbol.dispose, dispose);
  // V8 decides by the first instances of a class how much room its instances have: here for the stamp, ten times dearer without.
  for (let i = 0; i < 8; i++) {
    new OwnTimer(blankTimeout(), 0);
    new OwnTimer(blankImmediate(), 0);
  }
}
