// The host's proxies of functions and instances of the program. Operations that neither run program code nor export a
// new object are answered directly and leave no event. All others are host callbacks.
import { types } from 'node:util';
import { createHiddenField } from '@turntable/core';
import { OP, type Op, type OpKey } from './encoding.ts';
import { fixedProperty } from './handle.ts';

export interface ExportProxiesDeps {
  /** The view that the host already has of an object. */
  hostViewOf(programObject: object): object | undefined;
  /** The host object of a handle. */
  hostObjectOf(proxy: object): object | undefined;
  isNeutral(value: object): boolean;
  /** Returns the form in which the host gets a neutral method that a program object inherits. */
  hostMethodOf(key: PropertyKey, value: unknown): unknown;
  /** @param values arguments, as host values */
  hostCallback(op: Op, programObject: object, key: OpKey, values: readonly unknown[]): unknown;
}

type AnyFunction = (...args: unknown[]) => unknown;
const { apply, construct, defineProperty, getOwnPropertyDescriptor, getPrototypeOf, ownKeys } = Reflect;

/** Performs an operation of the host, recorded or replayed. @param values arguments, as the program sees them */
export function performCallback(op: Op, programObject: object, key: OpKey, values: readonly unknown[]): unknown {
  switch (op) {
    case OP.apply:
      return apply(programObject as AnyFunction, values[0], values.slice(1));
    case OP.construct: {
      const [newTarget, ...args] = values;
      return construct(programObject as AnyFunction, args, (newTarget ?? programObject) as AnyFunction);
    }
    case OP.get:
      return Reflect.get(programObject, key as PropertyKey, values.length > 0 ? values[0] : programObject);
    case OP.set:
      return Reflect.set(programObject, key as PropertyKey, values[0], values.length > 1 ? values[1] : programObject);
    case OP.delete:
      return Reflect.deleteProperty(programObject, key as PropertyKey);
    case OP.define: {
      const [isAccessor, enumerable, valueOrGetter, writableOrSetter] = values;
      const common = { enumerable: enumerable as boolean, configurable: true };
      return defineProperty(
        programObject,
        key as PropertyKey,
        isAccessor === true
          ? { ...common, get: valueOrGetter as () => unknown, set: writableOrSetter as () => void }
          : { ...common, value: valueOrGetter, writable: writableOrSetter as boolean },
      );
    }
    case OP.prototype:
      return getPrototypeOf(programObject);
    case OP.setPrototype:
      return Reflect.setPrototypeOf(programObject, values[0] as object | null);
    default:
      throw new TypeError(`not a host callback: operation ${op}`);
  }
}

export function hasKey(op: number): boolean {
  return op === OP.get || op === OP.set || op === OP.delete || op === OP.define;
}

const NEEDS_CALLBACK: unique symbol = Symbol('not at once');

/** Data that the traps find by a proxy's target. */
interface ProxyTarget {
  readonly programObject: object;
  proxy: object | undefined;
}

export class ExportProxies {
  readonly #deps: ExportProxiesDeps;
  readonly #targets = createHiddenField<ProxyTarget>();
  readonly #traps: ProxyHandler<object>;

  constructor(deps: ExportProxiesDeps) {
    this.#deps = deps;
    this.#traps = this.#createTraps();
  }

  createProxy(programObject: object, kind: 'function' | 'object'): object {
    const target = createTarget(programObject, kind);
    const proxyTarget: ProxyTarget = { programObject, proxy: undefined };
    this.#targets.set(target, proxyTarget);
    return (proxyTarget.proxy = new Proxy(target, this.#traps));
  }

  /** Traps of all proxies. `apply` and `construct` take effect for function targets only. */
  #createTraps(): ProxyHandler<object> {
    const { hostCallback } = this.#deps;
    const targetOf = (target: object): ProxyTarget => this.#targets.get(target) as ProxyTarget;
    return {
      get: (target, key, receiver) => this.#get(targetOf(target), key, receiver),
      set: (target, key, value, receiver) => {
        const { programObject, proxy } = targetOf(target);
        return receiver === proxy
          ? (hostCallback(OP.set, programObject, key, [value]) as boolean)
          : this.#setInherited(programObject, key, value, receiver as object);
      },
      has: (target, key) => this.#has(targetOf(target).programObject, key),
      deleteProperty: (target, key) => hostCallback(OP.delete, targetOf(target).programObject, key, []) as boolean,
      defineProperty: (target, key, descriptor) =>
        hostCallback(
          OP.define,
          targetOf(target).programObject,
          key,
          'get' in descriptor || 'set' in descriptor
            ? [true, descriptor.enumerable === true, descriptor.get, descriptor.set]
            : [false, descriptor.enumerable === true, descriptor.value, descriptor.writable === true],
        ) as boolean,
      getOwnPropertyDescriptor: (target, key) => {
        const proxyTarget = targetOf(target);
        const descriptor = getOwnPropertyDescriptor(proxyTarget.programObject, key);
        const fixedDescriptor = fixedProperty(target, key);
        if (descriptor === undefined) return fixedDescriptor;
        const { enumerable = false, writable = true } = descriptor;
        const value = this.#get(proxyTarget, key, proxyTarget.proxy);
        const isFixed = fixedDescriptor !== undefined;
        return { value, enumerable, writable: isFixed || writable, configurable: !isFixed };
      },
      ownKeys(target) {
        const keys = ownKeys(targetOf(target).programObject);
        for (const key of ownKeys(target))
          if (fixedProperty(target, key) !== undefined && !keys.includes(key)) keys.push(key);
        return keys;
      },
      getPrototypeOf: (target) => {
        const { programObject } = targetOf(target);
        const prototype = getPrototypeOf(programObject);
        return prototype === null
          ? null
          : this.#viewOrExport(prototype, () => hostCallback(OP.prototype, programObject, undefined, []) as object);
      },
      setPrototypeOf: (target, prototype) =>
        hostCallback(OP.setPrototype, targetOf(target).programObject, undefined, [prototype]) as boolean,
      isExtensible: () => true,
      preventExtensions: () => false,
      apply: (target, self, args: unknown[]) =>
        hostCallback(OP.apply, targetOf(target).programObject, undefined, [self, ...args]),
      construct(target, args: unknown[], newTarget) {
        const { programObject, proxy } = targetOf(target);
        const newTargetView = newTarget === proxy ? undefined : newTarget;
        return hostCallback(OP.construct, programObject, undefined, [newTargetView, ...args]) as object;
      },
    };
  }

  /** Returns the host's view of a value. Calls `exportIt` for it if the host has no view yet. */
  #viewOrExport(value: object, exportIt: () => object): object {
    const { isNeutral, hostObjectOf, hostViewOf } = this.#deps;
    return hostObjectOf(value) ?? (isNeutral(value) ? value : (hostViewOf(value) ?? exportIt()));
  }

  #get({ programObject, proxy }: ProxyTarget, key: PropertyKey, receiver: unknown): unknown {
    const { hostCallback, isNeutral, hostMethodOf, hostObjectOf } = this.#deps;
    for (let holder: object | null = programObject; holder !== null; holder = getPrototypeOf(holder)) {
      const hostObject = hostObjectOf(holder);
      if (hostObject !== undefined) return Reflect.get(hostObject, key, receiver);
      if (holder !== programObject && isNeutral(holder)) return hostMethodOf(key, Reflect.get(holder, key, receiver));
      if (types.isProxy(holder)) break;
      const descriptor = getOwnPropertyDescriptor(holder, key);
      if (descriptor === undefined) continue;
      if (!('value' in descriptor)) break;
      const value: unknown = descriptor.value;
      if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return value;
      const view = this.#viewOrExport(value, () => NEEDS_CALLBACK as unknown as object);
      if ((view as unknown) !== NEEDS_CALLBACK) return view;
      break;
    }
    if (!Reflect.has(programObject, key)) return undefined;
    return hostCallback(OP.get, programObject, key, receiver === proxy ? [] : [receiver]);
  }

  /** Sets a property on a host object that inherits from the program object. */
  #setInherited(programObject: object, key: PropertyKey, value: unknown, receiver: object): boolean {
    const { hostCallback, isNeutral, hostObjectOf } = this.#deps;
    for (let holder: object | null = programObject; holder !== null; holder = getPrototypeOf(holder)) {
      const hostObject = hostObjectOf(holder) ?? (isNeutral(holder) ? holder : undefined);
      if (hostObject !== undefined) return Reflect.set(hostObject, key, value, receiver);
      const descriptor = getOwnPropertyDescriptor(holder, key);
      if (descriptor === undefined) continue;
      if (!('value' in descriptor)) return hostCallback(OP.set, programObject, key, [value, receiver]) as boolean;
      if (descriptor.writable === false) return false;
      break;
    }
    const ownDescriptor = getOwnPropertyDescriptor(receiver, key);
    if (ownDescriptor !== undefined && ownDescriptor.writable !== true) return false;
    return defineProperty(
      receiver,
      key,
      ownDescriptor === undefined ? { value, writable: true, enumerable: true, configurable: true } : { value },
    );
  }

  #has(programObject: object, key: PropertyKey): boolean {
    for (let holder: object | null = programObject; holder !== null; holder = getPrototypeOf(holder)) {
      const hostObject = this.#deps.hostObjectOf(holder);
      if (hostObject !== undefined) return Reflect.has(hostObject, key);
      if (getOwnPropertyDescriptor(holder, key) !== undefined) return true;
    }
    return false;
  }
}

function createTarget(programObject: object, kind: 'function' | 'object'): object {
  if (kind === 'object') return {};
  const hasPrototype = getOwnPropertyDescriptor(programObject, 'prototype') !== undefined;
  return hasPrototype ? function () {} : () => {};
}
