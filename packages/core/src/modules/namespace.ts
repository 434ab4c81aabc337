// Module namespace exotic objects (ECMA-262 §10.4.6). Only a Proxy is faithful: an initialised export is a writable,
// enumerable, non-configurable data property whose value changes, and an uninitialised one throws from [[Get]] and
// [[GetOwnProperty]]. The target has the same properties, so that the invariant checks of Proxy pass. Plain reads of a
// static member never use the proxy, because the transform binds them to the export's cell (`optional` imports).
import type { Cell } from '../cell.ts';

type Bindings = Record<string, Cell>;

class NamespaceTraps implements ProxyHandler<object> {
  readonly bindings: Bindings;
  readonly keys: readonly (string | symbol)[];

  constructor(bindings: Bindings, keys: readonly (string | symbol)[]) {
    this.bindings = bindings;
    this.keys = keys;
  }

  get(target: object, key: string | symbol): unknown {
    if (typeof key === 'string') return this.bindings[key]?.v;
    return key === Symbol.toStringTag ? 'Module' : Reflect.get(target, key);
  }

  getOwnPropertyDescriptor(target: object, key: string | symbol): PropertyDescriptor | undefined {
    const cell = typeof key === 'string' ? this.bindings[key] : undefined;
    if (cell === undefined) return Reflect.getOwnPropertyDescriptor(target, key);
    return { value: cell.v, writable: true, enumerable: true, configurable: false };
  }

  defineProperty(target: object, key: string | symbol, descriptor: PropertyDescriptor): boolean {
    const cell = typeof key === 'string' ? this.bindings[key] : undefined;
    if (cell === undefined) return Reflect.defineProperty(target, key, descriptor);
    const value = cell.v;
    if (descriptor.configurable === true || descriptor.enumerable === false || descriptor.writable === false)
      return false;
    if ('get' in descriptor || 'set' in descriptor) return false;
    return !('value' in descriptor) || Object.is(descriptor.value, value);
  }

  set(): boolean {
    return false;
  }

  setPrototypeOf(_target: object, prototype: object | null): boolean {
    return prototype === null;
  }

  preventExtensions(): boolean {
    return true;
  }

  ownKeys(): (string | symbol)[] {
    return this.keys as (string | symbol)[];
  }
}

export function createNamespace(bindings: ReadonlyMap<string, Cell>): object {
  const names = [...bindings.keys()].sort();
  const target = Object.create(null) as Record<string, unknown>;
  const byName = Object.create(null) as Bindings;
  for (const name of names) {
    Object.defineProperty(target, name, { value: undefined, writable: true, enumerable: true, configurable: false });
    byName[name] = bindings.get(name) as Cell;
  }
  Object.defineProperty(target, Symbol.toStringTag, { value: 'Module' });
  Object.preventExtensions(target);
  return new Proxy(target, new NamespaceTraps(byName, [...names, Symbol.toStringTag]));
}
