// A module record: ECMA-262's Source Text and Synthetic Module Records as one fixed-shape object whose every phase is plain
// data, so that a snapshot taken while modules are being evaluated can be continued. The algorithms over it are in
// link.ts and evaluate.ts. The same object is `$$M` for transformed code (docs/abi.md): the first five methods are that contract.
import { Cell } from '../cell.ts';
import type { ModuleRealm } from './ports.ts';
import type { ModuleRequest, ModuleTable } from './module-table.ts';

/**
 * `module` is transformed ESM; `commonjs` one execution of a transformed CommonJS file; `script` code of `Function(…)` and the
 * like; `synthetic` anything whose exports are set from outside: CommonJS as seen by `import`, JSON, builtins, devices.
 */
export type ModuleKind = 'module' | 'commonjs' | 'script' | 'synthetic';

export type ModuleStatus = 'unlinked' | 'linking' | 'linked' | 'evaluating' | 'evaluating-async' | 'evaluated';

/** A thrown value; wrapped, because `undefined` can be thrown. */
export interface ModuleFailure {
  readonly reason: unknown;
}

/** `[[AsyncEvaluationOrder]]`: unset, done, or the place in the order. */
export const ORDER_UNSET = 0;
export const ORDER_DONE = -1;

/** Its parameters differ per kind; docs/abi.md is the contract. */
export type ModuleFactory = (record: ModuleRecord, realm: unknown, ...rest: never[]) => unknown;

/** What records need from outside of core: resolving, reading and compiling, in Node, a `vm` context or a test. */
export interface ModuleHost {
  /** HostLoadImportedModule: the one record for this request of this referrer. Throws what the import must throw. */
  load(referrer: ModuleRecord, request: ModuleRequest): ModuleRecord;
  /** Fills `import.meta`, an object without prototype. */
  fillMeta?(record: ModuleRecord, meta: Record<string, unknown>): void;
  /** A chance to say more about a name that a module does not export; the result is thrown. */
  explainMissingExport?(record: ModuleRecord, request: ModuleRequest, name: string, error: SyntaxError): unknown;
  /** A namespace object better than core's imitation, which is made if this answers nothing. */
  createNamespace?(record: ModuleRecord, bindings: ReadonlyMap<string, Cell>): object | undefined;
  /** A chance to say more about what ended an evaluation that was asked for by `record`; the thrown value may be changed in place. */
  explainFailure?(record: ModuleRecord, reason: unknown): void;
  /** Where a record comes from, as error messages name it; its key otherwise. */
  displayNameOf?(record: ModuleRecord): string;
  /** The file name of the CommonJS module that a synthetic record stands for. */
  commonjsFileOf?(record: ModuleRecord): string | undefined;
}

/** What records need of the graph they are in; `ModuleGraph` implements it. */
export interface ModuleRecordGraph {
  readonly realm: ModuleRealm;
  readonly host: ModuleHost;
  dynamicImport(referrer: ModuleRecord, specifier: unknown, options: unknown, phase?: string): object;
  /** The next place in the order of asynchronous evaluation. */
  nextAsyncOrder(): number;
  /** The name of a record in error messages. */
  displayNameOf(record: ModuleRecord): string;
  /** The file name of the CommonJS module behind a synthetic record. */
  commonjsFileOf(record: ModuleRecord): string | undefined;
}

export class ModuleRecord {
  readonly graph: ModuleRecordGraph;
  /** What tells this record from all others of its graph: a URL in Node. */
  readonly key: string;
  readonly kind: ModuleKind;
  readonly table: ModuleTable;
  factory: ModuleFactory | undefined;
  status: ModuleStatus = 'unlinked';
  failure: ModuleFailure | undefined = undefined;
  readonly cells: Map<string, Cell> = new Map();
  /** `[[LoadedModules]]`, by index of the request. */
  readonly loadedModules: (ModuleRecord | undefined)[] = [];
  /** What `import(i)` answers, filled in by linking. */
  readonly importedCells: Cell[] = [];
  namespace: object | undefined = undefined;
  namespaceCell: Cell | undefined = undefined;
  /** The instantiated code: a generator, or the frame of a module with top-level `await`, which it has until its end. Never part of a state. */
  body: unknown = undefined;

  dfsIndex = 0;
  dfsAncestorIndex = 0;
  cycleRoot: ModuleRecord | undefined = undefined;
  asyncEvaluationOrder: number = ORDER_UNSET;
  readonly asyncParents: ModuleRecord[] = [];
  pendingAsyncDependencies = 0;
  /** The eventual of `[[TopLevelCapability]]`. */
  completion: object | undefined = undefined;

  /** Sets a synthetic record's exports; may answer a promise, which makes it an asynchronous module. */
  produce: ((record: ModuleRecord) => unknown) | undefined = undefined;
  /** Reads a variable of the top scope, by its place in the table; registered by the code, used at capture. */
  readScope: ((index: number) => unknown) | undefined = undefined;
  /** Sets them; only code in the form that restores knows how. */
  writeScope: ((values: readonly unknown[]) => void) | undefined = undefined;
  /** Sets one of those that can be assigned; only code that has barriers knows how. */
  assignScope: ((index: number, value: unknown) => void) | undefined = undefined;
  assignableIndexes: readonly number[] = [];
  /** What a CommonJS file was run with: `exports`, `require`, `module`, file and directory. */
  parameters: readonly unknown[] | undefined = undefined;
  /** Sets them; in the form that restores. */
  writeParameters: ((values: readonly unknown[]) => void) | undefined = undefined;
  /** Where the host keeps what it knows of the file; core never reads it. */
  hostState: unknown = undefined;
  metaObject: Record<string, unknown> | undefined = undefined;
  templates: (readonly string[])[] | undefined = undefined;

  constructor(
    graph: ModuleRecordGraph,
    key: string,
    kind: ModuleKind,
    table: ModuleTable,
    factory: ModuleFactory | undefined,
  ) {
    this.graph = graph;
    this.key = key;
    this.kind = kind;
    this.table = table;
    this.factory = factory;
  }

  import(index: number): Cell {
    const cell = this.importedCells[index];
    if (cell === undefined) throw new Error(`import ${index} of ${this.key} is used before the module was linked`);
    return cell;
  }

  cell(name: string): Cell {
    let cell = this.cells.get(name);
    if (cell === undefined) {
      cell = new Cell(name === '*default*' ? 'default' : name);
      this.cells.set(name, cell);
    }
    return cell;
  }

  get meta(): Record<string, unknown> {
    if (this.metaObject === undefined) {
      this.metaObject = Object.create(null) as Record<string, unknown>;
      this.graph.host.fillMeta?.(this, this.metaObject);
    }
    return this.metaObject;
  }

  dynamicImport(specifier: unknown, options?: unknown, phase?: string): object {
    return this.graph.dynamicImport(this, specifier, options, phase);
  }

  template(ordinal: number, cooked: (string | undefined)[], raw: string[]): readonly string[] {
    this.templates ??= [];
    const existing = this.templates[ordinal];
    if (existing !== undefined) return existing;
    Object.defineProperty(cooked, 'raw', { value: Object.freeze(raw) });
    const strings = Object.freeze(cooked) as readonly string[];
    this.templates[ordinal] = strings;
    return strings;
  }

  scope(
    read: (index: number) => unknown,
    write?: (values: readonly unknown[]) => void,
    assign?: (index: number, value: unknown) => void,
    assignable: readonly number[] = [],
  ): void {
    this.readScope = read;
    this.writeScope = write;
    this.assignScope = assign;
    this.assignableIndexes = assignable;
  }

  given(write: (values: readonly unknown[]) => void): void {
    this.writeParameters = write;
  }

  get realm(): ModuleRealm {
    return this.graph.realm;
  }

  /** Whether evaluating this one record, its dependencies aside, can suspend. */
  get isAsync(): boolean {
    return this.table.async;
  }
}
