// The program: the graph of transformed modules of one thread. It is the host of core's records (what an import refers to, what a file
// contains) and of CommonJS (`require`, Node's own module objects and cache). Evaluation is core's; Node sees shells (shells.ts).
import { extname, dirname } from 'node:path';
import { isBuiltin } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import {
  codedError,
  exportCommonJs,
  fillFrom,
  ModuleGraph,
  NO_ATTRIBUTES,
  requireFile,
  type Cell,
  type CommonJsHost,
  type CommonJsModule,
  type CommonJsSource,
  type ImportAttributes,
  type ModuleHost,
  type ModuleRealm,
  type ModuleRecord,
  type ModuleRequest,
} from '@turntable/core';
import { validateAttributes } from './attributes.ts';
import { loaderOf } from './file-loaders.ts';
import { MadeByTools } from './made-by-tools.ts';
import { becomeForeign, whileForeign } from '../realm/foreign-code.ts';
import { readSource, type CodeLoader, type LoadedCode, type RunningCode } from '../code/code.ts';
import type { CodeKind } from '../code/transformer-port.ts';
import { explainCommonJsName } from './commonjs-name-error.ts';
import { exportsInCycle, leaveCycle } from './cycle-warning.ts';
import { formatOf, isTypeScript, type FileFormat } from '../code/format.ts';
import { fillImportMeta } from './import-meta.ts';
import {
  addonRecord,
  builtinExports,
  builtinRecord,
  commonJsDeviceRecord,
  moduleDeviceRecord,
  NATIVE_LOADER,
  nativeExports,
  standsOutside,
  type NativeLoader,
  syncBuiltin,
} from './native-modules.ts';
import { nativeExportNames } from './native-export-names.ts';
import { explainedMissingExport, lineAt, parseJson, syntaxError } from './load-errors.ts';
import { createNamespace, restoreNamespace } from './namespaces.ts';
import { shownError } from '../stacks/shown-error.ts';
import { createRequireFunction } from './require-function.ts';
import { NodeModules, resolveImport } from './resolution.ts';
import { resolveImportOrRecorded, resolveRequireOrRecorded } from './without-files.ts';
import { warnOfTypelessPackage } from './typeless-package.ts';
import { follow, type Setter } from './follow.ts';
import type { ModuleClassifier } from '../classification/module-classifier.ts';

/** Whether a file of the program that a device may have loaded already (`isLoaded`) stays native. */
export type StaysNative = (filename: string, isLoaded: boolean) => boolean;

/** What a record's `origin` holds. */
export interface Origin {
  readonly filename: string | undefined;
  /** What it runs. */
  readonly text?: RunningCode;
  /** The text stands in no file. */
  readonly isKept?: boolean;
  readonly what: 'module' | 'commonjs' | 'facade' | 'json' | 'builtin' | 'device';
}

export interface ProgramParts {
  readonly realm: ModuleRealm;
  readonly code: CodeLoader;
  readonly classifier: ModuleClassifier;
  /** Of a thread with a membrane: devices are loaded beyond it. */
  readonly outside: NativeLoader | undefined;
  /** Goes around the search for what a request means: that nothing is there is recorded. */
  readonly found: ((name: string, find: () => string) => string) | undefined;
  /** Of a thread with a tape. */
  readonly staysNative: StaysNative | undefined;
}

/** Node puts other functions into the prototype of emitters when this is loaded. */
const CHANGES_EMITTERS = 'node:domain';

export class Program implements ModuleHost, CommonJsHost {
  readonly graph: ModuleGraph;
  readonly cache = NodeModules._cache as unknown as Record<string, CommonJsModule | undefined>;
  mainUrl: string | undefined;
  /** Told when that is known, before anything of it is loaded. */
  whenBegun: () => void = () => {};
  /** It is known, and its evaluation has not begun. */
  isAwaited = false;
  /** Of a program that has put the hooks in place itself: it began natively. */
  nativeEntry: string | undefined;
  #mainTaken = false;
  /** What the modules in `inside` stand in for. */
  natives: Readonly<Record<string, unknown>> = {};
  readonly #parts: ProgramParts;
  readonly #nativeLoader: NativeLoader;
  readonly #resolved: Map<string, string> = new Map();
  /** CommonJS files whose code had to be looked at before they run. */
  readonly #loadedAlready: Map<string, LoadedCode> = new Map();
  /** Of code in debug mode: CommonJS files by their names, each as it has run last. No `import` leads to them. */
  readonly commonJs: Map<string, ModuleRecord> = new Map();
  /** Cells that are assigned after they are initialised. */
  readonly #mutable: WeakSet<Cell> = new WeakSet();
  /** Modules of Turntable's that the program has, or is expected to have: which are loaded, and what they export. */
  readonly #ownLoaded: Set<string> = new Set();
  readonly #namesOfOwn: Map<string, ReadonlySet<string>> = new Map();
  /** Builtin modules that the program has asked for. */
  readonly builtins: Set<string> = new Set();
  /** Is told of each, before the program can change it. */
  metBuiltin: ((name: string, exports: object) => void) | undefined;
  /** Is told of what the program comes by that may call it back from outside. */
  metOutside:
    | ((what: {
        readonly builtin?: string;
        readonly device?: string;
        readonly source?: string;
        readonly earlier?: boolean;
      }) => void)
    | undefined;
  /** Whether it has come by any such thing, in an earlier life of its or in this one. */
  hasMetOutside = false;
  /** Is told when imports of builtins have been shown what these export now. */
  showedBuiltins: (() => void) | undefined;
  /** Goes around native code that is loaded: what it changes of the host's objects is not the program's. */
  loadingNative: <R>(load: () => R) => R = (load) => load();
  /** Files that Node has loaded natively: there is one instance of a file, so they stay native. */
  readonly nativeFiles: Set<string> = new Set();
  readonly madeByTools: MadeByTools;

  constructor(parts: ProgramParts) {
    this.#parts = parts;
    this.#nativeLoader = parts.outside ?? NATIVE_LOADER;
    this.graph = new ModuleGraph(parts.realm, this);
    this.madeByTools = new MadeByTools(parts.code, this);
  }

  /** Whether there is a membrane. */
  get hasOutside(): boolean {
    return this.#parts.outside !== undefined;
  }

  // --- ModuleHost

  load(referrer: ModuleRecord, request: ModuleRequest): ModuleRecord {
    const importer = (referrer.origin as Origin | undefined)?.filename;
    const { specifier } = request;
    const url = this.#found(`import ${specifier}`, () =>
      resolveImportOrRecorded(specifier, referrer.key, this.#parts.code.recorded),
    );
    return this.recordOf(url, request.attributes, importer);
  }

  #found(name: string, find: () => string): string {
    const { found } = this.#parts;
    return found === undefined ? find() : found(name, find);
  }

  fillMeta(record: ModuleRecord, meta: Record<string, unknown>): void {
    fillImportMeta(meta, record.key, record.key === this.mainUrl);
  }

  /** The name a record's code runs under, see `CodeLoader`. */
  runName(record: ModuleRecord): string {
    const origin = record.origin as Origin | undefined;
    return origin?.what === 'commonjs' && origin.filename !== undefined ? origin.filename : record.key;
  }

  placeOf(record: ModuleRecord): string {
    return (record.origin as Origin | undefined)?.filename ?? record.key;
  }

  commonjsFileOf(record: ModuleRecord): string | undefined {
    const origin = record.origin as Origin | undefined;
    return origin?.what === 'facade' ? origin.filename : undefined;
  }

  createNamespace(record: ModuleRecord, bindings: ReadonlyMap<string, Cell>): object | undefined {
    return createNamespace(record, bindings, this);
  }

  /**
   * The namespace object of a module that is being restored, and what gives it its values once there are any: whoever has the object
   * keeps it.
   */
  restoreNamespace(record: ModuleRecord, kind: 'real' | 'imitated'): () => void {
    return restoreNamespace(record, kind, this);
  }

  /** Hands the value of an initialised cell to native code, and what becomes of it. */
  follow(cell: Cell, setter: Setter): void {
    if (this.#mutable.has(cell)) follow(cell, setter);
    else setter(cell.v);
  }

  explainMissingExport(record: ModuleRecord, request: ModuleRequest, name: string, error: SyntaxError): unknown {
    const target = record.loaded[record.table.requests.indexOf(request)];
    if (target?.cells.has('module.exports') !== true) return error;
    const { filename } = record.origin as Origin;
    const line = filename === undefined ? undefined : lineAt(this.#parts.code.read(filename), request.start);
    return explainedMissingExport(error, name, request.specifier, line);
  }

  /** As Node does for names that CommonJS code expects. */
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
      return this.withOrigin(builtinRecord(this.graph, url, this.builtin(url)), {
        filename: undefined,
        what: 'builtin',
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
    if (this.#comesNatively(filename, importer)) return this.#deviceRecord(url, filename, attributes);
    return this.#fileRecord(url, filename, attributes);
  }

  /** Whether a file is a device's, or has been loaded by one already. */
  isNative(filename: string, importer?: string): boolean {
    return this.nativeFiles.has(filename) || this.#parts.classifier.of(filename, importer).side !== 'program';
  }

  /** The program asks for it. */
  #comesNatively(filename: string, importer: string | undefined): boolean {
    const { classifier, staysNative } = this.#parts;
    if (staysNative === undefined) return this.isNative(filename, importer);
    if (classifier.of(filename, importer).side !== 'program') return true;
    if (!staysNative(filename, this.nativeFiles.has(filename))) return false;
    this.nativeFiles.add(filename);
    return true;
  }

  #fileRecord(url: string, filename: string, attributes: ImportAttributes): ModuleRecord {
    const format = formatOf(filename);
    if (format !== undefined) validateAttributes(url, format.format, attributes);
    switch (format?.format) {
      case 'json':
        return this.withOrigin(this.graph.json(url, this.#json(url, filename)), { filename, what: 'json' });
      case 'addon':
      case 'wasm':
      case 'other':
        throw codedError(
          TypeError,
          'ERR_UNKNOWN_FILE_EXTENSION',
          `Unknown file extension "${extname(filename)}" for ${filename}`,
        );
      default: {
        const source = this.#parts.code.read(new URL(url));
        if (format?.format === 'commonjs') return this.#facadeRecord(url, filename, source, format.typescript);
        const code = this.#code(url, filename, source, format);
        validateAttributes(url, code.kind, attributes);
        if (code.kind === 'commonjs') {
          this.#loadedAlready.set(filename, code);
          return this.#facadeRecord(url, filename, source, isTypeScript(filename));
        }
        return this.moduleRecord(url, code, filename);
      }
    }
  }

  #code(url: string, filename: string, source: string, format: FileFormat | undefined): LoadedCode {
    this.metOutside?.({ source });
    const kind = format === undefined ? undefined : (format.format as CodeKind);
    const typescript = format?.typescript ?? isTypeScript(filename);
    try {
      const code = this.#parts.code.load(filename, source, kind, typescript, (actual) =>
        actual === 'module' ? url : filename,
      );
      if (format === undefined && code.kind === 'module') warnOfTypelessPackage(url, filename);
      return code;
    } catch (error) {
      const shown = shownError(error, (path) => (path === filename && kind === 'module' ? url : path));
      throw typescript || (error as { code?: string }).code !== 'TT_SYNTAX'
        ? shown
        : syntaxError(filename, source, kind, shown);
    }
  }

  moduleRecord(key: string, code: LoadedCode, filename: string | undefined, isKept = false): ModuleRecord {
    const record = this.graph.module(key, code.table, code.factory);
    for (const name of code.mutable) if (code.table.cells.includes(name)) this.#mutable.add(record.cell(name));
    return this.withOrigin(record, { filename, what: 'module', text: code.text, isKept });
  }

  commonJsRecord(key: string, code: LoadedCode, filename: string | undefined, isKept = false): ModuleRecord {
    const record = this.withOrigin(this.graph.commonjs(key, code.table), {
      filename,
      what: 'commonjs',
      text: code.text,
      isKept,
    });
    if (this.#parts.code.debug) this.commonJs.set(filename ?? key, record);
    return record;
  }

  withOrigin(record: ModuleRecord, origin: Origin): ModuleRecord {
    record.origin = origin;
    return record;
  }

  /** A CommonJS file as `import` sees it. */
  #facadeRecord(url: string, filename: string, source: string, typescript: boolean): ModuleRecord {
    const names = this.#parts.code.commonJsNames(filename, source, typescript);
    const record = this.graph.synthetic(url, [...names, 'default', 'module.exports'], (facade) => {
      exportCommonJs(facade, requireFile(this, filename, undefined));
    });
    return this.withOrigin(record, { filename, what: 'facade' });
  }

  #deviceRecord(url: string, filename: string, attributes: ImportAttributes): ModuleRecord {
    const format = formatOf(filename)?.format;
    if (format !== undefined) validateAttributes(url, format, attributes);
    if (format === 'json')
      return this.withOrigin(this.graph.json(url, this.#json(url, filename)), { filename, what: 'json' });
    this.metOutside?.({ device: filename });
    const loader = this.#isOurs(filename) ? NATIVE_LOADER : this.#nativeLoader;
    if (format === 'addon' || format === 'wasm' || format === 'other')
      return this.withOrigin(addonRecord(this.graph, url, filename, loader), { filename, what: 'device' });
    const source = readSource(new URL(url));
    const kind = format ?? this.#parts.code.kindOf(source);
    const record =
      kind === 'commonjs'
        ? commonJsDeviceRecord(this.graph, url, filename, source, loader)
        : moduleDeviceRecord(this.graph, url, filename, this.#exportNames(filename), loader);
    const { produce } = record;
    if (produce !== undefined)
      record.produce = (made) =>
        this.#isOurs(filename) ? this.#loadOwn(filename, () => produce(made)) : this.loadingNative(() => produce(made));
    return this.withOrigin(record, { filename, what: 'device' });
  }

  #exportNames(filename: string): ReadonlySet<string> {
    const { cache, transformer } = this.#parts.code;
    const ports = { cache, version: transformer.version, resolve: resolveFile };
    return this.#namesOfOwn.get(filename) ?? nativeExportNames(filename, ports);
  }

  /** What it changes of the host's it does the first time. */
  #loadOwn<R>(filename: string, load: () => R): R {
    if (this.#ownLoaded.has(filename)) return whileForeign(load);
    this.#ownLoaded.add(filename);
    return whileForeign(() => this.loadingNative(load));
  }

  /** A module of Turntable's that states mention: it is loaded, if it is one, and nothing is left to do but to make its record. */
  async expectOwn(url: string, filename: string): Promise<void> {
    if (!this.#isOurs(filename) || this.#namesOfOwn.has(filename) || formatOf(filename)?.format !== 'module') return;
    const namespace = await this.#loadOwn(filename, () => NATIVE_LOADER.namespace(url, filename));
    this.#namesOfOwn.set(filename, new Set(Object.keys(namespace)));
  }

  /** The same of one that is loaded. */
  meetOwn(filename: string, namespace: object): void {
    this.#ownLoaded.add(filename);
    this.#namesOfOwn.set(filename, new Set(Object.keys(namespace)));
  }

  #dataRecord(url: string, attributes: ImportAttributes): ModuleRecord {
    const match = /^data:([^,;]*)((?:;[^,]*)?),([\s\S]*)$/.exec(url);
    const mime = match?.[1]?.trim().toLowerCase();
    const text =
      match?.[2]?.endsWith(';base64') === true
        ? Buffer.from(decodeURIComponent(match[3] ?? ''), 'base64').toString()
        : decodeURIComponent(match?.[3] ?? '');
    if (mime === 'application/json') {
      validateAttributes(url, 'json', attributes);
      return this.withOrigin(this.graph.json(url, JSON.parse(text)), { filename: undefined, what: 'json' });
    }
    validateAttributes(url, 'module', attributes);
    if (mime !== 'text/javascript' && mime !== 'application/javascript') {
      throw codedError(RangeError, 'ERR_UNKNOWN_MODULE_FORMAT', `Unknown module format: ${mime} for URL ${url}`);
    }
    const code = this.#code(url, url, text, { format: 'module', typescript: false });
    return this.moduleRecord(url, code, undefined, true);
  }

  /** Shared with `require`, as in Node. */
  #json(url: string, filename: string): unknown {
    const shared = !url.includes('?') && !url.includes('#');
    const cached = shared ? this.cache[filename] : undefined;
    if (cached?.loaded === true) return cached.exports;
    const exports = parseJson(this.#parts.code.read(filename), filename);
    if (shared) this.cache[filename] = { exports, loaded: true } as CommonJsModule;
    return exports;
  }

  /** The module system of a file whose package does not say. */
  kindOf(filename: string): CodeKind {
    const code = this.#code(pathToFileURL(filename).href, filename, this.#parts.code.read(filename), undefined);
    if (code.kind === 'commonjs') this.#loadedAlready.set(filename, code);
    return code.kind;
  }

  // --- CommonJsHost

  /** `require(id)` in `from`. */
  require(id: string, from: NodeModule): unknown {
    const where = `${from.path}\0${id}`;
    const before = this.#resolved.get(where);
    if (before !== undefined && this.cache[before] !== undefined)
      return requireFile(this, before, from as unknown as CommonJsModule);
    if (isBuiltin(id)) return this.builtin(id);
    if (id.startsWith('node:')) return this.builtin(id);
    const filename = this.#found(`require ${id}`, () => resolveRequireOrRecorded(id, from, this.#parts.code.recorded));
    if (isBuiltin(filename)) return this.builtin(filename);
    const cached = this.cache[filename];
    const { outside } = this.#parts;
    if (outside !== undefined && this.#comesNatively(filename, from.filename) && !this.#isOurs(filename)) {
      this.metOutside?.({ device: filename });
      return outside.load(filename);
    }
    if (cached === undefined) {
      if (this.isNative(filename, from.filename)) {
        this.metOutside?.({ device: filename });
        return this.loadingNative(() => NodeModules._load(filename, from, false));
      }
      const loader = loaderOf(filename);
      if (loader !== 'node') this.metOutside?.({ device: filename });
      if (loader === 'program') return NodeModules._load(filename, from, false);
      if (loader === 'tool') {
        if (!this.madeByTools.isGiven(filename)) return this.madeByTools.load(filename, from);
      }
    }
    this.#resolved.set(where, filename);
    return requireFile(this, filename, from as unknown as CommonJsModule);
  }

  /** A device's, and behind a membrane. */
  isBeyond(filename: string): boolean {
    return this.hasOutside && this.isNative(filename) && !this.#isOurs(filename);
  }

  /** Whether it was loaded for a device, or as one. */
  isOfDevice(filename: string): boolean {
    return this.nativeFiles.has(filename) && !this.#isOurs(filename);
  }

  /** CommonJS of the program's that has begun to run. */
  hasLoaded(filename: string): boolean {
    return this.cache[filename] !== undefined && !this.nativeFiles.has(filename);
  }

  #isOurs(filename: string): boolean {
    return this.#parts.classifier.ours.some((directory) => filename.startsWith(directory));
  }

  /** Runs a CommonJS text that somebody has made of a file. */
  compileInto(module: NodeModule, source: string, filename: string): void {
    if (loaderOf(filename) === 'tool') this.madeByTools.compile(module, source, filename);
    else this.runText(module, filename, source);
  }

  /** In the place of a CommonJS file. */
  runText(module: NodeModule, filename: string, text: string): void {
    this.isAwaited = false;
    const own = module as unknown as CommonJsModule;
    const before = becomeForeign(false);
    try {
      fillFrom(this, own, this.#sourceOf(module, filename, text), undefined);
    } finally {
      becomeForeign(before);
    }
  }

  /** Of a text that stands in no file. */
  #sourceOf(module: NodeModule, filename: string, text: string): CommonJsSource {
    const url = pathToFileURL(filename).href;
    const code = this.#code(url, filename, text, { format: 'commonjs', typescript: false });
    const record = this.commonJsRecord(url, code, filename, true);
    return { format: 'commonjs', record, factory: code.factory, require: this.requireFunction(module) };
  }

  /** The program asks for it. */
  builtin(id: string): Record<string, unknown> {
    const exports = this.meetBuiltin(id);
    this.metOutside?.({ builtin: id });
    return exports;
  }

  /** It may have it. */
  meetBuiltin(id: string): Record<string, unknown> {
    const name = id.startsWith('node:') ? id : `node:${id}`;
    const isNew = !this.builtins.has(name);
    const load = (): Record<string, unknown> => builtinExports(id);
    const exports = isNew && name === CHANGES_EMITTERS ? this.loadingNative(load) : load();
    if (isNew) {
      this.builtins.add(name);
      this.metBuiltin?.(name, standsOutside(id) ? nativeExports(id) : exports);
    }
    return exports;
  }

  /** Without a membrane before it. */
  nativeBuiltin(id: string): Record<string, unknown> {
    return standsOutside(id) ? nativeExports(id) : this.meetBuiltin(id);
  }

  createModule(filename: string, parent: CommonJsModule | undefined): CommonJsModule {
    const module = new NodeModules(filename, parent as unknown as NodeModule);
    module.filename = filename;
    module.paths = NodeModules._nodeModulePaths(dirname(filename));
    return module as unknown as CommonJsModule;
  }

  loadSource(filename: string): CommonJsSource {
    const given = this.madeByTools.takeGiven(filename);
    if (given !== undefined) return this.#sourceOf(this.cache[filename] as unknown as NodeModule, filename, given);
    const url = pathToFileURL(filename).href;
    const format = formatOf(filename);
    if (format?.format === 'json')
      return { format: 'json', parse: () => parseJson(this.#parts.code.read(filename), filename) };
    if (format?.format === 'module') return { format: 'module', record: this.recordOf(url) };
    const known = format === undefined || format.format === 'other' ? undefined : format;
    const before = this.#loadedAlready.get(filename);
    this.#loadedAlready.delete(filename);
    const code =
      before ??
      this.#code(
        url,
        filename,
        this.#parts.code.read(filename),
        format?.format === 'other' ? { format: 'commonjs', typescript: false } : known,
      );
    if (code.kind === 'module') return { format: 'module', record: this.recordOf(url) };
    const record = this.commonJsRecord(url, code, filename);
    const module = this.cache[filename] as unknown as NodeModule;
    return { format: 'commonjs', record, factory: code.factory, require: this.requireFunction(module) };
  }

  /** Whether `module` is the entry point, which has not run. */
  isMain(module: NodeModule): boolean {
    return !this.#mainTaken && pathToFileURL(module.filename).href === this.mainUrl;
  }

  /** Whether `module` is the entry point about to run; gives it what Node gives a CommonJS entry point. */
  takeMain(module: NodeModule): boolean {
    if (!this.isMain(module)) return false;
    this.#mainTaken = true;
    module.id = '.';
    module.parent = null;
    return true;
  }

  requireFunction(module: NodeModule): NodeJS.Require {
    return createRequireFunction(module, {
      load: (id, from) => this.require(id, from),
      resolve: (id, from, options) =>
        this.#found(`resolve ${id}`, () => resolveRequireOrRecorded(id, from, this.#parts.code.recorded, options)),
    });
  }

  directoryOf(filename: string): string {
    return dirname(filename);
  }

  exportsInCycle(module: CommonJsModule): unknown {
    return exportsInCycle(module);
  }

  leaveCycle(module: CommonJsModule): void {
    leaveCycle(module);
  }

  requireStack(parent: CommonJsModule | undefined): readonly string[] {
    const stack: string[] = [];
    const seen = new Set<unknown>();
    for (let at = parent as unknown as NodeModule | null | undefined; at && !seen.has(at); at = at.parent) {
      seen.add(at);
      stack.push(at.filename ?? at.id);
    }
    return stack;
  }

  /** After `module.syncBuiltinESMExports`. */
  syncBuiltins(): void {
    for (const record of this.graph.records.values())
      if ((record.origin as Origin).what === 'builtin') syncBuiltin(record);
    this.showedBuiltins?.();
  }
}

function formatName(record: ModuleRecord): string {
  return (record.origin as Origin).what === 'json' ? 'json' : 'module';
}

function resolveFile(specifier: string, from: string): string | undefined {
  try {
    const { url } = resolveImport(specifier, pathToFileURL(from).href);
    return url.startsWith('file:') ? fileURLToPath(url) : undefined;
  } catch {
    return undefined;
  }
}
