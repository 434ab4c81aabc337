// The methods of the language that change what they are called on, or what they are given: while an undo log is kept, each says what was there
// before. They stand in the places of the engine's own from before the first code of the program runs, so whoever takes one of them has this one,
// whatever way he calls it by. Where no log is kept they are a look at a constant and a call that V8 takes apart.

import { defineProperty, getOwnPropertyDescriptor, getPrototypeOf, isArray, isObject, ownKeys } from '../intrinsics.ts';
import type { Barriers } from '../statement-clock.ts';

/** Who is told of what is about to be written, by barriers in code and by the methods here. */
export interface WriteListener extends Barriers {
  /** Any elements of an array, or bytes of what shows some. */
  elements(object: unknown): void;
  /** Those at the end of an array, by `push` or `pop`. */
  end(object: unknown, isRemoved: boolean): void;
  bytes(view: unknown): void;
  date(date: Date): void;
  entry(map: Map<unknown, unknown>, key: unknown): void;
  /** The entry goes; without a key, all of them. */
  entries(map: Map<unknown, unknown>, ...key: readonly unknown[]): void;
  member(set: Set<unknown>, member: unknown): void;
  members(set: Set<unknown>, ...member: readonly unknown[]): void;
  weakEntry(map: WeakMap<WeakKey, unknown>, key: WeakKey): void;
  weakMember(set: WeakSet<WeakKey>, member: WeakKey): void;
  /** State that is neither properties nor entries. */
  state<O extends object, S>(object: O, read: (object: O) => S, write: (object: O, state: S) => void): void;
  /** Something is done that cannot be undone. */
  cannot(what: string): void;
  isProxy(object: object): boolean;
}

type Note = (log: WriteListener, receiver: never, args: ArrayLike<unknown>) => void;

/** Methods of one object that change what they are called on or given, by their names; what each of them notes before it does. */
export type Mutators = readonly [holder: object, methods: string, note: Note];

const elements: Note = (log, receiver) => log.elements(receiver);
const bytes: Note = (log, receiver) => log.bytes(receiver);
const firstBytes: Note = (log, _, args) => log.bytes(args[0]);
const firstWhole: Note = (log, _, args) => log.whole(args[0]);
const date: Note = (log, receiver) => {
  if (isOf(Date.prototype, receiver)) log.date(receiver);
};
const bufferGoes: Note = (log) => log.cannot('an ArrayBuffer has been resized or given away');

const map = (note: (log: WriteListener, map: Map<unknown, unknown>, key: unknown) => void): Note => {
  return (log, receiver, args) => {
    if (isOf(Map.prototype, receiver) && isBranded(mapSize, receiver)) note(log, receiver, args[0]);
  };
};
const set = (note: (log: WriteListener, set: Set<unknown>, member: unknown) => void): Note => {
  return (log, receiver, args) => {
    if (isOf(Set.prototype, receiver) && isBranded(setSize, receiver)) note(log, receiver, args[0]);
  };
};
const weakMap: Note = (log, receiver, args) => {
  if (isBranded(weakMapHas, receiver) && canBeHeld(args[0])) log.weakEntry(receiver, args[0] as WeakKey);
};
const weakSet: Note = (log, receiver, args) => {
  if (isBranded(weakSetHas, receiver) && canBeHeld(args[0])) log.weakMember(receiver, args[0] as WeakKey);
};

const typedArrayPrototype = getPrototypeOf(Uint8Array.prototype) as object;
const mapSize = getOwnPropertyDescriptor(Map.prototype, 'size')?.get as () => unknown;
const setSize = getOwnPropertyDescriptor(Set.prototype, 'size')?.get as () => unknown;
const weakMapHas = WeakMap.prototype.has as () => unknown;
const weakSetHas = WeakSet.prototype.has as () => unknown;
const { apply } = Reflect;

/** By what they stand in: what each notes. Those that this engine does not have are left out. */
const MUTATORS: readonly Mutators[] = [
  [Array.prototype, 'push', (log, receiver) => log.end(receiver, false)],
  [Array.prototype, 'pop', (log, receiver) => log.end(receiver, true)],
  [Array.prototype, 'shift unshift splice sort reverse fill copyWithin', elements],
  [typedArrayPrototype, 'set fill copyWithin reverse sort', bytes],
  [Uint8Array.prototype, 'setFromBase64 setFromHex', bytes],
  [
    DataView.prototype,
    'setInt8 setUint8 setInt16 setUint16 setInt32 setUint32 setFloat16 setFloat32 setFloat64 setBigInt64 setBigUint64',
    bytes,
  ],
  [Atomics, 'store add sub and or xor exchange compareExchange', firstBytes],
  [ArrayBuffer.prototype, 'resize transfer transferToFixedLength', bufferGoes],
  [Map.prototype, 'set getOrInsert getOrInsertComputed', map((log, receiver, key) => log.entry(receiver, key))],
  [Map.prototype, 'delete', map((log, receiver, key) => log.entries(receiver, key))],
  [Map.prototype, 'clear', map((log, receiver) => log.entries(receiver))],
  [Set.prototype, 'add', set((log, receiver, member) => log.member(receiver, member))],
  [Set.prototype, 'delete', set((log, receiver, member) => log.members(receiver, member))],
  [Set.prototype, 'clear', set((log, receiver) => log.members(receiver))],
  [WeakMap.prototype, 'set delete getOrInsert getOrInsertComputed', weakMap],
  [WeakSet.prototype, 'add delete', weakSet],
  [
    Date.prototype,
    'setTime setMilliseconds setUTCMilliseconds setSeconds setUTCSeconds setMinutes setUTCMinutes setHours setUTCHours setDate setUTCDate setMonth setUTCMonth setFullYear setUTCFullYear setYear',
    date,
  ],
  [RegExp.prototype, 'compile', (log) => log.cannot('a regular expression has been compiled again')],
  [Object, 'freeze seal preventExtensions setPrototypeOf defineProperties', firstWhole],
  [Object, 'defineProperty', (log, _, args) => definition(log, args[0], args[1])],
  [
    Object,
    'assign',
    (log, _, args) => {
      for (let i = 1; i < args.length; i++) assigned(log, args[0], args[i]);
    },
  ],
  [Reflect, 'deleteProperty setPrototypeOf preventExtensions', firstWhole],
  [Reflect, 'defineProperty', (log, _, args) => definition(log, args[0], args[1])],
  [
    Reflect,
    'set',
    (log, _, args) => {
      log.property(args[0], args[1]);
      if (args.length > 3) log.property(args[3], args[1]);
    },
  ],
  [Object.prototype, '__defineGetter__ __defineSetter__', (log, receiver) => log.whole(receiver)],
];

function definition(log: WriteListener, object: unknown, key: unknown): void {
  if (isObject(key) || !isObject(object) || getOwnOf(log, object, key)) log.whole(object);
  else log.property(object, key);
}

/** Whether there is something to define anew; of a proxy, perhaps. */
function getOwnOf(log: WriteListener, object: object, key: unknown): boolean {
  return log.isProxy(object) || getOwnPropertyDescriptor(object, key as PropertyKey) !== undefined;
}

function assigned(log: WriteListener, target: unknown, source: unknown): void {
  if (!isObject(source)) return;
  if (log.isProxy(source)) return log.whole(target);
  const keys = ownKeys(source);
  for (let i = 0; i < keys.length; i++) log.property(target, keys[i]);
}

function isOf(prototype: object, receiver: unknown): boolean {
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

function canBeHeld(key: unknown): boolean {
  return isObject(key) || (typeof key === 'symbol' && Symbol.keyFor(key) === undefined);
}

/** What stands in the places of the engine's methods. */
const made = new WeakSet<object>();
const { add, has } = WeakSet.prototype as WeakSet<object>;

/** Whether a function is one of those, which are native code to the program. */
export function isMutator(fn: object): boolean {
  return apply(has, made, [fn]) as boolean;
}

/** Puts them into their places. The text is one script, each method a function of its own in it, so that V8 compiles each for itself. */
export function replaceMutators(
  log: () => WriteListener,
  runScript: (text: string) => unknown,
  others: readonly Mutators[],
): void {
  const natives: unknown[] = [];
  const notes: ((receiver: unknown, args: ArrayLike<unknown>) => void)[] = [];
  /** A function has one stand-in, wherever it stands: Node has some of its own by two names. */
  const known = new Map<unknown, number>();
  const places: [object, string, PropertyDescriptor, number][] = [];
  for (const [holder, names, note] of [...MUTATORS, ...others]) {
    for (const name of names.split(' ')) {
      const descriptor = getOwnPropertyDescriptor(holder, name);
      if (descriptor?.configurable !== true || typeof descriptor.value !== 'function') continue;
      const at = known.get(descriptor.value) ?? natives.length;
      places.push([holder, name, descriptor, at]);
      if (at < natives.length) continue;
      known.set(descriptor.value, at);
      natives.push(descriptor.value);
      notes.push((receiver, args) => note(log(), receiver as never, args));
    }
  }
  const methods = natives.map(
    (_, i) => `{ m() { if (tt$w) n${i}(this, arguments); return apply(f${i}, this, arguments); } }.m`,
  );
  const names = (letter: string): string => natives.map((_, i) => `${letter}${i}`).join(', ');
  const text = `'use strict'; (apply, natives, notes) => { const [${names('f')}] = natives; const [${names('n')}] = notes; return [${methods.map((each) => `(${each})`).join(', ')}]; }`;
  const make = runScript(text) as (
    apply: unknown,
    natives: unknown,
    notes: unknown,
  ) => ((...args: never[]) => unknown)[];
  const methodsMade = make(apply, natives, notes);
  for (const [holder, name, descriptor, at] of places) {
    const method = methodsMade[at] as (...args: never[]) => unknown;
    apply(add, made, [method]);
    const { length, name: own } = descriptor.value as { length: number; name: string };
    defineProperty(method, 'length', { value: length, configurable: true });
    defineProperty(method, 'name', { value: own, configurable: true });
    defineProperty(holder, name, { ...descriptor, value: method });
  }
}
