// Handles: the program's views of host objects. A handle's proxy keeps no state and forwards every operation to the
// membrane; the `Handle` has all knowledge of the host object. The proxy's target only satisfies the invariants that
// engines check after each trap, and leads the traps, which all handles of a kind share, to the `Handle`.
import { inspect, types, type InspectOptionsStylized } from 'node:util';
import { createHiddenField } from '@turntable/core';
import { HANDLE_KIND } from './encoding.ts';

/** Prefix of the path of a neutral function that the program sees as a host function (`BaseMembrane.boundProxy`). */
export const BOUND_PREFIX = '!';
/** Result of a prediction if no value can be predicted. */
export const UNPREDICTED: unique symbol = Symbol('nothing');

export class Handle {
  /** Handle number, in the order of first crossings. A static object has -1 until it crosses. */
  number: number;
  /** Path of a static object, which every process has (`static-objects.ts`). */
  readonly path: string | undefined;
  readonly kind: number;
  /** Name of the host object's class, or of the function itself. */
  readonly label: string;
  /** The host object. In a replay only static objects have one. */
  readonly hostObject: object | undefined;
  /** The program's view: a proxy or a surrogate. The view and the handle keep each other alive. */
  readonly proxy: object;
  /** Token whose collection frees the number (`handle-lifetimes.ts`); undefined if the number is never freed. */
  lifetime: object | undefined;
  /** Index of the surrogate's type; undefined if the program has a proxy. */
  readonly surrogateKind: number | undefined;
  /** The group of surrogates that finish together with this one; undefined once the host is done with them. */
  group: HandleGroup | undefined;
  /** Values that the program last saw for properties, which a replay predicts. */
  knownProperties: Map<PropertyKey, unknown> | undefined;
  knownPrototype: unknown = UNPREDICTED;
  /** Prediction generation (count of cuts) of the two fields above. Values of an older generation are stale. */
  knownGeneration: number;
  /** Generation in which the trace last described kind and label of the handle. */
  describedGeneration: number;
  /** For a static prototype: predictions for all objects that inherit from it, valid for `inheritedVersion` only. */
  inheritedPredictions: Map<PropertyKey, unknown> | undefined;
  inheritedVersion = -1;
  /** The program's subclass that the object was constructed as. Only the proxy has the subclass's private members. */
  programClass: object | undefined;
  /** For a function: whether it is code of a package. Set at its first callback with data. */
  isOfPackage: boolean | undefined;
  /** For a function: whether it writes to a buffer among its arguments. Set at its first call, like the next three. */
  isBufferWriter: boolean | undefined;
  /** For a function or class: whether it clones its arguments for another thread. */
  isCloner: boolean | undefined;
  /** For a function: whether it has the name of a mocking method, which changes its first argument. */
  isMocker: boolean | undefined;
  /** For a function: one of `RESULT_KIND`, which tells whether the host keeps the result. */
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

/** Whether a handle is that of a neutral function that the program sees as a host function. */
export const isBound = ({ path }: Handle): boolean => path?.startsWith(BOUND_PREFIX) === true;

/** Surrogates with one lifetime, such as a request and its reply. */
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

/** The operations of a program on a handle, one for each proxy trap. */
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

const { defineProperty, deleteProperty, getOwnPropertyDescriptor, ownKeys } = Reflect;
const { isExtensible, preventExtensions, setPrototypeOf } = Reflect;

/** Creates the proxies of one membrane. */
export class HandleProxies {
  readonly #make: (handle: Handle) => object;

  constructor(operations: HandleOperations) {
    // Prototype of all targets. `util.inspect` looks at a proxy's target, past all traps, and so finds this method.
    const inspectableTarget = Object.create(null, {
      [inspect.custom]: {
        value(this: object, depth: number, options: InspectOptionsStylized) {
          return operations.inspect(this, { ...options, depth });
        },
      },
    }) as object;
    /** Target of a proxy that is neither a function nor an array. */
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
    // A target that is not extensible any more has the host's prototype instead, and must still be printed by this
    // method.
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

/** @param inspectorOf returns the printing method if the receiver is a target of a handle */
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
      // A redefinition of a frozen property need not contain its other attributes, so they are read back.
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

/** Engines require that the target has each non-configurable property, and every property if it is not extensible. */
function mirrorOnTarget(target: object, key: PropertyKey, descriptor: HandleDescriptor | undefined): void {
  if (descriptor !== undefined && (descriptor.configurable === false || !isExtensible(target)))
    defineProperty(target, key, descriptor);
}

/** Removes a property that the host has deleted. A non-configurable one must stay. */
function dropFromTarget(target: object, key: PropertyKey): void {
  if (!isExtensible(target)) deleteProperty(target, key);
}

/**
 * Makes the target as closed as the host object. Engines then compare its keys, properties and prototype with what the
 * traps report. The operations performed here must not depend on the target, because a replay that starts from a
 * snapshot has a new one.
 */
function closeTarget(operations: HandleOperations, handle: Handle, target: object): void {
  for (const key of operations.keys(handle)) {
    const descriptor = operations.describe(handle, key);
    if (descriptor !== undefined) defineProperty(target, key, descriptor);
  }
  setPrototypeOf(target, operations.getPrototype(handle));
  preventExtensions(target);
}

/** The kind of a host object's handle. */
export function handleKindOf(hostObject: object): number {
  if (typeof hostObject === 'function')
    return types.isProxy(hostObject) || getOwnPropertyDescriptor(hostObject, 'prototype') !== undefined
      ? HANDLE_KIND.function
      : HANDLE_KIND.method;
  return Array.isArray(hostObject) ? HANDLE_KIND.array : HANDLE_KIND.object;
}

/** A property that targets of a kind cannot be without: `length` of an array, `prototype` of a function. */
export function fixedProperty(target: object, key: PropertyKey): PropertyDescriptor | undefined {
  const descriptor = getOwnPropertyDescriptor(target, key);
  return descriptor?.configurable === false ? descriptor : undefined;
}
