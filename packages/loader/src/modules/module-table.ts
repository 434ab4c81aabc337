// The module records of a program with their origins, and the cells that native code must follow.
import type { Cell, ModuleGraph, ModuleRecord } from '@turntable/core';
import type { LoadedCode } from '../code/code-loader.ts';
import { followCell, type BindingSetter } from './live-bindings.ts';
import { originOf, type RecordOrigin } from '../code/record-origin.ts';

export class ProgramModuleTable {
  readonly graph: ModuleGraph;
  readonly #isDebug: boolean;
  readonly #commonJs: Map<string, ModuleRecord> = new Map();
  /** Cells that the program may assign after their initialisation. */
  readonly #mutableCells: WeakSet<Cell> = new WeakSet();

  /** @param isDebug whether the code has probes */
  constructor(graph: ModuleGraph, isDebug: boolean) {
    this.graph = graph;
    this.#isDebug = isDebug;
  }

  /**
   * The latest record of each CommonJS file by file name, in debug mode. The graph contains only modules that
   * `import` finds.
   */
  get commonJs(): ReadonlyMap<string, ModuleRecord> {
    return this.#commonJs;
  }

  withOrigin(record: ModuleRecord, origin: RecordOrigin): ModuleRecord {
    record.hostState = origin;
    return record;
  }

  /** @param isSourceKept whether states contain the source, because it is in no file */
  addModule(key: string, code: LoadedCode, filename: string | undefined, isSourceKept = false): ModuleRecord {
    const record = this.graph.module(key, code.table, code.factory);
    for (const name of code.mutableCells)
      if (code.table.cells.includes(name)) this.#mutableCells.add(record.cell(name));
    return this.withOrigin(record, { filename, kind: 'module', running: code.running, isSourceKept });
  }

  addCommonJsModule(key: string, code: LoadedCode, filename: string | undefined, isSourceKept = false): ModuleRecord {
    const record = this.withOrigin(this.graph.commonjs(key, code.table), {
      filename,
      kind: 'commonjs',
      running: code.running,
      isSourceKept,
    });
    if (this.#isDebug) this.#commonJs.set(filename ?? key, record);
    return record;
  }

  /** The file name under which a record's code runs, see `CodeLoader`. */
  runNameOf(record: ModuleRecord): string {
    const origin = originOf(record);
    return origin?.kind === 'commonjs' && origin.filename !== undefined ? origin.filename : record.key;
  }

  /** The file of a record, else its key. */
  fileOf(record: ModuleRecord): string {
    return originOf(record)?.filename ?? record.key;
  }

  /** Calls `setter` with the value of an initialised cell, now and after each assignment. */
  followCell(cell: Cell, setter: BindingSetter): void {
    if (this.#mutableCells.has(cell)) followCell(cell, setter);
    else setter(cell.v);
  }
}
