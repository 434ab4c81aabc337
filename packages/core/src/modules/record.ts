// A module record: the Source Text and Synthetic Module Records of ECMA-262 as one object of fixed shape. Each phase is
// plain data, so that a snapshot taken during evaluation can be resumed. The algorithms are in link.ts and evaluate.ts.
// The same object is `$$M` of transformed code (docs/internals/abi.md). Its first five methods are that contract.
import { Cell } from '../cell.ts';
import type { ModuleRealm } from './ports.ts';
import type { ModuleRequest, ModuleTable } from './module-table.ts';

/**
 * `module` is transformed ESM, `commonjs` one execution of a transformed CommonJS file, `script` code of `Function(…)`
 * and similar. `synthetic` is a module whose exports are set by other code: CommonJS for `import`, JSON, builtins,
 * devices.
 */
export type ModuleKind = 'module' | 'commonjs' | 'script' | 'synthetic';

export type ModuleStatus = 'unlinked' | 'linking' | 'linked' | 'evaluating' | 'evaluating-async' | 'evaluated';

/** A thrown value, wrapped because `undefined` can be thrown. */
export interface ModuleFailure {
  readonly reason: unknown;
}

/** `[[AsyncEvaluationOrder]]`: unset, done, or a position in the order (from 1). */
export const ORDER_UNSET = 0;
export const ORDER_DONE = -1;

/** Factory of a module's code. The parameters depend on the kind of module (docs/internals/abi.md). */
export type ModuleFactory = (record: ModuleRecord, realm: unknown, ...rest: never[]) => unknown;

/** Port to the host, which resolves, reads and compiles modules. Hosts are Node, a `vm` context, or a test. */
export interface ModuleHost {
  /** HostLoadImportedModule: always the same record for the same request. Throws the error that the import throws. */
  load(referrer: ModuleRecord, request: ModuleRequest): ModuleRecord;
  /** Fills `import.meta`, an object without prototype. */
  fillMeta?(record: ModuleRecord, meta: Record<string, unknown>): void;
  /** May replace the error for a name that a module does not export. Returns the error to throw. */
  explainMissingExport?(record: ModuleRecord, request: ModuleRequest, name: string, error: SyntaxError): unknown;
  /** May make a better namespace object than core's proxy; undefined for the proxy. */
  createNamespace?(record: ModuleRecord, bindings: ReadonlyMap<string, Cell>): object | undefined;
  /** May amend, in place, the error that ended an evaluation requested by `record`. */
  explainFailure?(record: ModuleRecord, reason: unknown): void;
  /** Name of a record in error messages; by default its key. */
  displayNameOf?(record: ModuleRecord): string;
  /** File name of the CommonJS module behind a synthetic record. */
  commonjsFileOf?(record: ModuleRecord): string | undefined;
}

/** Port to the graph of a record. `ModuleGraph` implements it. */
export interface ModuleRecordGraph {
  readonly realm: ModuleRealm;
  readonly host: ModuleHost;
  dynamicImport(referrer: ModuleRecord, specifier: unknown, options: unknown, phase?: string): object;
  /** Next number in the order of asynchronous evaluation. */
  nextAsyncOrder(): number;
  /** Name of a record in error messages. */
  displayNameOf(record: ModuleRecord): string;
  /** File name of the CommonJS module behind a synthetic record. */
  commonjsFileOf(record: ModuleRecord): string | undefined;
}

export class ModuleRecord {
  readonly graph: ModuleRecordGraph;
  /** Unique key in the graph: a URL in Node. */
  readonly key: string;
  readonly kind: ModuleKind;
  readonly table: ModuleTable;
  factory: ModuleFactory | undefined;
  status: ModuleStatus = 'unlinked';
  failure: ModuleFailure | undefined = undefined;
  readonly cells: Map<string, Cell> = new Map();
  /** `[[LoadedModules]]`, by index of the request. */
  readonly loadedModules: (ModuleRecord | undefined)[] = [];
  /** Cells for `import(i)`, filled in by linking. */
  readonly importedCells: Cell[] = [];
  namespace: object | undefined = undefined;
  namespaceCell: Cell | undefined = undefined;
  /** Instantiated code: a generator, or the frame of a module with top-level `await`. Never captured. */
  body: unknown = undefined;

  dfsIndex = 0;
  dfsAncestorIndex = 0;
  cycleRoot: ModuleRecord | undefined = undefined;
  asyncEvaluationOrder: number = ORDER_UNSET;
  readonly asyncParents: ModuleRecord[] = [];
  pendingAsyncDependencies = 0;
  /** Eventual of `[[TopLevelCapability]]`. */
  completion: object | undefined = undefined;

  /** Sets the exports of a synthetic record. If it returns a promise, the module is asynchronous. */
  produce: ((record: ModuleRecord) => unknown) | undefined = undefined;
  /** Reads a variable of the top scope by its index in the table. Registered by the code, used by capture. */
  readScope: ((index: number) => unknown) | undefined = undefined;
  /** Sets all variables of the top scope. Registered only by code in the form that restores. */
  writeScope: ((values: readonly unknown[]) => void) | undefined = undefined;
  /** Sets an assignable variable of the top scope. Registered only by code with barriers. */
  assignScope: ((index: number, value: unknown) => void) | undefined = undefined;
  assignableIndexes: readonly number[] = [];
  /** Arguments of the execution of a CommonJS file: `exports`, `require`, `module`, file name and directory. */
  parameters: readonly unknown[] | undefined = undefined;
  /** Sets these parameters. Registered only by code in the form that restores. */
  writeParameters: ((values: readonly unknown[]) => void) | undefined = undefined;
  /** The host's own data about the file. Core never reads it. */
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

  /** Whether evaluating this record, without its dependencies, can suspend. */
  get isAsync(): boolean {
    return this.table.async;
  }
}
