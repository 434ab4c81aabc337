// What imports of builtins see where it is not what the exports were before the program: `module.syncBuiltinESMExports` shows changes to
// them, and a module that is first imported after a change sees it at once. The program's bindings are cells of its records; Node's own
// namespaces, which native code has, show what they were shown last.
import { syncBuiltinESMExports } from 'node:module';
import { LiveCell, setExport, type Cell, type ModuleRecord } from '@turntable/core';
import type { KnownObjects } from '@turntable/heap';
import { originOf, isHandleBuiltin } from '@turntable/loader';
import { isProgramFunction } from '@turntable/boundary';

/** Taken before the loader's own is shown in its place. */
const nativeSyncExports = syncBuiltinESMExports;
type Exports = Record<string, unknown>;
type BuiltinBinding = readonly [builtin: string, name: string, value: unknown];

export interface BuiltinBindingsState {
  readonly cells: readonly BuiltinBinding[];
  /** To native code. */
  readonly syncedExports: readonly BuiltinBinding[];
}

export interface BuiltinBindingsDeps {
  readonly known: KnownObjects;
  readonly records: ReadonlyMap<string, ModuleRecord>;
  /** Builtins that have names. */
  readonly builtins: Iterable<string>;
  exportsOf(builtin: string): Exports;
}

export class BuiltinBindings {
  #syncedExports: readonly BuiltinBinding[] = [];
  readonly #deps: BuiltinBindingsDeps;

  constructor(sources: BuiltinBindingsDeps) {
    this.#deps = sources;
  }

  /** Somebody has asked for what is exported now to be shown. */
  recordSyncedExports(): void {
    const { known, builtins, exportsOf } = this.#deps;
    const names = new Map([...builtins].map((name) => [exportsOf(name) as object, name]));
    this.#syncedExports = known.changes().flatMap(({ object, properties }): BuiltinBinding[] => {
      const builtin = names.get(object);
      if (builtin === undefined) return [];
      return properties.flatMap(([key]): BuiltinBinding[] =>
        typeof key === 'string' ? [[builtin, key, (object as Exports)[key]]] : [],
      );
    });
  }

  read(): BuiltinBindingsState {
    const { known, records } = this.#deps;
    const cells: BuiltinBinding[] = [];
    for (const [url, record] of records) {
      if (originOf(record)?.kind !== 'builtin') continue;
      const isHostSide = isHandleBuiltin(url);
      const exports = record.cells.get('default')?.v as object;
      for (const [name, cell] of record.cells) {
        if (name === 'default' || cell instanceof LiveCell) continue;
        const { v: value } = cell as Cell;
        if (isHostSide) {
          if (isProgramFunction(value)) cells.push([url, name, value]);
          continue;
        }
        const original = known.originalDescriptor(exports, name);
        const isChanged =
          original === undefined ? isProgramFunction(value) : 'value' in original && !Object.is(original.value, value);
        if (isChanged) cells.push([url, name, value]);
      }
    }
    return { cells, syncedExports: this.#syncedExports };
  }

  /** While the exports are what they were before the program. */
  write({ cells, syncedExports }: BuiltinBindingsState): void {
    const { records, exportsOf } = this.#deps;
    if (syncedExports.length > 0)
      this.#syncExports(syncedExports.map(([builtin, name, value]) => [exportsOf(builtin), name, value]));
    this.#syncedExports = syncedExports;
    for (const [url, name, value] of cells) {
      const record = records.get(url);
      const cell = record?.cells.get(name);
      if (cell !== undefined) cell.v = value;
      else if (record !== undefined) setExport(record, name, value);
    }
  }

  #syncExports(syncedExports: readonly (readonly [exports: Exports, name: string, value: unknown])[]): void {
    const originals = syncedExports.map(([exports, name]) => Object.getOwnPropertyDescriptor(exports, name));
    for (const [exports, name, value] of syncedExports)
      Object.defineProperty(exports, name, { value, writable: true, enumerable: true, configurable: true });
    try {
      nativeSyncExports();
    } finally {
      syncedExports.forEach(([exports, name], i) => {
        const descriptor = originals[i];
        if (descriptor === undefined) Reflect.deleteProperty(exports, name);
        else Object.defineProperty(exports, name, descriptor);
      });
    }
  }
}
