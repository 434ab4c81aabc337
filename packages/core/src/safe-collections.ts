// Collections with the engine's own methods, even if a program or an undo log has replaced the methods of Map or Set.
// After a program has run, they must be iterated with `forEach`, because the program can patch iterators.
import { defineProperty, getOwnPropertyDescriptor, ownKeys, setPrototypeOf } from './intrinsics.ts';

function withEngineMethods<C extends abstract new (...args: never[]) => object>(type: C, base: object): C {
  const { prototype } = type as { readonly prototype: object };
  for (const key of ownKeys(base))
    if (key !== 'constructor')
      defineProperty(prototype, key, getOwnPropertyDescriptor(base, key) as PropertyDescriptor);
  setPrototypeOf(prototype, null);
  return type;
}

export const SafeMap: MapConstructor = withEngineMethods(class SafeMap<K, V> extends Map<K, V> {}, Map.prototype);
export const SafeSet: SetConstructor = withEngineMethods(class SafeSet<T> extends Set<T> {}, Set.prototype);
export const SafeWeakMap: WeakMapConstructor = withEngineMethods(
  class SafeWeakMap<K extends WeakKey, V> extends WeakMap<K, V> {},
  WeakMap.prototype,
);
export type SafeMap<K, V> = Map<K, V>;
export type SafeSet<T> = Set<T>;
