// `globalThis` of transformed code: the names that core replaces are read and written in its ambient table, everything else is the
// thread's own global object.
import { isHidden } from '@turntable/loader';
import { isWebName } from './membrane/web-globals.ts';
import { exchange } from './timers/functions.ts';
import type { LazyGlobals } from './realm/lazy-globals.ts';

interface Accessor {
  get(this: void): unknown;
  set(this: void, value: unknown): void;
}

/** `isTaped`: some of Node's objects are behind a membrane. */
export function createGlobalView(ambient: Record<string, unknown>, lazy: LazyGlobals, isTaped = false): object {
  const target = globalThis as unknown as Record<string | symbol, unknown>;
  const replaced = (key: string | symbol): boolean => typeof key === 'string' && Object.hasOwn(ambient, key);
  /** The table leads to the thread's own global object, with something else in the place of Node's. */
  const isShared = (key: string): boolean => Reflect.getOwnPropertyDescriptor(ambient, key)?.set !== undefined;
  /** Of names that are accessors natively. */
  const accessors = new Map<string, Accessor>();
  const accessorOf = (key: string): Accessor => {
    const known = accessors.get(key);
    if (known !== undefined) return known;
    const { get, set } = { get: () => ambient[key], set: (value: unknown) => void (ambient[key] = value) };
    accessors.set(key, { get, set });
    return { get, set };
  };
  const view: object = new Proxy(target, {
    get(_, key) {
      if (replaced(key)) return ambient[key as string];
      const value = target[key];
      return value === target ? view : value;
    },
    set(_, key, value) {
      if (replaced(key)) return Reflect.set(ambient, key, value);
      lazy.noteWritten(key);
      return Reflect.set(target, key, value);
    },
    has(_, key) {
      return (replaced(key) && !isWebName(key)) || (key in target && !isHidden(key));
    },
    deleteProperty(_, key) {
      if (replaced(key)) Reflect.deleteProperty(ambient, key);
      return Reflect.deleteProperty(target, key);
    },
    defineProperty(_, key, descriptor) {
      if (!replaced(key)) {
        lazy.noteWritten(key);
        return Reflect.defineProperty(target, key, descriptor);
      }
      if (isWebName(key)) {
        lazy.noteWritten(key);
        if (!('value' in descriptor) || !isTaped) return Reflect.defineProperty(target, key, descriptor);
        return Reflect.set(ambient, key, descriptor.value) && describeAs(target, key, descriptor);
      }
      if (isShared(key as string)) {
        const shared =
          'value' in descriptor ? { ...descriptor, value: exchange.toNative(descriptor.value) } : descriptor;
        return Reflect.defineProperty(target, key, shared);
      }
      return Reflect.defineProperty(ambient, key, { ...descriptor, configurable: true });
    },
    getOwnPropertyDescriptor(_, key) {
      const descriptor = Reflect.getOwnPropertyDescriptor(target, key);
      if (isHidden(key)) return undefined;
      if (descriptor === undefined && isWebName(key)) return undefined;
      if (replaced(key)) {
        const own = Reflect.getOwnPropertyDescriptor(ambient, key);
        if (own === undefined) return descriptor;
        if (own.get !== undefined && descriptor !== undefined)
          return 'value' in descriptor ? { ...descriptor, value: ambient[key as string] } : descriptor;
        return descriptor?.get !== undefined && 'value' in own
          ? { ...descriptor, ...accessorOf(key as string) }
          : { ...own, enumerable: descriptor?.enumerable ?? true, configurable: true };
      }
      if (descriptor !== undefined && descriptor.value === target) return { ...descriptor, value: view };
      return descriptor;
    },
    ownKeys() {
      return Reflect.ownKeys(target).filter((key) => !isHidden(key));
    },
  });
  return view;
}

/** What somebody has put there is there; how it is to be is said of it as well. */
function describeAs(
  target: object,
  key: PropertyKey,
  { enumerable, configurable, writable }: PropertyDescriptor,
): boolean {
  const isValue = Reflect.getOwnPropertyDescriptor(target, key)?.get === undefined;
  return Reflect.defineProperty(target, key, {
    ...(enumerable === undefined ? {} : { enumerable }),
    ...(configurable === undefined ? {} : { configurable }),
    ...(writable === undefined || !isValue ? {} : { writable }),
  });
}
