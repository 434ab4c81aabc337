// What the outside has of a function or an instance of the program's: a Proxy. What runs none of the program's code and brings out nothing new is
// answered at once and noted nowhere, since nothing comes of it; everything else is an act of the outside upon the program.
import { types } from 'node:util';
import { OP, type Op } from './crossing.ts';

export interface OutwardPorts {
  /** What the outside has of something already. */
  outerOf(inside: object): object | undefined;
  /** Of a handle. */
  nativeOf(proxy: object): object | undefined;
  isNeutral(value: object): boolean;
  /** A neutral method that something inside inherits, for who calls it on that. */
  methodOf(key: PropertyKey, value: unknown): unknown;
  /** `values` come in from outside. */
  act(what: Op, inside: object, key: PropertyKey | undefined, values: readonly unknown[]): unknown;
}

type Fn = (...args: unknown[]) => unknown;
const { apply, construct, defineProperty, getOwnPropertyDescriptor, getPrototypeOf, ownKeys } = Reflect;

/** What is done, by whichever run. `values` are the program's. */
export function actUpon(what: Op, inside: object, key: PropertyKey | undefined, values: readonly unknown[]): unknown {
  switch (what) {
    case OP.apply:
      return apply(inside as Fn, values[0], values.slice(1));
    case OP.construct: {
      const [newTarget, ...args] = values;
      return construct(inside as Fn, args, (newTarget ?? inside) as Fn);
    }
    case OP.get:
      return Reflect.get(inside, key as PropertyKey, values.length > 0 ? values[0] : inside);
    case OP.set:
      return Reflect.set(inside, key as PropertyKey, values[0], values.length > 1 ? values[1] : inside);
    case OP.delete:
      return Reflect.deleteProperty(inside, key as PropertyKey);
    case OP.define: {
      const [isAccessor, enumerable, first, second] = values;
      const common = { enumerable: enumerable as boolean, configurable: true };
      return defineProperty(
        inside,
        key as PropertyKey,
        isAccessor === true
          ? { ...common, get: first as () => unknown, set: second as () => void }
          : { ...common, value: first, writable: second as boolean },
      );
    }
    case OP.prototype:
      return getPrototypeOf(inside);
    case OP.setPrototype:
      return Reflect.setPrototypeOf(inside, values[0] as object | null);
    default:
      throw new TypeError(`nothing outside does operation ${what}`);
  }
}

/** Whether it is about a property. */
export function hasKey(what: number): boolean {
  return what === OP.get || what === OP.set || what === OP.delete || what === OP.define;
}

const NOT_AT_ONCE: unique symbol = Symbol('not at once');

export class Outward {
  readonly #ports: OutwardPorts;

  constructor(ports: OutwardPorts) {
    this.#ports = ports;
  }

  standIn(inside: object, kind: 'function' | 'object'): object {
    const ports = this.#ports;
    const { act } = ports;
    const target = targetFor(inside, kind);
    const heirOf = (receiver: unknown): unknown[] => (receiver === proxy ? [] : [receiver]);
    const proxy: object = new Proxy(target, {
      get: (_, key, receiver) => this.#get(inside, key, receiver, heirOf),
      set: (_, key, value, receiver) =>
        receiver === proxy
          ? (act(OP.set, inside, key, [value]) as boolean)
          : this.#setBelow(inside, key, value, receiver as object),
      has: (_, key) => this.#has(inside, key),
      deleteProperty: (_, key) => act(OP.delete, inside, key, []) as boolean,
      defineProperty: (_, key, found) =>
        act(
          OP.define,
          inside,
          key,
          'get' in found || 'set' in found
            ? [true, found.enumerable === true, found.get, found.set]
            : [false, found.enumerable === true, found.value, found.writable === true],
        ) as boolean,
      getOwnPropertyDescriptor: (_, key) => {
        const found = getOwnPropertyDescriptor(inside, key);
        const fixed = getOwnPropertyDescriptor(target, key);
        if (found === undefined) return fixed;
        const { enumerable = false, writable = true } = found;
        const value = this.#get(inside, key, proxy, heirOf);
        return {
          value,
          enumerable,
          writable: fixed?.configurable === false || writable,
          configurable: fixed?.configurable !== false,
        };
      },
      ownKeys: () => {
        const keys = ownKeys(inside);
        for (const key of ownKeys(target)) if (!keys.includes(key)) keys.push(key);
        return keys;
      },
      getPrototypeOf: () => {
        const above = getPrototypeOf(inside);
        return above === null ? null : this.#over(above, () => act(OP.prototype, inside, undefined, []) as object);
      },
      setPrototypeOf: (_, above) => act(OP.setPrototype, inside, undefined, [above]) as boolean,
      isExtensible: () => true,
      preventExtensions: () => false,
      ...(kind === 'function'
        ? {
            apply: (_: object, self: unknown, args: unknown[]) => act(OP.apply, inside, undefined, [self, ...args]),
            construct: (_: object, args: unknown[], newTarget: object) =>
              act(OP.construct, inside, undefined, [newTarget === proxy ? undefined : newTarget, ...args]) as object,
          }
        : {}),
    });
    return proxy;
  }

  /** What the outside has of it, if it has it already; otherwise somebody has to bring it out. */
  #over(value: object, bring: () => object): object {
    const { isNeutral, nativeOf, outerOf } = this.#ports;
    return nativeOf(value) ?? (isNeutral(value) ? value : (outerOf(value) ?? bring()));
  }

  #get(inside: object, key: PropertyKey, receiver: unknown, heirOf: (receiver: unknown) => unknown[]): unknown {
    const { act, isNeutral, methodOf, nativeOf } = this.#ports;
    for (let at: object | null = inside; at !== null; at = getPrototypeOf(at)) {
      const native = nativeOf(at);
      if (native !== undefined) return Reflect.get(native, key, receiver);
      if (at !== inside && isNeutral(at)) return methodOf(key, Reflect.get(at, key, receiver));
      if (types.isProxy(at)) break;
      const found = getOwnPropertyDescriptor(at, key);
      if (found === undefined) continue;
      if (!('value' in found)) break;
      const value: unknown = found.value;
      if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return value;
      const known = this.#over(value, () => NOT_AT_ONCE as unknown as object);
      if ((known as unknown) !== NOT_AT_ONCE) return known;
      break;
    }
    if (!Reflect.has(inside, key)) return undefined;
    return act(OP.get, inside, key, heirOf(receiver));
  }

  /** Something outside that inherits from it is given a property. */
  #setBelow(inside: object, key: PropertyKey, value: unknown, heir: object): boolean {
    const { act, isNeutral, nativeOf } = this.#ports;
    for (let at: object | null = inside; at !== null; at = getPrototypeOf(at)) {
      const native = nativeOf(at) ?? (isNeutral(at) ? at : undefined);
      if (native !== undefined) return Reflect.set(native, key, value, heir);
      const found = getOwnPropertyDescriptor(at, key);
      if (found === undefined) continue;
      if (!('value' in found)) return act(OP.set, inside, key, [value, heir]) as boolean;
      if (found.writable === false) return false;
      break;
    }
    const own = getOwnPropertyDescriptor(heir, key);
    if (own !== undefined && own.writable !== true) return false;
    return defineProperty(
      heir,
      key,
      own === undefined ? { value, writable: true, enumerable: true, configurable: true } : { value },
    );
  }

  #has(inside: object, key: PropertyKey): boolean {
    for (let at: object | null = inside; at !== null; at = getPrototypeOf(at)) {
      const native = this.#ports.nativeOf(at);
      if (native !== undefined) return Reflect.has(native, key);
      if (getOwnPropertyDescriptor(at, key) !== undefined) return true;
    }
    return false;
  }
}

/** Of its kind, and with nothing but what its kind cannot be without. */
function targetFor(inside: object, kind: 'function' | 'object'): object {
  if (kind === 'object') return {};
  const hasPrototype = getOwnPropertyDescriptor(inside, 'prototype') !== undefined;
  const target: object = hasPrototype ? function () {} : { method() {} }.method;
  for (const key of ['name', 'length']) Reflect.deleteProperty(target, key);
  return target;
}
