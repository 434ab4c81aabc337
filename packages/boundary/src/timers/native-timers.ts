// Node's timers as data. `Timeout` and `Immediate` keep their state in properties, some with symbol keys, and their
// lists consist of properties too, so both are read and written here. What only Node may change (its count of refed
// timers, the heads of its queues) is changed through Node's own methods. All assumptions are checked at startup.
import { AsyncResource } from 'node:async_hooks';
import timersModule from 'node:timers';
import { ROOT_HOME, type ContextView, type Realm } from '@turntable/core';
import { LoaderError, inspectContext } from '@turntable/loader';

export type Callback = (...args: never[]) => unknown;

/** Node's `Timeout`. The timeouts of one duration form a ring, whose head is a `TimeoutHead`. */
export interface NativeTimeout {
  _idleTimeout: number;
  _idlePrev: NativeTimeout | TimeoutHead | null;
  _idleNext: NativeTimeout | TimeoutHead | null;
  /** Start of the timeout by the loop's clock. */
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
  delay: unknown,
  args: unknown[] | undefined,
  isRepeat: boolean,
  isRefed: boolean,
) => NativeTimeout;

/** Node's functions before any replacement. */
const { setTimeout, setInterval, setImmediate, clearTimeout, clearImmediate } = timersModule;
export const native = { setTimeout, setInterval, setImmediate, clearTimeout, clearImmediate } as unknown as {
  setTimeout(callback: unknown, delay?: unknown): NativeTimeout;
  setInterval(callback: unknown, delay?: unknown): NativeTimeout;
  setImmediate(callback: unknown): NativeImmediate;
  clearTimeout(timeout: object): void;
  clearImmediate(immediate: object): void;
};

export const noop: Callback = () => {};
export const MAX_DELAY_MS = 2 ** 31 - 1;

const exampleTimeout = native.setTimeout(noop, MAX_DELAY_MS);
native.clearTimeout(exampleTimeout);
const exampleImmediate = native.setImmediate(noop);
native.clearImmediate(exampleImmediate);

const Timeout = exampleTimeout.constructor as unknown as TimeoutClass;
export const timeoutPrototype: object = Timeout.prototype as object;
export const immediatePrototype = Reflect.getPrototypeOf(exampleImmediate) as object;

export function blankTimeout(): NativeTimeout {
  return new Timeout(undefined, 1, undefined, false, false);
}

export function blankImmediate(): NativeImmediate {
  const immediate = native.setImmediate(noop);
  native.clearImmediate(immediate);
  return immediate;
}

export function isTimeout(value: object): value is NativeTimeout {
  return Reflect.getPrototypeOf(value) === timeoutPrototype;
}

export function isImmediate(value: object): value is NativeImmediate {
  return Reflect.getPrototypeOf(value) === immediatePrototype;
}

/** Returns the time of the loop's clock, in milliseconds. */
export function loopNow(): number {
  const timeout = native.setTimeout(noop, MAX_DELAY_MS);
  const now = timeout._idleStart as number;
  native.clearTimeout(timeout);
  return now;
}

/** Returns the head of Node's list for a duration. Creates an empty list if there is none. */
export function listHeadOf(msecs: number): TimeoutHead {
  const timeout = native.setTimeout(noop, msecs);
  const head = timeout._idlePrev as TimeoutHead;
  native.clearTimeout(timeout);
  return head;
}

type TimerSymbols = Readonly<Record<'refed' | 'kHasPrimitive' | 'asyncId', symbol>>;
type SymbolProperties = Record<symbol, unknown>;

const CONTEXT_SYMBOLS = ['kAsyncContextFrame', 'kResourceStore'];
let timerSymbols: TimerSymbols | undefined;

function findSymbols(): TimerSymbols {
  if (timerSymbols !== undefined) return timerSymbols;
  const symbolNamed = (object: object, name: string): symbol => {
    const found = Reflect.ownKeys(object).find((key) => typeof key === 'symbol' && key.description === name);
    if (found === undefined) throw engineClosedError(`this Node's timers have no [${name}]`);
    return found as symbol;
  };
  const symbolsFound = {
    refed: symbolNamed(exampleTimeout, 'refed'),
    kHasPrimitive: symbolNamed(exampleTimeout, 'kHasPrimitive'),
    asyncId: symbolNamed(exampleTimeout, 'asyncId'),
  };
  const timeout = native.setTimeout(noop, MAX_DELAY_MS);
  const head = timeout._idlePrev as TimeoutHead;
  const isListed = head._idleNext === timeout && head.msecs === MAX_DELAY_MS && typeof head.expiry === 'number';
  native.clearTimeout(timeout);
  if (!isListed || typeof timeout._idleStart !== 'number')
    throw engineClosedError('this Node keeps lists of timers in another way');
  symbolNamed(exampleImmediate, 'refed');
  timerSymbols = symbolsFound;
  return symbolsFound;
}

function engineClosedError(reason: string): LoaderError {
  return new LoaderError(
    'TT_ENGINE_CLOSED',
    `Timers cannot be captured: ${reason}; run the program on a supported Node (24 or 26)`,
  );
}

export function isRefed(timer: object): boolean | null {
  return (timer as SymbolProperties)[findSymbols().refed] as boolean | null;
}

/** Sets what `hasRef` returns, for timers that Node does not count. */
export function markRefed(timer: object, refed: boolean | null): void {
  (timer as SymbolProperties)[findSymbols().refed] = refed;
}

/** Returns the number that the program has requested for the timeout (`+timeout`), if any. */
export function programIdOf(timeout: object): number | undefined {
  const { kHasPrimitive, asyncId } = findSymbols();
  return (timeout as SymbolProperties)[kHasPrimitive] === true
    ? ((timeout as SymbolProperties)[asyncId] as number)
    : undefined;
}

/** Maximum number of ids that are skipped so that no new timer gets a restored id. */
const MAX_SKIPPED_IDS = 1_000_000;

const { [Symbol.toPrimitive]: nativeToPrimitive } = timeoutPrototype as NativeTimeout;

/** Gives the timeout a number, through which Node finds a waiting timeout. */
export function assignId(timeout: NativeTimeout, programId: number): void {
  const { asyncId, kHasPrimitive } = findSymbols();
  const properties = timeout as unknown as SymbolProperties;
  for (let currentId = properties[asyncId] as number, i = 0; currentId < programId && i < MAX_SKIPPED_IDS; i++)
    currentId = (blankTimeout() as unknown as SymbolProperties)[asyncId] as number;
  properties[asyncId] = programId;
  properties[kHasPrimitive] = timeout._destroyed;
  if (!timeout._destroyed) Reflect.apply(nativeToPrimitive, timeout, []);
}

type ContextRunnerFunction = (fn: () => void, target: unknown, kind: number, value: unknown) => void;
/** Context of each frame of Node; undefined if no storage has a value in it. */
const contextsByFrame = new WeakMap<object, object | undefined>();

/** Returns the asynchronous context of the callback; undefined if it is that of the main program without values. */
export function contextOf(timer: object, realm: Realm): object | undefined {
  const storedKeys = storedContextKeys(timer);
  if (storedKeys.length === 0) return undefined;
  const frame = (timer as SymbolProperties)[storedKeys[0] as symbol] as object;
  const isFrame = isFrameKey(storedKeys[0] as symbol);
  if (isFrame && contextsByFrame.has(frame)) return contextsByFrame.get(frame);
  const readContext = (): unknown => realm.current.context.store;
  const entered = inspectContext(() => scopeFor(timer).runInAsyncScope(readContext)) as object | undefined;
  const context = entered === undefined || isRootWithoutValues(entered, realm) ? undefined : entered;
  if (isFrame && entered !== undefined) contextsByFrame.set(frame, context);
  return context;
}

/** Whether a context differs only by its frame of Node from that of a program that uses no storage. */
function isRootWithoutValues(context: object, realm: Realm): boolean {
  const { home, entries } = (realm.parts.host.contexts as ContextView).readContext(context);
  return home === ROOT_HOME && entries.length === 0;
}

function storedContextKeys(timer: object): symbol[] {
  return contextKeys(timer).filter((key) => (timer as SymbolProperties)[key] !== undefined);
}

function isFrameKey(key: symbol): boolean {
  return key.description === CONTEXT_SYMBOLS[0];
}

/** Creates a resource of Node that runs functions in the timer's asynchronous context. */
export function scopeFor(timer: object): AsyncResource {
  const resource = new AsyncResource('Timeout') as unknown as AsyncResource & SymbolProperties;
  const storedKeys = storedContextKeys(timer);
  const [first] = storedKeys;
  const isFrame = first !== undefined && isFrameKey(first);
  if (isFrame) {
    const key = Reflect.ownKeys(resource).find(
      (candidate) => typeof candidate === 'symbol' && candidate.description === 'context_frame',
    );
    if (key === undefined) throw engineClosedError('this Node keeps their asynchronous contexts in another way');
    resource[key as symbol] = (timer as SymbolProperties)[first];
  } else for (const key of storedKeys) resource[key] = (timer as SymbolProperties)[key];
  return resource;
}

/** Removes the asynchronous context from a timer, as Node does after a callback. */
export function removeContext(timer: object): void {
  if (CLEARS_STATE) for (const key of storedContextKeys(timer)) (timer as SymbolProperties)[key] = undefined;
}

/** Value to which Node sets the fields of a finished timer. Older versions keep arguments and contexts. */
export const CLEARED_VALUE: null | undefined = exampleImmediate._onImmediate as null | undefined;
export const CLEARS_STATE: boolean = exampleImmediate._onImmediate === undefined;

/** Saves the asynchronous context, which Node removes when it clears an immediate. Returns a function to restore it. */
export function saveContexts(timer: object): () => void {
  const saved = storedContextKeys(timer).map((key) => [key, (timer as SymbolProperties)[key]] as const);
  return () => {
    for (const [key, value] of saved) (timer as SymbolProperties)[key] = value;
  };
}

export function setContext(timer: object, context: object | undefined): void {
  for (const key of contextKeys(timer)) (timer as SymbolProperties)[key] = undefined;
  if (context === undefined) return;
  const copyContext = (): void => {
    const timerInContext = blankTimeout() as unknown as SymbolProperties;
    for (const key of contextKeys(timerInContext)) (timer as SymbolProperties)[key] = timerInContext[key];
  };
  inspectContext(() => (context as ContextRunnerFunction)(copyContext, undefined, 0, undefined));
}

function contextKeys(timer: object): symbol[] {
  return Object.getOwnPropertySymbols(timer).filter((key) => CONTEXT_SYMBOLS.includes(key.description ?? ''));
}

/** Queues a blank immediate in place of one that Node has queued and counted. */
export function queueImmediate(immediate: NativeImmediate): void {
  // The placeholder has neighbours on both sides, so neither end of the queue changes.
  const previous = native.setImmediate(noop);
  const placeholder = native.setImmediate(noop);
  const next = native.setImmediate(noop);
  if (previous._idleNext !== placeholder || next._idlePrev !== placeholder)
    throw engineClosedError('this Node queues immediates in another way');
  immediate._idlePrev = previous;
  immediate._idleNext = next;
  previous._idleNext = immediate;
  next._idlePrev = immediate;
  placeholder._idlePrev = null;
  placeholder._idleNext = null;
  placeholder._destroyed = true;
  immediate._destroyed = false;
  markRefed(immediate, true);
  native.clearImmediate(previous);
  native.clearImmediate(next);
}
