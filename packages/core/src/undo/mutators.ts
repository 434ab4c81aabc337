// Replacements of the language's mutating methods. Each notes the old state in the undo log, then calls the original.
// They are installed before the first code of the program runs, so they work however the program obtains and calls a
// method. Where no log takes notes, the cost is one read of a constant and one call that V8 inlines.

import { defineProperty, getOwnPropertyDescriptor, getPrototypeOf, isArray, isObject, ownKeys } from '../intrinsics.ts';
import type { BarrierListener } from '../statement-clock.ts';

/** Receives notes of imminent writes, from barriers in code and from the methods of this file. */
export interface WriteListener extends BarrierListener {
  /** Notes that any elements of an array, or bytes of a view, may change. */
  noteElements(object: unknown): void;
  /** Notes the end of an array, before `push` or `pop`. */
  noteArrayEnd(object: unknown, isRemoved: boolean): void;
  noteBytes(view: unknown): void;
  noteDate(date: Date): void;
  noteEntry(map: Map<unknown, unknown>, key: unknown): void;
  /** Notes an entry that is about to be deleted; without a key, all entries. */
  noteEntries(map: Map<unknown, unknown>, ...key: readonly unknown[]): void;
  noteMember(set: Set<unknown>, member: unknown): void;
  noteMembers(set: Set<unknown>, ...member: readonly unknown[]): void;
  noteWeakEntry(map: WeakMap<WeakKey, unknown>, key: WeakKey): void;
  noteWeakMember(set: WeakSet<WeakKey>, member: WeakKey): void;
  /** Notes state that is neither properties nor entries. `read` copies the state, `write` restores it. */
  noteState<O extends object, S>(object: O, read: (object: O) => S, write: (object: O, state: S) => void): void;
  /** Notes an action that cannot be undone. */
  noteObstacle(reason: string): void;
  isProxy(object: object): boolean;
}

type NoteWrite = (listener: WriteListener, receiver: never, args: ArrayLike<unknown>) => void;

/** Mutating methods of one object: their names, separated by spaces, and the function that notes a call in advance. */
export type Mutators = readonly [holder: object, methods: string, note: NoteWrite];

const noteElements: NoteWrite = (listener, receiver) => listener.noteElements(receiver);
const noteBytes: NoteWrite = (listener, receiver) => listener.noteBytes(receiver);
const noteFirstBytes: NoteWrite = (listener, _, args) => listener.noteBytes(args[0]);
const noteFirstObject: NoteWrite = (listener, _, args) => listener.noteAllProperties(args[0]);
const noteDate: NoteWrite = (listener, receiver) => {
  if (isReceiverOf(Date.prototype, receiver)) listener.noteDate(receiver);
};
const noteBufferDetached: NoteWrite = (listener) =>
  listener.noteObstacle('an ArrayBuffer has been resized or transferred');

const mapNote = (note: (listener: WriteListener, map: Map<unknown, unknown>, key: unknown) => void): NoteWrite => {
  return (listener, receiver, args) => {
    if (isReceiverOf(Map.prototype, receiver) && isBranded(mapSize, receiver)) note(listener, receiver, args[0]);
  };
};
const setNote = (note: (listener: WriteListener, set: Set<unknown>, member: unknown) => void): NoteWrite => {
  return (listener, receiver, args) => {
    if (isReceiverOf(Set.prototype, receiver) && isBranded(setSize, receiver)) note(listener, receiver, args[0]);
  };
};
const noteWeakMap: NoteWrite = (listener, receiver, args) => {
  if (isBranded(weakMapHas, receiver) && canBeHeldWeakly(args[0])) listener.noteWeakEntry(receiver, args[0] as WeakKey);
};
const noteWeakSet: NoteWrite = (listener, receiver, args) => {
  if (isBranded(weakSetHas, receiver) && canBeHeldWeakly(args[0]))
    listener.noteWeakMember(receiver, args[0] as WeakKey);
};

const typedArrayPrototype = getPrototypeOf(Uint8Array.prototype) as object;
const mapSize = getOwnPropertyDescriptor(Map.prototype, 'size')?.get as () => unknown;
const setSize = getOwnPropertyDescriptor(Set.prototype, 'size')?.get as () => unknown;
const weakMapHas = WeakMap.prototype.has as () => unknown;
const weakSetHas = WeakSet.prototype.has as () => unknown;
const { apply } = Reflect;

/** Mutating methods of the language. Methods that the engine lacks are skipped. */
const MUTATORS: readonly Mutators[] = [
  [Array.prototype, 'push', (listener, receiver) => listener.noteArrayEnd(receiver, false)],
  [Array.prototype, 'pop', (listener, receiver) => listener.noteArrayEnd(receiver, true)],
  [Array.prototype, 'shift unshift splice sort reverse fill copyWithin', noteElements],
  [typedArrayPrototype, 'set fill copyWithin reverse sort', noteBytes],
  [Uint8Array.prototype, 'setFromBase64 setFromHex', noteBytes],
  [
    DataView.prototype,
    'setInt8 setUint8 setInt16 setUint16 setInt32 setUint32 setFloat16 setFloat32 setFloat64 setBigInt64 setBigUint64',
    noteBytes,
  ],
  [Atomics, 'store add sub and or xor exchange compareExchange', noteFirstBytes],
  [ArrayBuffer.prototype, 'resize transfer transferToFixedLength', noteBufferDetached],
  [
    Map.prototype,
    'set getOrInsert getOrInsertComputed',
    mapNote((listener, receiver, key) => listener.noteEntry(receiver, key)),
  ],
  [Map.prototype, 'delete', mapNote((listener, receiver, key) => listener.noteEntries(receiver, key))],
  [Map.prototype, 'clear', mapNote((listener, receiver) => listener.noteEntries(receiver))],
  [Set.prototype, 'add', setNote((listener, receiver, member) => listener.noteMember(receiver, member))],
  [Set.prototype, 'delete', setNote((listener, receiver, member) => listener.noteMembers(receiver, member))],
  [Set.prototype, 'clear', setNote((listener, receiver) => listener.noteMembers(receiver))],
  [WeakMap.prototype, 'set delete getOrInsert getOrInsertComputed', noteWeakMap],
  [WeakSet.prototype, 'add delete', noteWeakSet],
  [
    Date.prototype,
    'setTime setMilliseconds setUTCMilliseconds setSeconds setUTCSeconds setMinutes setUTCMinutes setHours setUTCHours setDate setUTCDate setMonth setUTCMonth setFullYear setUTCFullYear setYear',
    noteDate,
  ],
  [RegExp.prototype, 'compile', (listener) => listener.noteObstacle('a regular expression has been recompiled')],
  [Object, 'freeze seal preventExtensions setPrototypeOf defineProperties', noteFirstObject],
  [Object, 'defineProperty', (listener, _, args) => noteDefinition(listener, args[0], args[1])],
  [
    Object,
    'assign',
    (listener, _, args) => {
      for (let i = 1; i < args.length; i++) noteAssigned(listener, args[0], args[i]);
    },
  ],
  [Reflect, 'deleteProperty setPrototypeOf preventExtensions', noteFirstObject],
  [Reflect, 'defineProperty', (listener, _, args) => noteDefinition(listener, args[0], args[1])],
  [
    Reflect,
    'set',
    (listener, _, args) => {
      listener.noteProperty(args[0], args[1]);
      if (args.length > 3) listener.noteProperty(args[3], args[1]);
    },
  ],
  [Object.prototype, '__defineGetter__ __defineSetter__', (listener, receiver) => listener.noteAllProperties(receiver)],
];

function noteDefinition(listener: WriteListener, object: unknown, key: unknown): void {
  if (isObject(key) || !isObject(object) || mayHaveOwn(listener, object, key)) listener.noteAllProperties(object);
  else listener.noteProperty(object, key);
}

/** Whether a definition may replace an existing property. True for a proxy, whose handler must not run. */
function mayHaveOwn(listener: WriteListener, object: object, key: unknown): boolean {
  return listener.isProxy(object) || getOwnPropertyDescriptor(object, key as PropertyKey) !== undefined;
}

function noteAssigned(listener: WriteListener, target: unknown, source: unknown): void {
  if (!isObject(source)) return;
  if (listener.isProxy(source)) return listener.noteAllProperties(target);
  const keys = ownKeys(source);
  for (let i = 0; i < keys.length; i++) listener.noteProperty(target, keys[i]);
}

function isReceiverOf(prototype: object, receiver: unknown): boolean {
  return isObject(receiver) && !isArray(receiver) && receiver !== prototype;
}

function isBranded(method: () => unknown, receiver: unknown): boolean {
  try {
    apply(method, receiver, []);
    return true;
  } catch {
    return false;
  }
}

function canBeHeldWeakly(key: unknown): boolean {
  return isObject(key) || (typeof key === 'symbol' && Symbol.keyFor(key) === undefined);
}

/** All replacements installed on this thread. */
const installedMutators = new WeakSet<object>();
const { add, has } = WeakSet.prototype as WeakSet<object>;

/** Whether a function is a replacement. Replacements must look native to the program. */
export function isMutator(fn: object): boolean {
  return apply(has, installedMutators, [fn]) as boolean;
}

/** Installs the replacements. One script defines a separate function for each, so that V8 optimises them separately. */
export function replaceMutators(
  getListener: () => WriteListener,
  runScript: (text: string) => unknown,
  hostMutators: readonly Mutators[],
): void {
  const natives: unknown[] = [];
  const notes: ((receiver: unknown, args: ArrayLike<unknown>) => void)[] = [];
  /** Index of each method's replacement. Node has some methods under two names, which share one replacement. */
  const indexes = new Map<unknown, number>();
  const replacements: [object, string, PropertyDescriptor, number][] = [];
  for (const [holder, names, note] of [...MUTATORS, ...hostMutators]) {
    for (const name of names.split(' ')) {
      const descriptor = getOwnPropertyDescriptor(holder, name);
      if (descriptor?.configurable !== true || typeof descriptor.value !== 'function') continue;
      const index = indexes.get(descriptor.value) ?? natives.length;
      replacements.push([holder, name, descriptor, index]);
      if (index < natives.length) continue;
      indexes.set(descriptor.value, index);
      natives.push(descriptor.value);
      notes.push((receiver, args) => note(getListener(), receiver as never, args));
    }
  }
  const methods = natives.map(
    (_, i) => `{ m() { if (tt$w) n${i}(this, arguments); return apply(f${i}, this, arguments); } }.m`,
  );
  const names = (letter: string): string => natives.map((_, i) => `${letter}${i}`).join(', ');
  const text = `'use strict'; (apply, natives, notes) => { const [${names('f')}] = natives; const [${names('n')}] = notes; return [${methods.map((methodText) => `(${methodText})`).join(', ')}]; }`;
  const createMethods = runScript(text) as (
    apply: unknown,
    natives: unknown,
    notes: unknown,
  ) => ((...args: never[]) => unknown)[];
  const replacementMethods = createMethods(apply, natives, notes);
  for (const [holder, name, descriptor, index] of replacements) {
    const method = replacementMethods[index] as (...args: never[]) => unknown;
    apply(add, installedMutators, [method]);
    const { length, name: nativeName } = descriptor.value as { length: number; name: string };
    defineProperty(method, 'length', { value: length, configurable: true });
    defineProperty(method, 'name', { value: nativeName, configurable: true });
    defineProperty(holder, name, { ...descriptor, value: method });
  }
}
