// What the program has of something outside: a Proxy that knows nothing and asks. All that it is lies in its `Handle`; its target only lends it its
// kind, since engines insist that what a trap says agrees with it, and leads the traps, which all handles of a kind share, to the handle.
import { inspect, type InspectOptionsStylized } from 'node:util';
import { createHiddenField } from '@turntable/core';
import { HANDLE_KIND } from './encoding.ts';

/** Nothing of what is known. */
export const UNPREDICTED: unique symbol = Symbol('nothing');

export class Handle {
  /** In the order in which they came; of statics from their first crossing on, until then -1. */
  number: number;
  /** Of what is there in every process. */
  readonly path: string | undefined;
  readonly kind: number;
  /** Of its class, or of a function. */
  readonly label: string;
  /** The thing itself; in a replay there is one for statics only. */
  readonly hostObject: object | undefined;
  /** What the program has of it. The two live as long as each other. */
  readonly proxy: object;
  /** Of its number (`handle-lifetimes.ts`), if that is free again some day. */
  lifetime: object | undefined;
  /** Which kind, if what the program has is a hand-made object. */
  readonly surrogateKind: number | undefined;
  /** With what it belongs together, as long as the outside is not done with it. */
  group: HandleGroup | undefined;
  /** What it was last seen to have, as the program sees it: by that a replay predicts what it is asked. */
  knownProperties: Map<PropertyKey, unknown> | undefined;
  /** Of what is known: who stands above it. */
  knownPrototype: unknown = UNPREDICTED;
  /** Of the snapshot after which that was seen. */
  knownGeneration: number;
  /** The same of the last time when the trace has said what it is. */
  describedGeneration: number;
  /** Of something that others inherit from, and is there in every process: what a replay says that they have, as long as nobody has changed anything. */
  inheritedPredictions: Map<PropertyKey, unknown> | undefined;
  inheritedVersion = -1;
  /** A class of the program's that it was made as an instance of: private members of it are on the proxy, and nowhere outside. */
  programClass: object | undefined;
  /** Of functions: whether it writes into bytes that it is given. */
  isBufferWriter: boolean | undefined;
  /** Of functions and classes: whether what they are given is cloned for another thread. */
  isCloner: boolean | undefined;
  /** Of functions: whether their name is that of one that changes what it is given. */
  isMocker: boolean | undefined;
  /** Of functions: whether what it answers is nobody else's, one of `RESULT_KIND`. */
  resultKind: number | undefined;

  constructor(
    { number, path, kind, label, hostObject, knownGeneration: generation }: HandleFields,
    proxies: HandleProxies,
    surrogate?: SurrogateObject,
  ) {
    this.number = number;
    this.path = path;
    this.kind = kind;
    this.label = label;
    this.hostObject = hostObject;
    this.knownGeneration = generation;
    this.describedGeneration = generation;
    this.surrogateKind = surrogate?.kind;
    this.proxy = surrogate === undefined ? proxies.createProxy(this) : surrogate.object;
  }
}

/** A request, its reply: what belongs together. */
export interface HandleGroup {
  readonly handles: Handle[];
  wasDone: boolean;
}

interface SurrogateObject {
  readonly kind: number;
  readonly object: object;
}

type HandleFields = Pick<Handle, 'number' | 'path' | 'kind' | 'label' | 'hostObject' | 'knownGeneration'>;

export interface HandleDescriptor {
  readonly value?: unknown;
  readonly get?: () => unknown;
  readonly set?: (value: unknown) => void;
  readonly writable?: boolean;
  readonly enumerable?: boolean;
  readonly configurable?: boolean;
}

/** What a program can do to a handle. */
export interface HandleOperations {
  get(handle: Handle, key: PropertyKey, receiver: object | undefined): unknown;
  set(handle: Handle, key: PropertyKey, value: unknown, receiver: object | undefined): boolean;
  has(handle: Handle, key: PropertyKey): boolean;
  delete(handle: Handle, key: PropertyKey): boolean;
  define(handle: Handle, key: PropertyKey, descriptor: PropertyDescriptor): boolean;
  describe(handle: Handle, key: PropertyKey): HandleDescriptor | undefined;
  keys(handle: Handle): PropertyKey[];
  getPrototype(handle: Handle): object | null;
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
export class HandleProxies {
  readonly #make: (handle: Handle) => object;

  constructor(operations: HandleOperations) {
    // What targets inherit: whoever prints one looks at the target, past all traps.
    const inspectableTarget = Object.create(null, {
      [inspect.custom]: {
        value(this: object, _depth: number, options: InspectOptionsStylized) {
          return operations.inspect(this, options);
        },
      },
    }) as object;
    /** What is no function and no array. */
    class BlankTarget {
      readonly #handle: Handle;
      constructor(handle: Handle) {
        this.#handle = handle;
      }
      static handle(this: void, target: object): Handle {
        return (target as BlankTarget).#handle;
      }
      static is(value: object): boolean {
        return #handle in value;
      }
    }
    setPrototypeOf(BlankTarget.prototype, inspectableTarget);
    const otherTargets = createHiddenField<Handle>();
    // One that is closed inherits what is outside, and is printed by this all the same.
    const inspectorOf = (receiver: object): unknown =>
      BlankTarget.is(receiver) || otherTargets.get(receiver) !== undefined
        ? Reflect.get(inspectableTarget, inspect.custom)
        : undefined;
    const blankTraps = createTraps(operations, BlankTarget.handle, inspectorOf);
    const otherTraps = createTraps(operations, (target) => otherTargets.get(target) as Handle, inspectorOf);
    this.#make = (handle) => {
      if (handle.kind === HANDLE_KIND.object) return new Proxy(new BlankTarget(handle), blankTraps);
      const target = createTarget(handle.kind);
      setPrototypeOf(target, inspectableTarget);
      otherTargets.set(target, handle);
      return new Proxy(target, otherTraps);
    };
  }

  createProxy(handle: Handle): object {
    return this.#make(handle);
  }
}

/** `apply` and `construct` count for functions only. `inspectorOf`: what prints a handle, if this is the target of one. */
function createTraps(
  operations: HandleOperations,
  handleOf: (target: object) => Handle,
  inspectorOf: (receiver: object) => unknown,
): ProxyHandler<object> {
  return {
    get(target, key, receiver) {
      const handle = handleOf(target);
      if (receiver === handle.proxy) return operations.get(handle, key, undefined);
      const inspector = key === inspect.custom ? inspectorOf(receiver as object) : undefined;
      return inspector ?? operations.get(handle, key, receiver as object);
    },
    set(target, key, value, receiver) {
      const handle = handleOf(target);
      return operations.set(handle, key, value, receiver === handle.proxy ? undefined : (receiver as object));
    },
    has(target, key) {
      const isPresent = operations.has(handleOf(target), key);
      if (!isPresent) dropFromTarget(target, key);
      return isPresent;
    },
    deleteProperty(target, key) {
      const isDeleted = operations.delete(handleOf(target), key);
      if (isDeleted) dropFromTarget(target, key);
      return isDeleted;
    },
    defineProperty(target, key, descriptor) {
      const handle = handleOf(target);
      if (!operations.define(handle, key, descriptor)) return false;
      // Of what is frozen nothing is said but that: the rest is what it was.
      if (descriptor.configurable === false) mirrorOnTarget(target, key, operations.describe(handle, key));
      return true;
    },
    getOwnPropertyDescriptor(target, key) {
      const descriptor = operations.describe(handleOf(target), key);
      if (descriptor === undefined) {
        dropFromTarget(target, key);
        return fixedProperty(target, key);
      }
      mirrorOnTarget(target, key, descriptor);
      return { ...descriptor, configurable: fixedProperty(target, key) === undefined };
    },
    ownKeys(target) {
      const keys = operations.keys(handleOf(target));
      for (const key of ownKeys(target)) {
        if (keys.includes(key)) continue;
        dropFromTarget(target, key);
        if (fixedProperty(target, key) !== undefined) keys.push(key);
      }
      return keys as string[];
    },
    getPrototypeOf: (target) => operations.getPrototype(handleOf(target)),
    setPrototypeOf: (target, prototype) => operations.setPrototype(handleOf(target), prototype),
    isExtensible(target) {
      const handle = handleOf(target);
      if (!operations.isExtensible(handle)) closeTarget(operations, handle, target);
      return isExtensible(target);
    },
    preventExtensions(target) {
      const handle = handleOf(target);
      if (!operations.preventExtensions(handle)) return false;
      closeTarget(operations, handle, target);
      return true;
    },
    apply: (target, self, args: unknown[]) => operations.apply(handleOf(target), self, args),
    construct(target, args: unknown[], newTarget) {
      const handle = handleOf(target);
      return operations.construct(handle, args, newTarget === handle.proxy ? undefined : newTarget);
    },
  };
}

function createTarget(kind: number): object {
  switch (kind) {
    case HANDLE_KIND.function:
      return function () {};
    case HANDLE_KIND.method:
      return () => {};
    default:
      return [];
  }
}

/** What can never change again has to stand in the target, too; and all that something has which can be extended no more. */
function mirrorOnTarget(target: object, key: PropertyKey, descriptor: HandleDescriptor | undefined): void {
  if (descriptor !== undefined && (descriptor.configurable === false || !isExtensible(target)))
    defineProperty(target, key, descriptor);
}

/** It is gone outside. What the target cannot be without stays. */
function dropFromTarget(target: object, key: PropertyKey): void {
  if (!isExtensible(target)) deleteProperty(target, key);
}

/**
 * Nothing can be added to it outside: engines hold against the target what they are told of it then, its properties and what it inherits. What is asked for
 * that does not depend on what the target is by now: a run that goes on from a snapshot has a new one.
 */
function closeTarget(operations: HandleOperations, handle: Handle, target: object): void {
  for (const key of operations.keys(handle)) {
    const descriptor = operations.describe(handle, key);
    if (descriptor !== undefined) defineProperty(target, key, descriptor);
  }
  setPrototypeOf(target, operations.getPrototype(handle));
  preventExtensions(target);
}

/** A property of the target that it cannot be without: `length` of an array, `prototype` of a function. */
export function fixedProperty(target: object, key: PropertyKey): PropertyDescriptor | undefined {
  const descriptor = getOwnPropertyDescriptor(target, key);
  return descriptor?.configurable === false ? descriptor : undefined;
}
