// `globalThis` of transformed code: names that core replaces are read and written in the realm's table of replaced
// globals (`ambient`), all others on the thread's own global object.
import { isHiddenGlobal } from '@turntable/loader';
import { isDispatcherKey, isWebName } from './membrane/web-globals.ts';
import { exchange } from './timers/timer-functions.ts';
import { defineNativeGlobal, nativeGlobalDescriptor } from './realm/guarded-globals.ts';
import type { LazyGlobals } from './realm/lazy-globals.ts';

interface Accessor {
  get(this: void): unknown;
  set(this: void, value: unknown): void;
}

/** @param isTaped whether the thread has a tape, so that web globals belong to the host side */
export function createGlobalView(ambient: Record<string, unknown>, lazyGlobals: LazyGlobals, isTaped = false): object {
  const target = globalThis as unknown as Record<string | symbol, unknown>;
  const isAmbient = (key: string | symbol): boolean =>
    (typeof key === 'string' || isDispatcherKey(key)) && Object.hasOwn(ambient, key);
  /** Whether the ambient table forwards a name to the global object, and replaces only Node's value. */
  const isForwarded = (key: string): boolean => Reflect.getOwnPropertyDescriptor(ambient, key)?.set !== undefined;
  /** Accessors that the program sees in place of native accessors, by name. */
  const accessorsByName = new Map<string, Accessor>();
  const accessorOf = (key: string): Accessor => {
    const known = accessorsByName.get(key);
    if (known !== undefined) return known;
    const { get, set } = { get: () => ambient[key], set: (value: unknown) => void (ambient[key] = value) };
    accessorsByName.set(key, { get, set });
    return { get, set };
  };
  const view: object = new Proxy(target, {
    get(_, key) {
      if (isAmbient(key)) return ambient[key as string];
      const value = target[key];
      return value === target ? view : value;
    },
    set(_, key, value) {
      if (isAmbient(key)) return Reflect.set(ambient, key, value);
      lazyGlobals.noteReplaced(key);
      return Reflect.set(target, key, value);
    },
    has(_, key) {
      return (isAmbient(key) && !isWebName(key)) || (key in target && !isHiddenGlobal(key));
    },
    deleteProperty(_, key) {
      if (isAmbient(key)) Reflect.deleteProperty(ambient, key);
      return Reflect.deleteProperty(target, key);
    },
    defineProperty(_, key, descriptor) {
      if (!isAmbient(key)) {
        lazyGlobals.noteReplaced(key);
        return Reflect.defineProperty(target, key, descriptor);
      }
      if (isWebName(key)) {
        lazyGlobals.noteReplaced(key);
        if (!('value' in descriptor) || !isTaped) return defineNativeGlobal(key, descriptor);
        return Reflect.set(ambient, key, descriptor.value) && applyAttributes(key, descriptor);
      }
      if (isForwarded(key as string)) {
        const nativeDescriptor =
          'value' in descriptor ? { ...descriptor, value: exchange.toNative(descriptor.value) } : descriptor;
        return defineNativeGlobal(key, nativeDescriptor);
      }
      return Reflect.defineProperty(ambient, key, { ...descriptor, configurable: true });
    },
    getOwnPropertyDescriptor(_, key) {
      const descriptor = nativeGlobalDescriptor(key);
      if (isHiddenGlobal(key)) return undefined;
      if (isDispatcherKey(key)) {
        const value = ambient[key as string];
        if (value === undefined) return descriptor;
        return { value, writable: true, enumerable: false, configurable: descriptor?.configurable ?? true };
      }
      if (descriptor === undefined && isWebName(key)) return undefined;
      if (isAmbient(key)) {
        const ambientDescriptor = Reflect.getOwnPropertyDescriptor(ambient, key);
        if (ambientDescriptor === undefined) return descriptor;
        if (ambientDescriptor.get !== undefined && descriptor !== undefined)
          return 'value' in descriptor ? { ...descriptor, value: ambient[key as string] } : descriptor;
        return descriptor?.get !== undefined && 'value' in ambientDescriptor
          ? { ...descriptor, ...accessorOf(key as string) }
          : { ...ambientDescriptor, enumerable: descriptor?.enumerable ?? true, configurable: true };
      }
      if (descriptor !== undefined && descriptor.value === target) return { ...descriptor, value: view };
      return descriptor;
    },
    ownKeys() {
      return Reflect.ownKeys(target).filter((key) => !isHiddenGlobal(key));
    },
  });
  return view;
}

/** Applies the attributes of a property definition. The caller has set the value. */
function applyAttributes(key: PropertyKey, descriptor: PropertyDescriptor): boolean {
  const { enumerable, configurable, writable } = descriptor;
  const isDataProperty = nativeGlobalDescriptor(key)?.get === undefined;
  return defineNativeGlobal(key, {
    ...(enumerable === undefined ? {} : { enumerable }),
    ...(configurable === undefined ? {} : { configurable }),
    ...(writable === undefined || !isDataProperty ? {} : { writable }),
  });
}
