// Changes of builtins in the program's imports. An import of a builtin shows a change to its exports only after
// `module.syncBuiltinESMExports`, or at once if it is the builtin's first import. The program's imports are cells of its
// module records; Node's own namespaces, which native code uses, keep the values synced last.
import { syncBuiltinESMExports } from 'node:module';
import { LiveCell, setExport, type Cell, type ModuleRecord } from '@turntable/core';
import type { KnownObjects } from '@turntable/heap';
import { originOf, isHandleBuiltin } from '@turntable/loader';
import { isProgramFunction } from '@turntable/boundary';

/** Node's function, taken before the loader replaces it. */
const nativeSyncExports = syncBuiltinESMExports;
type Exports = Record<string, unknown>;
type BuiltinBinding = readonly [builtin: string, name: string, value: unknown];

export interface BuiltinBindingsState {
  readonly cells: readonly BuiltinBinding[];
  /** The changed exports as native code sees them. */
  readonly syncedExports: readonly BuiltinBinding[];
}

export interface BuiltinBindingsDeps {
  readonly known: KnownObjects;
  readonly records: ReadonlyMap<string, ModuleRecord>;
  /** Names of the builtins that the program may refer to. */
  readonly builtins: Iterable<string>;
  exportsOf(builtin: string): Exports;
}

export class BuiltinBindings {
  #syncedExports: readonly BuiltinBinding[] = [];
  readonly #deps: BuiltinBindingsDeps;

  constructor(sources: BuiltinBindingsDeps) {
    this.#deps = sources;
  }

  /** Stores the changed exports that native code sees. Must be called after each `syncBuiltinESMExports`. */
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

  /** Restores the bindings. Must run while the builtins have their original exports. */
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
