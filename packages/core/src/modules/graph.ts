// The modules of one realm: what has been loaded by key, and the order counter of asynchronous evaluation.
import { setExport } from './evaluate.ts';
import { dynamicImport } from './dynamic-import.ts';
import type { ModuleRealm } from './ports.ts';
import { ModuleRecord, type ModuleFactory, type ModuleHost, type ModuleRecordGraph } from './record.ts';
import { plainTable, type ModuleTable } from './module-table.ts';

const SYNTHETIC_TABLE: ModuleTable = { ...plainTable('script'), kind: 'module' };

export class ModuleGraph implements ModuleRecordGraph {
  readonly realm: ModuleRealm;
  readonly host: ModuleHost;
  /** Every module that `import` can find again, by key. */
  readonly records: Map<string, ModuleRecord> = new Map();
  #asyncOrder = 0;

  constructor(realm: ModuleRealm, host: ModuleHost) {
    this.realm = realm;
    this.host = host;
  }

  /** A transformed ES module; not registered under its key, that is the host's decision. */
  module(key: string, table: ModuleTable, factory: ModuleFactory): ModuleRecord {
    return new ModuleRecord(this, key, 'module', table, factory);
  }

  /** `$$M` for a script: it can import dynamically and has templates, and exports nothing. */
  script(key: string, table: ModuleTable = plainTable('script')): ModuleRecord {
    const record = new ModuleRecord(this, key, 'script', table, undefined);
    record.status = 'evaluated';
    return record;
  }

  /** `$$M` for one execution of a CommonJS file. */
  commonjs(key: string, table: ModuleTable = plainTable('commonjs')): ModuleRecord {
    const record = new ModuleRecord(this, key, 'commonjs', table, undefined);
    record.status = 'evaluated';
    return record;
  }

  /** A module whose exports are set from outside when it is evaluated. */
  synthetic(key: string, names: Iterable<string>, produce: (record: ModuleRecord) => unknown): ModuleRecord {
    const record = new ModuleRecord(this, key, 'synthetic', SYNTHETIC_TABLE, undefined);
    for (const name of names) record.cell(name);
    record.produce = produce;
    return record;
  }

  /** The ES module of a JSON text. */
  json(key: string, value: unknown): ModuleRecord {
    return this.synthetic(key, ['default'], (record) => setExport(record, 'default', value));
  }

  dynamicImport(referrer: ModuleRecord, specifier: unknown, options: unknown, phase?: string): object {
    return dynamicImport(referrer, specifier, options, phase);
  }

  /** Where a record comes from, as error messages name it. */
  displayNameOf(record: ModuleRecord): string {
    return this.host.displayNameOf?.(record) ?? record.key;
  }

  /** The file name of the CommonJS module that a synthetic record stands for. */
  commonjsFileOf(record: ModuleRecord): string | undefined {
    return this.host.commonjsFileOf?.(record);
  }

  nextAsyncOrder(): number {
    return ++this.#asyncOrder;
  }

  /** The counter as data. */
  get asyncOrder(): number {
    return this.#asyncOrder;
  }

  set asyncOrder(value: number) {
    this.#asyncOrder = value;
  }
}
