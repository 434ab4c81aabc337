// Globals that lead to the host, for program code that the transform does not see: text that `node:vm` runs in the
// program's own context, and direct `eval` in packages. Such code reads the global object, where accessors give it the
// program's view, and all other code Node's own value.

interface Guard {
  readonly get: () => unknown;
  /** The property that Node's code sees. */
  descriptor: PropertyDescriptor;
}

export interface GuardedGlobalsDeps {
  /** The realm's table of replaced globals, which has the program's view. */
  readonly ambient: Record<PropertyKey, unknown>;
  /** Whether the caller of an accessor is Node, Turntable, or other code of the host. */
  isNativeCaller(accessor: (...args: never[]) => unknown): boolean;
}

const { defineProperty, getOwnPropertyDescriptor } = Reflect;
const globals = globalThis as unknown as Record<PropertyKey, unknown>;
const guards = new Map<PropertyKey, Guard>();
/** The property that `nativeGlobal` is reading. */
let nativelyRead: PropertyKey | undefined;

/** Guards the globals that exist, are plain properties, and are not guarded yet. Reads lazy globals. */
export function guardGlobals(names: Iterable<string>, { ambient, isNativeCaller }: GuardedGlobalsDeps): void {
  for (const name of names) {
    const descriptor = getOwnPropertyDescriptor(globalThis, name);
    if (descriptor?.configurable !== true || !('value' in descriptor)) continue;
    const accessors = {
      get [name](): unknown {
        if (nativelyRead === name) return guard.descriptor.value;
        return (this as unknown) === globalThis && isNativeCaller(get) ? guard.descriptor.value : ambient[name];
      },
      set [name](value: unknown) {
        if ((this as unknown) === globalThis && isNativeCaller(set)) guard.descriptor.value = value;
        else ambient[name] = value;
      },
    };
    const { get, set } = getOwnPropertyDescriptor(accessors, name) as Required<PropertyDescriptor>;
    const guard: Guard = { get, descriptor };
    guards.set(name, guard);
    defineProperty(globalThis, name, { get, set, enumerable: descriptor.enumerable === true, configurable: true });
  }
}

/** The guard of a property, unless other code has replaced or deleted the accessor. */
function guardOf(key: PropertyKey): Guard | undefined {
  const guard = guards.get(key);
  return guard !== undefined && getOwnPropertyDescriptor(globalThis, key)?.get === guard.get ? guard : undefined;
}

/** The property of the global object as Node's code sees it. */
export function nativeGlobalDescriptor(key: PropertyKey): PropertyDescriptor | undefined {
  const guard = guardOf(key);
  return guard === undefined ? getOwnPropertyDescriptor(globalThis, key) : { ...guard.descriptor };
}

export function nativeGlobal(key: PropertyKey): unknown {
  nativelyRead = key;
  try {
    return globals[key];
  } finally {
    nativelyRead = undefined;
  }
}

export function setNativeGlobal(key: PropertyKey, value: unknown): void {
  const guard = guardOf(key);
  if (guard === undefined) globals[key] = value;
  else guard.descriptor.value = value;
}

/** Defines the property that Node's code sees. A property that nothing can change any more needs no guard. */
export function defineNativeGlobal(key: PropertyKey, descriptor: PropertyDescriptor): boolean {
  const guard = guardOf(key);
  if (guard === undefined || 'get' in descriptor || 'set' in descriptor)
    return defineProperty(globalThis, key, descriptor);
  const merged = { ...guard.descriptor, ...descriptor };
  if (merged.configurable !== true || merged.writable !== true) return defineProperty(globalThis, key, merged);
  guard.descriptor = merged;
  return defineProperty(globalThis, key, { enumerable: merged.enumerable === true });
}
