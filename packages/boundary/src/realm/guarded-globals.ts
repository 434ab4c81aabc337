// Globals that lead to the host, for program code that the transform does not see: text that `node:vm` runs in the
// program's own context, and direct `eval` in packages. Such code reads the global object, where accessors give it the
// program's view, and all other code Node's own value.

interface Guard {
  /** The property that Node's code sees. */
  readonly descriptor: PropertyDescriptor;
  readonly deps: GuardedGlobalsDeps;
}

export interface GuardedGlobalsDeps {
  /** The realm's table of replaced globals, which has the program's view. */
  readonly ambient: Record<PropertyKey, unknown>;
  /** Whether the caller of an accessor is Node, Turntable, or other code of the host. */
  isNativeCaller(accessor: (...args: never[]) => unknown): boolean;
}

const { defineProperty, getOwnPropertyDescriptor } = Reflect;
const globals = globalThis as unknown as Record<PropertyKey, unknown>;
/** Guards by the getters of their accessors. */
const guards = new WeakMap<() => unknown, Guard>();
/** The property that `nativeGlobal` is reading. */
let nativelyRead: PropertyKey | undefined;

/** Guards the globals that exist, are plain properties, and are not guarded yet. Reads lazy globals. */
export function guardGlobals(names: Iterable<string>, deps: GuardedGlobalsDeps): void {
  for (const name of names) {
    const descriptor = getOwnPropertyDescriptor(globalThis, name);
    if (descriptor?.configurable === true && 'value' in descriptor) install(name, { descriptor, deps });
  }
}

/** Each value has its own accessors: the mocked timers of `node:test` define the earlier property again. */
function install(name: PropertyKey, guard: Guard): boolean {
  const { descriptor, deps } = guard;
  const { ambient, isNativeCaller } = deps;
  const accessors = {
    get [name](): unknown {
      if (nativelyRead === name) return descriptor.value;
      return (this as unknown) === globalThis && isNativeCaller(get) ? descriptor.value : ambient[name];
    },
    set [name](value: unknown) {
      if ((this as unknown) === globalThis && isNativeCaller(set)) install(name, withValue(guard, value));
      else ambient[name] = value;
    },
  };
  const { get, set } = getOwnPropertyDescriptor(accessors, name) as Required<PropertyDescriptor>;
  guards.set(get, guard);
  return defineProperty(globalThis, name, { get, set, enumerable: descriptor.enumerable === true, configurable: true });
}

function withValue({ descriptor, deps }: Guard, value: unknown): Guard {
  return { descriptor: { ...descriptor, value }, deps };
}

/** The guard of a property, unless other code has replaced or deleted the accessor. */
function guardOf(key: PropertyKey): Guard | undefined {
  const get = getOwnPropertyDescriptor(globalThis, key)?.get;
  return get === undefined ? undefined : guards.get(get);
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
  else install(key, withValue(guard, value));
}

/** Defines the property that Node's code sees. A property that nothing can change any more needs no guard. */
export function defineNativeGlobal(key: PropertyKey, descriptor: PropertyDescriptor): boolean {
  const guard = guardOf(key);
  if (guard === undefined || 'get' in descriptor || 'set' in descriptor)
    return defineProperty(globalThis, key, descriptor);
  const merged = { ...guard.descriptor, ...descriptor };
  const isFinal = merged.configurable !== true || merged.writable !== true;
  return isFinal ? defineProperty(globalThis, key, merged) : install(key, { descriptor: merged, deps: guard.deps });
}
