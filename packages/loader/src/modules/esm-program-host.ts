// The ES module host of the program: finds the record that an `import` refers to, and creates the record of each kind
// of module. Evaluation is in core.
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  codedError,
  exportCommonJs,
  ModuleGraph,
  NO_ATTRIBUTES,
  type Cell,
  type CommonJsModule,
  type ImportAttributes,
  type ModuleHost,
  type ModuleRealm,
  type ModuleRecord,
  type ModuleRequest,
} from '@turntable/core';
import { readSource } from '../code/code-loader.ts';
import { formatOf, isTypeScript } from '../node/file-format.ts';
import type { VerdictCache } from '../code/verdict-cache.ts';
import { validateAttributes } from './import-attributes.ts';
import type { EntryPoint } from './entry-point.ts';
import { fillImportMeta } from './import-meta.ts';
import { explainCommonJsName, explainedMissingExport, lineAt, parseJson } from './load-errors.ts';
import type { LoadEvents } from './load-events.ts';
import { ProgramModuleTable } from './module-table.ts';
import type { ModuleVerdicts } from './module-verdicts.ts';
import { createNamespace, restoreNamespace, type NamespaceDeps } from './namespaces.ts';
import { nativeExportNames } from './native-export-names.ts';
import {
  addonRecord,
  builtinRecord,
  commonJsDeviceRecord,
  moduleDeviceRecord,
  NATIVE_LOADER,
  type NativeLoader,
} from './native-modules.ts';
import { originOf } from '../code/record-origin.ts';
import type { OwnModules } from './own-modules.ts';
import type { ProgramBuiltins } from './program-builtins.ts';
import type { ProgramCode } from './program-code.ts';
import { importedFile, type NoteResolution } from '../node/resolution.ts';
import { resolveImportOrRecorded } from './recorded-resolution.ts';

/** The dependencies of both hosts of a program. */
export interface ProgramHostDeps {
  readonly code: ProgramCode;
  readonly entryPoint: EntryPoint;
  readonly verdicts: ModuleVerdicts;
  readonly ownModules: OwnModules;
  readonly builtins: ProgramBuiltins;
  readonly loadEvents: LoadEvents;
  readonly noteResolution: NoteResolution;
  /** `require.cache`; it also holds the modules of JSON files. */
  readonly moduleCache: Record<string, CommonJsModule | undefined>;
}

export interface EsmProgramHostDeps extends ProgramHostDeps {
  readonly realm: ModuleRealm;
  readonly verdictCache: VerdictCache | undefined;
  readonly deviceLoader: NativeLoader;
  /** Exports of a CommonJS file of the program. Evaluates the file if necessary. */
  requireCommonJs(filename: string): unknown;
}

export class EsmProgramHost implements ModuleHost {
  readonly graph: ModuleGraph;
  readonly table: ProgramModuleTable;
  readonly #deps: EsmProgramHostDeps;
  readonly #namespaces: NamespaceDeps;

  constructor(deps: EsmProgramHostDeps) {
    this.#deps = deps;
    this.graph = new ModuleGraph(deps.realm, this);
    this.table = new ProgramModuleTable(this.graph, deps.code.codeLoader.isDebug);
    this.#namespaces = {
      followCell: (cell, setter) => this.table.followCell(cell, setter),
      isBeyondMembrane: (filename) => deps.verdicts.isBeyondMembrane(filename),
    };
  }

  load(referrer: ModuleRecord, request: ModuleRequest): ModuleRecord {
    const importer = originOf(referrer)?.filename;
    const { specifier } = request;
    const { noteResolution, code } = this.#deps;
    const url = noteResolution(`import ${specifier}`, () =>
      resolveImportOrRecorded(specifier, referrer.key, code.codeLoader.recordedSources),
    );
    return this.recordOf(url, request.attributes, importer);
  }

  fillMeta(record: ModuleRecord, meta: Record<string, unknown>): void {
    fillImportMeta(meta, record.key, record.key === this.#deps.entryPoint.url);
  }

  displayNameOf(record: ModuleRecord): string {
    return this.table.fileOf(record);
  }

  commonjsFileOf(record: ModuleRecord): string | undefined {
    const origin = originOf(record);
    return origin?.kind === 'facade' ? origin.filename : undefined;
  }

  createNamespace(record: ModuleRecord, bindings: ReadonlyMap<string, Cell>): object | undefined {
    return createNamespace(record, bindings, this.#namespaces);
  }

  /**
   * Creates the namespace object of a module that is being restored. The returned function fills in the values once
   * they exist. The object stays the same, because other objects may already refer to it.
   */
  restoreNamespace(record: ModuleRecord, kind: 'real' | 'imitated'): () => void {
    return restoreNamespace(record, kind, this.#namespaces);
  }

  explainMissingExport(record: ModuleRecord, request: ModuleRequest, name: string, error: SyntaxError): unknown {
    const target = record.loadedModules[record.table.requests.indexOf(request)];
    if (target?.cells.has('module.exports') !== true) return error;
    const filename = originOf(record)?.filename;
    const line = filename === undefined ? undefined : lineAt(this.#deps.code.codeLoader.read(filename), request.start);
    return explainedMissingExport(error, name, request.specifier, line);
  }

  /** Adds Node's explanation when an ES module uses a name of CommonJS. */
  explainFailure(record: ModuleRecord, reason: unknown): void {
    explainCommonJsName(reason, record.key, record.table.async);
  }

  /** The record of a resolved URL. */
  recordOf(url: string, attributes: ImportAttributes = NO_ATTRIBUTES, importer?: string): ModuleRecord {
    const key = attributes['type'] === undefined ? url : `${url}\n${attributes['type']}`;
    const known = this.graph.records.get(key);
    if (known !== undefined) {
      validateAttributes(url, formatName(known), attributes);
      return known;
    }
    const record = this.#createRecord(url, attributes, importer);
    this.graph.records.set(key, record);
    return record;
  }

  #createRecord(url: string, attributes: ImportAttributes, importer: string | undefined): ModuleRecord {
    const scheme = url.slice(0, url.indexOf(':'));
    if (scheme === 'node') {
      validateAttributes(url, 'builtin', attributes);
      return this.table.withOrigin(builtinRecord(this.graph, url, this.#deps.builtins.get(url)), {
        filename: undefined,
        kind: 'builtin',
      });
    }
    if (scheme === 'data') return this.#dataRecord(url, attributes);
    if (scheme !== 'file') {
      throw codedError(
        Error,
        'ERR_UNSUPPORTED_ESM_URL_SCHEME',
        `Only URLs with a scheme in: file and data are supported by the default ESM loader. Received protocol '${scheme}:'`,
      );
    }
    const filename = fileURLToPath(url);
    if (this.#deps.verdicts.shouldLoadNatively(filename, importer))
      return this.#deviceRecord(url, filename, attributes);
    return this.#fileRecord(url, filename, attributes);
  }

  #fileRecord(url: string, filename: string, attributes: ImportAttributes): ModuleRecord {
    const format = formatOf(filename);
    if (format !== undefined) validateAttributes(url, format.format, attributes);
    switch (format?.format) {
      case 'json':
        return this.#jsonRecord(url, filename);
      case 'addon':
      case 'wasm':
      case 'other':
        throw codedError(
          TypeError,
          'ERR_UNKNOWN_FILE_EXTENSION',
          `Unknown file extension "${extname(filename)}" for ${filename}`,
        );
      default: {
        const { code } = this.#deps;
        const source = code.codeLoader.read(new URL(url));
        if (format?.format === 'commonjs') return this.#facadeRecord(url, filename, source, format.isTypeScript);
        const loaded = code.load(url, filename, source, format);
        validateAttributes(url, loaded.kind, attributes);
        if (loaded.kind === 'commonjs') {
          code.keepUntilRun(filename, loaded);
          return this.#facadeRecord(url, filename, source, isTypeScript(filename));
        }
        return this.table.addModule(url, loaded, filename);
      }
    }
  }

  /** The record of a CommonJS file for importers. */
  #facadeRecord(url: string, filename: string, source: string, typescript: boolean): ModuleRecord {
    const names = this.#deps.code.codeLoader.commonJsNames(filename, source, typescript);
    const record = this.graph.synthetic(url, [...names, 'default', 'module.exports'], (facade) => {
      exportCommonJs(facade, this.#deps.requireCommonJs(filename));
    });
    return this.table.withOrigin(record, { filename, kind: 'facade' });
  }

  #deviceRecord(url: string, filename: string, attributes: ImportAttributes): ModuleRecord {
    const { code, ownModules, loadEvents, deviceLoader } = this.#deps;
    const format = formatOf(filename)?.format;
    if (format !== undefined) validateAttributes(url, format, attributes);
    if (format === 'json') return this.#jsonRecord(url, filename);
    loadEvents.callbackWatcher?.onDevice(filename);
    const loader = ownModules.has(filename) ? NATIVE_LOADER : deviceLoader;
    if (format === 'addon' || format === 'wasm' || format === 'other')
      return this.table.withOrigin(addonRecord(this.graph, url, filename, loader), { filename, kind: 'device' });
    const source = readSource(new URL(url));
    const kind = format ?? code.codeLoader.kindOf(source);
    const record =
      kind === 'commonjs'
        ? commonJsDeviceRecord(this.graph, url, filename, source, loader)
        : moduleDeviceRecord(this.graph, url, filename, this.#exportNames(filename), loader);
    const { produce: evaluateNatively } = record;
    if (evaluateNatively !== undefined)
      record.produce = (producedRecord) =>
        ownModules.has(filename)
          ? ownModules.load(filename, () => evaluateNatively(producedRecord))
          : loadEvents.loadNative(() => evaluateNatively(producedRecord));
    return this.table.withOrigin(record, { filename, kind: 'device' });
  }

  #exportNames(filename: string): ReadonlySet<string> {
    const { ownModules, code, verdictCache: cache } = this.#deps;
    const deps = { cache, version: code.codeLoader.transformer.version, resolve: importedFile };
    return ownModules.exportNamesOf(filename) ?? nativeExportNames(filename, deps);
  }

  #dataRecord(url: string, attributes: ImportAttributes): ModuleRecord {
    const parts = /^data:([^,;]*)((?:;[^,]*)?),([\s\S]*)$/.exec(url);
    const mime = parts?.[1]?.trim().toLowerCase();
    const source =
      parts?.[2]?.endsWith(';base64') === true
        ? Buffer.from(decodeURIComponent(parts[3] ?? ''), 'base64').toString()
        : decodeURIComponent(parts?.[3] ?? '');
    if (mime === 'application/json') {
      validateAttributes(url, 'json', attributes);
      return this.table.withOrigin(this.graph.json(url, JSON.parse(source)), { filename: undefined, kind: 'json' });
    }
    validateAttributes(url, 'module', attributes);
    if (mime !== 'text/javascript' && mime !== 'application/javascript') {
      throw codedError(RangeError, 'ERR_UNKNOWN_MODULE_FORMAT', `Unknown module format: ${mime} for URL ${url}`);
    }
    const code = this.#deps.code.load(url, url, source, { format: 'module', isTypeScript: false });
    return this.table.addModule(url, code, undefined, true);
  }

  #jsonRecord(url: string, filename: string): ModuleRecord {
    return this.table.withOrigin(this.graph.json(url, this.#json(url, filename)), { filename, kind: 'json' });
  }

  /** The value of a JSON file, shared with `require` as in Node. */
  #json(url: string, filename: string): unknown {
    const { moduleCache: cache, code } = this.#deps;
    const isShared = !url.includes('?') && !url.includes('#');
    const cached = isShared ? cache[filename] : undefined;
    if (cached?.loaded === true) return cached.exports;
    const exports = parseJson(code.codeLoader.read(filename), filename);
    if (isShared) cache[filename] = { exports, loaded: true } as CommonJsModule;
    return exports;
  }
}

function formatName(record: ModuleRecord): string {
  return originOf(record)?.kind === 'json' ? 'json' : 'module';
}
