// Addresses of the program's classes that are valid in every thread: the file and the export name. A class has no
// address if it is not exported, or if it is defined in the entry file, which no other thread may run.
import { pathToFileURL } from 'node:url';
import {
  Cell,
  evaluateForHost,
  exportedNames,
  link,
  loadRequested,
  namespaceOf,
  resolveExport,
  type ModuleRecord,
  type Realm,
} from '@turntable/core';
import { LoaderError } from '../errors.ts';
import { originOf } from '../code/record-origin.ts';
import type { ProgramModules } from './program-modules.ts';

const { toString: functionToString } = Function.prototype;

type AnyClass = abstract new (...args: never) => object;

export class ExportedClasses {
  readonly #realm: Realm;
  readonly #program: ProgramModules;
  /** Results of `#exportedElsewhere`. A class without an address is searched again when `recordCount` has changed. */
  readonly #foundElsewhere = new WeakMap<AnyClass, { address: string | undefined; recordCount: number }>();

  constructor(realm: Realm, program: ProgramModules) {
    this.#realm = realm;
    this.#program = program;
  }

  /** A string that identifies a class in every thread; undefined for a class that is not the program's. */
  keyOf(type: object): string | undefined {
    const identity = this.#realm.classOf(type);
    return identity === undefined ? undefined : `${(identity.module as ModuleRecord).key}#${identity.ordinal}`;
  }

  addressOf(type: AnyClass): string {
    const identity = this.#realm.classOf(type);
    const name = type.name === '' ? 'a class without a name' : type.name;
    if (identity === undefined) throw unknownClassError(this.#foreignReason(type, name));
    const record = identity.module as ModuleRecord;
    const url = this.#urlOf(record);
    if (this.#isEntry(record, url))
      throw unknownClassError(
        `${name} is defined in ${this.#program.table.fileOf(record)}, the program's entry file, which workers do not run; ` +
          `export it from another module, or spawn it with { on: 'main' }`,
      );
    const exportName = this.#exportNameOf(record, type);
    const address = exportName === undefined ? this.#exportedElsewhere(type) : `${url}#${exportName}`;
    if (address !== undefined) return address;
    throw unknownClassError(
      `${name} is not exported by ${this.#program.table.fileOf(record)}, so no worker can find it; export it, or spawn it with { on: 'main' }`,
    );
  }

  /** Searches all modules, since a class that a decorator or factory creates may be exported by another module. */
  #exportedElsewhere(type: AnyClass): string | undefined {
    const { records } = this.#program.graph;
    const cached = this.#foundElsewhere.get(type);
    if (cached !== undefined && (cached.address !== undefined || cached.recordCount === records.size))
      return cached.address;
    let address: string | undefined;
    let recordCount = records.size;
    for (const record of records.values()) {
      const kind = originOf(record)?.kind;
      if (kind !== 'module' && kind !== 'commonjs') continue;
      // This module may export the class later, so a failure of the search must not be cached.
      if (!isReady(record)) recordCount = 0;
      const url = this.#urlOf(record);
      const exportName = this.#isEntry(record, url) ? undefined : this.#exportNameOf(record, type);
      if (exportName === undefined) continue;
      address = `${url}#${exportName}`;
      break;
    }
    this.#foundElsewhere.set(type, { address, recordCount });
    return address;
  }

  #foreignReason(type: AnyClass, name: string): string {
    if (this.#program.entryPoint.nativeUrl === undefined || functionToString.call(type).endsWith('{ [native code] }'))
      return `${name} is not a class of the program; extend it in a module of the program and export the subclass`;
    return (
      `${name} was loaded before start(), so no worker can find it; define it in a module that is imported after start() with ` +
      'await import(…), or start the program with --import turntable/register'
    );
  }

  /** The class at `address`; a promise while its module has not been evaluated. */
  find(address: string): AnyClass | Promise<AnyClass> {
    const [url, name] = splitAddress(address);
    const record = this.#program.esm.recordOf(url);
    return isReady(record) ? this.#classIn(record, name) : this.#load(record, name);
  }

  findLoaded(address: string): AnyClass | undefined {
    const [url, name] = splitAddress(address);
    const record = this.#program.graph.records.get(url);
    return record !== undefined && isReady(record) ? this.#classIn(record, name) : undefined;
  }

  async #load(record: ModuleRecord, name: string): Promise<AnyClass> {
    loadRequested(record);
    link(record);
    await evaluateForHost(record);
    return this.#classIn(record, name);
  }

  #classIn(record: ModuleRecord, name: string): AnyClass {
    const namespace = namespaceOf(record) as Record<string, unknown>;
    const isCommonJs = originOf(record)?.kind === 'facade';
    const exports = isCommonJs ? (namespace['default'] as Record<string, unknown>) : namespace;
    const value = isCommonJs && name === '' ? exports : exports[name];
    if (typeof value !== 'function')
      throw unknownClassError(
        `${this.#program.table.fileOf(record)} exports no class ${name} on this thread; export it on all threads, or spawn it with { on: 'main' }`,
      );
    return value as unknown as AnyClass;
  }

  #urlOf(record: ModuleRecord): string {
    const origin = originOf(record);
    return origin?.kind === 'commonjs' && origin.filename !== undefined
      ? pathToFileURL(origin.filename).href
      : record.key;
  }

  #isEntry(record: ModuleRecord, url: string): boolean {
    const { url: mainUrl } = this.#program.entryPoint;
    return (
      record.key === mainUrl || url === mainUrl || process.mainModule?.filename === this.#program.table.fileOf(record)
    );
  }

  #exportNameOf(record: ModuleRecord, type: AnyClass): string | undefined {
    const origin = originOf(record);
    if (origin?.kind === 'commonjs') {
      const exports: unknown =
        origin.filename === undefined ? undefined : this.#program.commonJs.cache[origin.filename]?.exports;
      if (exports === type) return '';
      return typeof exports === 'object' && exports !== null
        ? Object.keys(exports).find((key) => (exports as Record<string, unknown>)[key] === type)
        : undefined;
    }
    for (const name of exportedNames(record)) {
      const cell = resolveExport(record, name);
      if (cell instanceof Cell && Object.hasOwn(cell, 'v') && cell.v === type) return name;
    }
    return undefined;
  }
}

function splitAddress(address: string): [url: string, name: string] {
  const hash = address.lastIndexOf('#');
  return [address.slice(0, hash), address.slice(hash + 1)];
}

function isReady(record: ModuleRecord): boolean {
  return record.status === 'evaluated' && record.failure === undefined;
}

function unknownClassError(message: string): LoaderError {
  return new LoaderError('TT_UNKNOWN_CLASS', message);
}
