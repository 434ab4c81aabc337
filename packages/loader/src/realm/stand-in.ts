// Functions that stand in the place of Node's: with the same properties, and with the text of Node's for whoever looks at it.

import { syncBuiltinESMExports } from 'node:module';

type Native = (...args: never[]) => unknown;

const behind = new WeakMap<object, Native>();

/** Puts `fn` in the place of the function `name`. */
export function standIn(holder: object, name: PropertyKey, fn: (...args: never[]) => unknown): void {
  const place = Object.getOwnPropertyDescriptor(holder, name) as PropertyDescriptor;
  const native = place.value as Native;
  if (!behind.has(fn)) {
    behind.set(fn, native);
    for (const key of Reflect.ownKeys(native))
      Reflect.defineProperty(fn, key, Reflect.getOwnPropertyDescriptor(native, key) as PropertyDescriptor);
  }
  Object.defineProperty(holder, name, { ...place, value: fn });
}

/** Replaces the functions of these names. */
export function standInAll(
  holder: object,
  functions: Readonly<Record<PropertyKey, (...args: never[]) => unknown>>,
): void {
  for (const name of Reflect.ownKeys(functions)) standIn(holder, name, functions[name] as Native);
}

/** The same for one that does `call` with Node's own and what it was called with. */
export function standInBy<This = unknown>(
  holder: object,
  name: PropertyKey,
  call: (native: Native, self: This, args: readonly never[]) => unknown,
): void {
  const native = (holder as Record<PropertyKey, Native>)[name] as Native;
  const { own } = {
    own(this: This, ...args: never[]): unknown {
      return call(native, this, args);
    },
  };
  standIn(holder, name, own);
}

/** Replaces the getter of an accessor, if there is one. `read` is given Node's getter. */
export function standInGetter(holder: object, name: PropertyKey, read: (native: () => unknown) => unknown): void {
  const place = Object.getOwnPropertyDescriptor(holder, name);
  const native = place?.get;
  if (native === undefined) return;
  const own = {
    get [name](): unknown {
      return read(() => Reflect.apply(native, this, []));
    },
  };
  const get = Object.getOwnPropertyDescriptor(own, name)?.get as () => unknown;
  Object.defineProperty(holder, name, { ...place, get });
}

/** Node's function in whose place `fn` stands. */
export function functionBehind(fn: object): Native | undefined {
  return behind.get(fn);
}

let shown = false;

/** In the namespaces of Node's modules too: whoever asks for one has them brought up to date. */
export function showStandIns(): void {
  if (shown) return;
  shown = true;
  syncBuiltinESMExports();
}
