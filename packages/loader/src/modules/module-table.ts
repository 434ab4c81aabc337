// Records of a program's modules with their origins, and what native code has to know of their cells.
import type { Cell, ModuleGraph, ModuleRecord } from '@turntable/core';
import type { LoadedCode } from '../code/code.ts';
import { follow, type Setter } from './follow.ts';
import { originOf, type Origin } from '../code/origin.ts';

export class ModuleTable {
  readonly graph: ModuleGraph;
  readonly #isDebugged: boolean;
  readonly #commonJs: Map<string, ModuleRecord> = new Map();
  /** Cells that are assigned after they are initialised. */
  readonly #mutable: WeakSet<Cell> = new WeakSet();

  /** @param isDebugged the code has probes */
  constructor(graph: ModuleGraph, isDebugged: boolean) {
    this.graph = graph;
    this.#isDebugged = isDebugged;
  }

  /** In debug mode: the latest record of each CommonJS file, by file name. The graph has only modules that `import` finds. */
  get commonJs(): ReadonlyMap<string, ModuleRecord> {
    return this.#commonJs;
  }

  withOrigin(record: ModuleRecord, origin: Origin): ModuleRecord {
    record.origin = origin;
    return record;
  }

  /** `isKept`: states keep the text, which is in no file. */
  module(key: string, code: LoadedCode, filename: string | undefined, isKept = false): ModuleRecord {
    const record = this.graph.module(key, code.table, code.factory);
    for (const name of code.mutable) if (code.table.cells.includes(name)) this.#mutable.add(record.cell(name));
    return this.withOrigin(record, { filename, what: 'module', text: code.text, isKept });
  }

  commonJsModule(key: string, code: LoadedCode, filename: string | undefined, isKept = false): ModuleRecord {
    const record = this.withOrigin(this.graph.commonjs(key, code.table), {
      filename,
      what: 'commonjs',
      text: code.text,
      isKept,
    });
    if (this.#isDebugged) this.#commonJs.set(filename ?? key, record);
    return record;
  }

  /** The name a record's code runs under, see `CodeLoader`. */
  runName(record: ModuleRecord): string {
    const origin = originOf(record);
    return origin?.what === 'commonjs' && origin.filename !== undefined ? origin.filename : record.key;
  }

  /** The file of a record, or its key. */
  placeOf(record: ModuleRecord): string {
    return originOf(record)?.filename ?? record.key;
  }

  /** Gives native code the value of an initialised cell, and each later one. */
  follow(cell: Cell, setter: Setter): void {
    if (this.#mutable.has(cell)) follow(cell, setter);
    else setter(cell.v);
  }
}
