// Functions that stand in the place of Node's: with the same properties, and with the text of Node's for whoever looks at it.

import { syncBuiltinESMExports } from 'node:module';

type NativeFunction = (...args: never[]) => unknown;

const nativeFunctions = new WeakMap<object, NativeFunction>();

/** Puts `fn` in the place of the function `name`. */
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

/** Replaces the functions of these names. */
export function replaceFunctions(
  holder: object,
  functions: Readonly<Record<PropertyKey, (...args: never[]) => unknown>>,
): void {
  for (const name of Reflect.ownKeys(functions)) replaceFunction(holder, name, functions[name] as NativeFunction);
}

/** The same for one that does `call` with Node's own and what it was called with. */
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

/** Node's function in whose place `fn` stands. */
export function nativeFunctionOf(fn: object): NativeFunction | undefined {
  return nativeFunctions.get(fn);
}

let isPublished = false;

/** In the namespaces of Node's modules too: whoever asks for one has them brought up to date. */
export function publishReplacements(): void {
  if (isPublished) return;
  isPublished = true;
  syncBuiltinESMExports();
}
