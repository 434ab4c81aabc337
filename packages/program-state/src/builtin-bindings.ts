// What imports of builtins see where it is not what the exports were before the program: `module.syncBuiltinESMExports` shows changes to
// them, and a module that is first imported after a change sees it at once. The program's bindings are cells of its records; Node's own
// namespaces, which native code has, show what they were shown last.
import { syncBuiltinESMExports } from 'node:module';
import { LiveCell, setExport, type Cell, type ModuleRecord } from '@turntable/core';
import type { KnownObjects } from '@turntable/heap';
import { originOf, standsOutside } from '@turntable/loader';
import { isOfProgram } from '@turntable/boundary';

/** Taken before the loader's own is shown in its place. */
const showExports = syncBuiltinESMExports;
type Exports = Record<string, unknown>;
type Binding = readonly [builtin: string, name: string, value: unknown];

export interface BindingsState {
  readonly cells: readonly Binding[];
  /** To native code. */
  readonly shown: readonly Binding[];
}

export interface BindingSources {
  readonly known: KnownObjects;
  readonly records: ReadonlyMap<string, ModuleRecord>;
  /** Builtins that have names. */
  readonly builtins: Iterable<string>;
  exportsOf(builtin: string): Exports;
}

export class BuiltinBindings {
  #shown: readonly Binding[] = [];
  readonly #sources: BindingSources;

  constructor(sources: BindingSources) {
    this.#sources = sources;
  }

  /** Somebody has asked for what is exported now to be shown. */
  noteShown(): void {
    const { known, builtins, exportsOf } = this.#sources;
    const names = new Map([...builtins].map((name) => [exportsOf(name) as object, name]));
    this.#shown = known.differences().flatMap(({ object, properties }): Binding[] => {
      const builtin = names.get(object);
      if (builtin === undefined) return [];
      return properties.flatMap(([key]): Binding[] =>
        typeof key === 'string' ? [[builtin, key, (object as Exports)[key]]] : [],
      );
    });
  }

  read(): BindingsState {
    const { known, records } = this.#sources;
    const cells: Binding[] = [];
    for (const [url, record] of records) {
      if (originOf(record)?.what !== 'builtin') continue;
      const isOutside = standsOutside(url);
      const exports = record.cells.get('default')?.v as object;
      for (const [name, cell] of record.cells) {
        if (name === 'default' || cell instanceof LiveCell) continue;
        const { v: value } = cell as Cell;
        if (isOutside) {
          if (isOfProgram(value)) cells.push([url, name, value]);
          continue;
        }
        const born = known.bornAs(exports, name);
        const isNew = born === undefined ? isOfProgram(value) : 'value' in born && !Object.is(born.value, value);
        if (isNew) cells.push([url, name, value]);
      }
    }
    return { cells, shown: this.#shown };
  }

  /** While the exports are what they were before the program. */
  write({ cells, shown }: BindingsState): void {
    const { records, exportsOf } = this.#sources;
    if (shown.length > 0) this.#show(shown.map(([builtin, name, value]) => [exportsOf(builtin), name, value]));
    this.#shown = shown;
    for (const [url, name, value] of cells) {
      const record = records.get(url);
      const cell = record?.cells.get(name);
      if (cell !== undefined) cell.v = value;
      else if (record !== undefined) setExport(record, name, value);
    }
  }

  #show(shown: readonly (readonly [exports: Exports, name: string, value: unknown])[]): void {
    const before = shown.map(([exports, name]) => Object.getOwnPropertyDescriptor(exports, name));
    for (const [exports, name, value] of shown)
      Object.defineProperty(exports, name, { value, writable: true, enumerable: true, configurable: true });
    try {
      showExports();
    } finally {
      shown.forEach(([exports, name], i) => {
        const descriptor = before[i];
        if (descriptor === undefined) Reflect.deleteProperty(exports, name);
        else Object.defineProperty(exports, name, descriptor);
      });
    }
  }
}
