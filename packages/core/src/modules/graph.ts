// The modules of one realm: the loaded modules by key, and the counter for the order of asynchronous evaluation.
import { setExport } from './evaluate.ts';
import { dynamicImport } from './dynamic-import.ts';
import type { ModuleRealm } from './ports.ts';
import { ModuleRecord, type ModuleFactory, type ModuleHost, type ModuleRecordGraph } from './record.ts';
import { plainTable, type ModuleTable } from './module-table.ts';

const SYNTHETIC_TABLE: ModuleTable = { ...plainTable('script'), kind: 'module' };

export class ModuleGraph implements ModuleRecordGraph {
  readonly realm: ModuleRealm;
  readonly host: ModuleHost;
  /** Modules that a later `import` finds again, by key. */
  readonly records: Map<string, ModuleRecord> = new Map();
  #asyncOrder = 0;

  constructor(realm: ModuleRealm, host: ModuleHost) {
    this.realm = realm;
    this.host = host;
  }

  /** Makes a transformed ES module. The host decides whether to register it. */
  module(key: string, table: ModuleTable, factory: ModuleFactory): ModuleRecord {
    return new ModuleRecord(this, key, 'module', table, factory);
  }

  /** Makes `$$M` of a script, which has templates and can import dynamically, but exports nothing. */
  script(key: string, table: ModuleTable = plainTable('script')): ModuleRecord {
    const record = new ModuleRecord(this, key, 'script', table, undefined);
    record.status = 'evaluated';
    return record;
  }

  /** Makes `$$M` of one execution of a CommonJS file. */
  commonjs(key: string, table: ModuleTable = plainTable('commonjs')): ModuleRecord {
    const record = new ModuleRecord(this, key, 'commonjs', table, undefined);
    record.status = 'evaluated';
    return record;
  }

  /** Makes a module whose exports are set by `produce` when it is evaluated. */
  synthetic(key: string, names: Iterable<string>, produce: (record: ModuleRecord) => unknown): ModuleRecord {
    const record = new ModuleRecord(this, key, 'synthetic', SYNTHETIC_TABLE, undefined);
    for (const name of names) record.cell(name);
    record.produce = produce;
    return record;
  }

  /** Makes the ES module of a JSON file. */
  json(key: string, value: unknown): ModuleRecord {
    return this.synthetic(key, ['default'], (record) => setExport(record, 'default', value));
  }

  dynamicImport(referrer: ModuleRecord, specifier: unknown, options: unknown, phase?: string): object {
    return dynamicImport(referrer, specifier, options, phase);
  }

  /** Name of a record in error messages. */
  displayNameOf(record: ModuleRecord): string {
    return this.host.displayNameOf?.(record) ?? record.key;
  }

  /** File name of the CommonJS module behind a synthetic record. */
  commonjsFileOf(record: ModuleRecord): string | undefined {
    return this.host.commonjsFileOf?.(record);
  }

  nextAsyncOrder(): number {
    return ++this.#asyncOrder;
  }

  /** Counter for the order of asynchronous evaluation, for capture. */
  get asyncOrder(): number {
    return this.#asyncOrder;
  }

  set asyncOrder(value: number) {
    this.#asyncOrder = value;
  }
}
