// What the program has of something outside: a Proxy that knows nothing and asks. All that it is lies in its `Handle`; its target only lends it its
// kind, since engines insist that what a trap says agrees with it, and leads the traps, which all handles of a kind share, to the handle.
import { inspect, type InspectOptionsStylized } from 'node:util';
import { createMarks } from '@turntable/core';
import { KIND } from './crossing.ts';

/** Nothing of what is known. */
export const NOTHING: unique symbol = Symbol('nothing');

export class Handle {
  /** In the order in which they came; of statics from their first crossing on, until then -1. */
  number: number;
  /** Of what is there in every process. */
  readonly path: string | undefined;
  readonly kind: number;
  /** Of its class, or of a function. */
  readonly label: string;
  /** The thing itself; in a replay there is one for statics only. */
  readonly native: object | undefined;
  /** What the program has of it. The two live as long as each other. */
  readonly proxy: object;
  /** Of its number (`handle-lifetimes.ts`), if that is free again some day. */
  life: object | undefined;
  /** Which kind, if what the program has is a hand-made object. */
  readonly handMade: number | undefined;
  /** With what it belongs together, as long as the outside is not done with it. */
  group: HandleGroup | undefined;
  /** What it was last seen to have, as the program sees it: by that a replay predicts what it is asked. */
  known: Map<PropertyKey, unknown> | undefined;
  /** Of what is known: who stands above it. */
  above: unknown = NOTHING;
  /** Of the snapshot after which that was seen. */
  epoch: number;
  /** The same of the last time when the trace has said what it is. */
  told: number;
  /** Of something that others inherit from, and is there in every process: what a replay says that they have, as long as nobody has changed anything. */
  inherited: Map<PropertyKey, unknown> | undefined;
  inheritedAt = -1;
  /** A class of the program's that it was made as an instance of: private members of it are on the proxy, and nowhere outside. */
  madeAs: object | undefined;
  /** Of functions: whether it writes into bytes that it is given. */
  isWriter: boolean | undefined;
  /** Of functions and classes: whether what they are given is cloned for another thread. */
  isCloner: boolean | undefined;
  /** Of functions: whether their name is that of one that changes what it is given. */
  isMocker: boolean | undefined;
  /** Of functions: whether what it answers is nobody else's, one of `GIVES`. */
  gives: number | undefined;

  constructor({ number, path, kind, label, native, epoch }: HandleParts, proxies: Proxies, made?: MadeByHand) {
    this.number = number;
    this.path = path;
    this.kind = kind;
    this.label = label;
    this.native = native;
    this.epoch = epoch;
    this.told = epoch;
    this.handMade = made?.kind;
    this.proxy = made === undefined ? proxies.proxyOf(this) : made.object;
  }
}

/** A request, its reply: what belongs together. */
export interface HandleGroup {
  readonly handles: Handle[];
  wasOver: boolean;
}

interface MadeByHand {
  readonly kind: number;
  readonly object: object;
}

type HandleParts = Pick<Handle, 'number' | 'path' | 'kind' | 'label' | 'native' | 'epoch'>;

export interface Descriptor {
  readonly value?: unknown;
  readonly get?: () => unknown;
  readonly set?: (value: unknown) => void;
  readonly writable?: boolean;
  readonly enumerable?: boolean;
  readonly configurable?: boolean;
}

/** What a program can do to a handle. */
export interface Asks {
  get(handle: Handle, key: PropertyKey, heir: object | undefined): unknown;
  set(handle: Handle, key: PropertyKey, value: unknown, heir: object | undefined): boolean;
  has(handle: Handle, key: PropertyKey): boolean;
  delete(handle: Handle, key: PropertyKey): boolean;
  define(handle: Handle, key: PropertyKey, descriptor: PropertyDescriptor): boolean;
  describe(handle: Handle, key: PropertyKey): Descriptor | undefined;
  keys(handle: Handle): PropertyKey[];
  prototype(handle: Handle): object | null;
  setPrototype(handle: Handle, prototype: object | null): boolean;
  isExtensible(handle: Handle): boolean;
  preventExtensions(handle: Handle): boolean;
  apply(handle: Handle, self: unknown, args: readonly unknown[]): unknown;
  construct(handle: Handle, args: readonly unknown[], newTarget: object | undefined): object;
  inspect(proxy: object, options: InspectOptionsStylized): string;
}

const {
  defineProperty,
  deleteProperty,
  getOwnPropertyDescriptor,
  isExtensible,
  ownKeys,
  preventExtensions,
  setPrototypeOf,
} = Reflect;

/** Makes the proxies of one membrane. */
export class Proxies {
  readonly #make: (handle: Handle) => object;

  constructor(asks: Asks) {
    // What targets inherit: whoever prints one looks at the target, past all traps.
    const printed = Object.create(null, {
      [inspect.custom]: {
        value(this: object, _depth: number, options: InspectOptionsStylized) {
          return asks.inspect(this, options);
        },
      },
    }) as object;
    /** What is no function and no array. */
    class Blank {
      readonly #handle: Handle;
      constructor(handle: Handle) {
        this.#handle = handle;
      }
      static handle(this: void, target: object): Handle {
        return (target as Blank).#handle;
      }
      static is(value: object): boolean {
        return #handle in value;
      }
    }
    setPrototypeOf(Blank.prototype, printed);
    const others = createMarks<Handle>();
    // One that is closed inherits what is outside, and is printed by this all the same.
    const shown = (receiver: object): unknown =>
      Blank.is(receiver) || others.of(receiver) !== undefined ? Reflect.get(printed, inspect.custom) : undefined;
    const ofBlanks = trapsOf(asks, Blank.handle, shown);
    const ofOthers = trapsOf(asks, (target) => others.of(target) as Handle, shown);
    this.#make = (handle) => {
      if (handle.kind === KIND.object) return new Proxy(new Blank(handle), ofBlanks);
      const target = targetOf(handle.kind);
      setPrototypeOf(target, printed);
      others.put(target, handle);
      return new Proxy(target, ofOthers);
    };
  }

  proxyOf(handle: Handle): object {
    return this.#make(handle);
  }
}

/** `apply` and `construct` count for functions only. `shown`: what prints a handle, if this is the target of one. */
function trapsOf(
  asks: Asks,
  handleOf: (target: object) => Handle,
  shown: (receiver: object) => unknown,
): ProxyHandler<object> {
  return {
    get(target, key, receiver) {
      const handle = handleOf(target);
      if (receiver === handle.proxy) return asks.get(handle, key, undefined);
      const own = key === inspect.custom ? shown(receiver as object) : undefined;
      return own ?? asks.get(handle, key, receiver as object);
    },
    set(target, key, value, receiver) {
      const handle = handleOf(target);
      return asks.set(handle, key, value, receiver === handle.proxy ? undefined : (receiver as object));
    },
    has(target, key) {
      const isThere = asks.has(handleOf(target), key);
      if (!isThere) forgo(target, key);
      return isThere;
    },
    deleteProperty(target, key) {
      const isDeleted = asks.delete(handleOf(target), key);
      if (isDeleted) forgo(target, key);
      return isDeleted;
    },
    defineProperty(target, key, descriptor) {
      const handle = handleOf(target);
      if (!asks.define(handle, key, descriptor)) return false;
      // Of what is frozen nothing is said but that: the rest is what it was.
      if (descriptor.configurable === false) stand(target, key, asks.describe(handle, key));
      return true;
    },
    getOwnPropertyDescriptor(target, key) {
      const found = asks.describe(handleOf(target), key);
      if (found === undefined) {
        forgo(target, key);
        return fixedIn(target, key);
      }
      stand(target, key, found);
      return { ...found, configurable: fixedIn(target, key) === undefined };
    },
    ownKeys(target) {
      const keys = asks.keys(handleOf(target));
      for (const key of ownKeys(target)) {
        if (keys.includes(key)) continue;
        forgo(target, key);
        if (fixedIn(target, key) !== undefined) keys.push(key);
      }
      return keys as string[];
    },
    getPrototypeOf: (target) => asks.prototype(handleOf(target)),
    setPrototypeOf: (target, prototype) => asks.setPrototype(handleOf(target), prototype),
    isExtensible(target) {
      const handle = handleOf(target);
      if (!asks.isExtensible(handle)) close(asks, handle, target);
      return isExtensible(target);
    },
    preventExtensions(target) {
      const handle = handleOf(target);
      if (!asks.preventExtensions(handle)) return false;
      close(asks, handle, target);
      return true;
    },
    apply: (target, self, args: unknown[]) => asks.apply(handleOf(target), self, args),
    construct(target, args: unknown[], newTarget) {
      const handle = handleOf(target);
      return asks.construct(handle, args, newTarget === handle.proxy ? undefined : newTarget);
    },
  };
}

function targetOf(kind: number): object {
  switch (kind) {
    case KIND.function:
      return function () {};
    case KIND.method:
      return () => {};
    default:
      return [];
  }
}

/** What can never change again has to stand in the target, too; and all that something has which can be extended no more. */
function stand(target: object, key: PropertyKey, found: Descriptor | undefined): void {
  if (found !== undefined && (found.configurable === false || !isExtensible(target)))
    defineProperty(target, key, found);
}

/** It is gone outside. What the target cannot be without stays. */
function forgo(target: object, key: PropertyKey): void {
  if (!isExtensible(target)) deleteProperty(target, key);
}

/**
 * Nothing can be added to it outside: engines hold against the target what they are told of it then, its properties and what it inherits. What is asked for
 * that does not depend on what the target is by now: a run that goes on from a snapshot has a new one.
 */
function close(asks: Asks, handle: Handle, target: object): void {
  for (const key of asks.keys(handle)) {
    const found = asks.describe(handle, key);
    if (found !== undefined) defineProperty(target, key, found);
  }
  setPrototypeOf(target, asks.prototype(handle));
  preventExtensions(target);
}

/** A property of the target that it cannot be without: `length` of an array, `prototype` of a function. */
export function fixedIn(target: object, key: PropertyKey): PropertyDescriptor | undefined {
  const found = getOwnPropertyDescriptor(target, key);
  return found?.configurable === false ? found : undefined;
}
