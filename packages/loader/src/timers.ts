// The timers of the program: `setTimeout`, `setInterval` and `setImmediate` as transformed code has them. They are Node's, and so are the
// objects; what is added is as much as capture needs to find those that wait: a mark, and for a timeout its duration, for Node's list of
// that duration leads to it whenever it waits, after `refresh()` too. Nothing here keeps a timeout, a callback or its arguments
// alive. What it costs is in docs/abi.md.
import type { Realm } from '@turntable/core';
import {
  blankImmediate,
  blankTimeout,
  builtin,
  headOf,
  immediatePrototype,
  isImmediate,
  isTimeout,
  loopClock,
  native,
  type Callback,
  type NativeImmediate,
  type NativeTimeout,
  type TimeoutHead,
} from './timers-native.ts';
import { leaveImmediate, noteImmediate, OwnImmediate, waitingImmediates } from './timers-immediates.ts';
import { Stamp } from './timers-stamp.ts';
import { standIn } from './stand-in.ts';
import { firingOrder, type TimeoutList } from './timers-order.ts';
import { TimerStates, type TimerKind, type TimerState } from './timers-state.ts';

export type { TimerKind, TimerState } from './timers-state.ts';

type Names = 'setTimeout' | 'setInterval' | 'setImmediate' | 'clearImmediate';
type TimerFunctions = Readonly<Record<Names, Callback>>;
type Exports = TimerFunctions & Record<string, unknown>;

export interface Timers {
  /** What transformed code gets of the builtin `timers`; its globals are the same functions. */
  readonly exports: Exports;
  /** The loop's clock, in milliseconds. */
  clock(): number;
  /**
   * The program's timers that wait, in the order in which they would fire if Node, at `now`, were about to look at its timeouts:
   * those that are due, then immediates, then the other timeouts.
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

class OwnTimeout extends Stamp {
  // oxlint-disable-next-line no-unused-private-class-members -- the mark itself
  #isOwn = true;
  static is(value: object): boolean {
    return #isOwn in value;
  }
}

const { apply } = Reflect;
/** The program's timeouts are in Node's lists for these durations, or for others that are refreshed to one of them. */
const durations: Map<number, TimeoutHead | undefined> = new Map();
let lastDuration = 0;

function note(duration: number): void {
  lastDuration = duration;
  const msecs = Math.trunc(duration);
  if (!durations.has(msecs)) durations.set(msecs, undefined);
}

const globals = globalThis as unknown as TimerFunctions;
const first = native as unknown as TimerFunctions;
const { setTimeout: startTimeout, setInterval: startInterval, setImmediate: startImmediate } = native;
let isCallingReplaced = false;

/** Somebody has put another function in the place of Node's, on the global object or on the module: theirs decides. */
function callReplaced(name: Names, args: unknown): unknown {
  // Theirs may end in ours.
  const fn = isCallingReplaced ? first[name] : globals[name] === first[name] ? builtin[name] : globals[name];
  const before = isCallingReplaced;
  isCallingReplaced = true;
  let timer: unknown;
  try {
    timer = apply(fn, undefined, args as never[]);
  } finally {
    isCallingReplaced = before;
  }
  if (typeof timer !== 'object' || timer === null) return timer;
  if (isTimeout(timer) && !OwnTimeout.is(timer)) {
    new OwnTimeout(timer);
    note(timer._idleTimeout);
  }
  if (isImmediate(timer) && !OwnImmediate.is(timer)) noteImmediate(timer);
  return timer;
}

function setTimeout(callback: unknown, after?: unknown): unknown {
  if (globals.setTimeout !== startTimeout || builtin.setTimeout !== startTimeout)
    return callReplaced('setTimeout', arguments);
  const timeout =
    arguments.length < 3
      ? startTimeout(callback, after)
      : (apply(startTimeout, undefined, arguments as unknown as [unknown]) as NativeTimeout);
  if (timeout._idleTimeout !== lastDuration) note(timeout._idleTimeout);
  new OwnTimeout(timeout);
  return timeout;
}

function setInterval(callback: unknown, repeat?: unknown): unknown {
  if (globals.setInterval !== startInterval || builtin.setInterval !== startInterval)
    return callReplaced('setInterval', arguments);
  const timeout =
    arguments.length < 3
      ? startInterval(callback, repeat)
      : (apply(startInterval, undefined, arguments as unknown as [unknown]) as NativeTimeout);
  if (timeout._idleTimeout !== lastDuration) note(timeout._idleTimeout);
  new OwnTimeout(timeout);
  return timeout;
}

function setImmediate(callback: unknown): unknown {
  if (globals.setImmediate !== startImmediate || builtin.setImmediate !== startImmediate)
    return callReplaced('setImmediate', arguments);
  const immediate =
    arguments.length < 2
      ? startImmediate(callback)
      : (apply(startImmediate, undefined, arguments as unknown as [unknown]) as NativeImmediate);
  noteImmediate(immediate);
  return immediate;
}

function clearImmediate(immediate: unknown): void {
  if (typeof immediate === 'object' && immediate !== null && isImmediate(immediate)) leaveImmediate(immediate);
  const clear = globals.clearImmediate === first.clearImmediate ? builtin.clearImmediate : globals.clearImmediate;
  apply(clear, undefined, [immediate as never]);
}

const { [Symbol.dispose]: disposeOfImmediate } = immediatePrototype as { [Symbol.dispose](): void };

function dispose(this: object): void {
  if (isImmediate(this)) leaveImmediate(this);
  apply(disposeOfImmediate, this, []);
}

/** The program's timeouts in one of Node's lists, oldest first. */
function ownIn(head: TimeoutHead): TimeoutList<NativeTimeout> {
  const timeouts: { timeout: NativeTimeout; start: number }[] = [];
  for (let at = head._idlePrev; at !== head; at = (at as NativeTimeout)._idlePrev as NativeTimeout) {
    const timeout = at as NativeTimeout;
    if (OwnTimeout.is(timeout)) timeouts.push({ timeout, start: Math.ceil(timeout._idleStart as number) });
  }
  const { msecs, expiry, id } = head;
  return { msecs, expiry, id, timeouts };
}

function pending(now: number = loopClock()): object[] {
  const lists: TimeoutList<NativeTimeout>[] = [];
  for (const [msecs, before] of durations) {
    // Node drops a list that is empty, and makes another.
    const head = before === undefined || before._idleNext === before ? headOf(msecs) : before;
    durations.set(msecs, head);
    lists.push(ownIn(head));
  }
  const { due, later } = firingOrder(lists, now);
  return [...due, ...waitingImmediates(), ...later];
}

export function createTimers(realm: Realm): Timers {
  const states = new TimerStates(realm);
  /** When the round of timeouts began in which a state is resumed. */
  let resumedAt: number | undefined;
  const exports = Object.defineProperties({}, Object.getOwnPropertyDescriptors(builtin)) as Exports;
  standIn(exports, 'setTimeout', setTimeout);
  standIn(exports, 'setInterval', setInterval);
  standIn(exports, 'setImmediate', setImmediate);
  standIn(exports, 'clearImmediate', clearImmediate);
  standIn(immediatePrototype, Symbol.dispose, dispose);
  // V8 decides by the first instances of a class how much room its instances have: here for the stamp, ten times dearer without.
  for (let i = 0; i < 8; i++) {
    new OwnTimeout(blankTimeout());
    new OwnImmediate(blankImmediate());
  }

  return {
    exports,
    clock: loopClock,
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
