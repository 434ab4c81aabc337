// Node's timers as data. `Timeout` and `Immediate` keep all they are in properties, some of them under symbols, and stand in lists
// that are made of properties too; so state is read there and written there. What only Node may touch (counts of what keeps the
// process alive, the heads of its queues) is moved by Node's own methods. Checked against what is known before it is believed.
import { AsyncResource } from 'node:async_hooks';
import timersModule from 'node:timers';
import type { Realm } from '@turntable/core';
import { LoaderError, unheard } from '@turntable/loader';

export type Callback = (...args: never[]) => unknown;

/** A `Timeout` of Node's. Those of one duration stand in a ring, whose head is a `TimeoutHead`. */
export interface NativeTimeout {
  _idleTimeout: number;
  _idlePrev: NativeTimeout | TimeoutHead | null;
  _idleNext: NativeTimeout | TimeoutHead | null;
  /** By the loop's clock. */
  _idleStart: number | null;
  _onTimeout: unknown;
  _timerArgs: unknown[] | undefined;
  _repeat: number | null;
  _destroyed: boolean;
  refresh(): NativeTimeout;
  ref(): NativeTimeout;
  unref(): NativeTimeout;
  [Symbol.toPrimitive](): number;
}

export interface TimeoutHead {
  readonly _idlePrev: NativeTimeout | TimeoutHead;
  readonly _idleNext: NativeTimeout | TimeoutHead;
  readonly expiry: number;
  readonly id: number;
  readonly msecs: number;
}

export interface NativeImmediate {
  _idleNext: NativeImmediate | null;
  _idlePrev: NativeImmediate | null;
  _onImmediate: unknown;
  _argv: unknown[] | undefined;
  _destroyed: boolean;
  ref(): NativeImmediate;
  unref(): NativeImmediate;
}

type TimeoutClass = new (
  callback: unknown,
  after: unknown,
  args: unknown[] | undefined,
  isRepeat: boolean,
  isRefed: boolean,
) => NativeTimeout;

/** Node's functions, as they were at first. */
const { setTimeout, setInterval, setImmediate, clearTimeout, clearImmediate } = timersModule;
export const native = { setTimeout, setInterval, setImmediate, clearTimeout, clearImmediate } as unknown as {
  setTimeout(callback: unknown, after?: unknown): NativeTimeout;
  setInterval(callback: unknown, after?: unknown): NativeTimeout;
  setImmediate(callback: unknown): NativeImmediate;
  clearTimeout(timeout: object): void;
  clearImmediate(immediate: object): void;
};

export const nothing: Callback = () => {};
export const LONGEST = 2 ** 31 - 1;

const example = native.setTimeout(nothing, LONGEST);
native.clearTimeout(example);
const exampleImmediate = native.setImmediate(nothing);
native.clearImmediate(exampleImmediate);

const Timeout = example.constructor as unknown as TimeoutClass;
export const timeoutPrototype: object = Timeout.prototype as object;
export const immediatePrototype = Reflect.getPrototypeOf(exampleImmediate) as object;

/** A timeout that waits in no list. */
export function blankTimeout(): NativeTimeout {
  return new Timeout(undefined, 1, undefined, false, false);
}

/** An immediate that waits in no queue. */
export function blankImmediate(): NativeImmediate {
  const immediate = native.setImmediate(nothing);
  native.clearImmediate(immediate);
  return immediate;
}

export function isTimeout(value: object): value is NativeTimeout {
  return Reflect.getPrototypeOf(value) === timeoutPrototype;
}

export function isImmediate(value: object): value is NativeImmediate {
  return Reflect.getPrototypeOf(value) === immediatePrototype;
}

/** The loop's clock, in milliseconds. */
export function loopClock(): number {
  const timeout = native.setTimeout(nothing, LONGEST);
  const now = timeout._idleStart as number;
  native.clearTimeout(timeout);
  return now;
}

/** The head of Node's list for a duration; a new and empty one if there is none. */
export function headOf(msecs: number): TimeoutHead {
  const timeout = native.setTimeout(nothing, msecs);
  const head = timeout._idlePrev as TimeoutHead;
  native.clearTimeout(timeout);
  return head;
}

type Symbols = Readonly<Record<'refed' | 'kHasPrimitive' | 'asyncId', symbol>>;
type Flags = Record<symbol, unknown>;

const CONTEXTS = ['kAsyncContextFrame', 'kResourceStore'];
let symbols: Symbols | undefined;

/** The symbols under which Node keeps what a timer is. */
function symbolsOf(): Symbols {
  if (symbols !== undefined) return symbols;
  const named = (object: object, name: string): symbol => {
    const found = Reflect.ownKeys(object).find((key) => typeof key === 'symbol' && key.description === name);
    if (found === undefined) throw closed(`there is no [${name}] in them`);
    return found as symbol;
  };
  const found = {
    refed: named(example, 'refed'),
    kHasPrimitive: named(example, 'kHasPrimitive'),
    asyncId: named(example, 'asyncId'),
  };
  const timeout = native.setTimeout(nothing, LONGEST);
  const head = timeout._idlePrev as TimeoutHead;
  const stands = head._idleNext === timeout && head.msecs === LONGEST && typeof head.expiry === 'number';
  native.clearTimeout(timeout);
  if (!stands || typeof timeout._idleStart !== 'number') throw closed('their lists are otherwise');
  named(exampleImmediate, 'refed');
  symbols = found;
  return found;
}

function closed(why: string): LoaderError {
  return new LoaderError(
    'TT_ENGINE_CLOSED',
    `Timers cannot be captured: ${why}; run the program on a supported Node (24 or 26)`,
  );
}

export function isRefed(timer: object): boolean | null {
  return (timer as Flags)[symbolsOf().refed] as boolean | null;
}

/** For timers that Node does not count. */
export function markRefed(timer: object, refed: boolean | null): void {
  (timer as Flags)[symbolsOf().refed] = refed;
}

/** The number a program has been given for the timeout. */
export function numberOf(timeout: object): number | undefined {
  const { kHasPrimitive, asyncId } = symbolsOf();
  return (timeout as Flags)[kHasPrimitive] === true ? ((timeout as Flags)[asyncId] as number) : undefined;
}

/** How many numbers are passed over at most, so that no new timer gets one that is in use again. */
const MOST_SKIPPED = 1_000_000;

const { [Symbol.toPrimitive]: idOf } = timeoutPrototype as NativeTimeout;

/** Gives the timeout a number. One that waits is found by it. */
export function giveNumber(timeout: NativeTimeout, number: number): void {
  const { asyncId, kHasPrimitive } = symbolsOf();
  const flags = timeout as unknown as Flags;
  for (let skipped = flags[asyncId] as number, i = 0; skipped < number && i < MOST_SKIPPED; i++)
    skipped = (blankTimeout() as unknown as Flags)[asyncId] as number;
  flags[asyncId] = number;
  flags[kHasPrimitive] = timeout._destroyed;
  if (!timeout._destroyed) Reflect.apply(idOf, timeout, []);
}

type Runner = (fn: () => void, target: unknown, kind: number, value: unknown) => void;
const contexts = new WeakMap<object, object>();

/** The asynchronous context that the callback will run in, as core keeps contexts; nothing if no storage has a value there. */
export function contextOf(timer: object, realm: Realm): object | undefined {
  const stored = storedContexts(timer);
  if (stored.length === 0) return undefined;
  const frame = (timer as Flags)[stored[0] as symbol] as object;
  const isFrame = isFrameKey(stored[0] as symbol);
  const known = isFrame ? contexts.get(frame) : undefined;
  if (known !== undefined) return known;
  const look = (): unknown => realm.now.context.store;
  const context = unheard(() => scopeOf(timer).runInAsyncScope(look)) as object | undefined;
  if (isFrame && context !== undefined) contexts.set(frame, context);
  return context;
}

function storedContexts(timer: object): symbol[] {
  return contextKeys(timer).filter((key) => (timer as Flags)[key] !== undefined);
}

function isFrameKey(key: symbol): boolean {
  return key.description === CONTEXTS[0];
}

/** A resource of Node's that runs functions in the asynchronous context of the timer. */
export function scopeOf(timer: object): AsyncResource {
  const resource = new AsyncResource('Timeout') as unknown as AsyncResource & Flags;
  const stored = storedContexts(timer);
  const [first] = stored;
  const isFrame = first !== undefined && isFrameKey(first);
  if (isFrame) {
    const key = Reflect.ownKeys(resource).find(
      (each) => typeof each === 'symbol' && each.description === 'context_frame',
    );
    if (key === undefined) throw closed('their asynchronous contexts are kept otherwise');
    resource[key as symbol] = (timer as Flags)[first];
  } else for (const key of stored) resource[key] = (timer as Flags)[key];
  return resource;
}

/** As Node does once a callback has run. */
export function removeContext(timer: object): void {
  if (CLEANS) for (const key of storedContexts(timer)) (timer as Flags)[key] = undefined;
}

/** What Node puts in the place of what it takes away from a timer that is over; older ones leave arguments and contexts there. */
export const NOTHING_LEFT: null | undefined = exampleImmediate._onImmediate as null | undefined;
export const CLEANS: boolean = exampleImmediate._onImmediate === undefined;

/** What Node changes of an immediate that is cleared, to be put back. */
export function contextsOf(timer: object): () => void {
  const kept = storedContexts(timer).map((key) => [key, (timer as Flags)[key]] as const);
  return () => {
    for (const [key, value] of kept) (timer as Flags)[key] = value;
  };
}

export function giveContext(timer: object, context: object | undefined): void {
  for (const key of contextKeys(timer)) (timer as Flags)[key] = undefined;
  if (context === undefined) return;
  const give = (): void => {
    const inside = blankTimeout() as unknown as Flags;
    for (const key of contextKeys(inside)) (timer as Flags)[key] = inside[key];
  };
  unheard(() => (context as Runner)(give, undefined, 0, undefined));
}

function contextKeys(timer: object): symbol[] {
  return Object.getOwnPropertySymbols(timer).filter((key) => CONTEXTS.includes(key.description ?? ''));
}

/** Puts a blank immediate at the end of Node's queue, in the place of one that Node has put there and counted. */
export function queueImmediate(immediate: NativeImmediate): void {
  // Neighbours on both sides, so that neither end of the queue is the one that is replaced.
  const before = native.setImmediate(nothing);
  const place = native.setImmediate(nothing);
  const after = native.setImmediate(nothing);
  if (before._idleNext !== place || after._idlePrev !== place) throw closed('immediates are queued otherwise');
  immediate._idlePrev = before;
  immediate._idleNext = after;
  before._idleNext = immediate;
  after._idlePrev = immediate;
  place._idlePrev = null;
  place._idleNext = null;
  place._destroyed = true;
  immediate._destroyed = false;
  markRefed(immediate, true);
  native.clearImmediate(before);
  native.clearImmediate(after);
}
