// What the program has of something outside: a Proxy that knows nothing and asks. All that it is lies in its `Handle`; its target only lends it its
// kind, since engines insist that what a trap says agrees with it, and leads the traps, which all handles of a kind share, to the handle.
import { inspect, type InspectOptionsStylized } from 'node:util';
import { KIND } from './crossing.ts';
import type { Group } from './hand-made.ts';
import { createMarks } from './marks.ts';

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
  /** Of its number (`lives.ts`), if that is free again some day. */
  life: object | undefined;
  /** Which kind, if what the program has is a hand-made object. */
  readonly handMade: number | undefined;
  /** With what it belongs together, as long as the outside is not done with it. */
  group: Group | undefined;
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
  apply(handle: Handle, self: unknown, args: readonly unknown[]): unknown;
  construct(handle: Handle, args: readonly unknown[], newTarget: object | undefined): object;
  inspect(proxy: object, options: InspectOptionsStylized): string;
}

const { defineProperty, getOwnPropertyDescriptor, ownKeys, setPrototypeOf } = Reflect;

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
    }
    setPrototypeOf(Blank.prototype, printed);
    const others = createMarks<Handle>();
    const ofBlanks = trapsOf(asks, Blank.handle);
    const ofOthers = trapsOf(asks, (target) => others.of(target) as Handle);
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

/** `apply` and `construct` count for functions only. */
function trapsOf(asks: Asks, handleOf: (target: object) => Handle): ProxyHandler<object> {
  return {
    get(target, key, receiver) {
      const handle = handleOf(target);
      return asks.get(handle, key, receiver === handle.proxy ? undefined : (receiver as object));
    },
    set(target, key, value, receiver) {
      const handle = handleOf(target);
      return asks.set(handle, key, value, receiver === handle.proxy ? undefined : (receiver as object));
    },
    has: (target, key) => asks.has(handleOf(target), key),
    deleteProperty: (target, key) => asks.delete(handleOf(target), key),
    defineProperty(target, key, descriptor) {
      if (!asks.define(handleOf(target), key, descriptor)) return false;
      // What can never change again has to stand in the target, too.
      if (descriptor.configurable === false) defineProperty(target, key, descriptor);
      return true;
    },
    getOwnPropertyDescriptor(target, key) {
      const found = asks.describe(handleOf(target), key);
      if (found === undefined) return fixedIn(target, key);
      return { ...found, configurable: fixedIn(target, key) === undefined };
    },
    ownKeys(target) {
      const keys = asks.keys(handleOf(target));
      for (const key of ownKeys(target)) if (fixedIn(target, key) !== undefined && !keys.includes(key)) keys.push(key);
      return keys as string[];
    },
    getPrototypeOf: (target) => asks.prototype(handleOf(target)),
    setPrototypeOf: (target, prototype) => asks.setPrototype(handleOf(target), prototype),
    isExtensible: () => true,
    preventExtensions: () => false,
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

/** A property of the target that it cannot be without: `length` of an array, `prototype` of a function. */
function fixedIn(target: object, key: PropertyKey): PropertyDescriptor | undefined {
  const found = getOwnPropertyDescriptor(target, key);
  return found?.configurable === false ? found : undefined;
}
