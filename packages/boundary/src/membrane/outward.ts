// What the outside has of a function or an instance of the program's: a Proxy. What runs none of the program's code and brings out nothing new is
// answered at once and noted nowhere, since nothing comes of it; everything else is an act of the outside upon the program.
import { types } from 'node:util';
import { createMarks } from '@turntable/core';
import { OP, type Op } from './crossing.ts';
import { fixedIn } from './handle.ts';

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

export function hasKey(what: number): boolean {
  return what === OP.get || what === OP.set || what === OP.delete || what === OP.define;
}

const NOT_AT_ONCE: unique symbol = Symbol('not at once');

/** What a target leads its traps to. */
interface StoodFor {
  readonly inside: object;
  proxy: object | undefined;
}

export class Outward {
  readonly #ports: OutwardPorts;
  readonly #targets = createMarks<StoodFor>();
  readonly #traps: ProxyHandler<object>;

  constructor(ports: OutwardPorts) {
    this.#ports = ports;
    this.#traps = this.#shared();
  }

  standIn(inside: object, kind: 'function' | 'object'): object {
    const target = targetFor(inside, kind);
    const stoodFor: StoodFor = { inside, proxy: undefined };
    this.#targets.put(target, stoodFor);
    return (stoodFor.proxy = new Proxy(target, this.#traps));
  }

  /** Of all stand-ins; `apply` and `construct` count for functions only. */
  #shared(): ProxyHandler<object> {
    const { act } = this.#ports;
    const of = (target: object): StoodFor => this.#targets.of(target) as StoodFor;
    return {
      get: (target, key, receiver) => this.#get(of(target), key, receiver),
      set: (target, key, value, receiver) => {
        const { inside, proxy } = of(target);
        return receiver === proxy
          ? (act(OP.set, inside, key, [value]) as boolean)
          : this.#setBelow(inside, key, value, receiver as object);
      },
      has: (target, key) => this.#has(of(target).inside, key),
      deleteProperty: (target, key) => act(OP.delete, of(target).inside, key, []) as boolean,
      defineProperty: (target, key, found) =>
        act(
          OP.define,
          of(target).inside,
          key,
          'get' in found || 'set' in found
            ? [true, found.enumerable === true, found.get, found.set]
            : [false, found.enumerable === true, found.value, found.writable === true],
        ) as boolean,
      getOwnPropertyDescriptor: (target, key) => {
        const stoodFor = of(target);
        const found = getOwnPropertyDescriptor(stoodFor.inside, key);
        const fixed = fixedIn(target, key);
        if (found === undefined) return fixed;
        const { enumerable = false, writable = true } = found;
        const value = this.#get(stoodFor, key, stoodFor.proxy);
        return { value, enumerable, writable: fixed !== undefined || writable, configurable: fixed === undefined };
      },
      ownKeys(target) {
        const keys = ownKeys(of(target).inside);
        for (const key of ownKeys(target))
          if (fixedIn(target, key) !== undefined && !keys.includes(key)) keys.push(key);
        return keys;
      },
      getPrototypeOf: (target) => {
        const { inside } = of(target);
        const above = getPrototypeOf(inside);
        return above === null ? null : this.#over(above, () => act(OP.prototype, inside, undefined, []) as object);
      },
      setPrototypeOf: (target, above) => act(OP.setPrototype, of(target).inside, undefined, [above]) as boolean,
      isExtensible: () => true,
      preventExtensions: () => false,
      apply: (target, self, args: unknown[]) => act(OP.apply, of(target).inside, undefined, [self, ...args]),
      construct(target, args: unknown[], newTarget) {
        const { inside, proxy } = of(target);
        const made = newTarget === proxy ? undefined : newTarget;
        return act(OP.construct, inside, undefined, [made, ...args]) as object;
      },
    };
  }

  /** What the outside has of it, if it has it already; otherwise somebody has to bring it out. */
  #over(value: object, bring: () => object): object {
    const { isNeutral, nativeOf, outerOf } = this.#ports;
    return nativeOf(value) ?? (isNeutral(value) ? value : (outerOf(value) ?? bring()));
  }

  #get({ inside, proxy }: StoodFor, key: PropertyKey, receiver: unknown): unknown {
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
    return act(OP.get, inside, key, receiver === proxy ? [] : [receiver]);
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

function targetFor(inside: object, kind: 'function' | 'object'): object {
  if (kind === 'object') return {};
  const hasPrototype = getOwnPropertyDescriptor(inside, 'prototype') !== undefined;
  return hasPrototype ? function () {} : () => {};
}
