// Replacements of Node's functions, with the same properties and the source text of Node's function.

import { syncBuiltinESMExports } from 'node:module';

type NativeFunction = (...args: never[]) => unknown;

const nativeFunctions = new WeakMap<object, NativeFunction>();

/** Replaces the function `name` of `holder`. */
export function replaceFunction(holder: object, name: PropertyKey, replacement: (...args: never[]) => unknown): void {
  const descriptor = Object.getOwnPropertyDescriptor(holder, name) as PropertyDescriptor;
  const native = descriptor.value as NativeFunction;
  if (!nativeFunctions.has(replacement)) {
    nativeFunctions.set(replacement, native);
    for (const key of Reflect.ownKeys(native))
      Reflect.defineProperty(replacement, key, Reflect.getOwnPropertyDescriptor(native, key) as PropertyDescriptor);
  }
  Object.defineProperty(holder, name, { ...descriptor, value: replacement });
}

/** Replaces functions of `holder`, by name. */
export function replaceFunctions(
  holder: object,
  functions: Readonly<Record<PropertyKey, (...args: never[]) => unknown>>,
): void {
  for (const name of Reflect.ownKeys(functions)) replaceFunction(holder, name, functions[name] as NativeFunction);
}

/** Replaces a function by one that calls `call` with Node's function and the arguments. */
export function wrapFunction<This = unknown>(
  holder: object,
  name: PropertyKey,
  call: (native: NativeFunction, self: This, args: readonly never[]) => unknown,
): void {
  const native = (holder as Record<PropertyKey, NativeFunction>)[name] as NativeFunction;
  const { own: wrapper } = {
    own(this: This, ...args: never[]): unknown {
      return call(native, this, args);
    },
  };
  replaceFunction(holder, name, wrapper);
}

/** Replaces the getter of an accessor, if there is one. `read` is given Node's getter. */
export function wrapGetter(holder: object, name: PropertyKey, read: (native: () => unknown) => unknown): void {
  const descriptor = Object.getOwnPropertyDescriptor(holder, name);
  const native = descriptor?.get;
  if (native === undefined) return;
  const wrapper = {
    get [name](): unknown {
      return read(() => Reflect.apply(native, this, []));
    },
  };
  const get = Object.getOwnPropertyDescriptor(wrapper, name)?.get as () => unknown;
  Object.defineProperty(holder, name, { ...descriptor, get });
}

/** The function of Node that `fn` replaces; undefined if it replaces none. */
export function nativeFunctionOf(fn: object): NativeFunction | undefined {
  return nativeFunctions.get(fn);
}

let isPublished = false;

/** Makes replacements visible to imports of Node's modules. Called when a namespace is requested; acts only once. */
export function publishReplacements(): void {
  if (isPublished) return;
  isPublished = true;
  syncBuiltinESMExports();
}
