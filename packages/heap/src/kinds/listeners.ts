// The listeners of an event target: Node keeps them in a Map of linked lists. They are read there, and added again by Node's own
// method, so that sizes, order, and what Node derives from them come out as it would have made them.
// A listener that was added with a signal leaves a function of Node's in the list of that signal. What it closes over is learned by
// calling it while `removeEventListener` only notes what it is asked to do.

import { abortTargetOf } from '@turntable/core';
import { Refusal } from '../heap-error.ts';
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
import type { HeapReader } from '../reader.ts';
import type { HeapWriter } from '../writer.ts';

type Native = (this: unknown, ...args: unknown[]) => unknown;
export type State = Record<symbol, unknown>;

interface Link {
  readonly next: Link | undefined;
  readonly listener: unknown;
  readonly callback: unknown;
  readonly flags: number;
  /** Node 26. */
  readonly weakKeyRef?: WeakRef<object>;
}

interface List {
  size: number;
  next: Link | undefined;
  resistStopPropagation: boolean;
}

/** What Node's function removes when the signal is aborted. */
interface Removal {
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

/** How a listener is written: itself, the value of `onabort`, or what is to be removed. */
const PLAIN = 0;
const HANDLER = 1;
const REMOVAL = 2;

const add = EventTarget.prototype.addEventListener as unknown as Native;
const remove = EventTarget.prototype.removeEventListener as unknown as Native;
const targetPrototype: object = EventTarget.prototype;
const signalOf = getterOf<AbortSignal>(AbortController.prototype, 'signal');
const setAbortHandler = descriptorOf(AbortSignal.prototype, 'onabort')?.set as unknown as Native;
const Controller = AbortController;
const noListener = (): undefined => undefined;

function listsOf(object: object): Map<string, List> | undefined {
  return (object as State)[targetSymbols().events] as Map<string, List> | undefined;
}

export function listenerCount(object: object, type: string): number {
  const lists = listsOf(object);
  return lists === undefined ? 0 : ((mapGet(lists, type) as List | undefined)?.size ?? 0);
}

/** What an `on…` attribute was set to: Node wraps it in a function of its own. */
function handlerOf(object: object, type: string, listener: unknown): { readonly handler: unknown } | undefined {
  const handlers = (object as State)[targetSymbols().handlers] as Map<string, unknown> | undefined;
  if (handlers === undefined || typeof listener !== 'function' || mapGet(handlers, type) !== listener) return undefined;
  return listener as unknown as { handler: unknown };
}

let removalText: string | undefined;

/** The text of Node's function. */
function textOfRemoval(): string {
  if (removalText !== undefined) return removalText;
  const signal = signalOf(new Controller());
  apply(add, new EventTarget(), ['x', noListener, { signal }]);
  const list = listsOf(signal)?.get('abort') as List | undefined;
  if (list?.next === undefined) throw new TypeError('this Node does not follow the signal of a listener');
  return (removalText = sourceText(calledOf(list.next) as never));
}

/** The function behind a weak link. */
function calledOf(link: Link): unknown {
  return (link.flags & WEAK) === 0 ? link.callback : weakRefTarget(link.callback as WeakRef<object>);
}

function removalOf(link: Link, signal: object, { types }: HeapPorts): Removal {
  const called = calledOf(link) as ((...args: never[]) => unknown) | undefined;
  const target = link.weakKeyRef === undefined ? abortTargetOf(called as object) : weakRefTarget(link.weakKeyRef);
  if (called === undefined || sourceText(called) !== textOfRemoval())
    throw new Refusal(signal, "a function of Node's waits for it (util.aborted)", 'listen to it with addEventListener');
  const refusal = new Refusal(
    signal,
    'a listener that was added with it belongs to a target that removes listeners in its own way, or was added before Turntable was there',
    'remove the listener in a listener of the signal',
  );
  for (let holder: object | null = (target as object | undefined) ?? null; ; holder = prototypeOf(holder)) {
    if (holder === null || types.isProxy(holder)) throw refusal;
    if (holder === targetPrototype) break;
    if (descriptorOf(holder, 'removeEventListener') !== undefined) throw refusal;
  }
  let noted: Removal | undefined;
  const method = descriptorOf(targetPrototype, 'removeEventListener') as PropertyDescriptor;
  const { note } = {
    note(this: object, type: unknown, listener: unknown, options: { capture: boolean }): void {
      noted = { target: this, type, listener, capture: options.capture };
    },
  };
  defineProperty(targetPrototype, 'removeEventListener', { value: note, configurable: true });
  try {
    apply(called, undefined, []);
  } finally {
    defineProperty(targetPrototype, 'removeEventListener', method);
  }
  if (noted === undefined || noted.target !== target) throw refusal;
  return noted;
}

/** Node's function again: made where it leaves no trace. */
function makeRemoval({ target, type, listener, capture }: Removal): unknown {
  const { events } = targetSymbols();
  const signal = signalOf(new Controller());
  const state = target as State;
  const before = state[events];
  state[events] = undefined;
  try {
    asIf(target, targetPrototype, () => apply(add, target, [type, listener, { capture, signal }]));
  } finally {
    state[events] = before;
  }
  const link = (listsOf(signal)?.get('abort') as List | undefined)?.next;
  if (link === undefined) throw new TypeError('nothing that removes a listener');
  return calledOf(link);
}

/** While the object is of a class of Node's: nothing of the program's class is asked, and nobody is warned of many listeners. */
export function asIf<R>(object: object, prototype: object, act: () => R): R {
  const { max, warned } = targetSymbols();
  const state = object as State;
  const own = prototypeOf(object);
  const limit = state[max];
  const wasWarned = state[warned];
  setPrototypeOf(object, prototype);
  state[max] = 0;
  try {
    return act();
  } finally {
    state[max] = limit;
    state[warned] = wasWarned;
    setPrototypeOf(object, own);
  }
}

export function writeListeners(writer: HeapWriter, object: object): void {
  const { max, warned } = targetSymbols();
  writer.value((object as State)[max]);
  writer.byte((object as State)[warned] === true ? 1 : 0);
  const all = keptLists(object, writer.ports);
  writer.varint(all.length);
  for (let i = 0; i < all.length; i++) {
    const { type, list, links, left } = all[i] as KeptList;
    writer.value(type);
    writer.varint(list.size - left);
    writer.byte(list.resistStopPropagation ? 1 : 0);
    writer.varint(links.length);
    for (let j = 0; j < links.length; j++) writeLink(writer, object, type, links[j] as Link);
  }
}

interface KeptList extends TypedList {
  readonly links: readonly Link[];
  readonly left: number;
}

/** Where what waits outside is left behind, listeners are that only the host can make, or of a device that has been given a signal: `left` says how many. */
function keptLists(object: object, ports: HeapPorts): KeptList[] {
  const kept: KeptList[] = [];
  const all = sortedLists(object);
  for (let i = 0; i < all.length; i++) {
    const { type, list } = all[i] as TypedList;
    const links: Link[] = [];
    let left = 0;
    for (let link = list.next; link !== undefined; link = link.next) {
      if (isLeftBehind(link, type, object, ports)) left++;
      else links[links.length] = link;
    }
    if (left === 0 || links.length > 0) kept[kept.length] = { type, list, links, left };
  }
  return kept;
}

function isLeftBehind(link: Link, type: string, object: object, ports: HeapPorts): boolean {
  if (ports.leaves === undefined) return false;
  if ((link.flags & WEAK) !== 0) return !isRemoval(link, object, ports);
  const { listener } = link as { readonly listener: unknown };
  return (
    typeof listener === 'function' &&
    handlerOf(object, type, listener) === undefined &&
    ports.leaves(listener as () => unknown)
  );
}

function isRemoval(link: Link, object: object, ports: HeapPorts): boolean {
  try {
    removalOf(link, object, ports);
    return true;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}

interface TypedList {
  readonly type: string;
  readonly list: List;
}

/** By type, for nobody can tell in which order types came; without the empty lists that listeners for one time leave behind. */
function sortedLists(object: object): TypedList[] {
  const sorted: TypedList[] = [];
  const lists = listsOf(object);
  if (lists === undefined) return sorted;
  mapForEach(lists as Map<unknown, unknown>, (value: unknown, key: unknown) => {
    const list = value as List;
    const type = key as string;
    if (list.size === 0 && list.next === undefined) return;
    let at = sorted.length;
    while (at > 0 && (sorted[at - 1] as TypedList).type > type) {
      sorted[at] = sorted[at - 1] as TypedList;
      at--;
    }
    sorted[at] = { type, list };
  });
  return sorted;
}

function writeLink(writer: HeapWriter, object: object, type: string, link: Link): void {
  writer.byte(link.flags & (ONCE | CAPTURE | PASSIVE | NODE_STYLE | WEAK | RESIST));
  if ((link.flags & WEAK) !== 0) {
    const removal = removalOf(link, object, writer.ports);
    writer.byte(REMOVAL);
    writer.value(removal.target);
    writer.value(removal.type);
    writer.value(removal.listener);
    writer.byte(removal.capture ? 1 : 0);
    return;
  }
  const handler = handlerOf(object, type, link.listener);
  writer.byte(handler === undefined ? PLAIN : HANDLER);
  writer.value(handler === undefined ? link.listener : handler.handler);
}

/** `prototype`: the class of Node's whose target it is. */
export function fillListeners(reader: HeapReader, object: object, prototype: object): void {
  const { events, max, warned } = targetSymbols();
  const state = object as State;
  const at = reader.at;
  const limit = reader.value();
  if (typeof limit !== 'number') throw reader.corrupt('a limit of listeners', at);
  const wasWarned = reader.byte() !== 0;
  for (let types = reader.count(4, 'types of events'); types > 0; types--) {
    const type = reader.text();
    const size = reader.varint();
    const resists = reader.byte() !== 0;
    for (let links = reader.count(3, 'listeners'); links > 0; links--) readLink(reader, object, prototype, type);
    const lists = listsOf(object);
    let list = lists === undefined ? undefined : (mapGet(lists, type) as List | undefined);
    if (list === undefined) {
      asIf(object, prototype, () => apply(add, object, [type, noListener]));
      list = mapGet(state[events] as Map<string, List>, type) as List;
      list.next = undefined;
    }
    list.size = size;
    list.resistStopPropagation = resists;
  }
  state[max] = limit;
  state[warned] = wasWarned;
}

function readLink(reader: HeapReader, object: object, prototype: object, type: string): void {
  const { weak, resist, nodeStyle } = targetSymbols();
  const at = reader.at;
  const flags = reader.byte();
  const form = reader.byte();
  if (form === HANDLER) {
    const handler = reader.value();
    if (type !== 'abort') throw reader.corrupt('an event with a handler', at);
    asIf(object, prototype, () => apply(setAbortHandler, object, [handler]));
    return;
  }
  let listener: unknown;
  let owner: object | undefined;
  if (form === REMOVAL) {
    const target = reader.value();
    if (!isTarget(target)) throw reader.corrupt('an event target', at);
    owner = target;
    const removal = { target, type: reader.text(), listener: reader.value(), capture: reader.byte() !== 0 };
    listener = reader.guarded(at, () => makeRemoval(removal));
  } else {
    listener = reader.value();
    if (form !== PLAIN || (flags & WEAK) !== 0) throw reader.corrupt('the form of a listener', at);
  }
  if (typeof listener !== 'function' && (typeof listener !== 'object' || listener === null))
    throw reader.corrupt('a listener', at);
  const options = {
    once: (flags & ONCE) !== 0,
    capture: (flags & CAPTURE) !== 0,
    passive: (flags & PASSIVE) !== 0,
    [nodeStyle]: (flags & NODE_STYLE) !== 0,
    [resist]: (flags & RESIST) !== 0,
    [weak]: owner ?? false,
  };
  reader.guarded(at, () => asIf(object, prototype, () => apply(add, object, [type, listener, options])));
}

export function isTarget(value: unknown): value is object {
  return typeof value === 'object' && value !== null && descriptorOf(value, targetSymbols().events) !== undefined;
}

export function listenerEdges(object: object, edge: (label: string, value: unknown) => void): void {
  const lists = listsOf(object);
  if (lists === undefined) return;
  mapForEach(lists as Map<unknown, unknown>, (list: unknown, type: unknown) => {
    let index = 0;
    for (let link = (list as List).next; link !== undefined; link = link.next) {
      const label = ` listener ${index++} of ${JSON.stringify(type)}`;
      if ((link.flags & WEAK) !== 0) continue;
      const handler = handlerOf(object, type as string, link.listener);
      edge(
        handler === undefined ? label : `.on${type as string}`,
        handler === undefined ? link.listener : handler.handler,
      );
    }
  });
}

/** Adds nothing that stays: what Node does at the first listener has been done. */
export function touch(object: object, prototype: object): void {
  asIf(object, prototype, () => {
    apply(add, object, ['abort', noListener]);
    apply(remove, object, ['abort', noListener]);
  });
}
