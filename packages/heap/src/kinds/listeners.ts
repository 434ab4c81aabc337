// Listeners of an event target, which Node keeps in a Map of linked lists. They are read there and added with Node's
// method, so that sizes, order and derived state are Node's. A listener added with a signal leaves a function of Node
// in that signal's list. Its closure is read by calling it with a `removeEventListener` that only notes the arguments.

import { abortTargetOf } from '@turntable/core';
import { CaptureRefusal } from '../heap-error.ts';
import {
  apply,
  defineProperty,
  descriptorOf,
  getterOf,
  mapForEach,
  mapGet,
  prototypeOf,
  setPrototypeOf,
  sourceText,
  weakRefTarget,
} from '../intrinsics.ts';
import { targetSymbols } from './target-symbols.ts';
import type { HeapPorts } from '../ports.ts';
import type { HeapReader } from '../heap-reader.ts';
import type { HeapWriter } from '../heap-writer.ts';

type Native = (this: unknown, ...args: unknown[]) => unknown;
export type SymbolProperties = Record<symbol, unknown>;

interface ListenerLink {
  readonly next: ListenerLink | undefined;
  readonly listener: unknown;
  readonly callback: unknown;
  readonly flags: number;
  /** Set only by Node 26. */
  readonly weakKeyRef?: WeakRef<object>;
}

interface ListenerList {
  size: number;
  next: ListenerLink | undefined;
  resistStopPropagation: boolean;
}

/** Listener that Node's function removes when the signal is aborted. */
interface ListenerRemoval {
  readonly target: object;
  readonly type: unknown;
  readonly listener: unknown;
  readonly capture: boolean;
}

// Node's flags of a listener.
const ONCE = 1;
const CAPTURE = 2;
const PASSIVE = 4;
const NODE_STYLE = 8;
const WEAK = 16;
const RESIST = 64;

// Forms of a listener: itself, the value of an `on…` attribute, or a removal.
const PLAIN_LISTENER = 0;
const ATTRIBUTE_HANDLER = 1;
const REMOVAL = 2;

const addListener = EventTarget.prototype.addEventListener as unknown as Native;
const removeListener = EventTarget.prototype.removeEventListener as unknown as Native;
const targetPrototype: object = EventTarget.prototype;
const signalOf = getterOf<AbortSignal>(AbortController.prototype, 'signal');
const setAbortHandler = descriptorOf(AbortSignal.prototype, 'onabort')?.set as unknown as Native;
const NativeAbortController = AbortController;
const noListener = (): undefined => undefined;

function listenerListsOf(object: object): Map<string, ListenerList> | undefined {
  return (object as SymbolProperties)[targetSymbols().events] as Map<string, ListenerList> | undefined;
}

export function listenerCount(object: object, type: string): number {
  const lists = listenerListsOf(object);
  return lists === undefined ? 0 : ((mapGet(lists, type) as ListenerList | undefined)?.size ?? 0);
}

/** Returns Node's wrapper of an `on…` attribute, which holds its value; undefined for any other listener. */
function attributeHandlerOf(
  object: object,
  type: string,
  listener: unknown,
): { readonly handler: unknown } | undefined {
  const handlers = (object as SymbolProperties)[targetSymbols().handlers] as Map<string, unknown> | undefined;
  if (handlers === undefined || typeof listener !== 'function' || mapGet(handlers, type) !== listener) return undefined;
  return listener as unknown as { handler: unknown };
}

let cachedRemovalSource: string | undefined;

/** Returns the source text of Node's removal functions. */
function removalSource(): string {
  if (cachedRemovalSource !== undefined) return cachedRemovalSource;
  const signal = signalOf(new NativeAbortController());
  apply(addListener, new EventTarget(), ['x', noListener, { signal }]);
  const list = listenerListsOf(signal)?.get('abort') as ListenerList | undefined;
  if (list?.next === undefined) throw new TypeError('this Node does not follow the signal of a listener');
  return (cachedRemovalSource = sourceText(callbackOf(list.next) as never));
}

/** Returns the callback of a link, which may be weak. */
function callbackOf(link: ListenerLink): unknown {
  return (link.flags & WEAK) === 0 ? link.callback : weakRefTarget(link.callback as WeakRef<object>);
}

function readRemoval(link: ListenerLink, signal: object, { types }: HeapPorts): ListenerRemoval {
  const callback = callbackOf(link) as ((...args: never[]) => unknown) | undefined;
  const target = link.weakKeyRef === undefined ? abortTargetOf(callback as object) : weakRefTarget(link.weakKeyRef);
  if (callback === undefined || sourceText(callback) !== removalSource())
    throw new CaptureRefusal(signal, 'util.aborted() waits for it', 'use addEventListener instead');
  const refusal = new CaptureRefusal(
    signal,
    'it is the signal of a listener whose target removes listeners in its own way, or that was added before Turntable was loaded',
    'remove the listener in an abort listener of the signal',
  );
  for (let holder: object | null = (target as object | undefined) ?? null; ; holder = prototypeOf(holder)) {
    if (holder === null || types.isProxy(holder)) throw refusal;
    if (holder === targetPrototype) break;
    if (descriptorOf(holder, 'removeEventListener') !== undefined) throw refusal;
  }
  let removal: ListenerRemoval | undefined;
  const method = descriptorOf(targetPrototype, 'removeEventListener') as PropertyDescriptor;
  const { note } = {
    note(this: object, type: unknown, listener: unknown, options: { capture: boolean }): void {
      removal = { target: this, type, listener, capture: options.capture };
    },
  };
  defineProperty(targetPrototype, 'removeEventListener', { value: note, configurable: true });
  try {
    apply(callback, undefined, []);
  } finally {
    defineProperty(targetPrototype, 'removeEventListener', method);
  }
  if (removal === undefined || removal.target !== target) throw refusal;
  return removal;
}

/** Recreates Node's removal function, without a lasting effect on the target. */
function createRemoval({ target, type, listener, capture }: ListenerRemoval): unknown {
  const { events } = targetSymbols();
  const signal = signalOf(new NativeAbortController());
  const state = target as SymbolProperties;
  const savedEvents = state[events];
  state[events] = undefined;
  try {
    withNativePrototype(target, targetPrototype, () =>
      apply(addListener, target, [type, listener, { capture, signal }]),
    );
  } finally {
    state[events] = savedEvents;
  }
  const link = (listenerListsOf(signal)?.get('abort') as ListenerList | undefined)?.next;
  if (link === undefined) throw new TypeError('expected a listener that removes another one');
  return callbackOf(link);
}

/**
 * Runs `action` while the object has a prototype of Node and no limit on listeners, so that no program code is called
 * and no leak warning is emitted.
 */
export function withNativePrototype<R>(object: object, prototype: object, action: () => R): R {
  const { maxListeners: max, maxListenersWarned: warned } = targetSymbols();
  const state = object as SymbolProperties;
  const ownPrototype = prototypeOf(object);
  const limit = state[max];
  const wasWarned = state[warned];
  setPrototypeOf(object, prototype);
  state[max] = 0;
  try {
    return action();
  } finally {
    state[max] = limit;
    state[warned] = wasWarned;
    setPrototypeOf(object, ownPrototype);
  }
}

export function writeListeners(writer: HeapWriter, object: object): void {
  const { maxListeners: max, maxListenersWarned: warned } = targetSymbols();
  writer.value((object as SymbolProperties)[max]);
  writer.byte((object as SymbolProperties)[warned] === true ? 1 : 0);
  const kept = keptListenersOf(object, writer.ports);
  writer.varint(kept.length);
  for (let i = 0; i < kept.length; i++) {
    const { type, list, links, omittedCount } = kept[i] as KeptListeners;
    writer.value(type);
    writer.varint(list.size - omittedCount);
    writer.byte(list.resistStopPropagation ? 1 : 0);
    writer.varint(links.length);
    for (let j = 0; j < links.length; j++) writeListener(writer, object, type, links[j] as ListenerLink);
  }
}

interface KeptListeners extends EventListeners {
  readonly links: readonly ListenerLink[];
  readonly omittedCount: number;
}

/**
 * Returns the listeners that are state. If the host is omitted, listeners of the host and of devices are left out;
 * `omittedCount` counts them.
 */
function keptListenersOf(object: object, ports: HeapPorts): KeptListeners[] {
  const kept: KeptListeners[] = [];
  const listenersByType = sortedListenersOf(object);
  for (let i = 0; i < listenersByType.length; i++) {
    const { type, list } = listenersByType[i] as EventListeners;
    const links: ListenerLink[] = [];
    let omittedCount = 0;
    for (let link = list.next; link !== undefined; link = link.next) {
      if (isOmittedLink(link, type, object, ports)) omittedCount++;
      else links[links.length] = link;
    }
    if (omittedCount === 0 || links.length > 0) kept[kept.length] = { type, list, links, omittedCount };
  }
  return kept;
}

function isOmittedLink(link: ListenerLink, type: string, object: object, ports: HeapPorts): boolean {
  if (ports.isOmitted === undefined) return false;
  if ((link.flags & WEAK) !== 0) return !isRemoval(link, object, ports);
  const { listener } = link as { readonly listener: unknown };
  return (
    typeof listener === 'function' &&
    attributeHandlerOf(object, type, listener) === undefined &&
    ports.isOmitted(listener as () => unknown)
  );
}

function isRemoval(link: ListenerLink, object: object, ports: HeapPorts): boolean {
  try {
    readRemoval(link, object, ports);
    return true;
  } catch (error) {
    if (error instanceof CaptureRefusal) return false;
    throw error;
  }
}

interface EventListeners {
  readonly type: string;
  readonly list: ListenerList;
}

/** Returns listeners sorted by type, since the order is unobservable. Drops empty lists of one-time listeners. */
function sortedListenersOf(object: object): EventListeners[] {
  const sorted: EventListeners[] = [];
  const lists = listenerListsOf(object);
  if (lists === undefined) return sorted;
  mapForEach(lists as Map<unknown, unknown>, (value: unknown, key: unknown) => {
    const list = value as ListenerList;
    const type = key as string;
    if (list.size === 0 && list.next === undefined) return;
    let start = sorted.length;
    while (start > 0 && (sorted[start - 1] as EventListeners).type > type) {
      sorted[start] = sorted[start - 1] as EventListeners;
      start--;
    }
    sorted[start] = { type, list };
  });
  return sorted;
}

function writeListener(writer: HeapWriter, object: object, type: string, link: ListenerLink): void {
  writer.byte(link.flags & (ONCE | CAPTURE | PASSIVE | NODE_STYLE | WEAK | RESIST));
  if ((link.flags & WEAK) !== 0) {
    const removal = readRemoval(link, object, writer.ports);
    writer.byte(REMOVAL);
    writer.value(removal.target);
    writer.value(removal.type);
    writer.value(removal.listener);
    writer.byte(removal.capture ? 1 : 0);
    return;
  }
  const handler = attributeHandlerOf(object, type, link.listener);
  writer.byte(handler === undefined ? PLAIN_LISTENER : ATTRIBUTE_HANDLER);
  writer.value(handler === undefined ? link.listener : handler.handler);
}

/** @param prototype Node's class of the target */
export function fillListeners(reader: HeapReader, object: object, prototype: object): void {
  const { events, maxListeners: max, maxListenersWarned: warned } = targetSymbols();
  const state = object as SymbolProperties;
  const start = reader.offset;
  const limit = reader.value();
  if (typeof limit !== 'number') throw reader.corrupt('a limit of listeners', start);
  const wasWarned = reader.byte() !== 0;
  for (let types = reader.count(4, 'types of events'); types > 0; types--) {
    const type = reader.stringValue();
    const size = reader.varint();
    const resistsStopPropagation = reader.byte() !== 0;
    for (let links = reader.count(3, 'listeners'); links > 0; links--) readListener(reader, object, prototype, type);
    const lists = listenerListsOf(object);
    let list = lists === undefined ? undefined : (mapGet(lists, type) as ListenerList | undefined);
    if (list === undefined) {
      withNativePrototype(object, prototype, () => apply(addListener, object, [type, noListener]));
      list = mapGet(state[events] as Map<string, ListenerList>, type) as ListenerList;
      list.next = undefined;
    }
    list.size = size;
    list.resistStopPropagation = resistsStopPropagation;
  }
  state[max] = limit;
  state[warned] = wasWarned;
}

function readListener(reader: HeapReader, object: object, prototype: object, type: string): void {
  const { weak, resist, nodeStyle } = targetSymbols();
  const start = reader.offset;
  const flags = reader.byte();
  const form = reader.byte();
  if (form === ATTRIBUTE_HANDLER) {
    const handler = reader.value();
    if (type !== 'abort') throw reader.corrupt('an event with a handler', start);
    withNativePrototype(object, prototype, () => apply(setAbortHandler, object, [handler]));
    return;
  }
  let listener: unknown;
  let owner: object | undefined;
  if (form === REMOVAL) {
    const target = reader.value();
    if (!isEventTarget(target)) throw reader.corrupt('an event target', start);
    owner = target;
    const removal = { target, type: reader.stringValue(), listener: reader.value(), capture: reader.byte() !== 0 };
    listener = reader.guard(start, () => createRemoval(removal));
  } else {
    listener = reader.value();
    if (form !== PLAIN_LISTENER || (flags & WEAK) !== 0) throw reader.corrupt('the form of a listener', start);
  }
  if (typeof listener !== 'function' && (typeof listener !== 'object' || listener === null))
    throw reader.corrupt('a listener', start);
  const options = {
    once: (flags & ONCE) !== 0,
    capture: (flags & CAPTURE) !== 0,
    passive: (flags & PASSIVE) !== 0,
    [nodeStyle]: (flags & NODE_STYLE) !== 0,
    [resist]: (flags & RESIST) !== 0,
    [weak]: owner ?? false,
  };
  reader.guard(start, () =>
    withNativePrototype(object, prototype, () => apply(addListener, object, [type, listener, options])),
  );
}

export function isEventTarget(value: unknown): value is object {
  return typeof value === 'object' && value !== null && descriptorOf(value, targetSymbols().events) !== undefined;
}

export function visitListeners(object: object, edge: (label: string, value: unknown) => void): void {
  const lists = listenerListsOf(object);
  if (lists === undefined) return;
  mapForEach(lists as Map<unknown, unknown>, (list: unknown, type: unknown) => {
    let index = 0;
    for (let link = (list as ListenerList).next; link !== undefined; link = link.next) {
      const label = ` listener ${index++} of ${JSON.stringify(type)}`;
      if ((link.flags & WEAK) !== 0) continue;
      const handler = attributeHandlerOf(object, type as string, link.listener);
      edge(
        handler === undefined ? label : `.on${type as string}`,
        handler === undefined ? link.listener : handler.handler,
      );
    }
  });
}

/** Makes Node do its work for a first listener, without leaving a listener. */
export function addAndRemoveListener(object: object, prototype: object): void {
  withNativePrototype(object, prototype, () => {
    apply(addListener, object, ['abort', noListener]);
    apply(removeListener, object, ['abort', noListener]);
  });
}
