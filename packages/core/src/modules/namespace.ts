// Module namespace exotic objects (ECMA-262 §10.4.6). A Proxy is the only faithful form: an initialised export is a writable,
// enumerable, non-configurable data property whose value changes, an uninitialised one throws from [[Get]] and
// [[GetOwnProperty]] alike. The target carries the same properties, so that every invariant check of Proxy holds by itself.
// Ordinary reads of a static member never come here: the transform binds them to the export's cell (`optional` imports).
import { Cell, init } from '../cell.ts';
import { exportedNames, resolveExport } from './exported-names.ts';
import type { ModuleRecord } from './record.ts';

/** Holds the namespace of a module, made when it is first read: by then the whole graph is loaded. */
export class NamespaceCell extends Cell {
  readonly record: ModuleRecord;

  constructor(record: ModuleRecord) {
    super('*namespace*');
    this.record = record;
  }

  override get v(): unknown {
    const namespace = namespaceOf(this.record);
    init(this, namespace);
    return namespace;
  }

  override set v(_value: unknown) {
    throw new TypeError('Assignment to constant variable.');
  }
}

export function namespaceCellOf(record: ModuleRecord): Cell {
  record.namespaceCell ??= new NamespaceCell(record);
  return record.namespaceCell;
}

/** GetModuleNamespace: unresolvable and ambiguous names are left out. */
export function namespaceOf(record: ModuleRecord): object {
  if (record.namespace === undefined) {
    const bindings = bindingsOf(record);
    record.namespace = record.graph.host.createNamespace?.(record, bindings) ?? createNamespace(bindings);
  }
  return record.namespace;
}

/** A namespace without the host, whatever there is of the exports. */
export function imitateNamespace(record: ModuleRecord): object {
  return (record.namespace ??= createNamespace(bindingsOf(record)));
}

export function bindingsOf(record: ModuleRecord): Map<string, Cell> {
  const bindings = new Map<string, Cell>();
  for (const name of exportedNames(record)) {
    const resolution = resolveExport(record, name);
    if (resolution !== null && resolution !== 'ambiguous') bindings.set(name, resolution);
  }
  return bindings;
}

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

  defineProperty(target: object, key: string | symbol, wanted: PropertyDescriptor): boolean {
    const cell = typeof key === 'string' ? this.bindings[key] : undefined;
    if (cell === undefined) return Reflect.defineProperty(target, key, wanted);
    const value = cell.v;
    if (wanted.configurable === true || wanted.enumerable === false || wanted.writable === false) return false;
    if ('get' in wanted || 'set' in wanted) return false;
    return !('value' in wanted) || Object.is(wanted.value, value);
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
