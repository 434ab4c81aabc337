// What the program has of something outside: a Proxy that knows nothing and asks. All that it is lies in its `Handle`; its target only lends it its
// kind, since engines insist that what a trap says agrees with it.
import { inspect, type InspectOptionsStylized } from 'node:util';
import { KIND } from './crossing.ts';

export interface Handle {
  /** In the order in which they came; of statics from their first crossing on, until then -1. */
  number: number;
  /** Of what is there in every process. */
  readonly path: string | undefined;
  readonly kind: number;
  /** Of its class, or of a function. */
  readonly label: string;
  /** The thing itself; in a replay there is one for statics only. */
  readonly native: object | undefined;
  /** What it was last seen to have, as the program sees it: by that a replay predicts what it is asked. */
  known: Map<PropertyKey, unknown> | undefined;
  /** Of the snapshot after which that was seen. */
  epoch: number;
}

/** Of what is known: who stands above it. */
export const ABOVE: unique symbol = Symbol('prototype');

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
  inspect(handle: Handle, options: InspectOptionsStylized): string;
}

const { defineProperty, getOwnPropertyDescriptor, ownKeys } = Reflect;

export function proxyOf(handle: Handle, asks: Asks): object {
  const { kind } = handle;
  const isFunction = kind === KIND.function || kind === KIND.method;
  const target: object = targetOf(kind);
  if (isFunction) for (const key of ['name', 'length']) Reflect.deleteProperty(target, key);
  // Whoever prints it looks at the target, past all traps.
  defineProperty(target, inspect.custom, {
    value: (_depth: number, options: InspectOptionsStylized) => asks.inspect(handle, options),
    configurable: true,
  });
  const proxy: object = new Proxy(target, {
    get: (_, key, receiver) => asks.get(handle, key, receiver === proxy ? undefined : (receiver as object)),
    set: (_, key, value, receiver) =>
      asks.set(handle, key, value, receiver === proxy ? undefined : (receiver as object)),
    has: (_, key) => asks.has(handle, key),
    deleteProperty: (_, key) => asks.delete(handle, key),
    defineProperty(_, key, descriptor) {
      if (!asks.define(handle, key, descriptor)) return false;
      // What can never change again has to stand in the target, too.
      if (descriptor.configurable === false) defineProperty(target, key, descriptor);
      return true;
    },
    getOwnPropertyDescriptor(_, key) {
      const found = asks.describe(handle, key);
      if (found === undefined) return fixedIn(target, key);
      return { ...found, configurable: fixedIn(target, key) === undefined };
    },
    ownKeys() {
      const keys = asks.keys(handle);
      for (const key of ownKeys(target)) if (fixedIn(target, key) !== undefined && !keys.includes(key)) keys.push(key);
      return keys as string[];
    },
    getPrototypeOf: () => asks.prototype(handle),
    setPrototypeOf: (_, prototype) => asks.setPrototype(handle, prototype),
    isExtensible: () => true,
    preventExtensions: () => false,
    ...(isFunction
      ? {
          apply: (_: object, self: unknown, args: unknown[]) => asks.apply(handle, self, args),
          construct: (_: object, args: unknown[], newTarget: object) =>
            asks.construct(handle, args, newTarget === proxy ? undefined : newTarget),
        }
      : {}),
  });
  return proxy;
}

function targetOf(kind: number): object {
  switch (kind) {
    case KIND.function:
      return function () {};
    case KIND.method:
      return { method() {} }.method;
    case KIND.array:
      return [];
    default:
      return Object.create(null) as object;
  }
}

/** A property of the target that it cannot be without: `length` of an array, `prototype` of a function. */
function fixedIn(target: object, key: PropertyKey): PropertyDescriptor | undefined {
  const found = getOwnPropertyDescriptor(target, key);
  return found?.configurable === false ? found : undefined;
}
