// The CommonJS host of the program. `require` of the program's files uses Node's module objects and cache, so that
// native code sees the same modules.
import { dirname } from 'node:path';
import { isBuiltin } from 'node:module';
import { pathToFileURL } from 'node:url';
import {
  loadExports,
  requireFile,
  type CommonJsHost,
  type CommonJsModule,
  type CommonJsSource,
  type ModuleRecord,
} from '@turntable/core';
import { formatOf } from '../node/file-format.ts';
import { setToolRunning } from '../realm/tool-code.ts';
import { exportsInCycle, leaveCycle } from './cycle-warning.ts';
import type { ProgramHostDeps } from './esm-program-host.ts';
import { loaderOf } from '../node/file-loaders.ts';
import { parseJson } from './load-errors.ts';
import { ToolOutputs } from './tool-outputs.ts';
import type { ProgramModuleTable } from './module-table.ts';
import type { NativeLoader } from './native-modules.ts';
import { createRequireFunction } from './require-function.ts';
import { moduleAt, NodeModules } from '../node/resolution.ts';
import { resolveRequireOrRecorded } from './recorded-resolution.ts';

export interface CommonJsProgramHostDeps extends ProgramHostDeps {
  readonly table: ProgramModuleTable;
  /** Loads devices beyond the membrane; undefined in a thread that neither records nor replays. */
  readonly membraneLoader: NativeLoader | undefined;
  recordOf(url: string): ModuleRecord;
}

export class CommonJsProgramHost implements CommonJsHost {
  readonly cache: Record<string, CommonJsModule | undefined>;
  readonly toolOutputs: ToolOutputs;
  readonly #deps: CommonJsProgramHostDeps;
  /** Resolved file names by directory and `require` argument. */
  readonly #resolvedFiles: Map<string, string> = new Map();

  constructor(deps: CommonJsProgramHostDeps) {
    this.#deps = deps;
    this.cache = deps.moduleCache;
    this.toolOutputs = new ToolOutputs(deps.code.codeLoader, this);
  }

  require(id: string, from: NodeModule): unknown {
    const lookupKey = `${from.path}\0${id}`;
    const knownFile = this.#resolvedFiles.get(lookupKey);
    if (knownFile !== undefined && this.cache[knownFile] !== undefined)
      return requireFile(this, knownFile, from as unknown as CommonJsModule);
    const { builtins, verdicts, ownModules, loadEvents, membraneLoader } = this.#deps;
    if (isBuiltin(id)) return builtins.get(id);
    if (id.startsWith('node:')) return builtins.get(id);
    const filename = this.#resolve('require', id, from);
    if (isBuiltin(filename)) return builtins.get(filename);
    const cached = this.cache[filename];
    if (
      membraneLoader !== undefined &&
      verdicts.shouldLoadNatively(filename, from.filename) &&
      !ownModules.has(filename)
    ) {
      loadEvents.callbackWatcher?.onDevice(filename);
      return membraneLoader.load(filename);
    }
    if (cached === undefined) {
      if (verdicts.isNative(filename, from.filename)) {
        loadEvents.callbackWatcher?.onDevice(filename);
        return loadEvents.loadNative(() => NodeModules._load(filename, from, false));
      }
      const loader = loaderOf(filename);
      if (loader !== 'node') loadEvents.callbackWatcher?.onDevice(filename);
      if (loader === 'program') return NodeModules._load(filename, from, false);
      if (loader === 'tool' && !this.toolOutputs.hasRecordedOutput(filename))
        return this.toolOutputs.loadWithTool(filename, from);
    }
    this.#resolvedFiles.set(lookupKey, filename);
    return requireFile(this, filename, from as unknown as CommonJsModule);
  }

  #resolve(
    requestKind: 'require' | 'resolve',
    id: string,
    from: NodeModule,
    options?: Parameters<typeof resolveRequireOrRecorded>[3],
  ): string {
    const { noteResolution, code } = this.#deps;
    return noteResolution(`${requestKind} ${id}`, () =>
      resolveRequireOrRecorded(id, from, code.codeLoader.recordedSources, options),
    );
  }

  /** The exports of a CommonJS file of the program. Evaluates the file if necessary. */
  exportsOf(filename: string): unknown {
    return requireFile(this, filename, undefined);
  }

  /** Whether a CommonJS file of the program has begun to run. */
  hasLoaded(filename: string): boolean {
    return this.cache[filename] !== undefined && !this.#deps.verdicts.nativeFiles.has(filename);
  }

  /** Runs a file with the module object that Node has created for it. */
  run(module: NodeModule): void {
    this.#deps.entryPoint.noteEvaluation();
    const commonJsModule = module as unknown as CommonJsModule;
    const parent = module.parent as unknown as CommonJsModule | null | undefined;
    const wasToolRunning = setToolRunning(false);
    try {
      if (!this.toolOutputs.runWithoutRequire(module, module.filename))
        loadExports(this, commonJsModule, this.loadSource(module.filename), parent ?? undefined);
    } finally {
      setToolRunning(wasToolRunning);
    }
    this.leaveCycle(commonJsModule);
  }

  /** Runs CommonJS source that a tool or the program has generated for a file. */
  compileInto(module: NodeModule, source: string, filename: string): void {
    if (loaderOf(filename) === 'tool') this.toolOutputs.runOutput(module, source, filename);
    else this.runSource(module, filename, source);
  }

  /** Runs `source` instead of the text of the CommonJS file `filename`. */
  runSource(module: NodeModule, filename: string, source: string): void {
    this.#deps.entryPoint.noteEvaluation();
    const commonJsModule = module as unknown as CommonJsModule;
    const wasToolRunning = setToolRunning(false);
    try {
      loadExports(this, commonJsModule, this.#commonJsSourceOf(module, filename, source), undefined);
    } finally {
      setToolRunning(wasToolRunning);
    }
  }

  /** Loads CommonJS source that is in no file. */
  #commonJsSourceOf(module: NodeModule, filename: string, source: string): CommonJsSource {
    const url = pathToFileURL(filename).href;
    const { code, table } = this.#deps;
    const loaded = code.load(url, filename, source, { format: 'commonjs', isTypeScript: false });
    const record = table.addCommonJsModule(url, loaded, filename, true);
    return { format: 'commonjs', record, factory: loaded.factory, require: this.requireFunction(module) };
  }

  createModule(filename: string, parent: CommonJsModule | undefined): CommonJsModule {
    return moduleAt(filename, parent as unknown as NodeModule) as unknown as CommonJsModule;
  }

  loadSource(filename: string): CommonJsSource {
    const toolOutput = this.toolOutputs.takeRecordedOutput(filename);
    if (toolOutput !== undefined)
      return this.#commonJsSourceOf(this.cache[filename] as unknown as NodeModule, filename, toolOutput);
    const { code, table, recordOf } = this.#deps;
    const url = pathToFileURL(filename).href;
    const format = formatOf(filename);
    if (format?.format === 'json')
      return { format: 'json', parse: () => parseJson(code.codeLoader.read(filename), filename) };
    if (format?.format === 'module') return { format: 'module', record: recordOf(url) };
    const knownFormat = format?.format === 'other' ? { format: 'commonjs' as const, isTypeScript: false } : format;
    const loaded =
      code.takeLoadedEarly(filename) ?? code.load(url, filename, code.codeLoader.read(filename), knownFormat);
    if (loaded.kind === 'module') return { format: 'module', record: recordOf(url) };
    const record = table.addCommonJsModule(url, loaded, filename);
    const module = this.cache[filename] as unknown as NodeModule;
    return { format: 'commonjs', record, factory: loaded.factory, require: this.requireFunction(module) };
  }

  requireFunction(module: NodeModule): NodeJS.Require {
    return createRequireFunction(module, {
      load: (id, from) => this.require(id, from),
      resolve: (id, from, options) => this.#resolve('resolve', id, from, options),
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
    const visited = new Set<unknown>();
    for (
      let ancestor = parent as unknown as NodeModule | null | undefined;
      ancestor && !visited.has(ancestor);
      ancestor = ancestor.parent
    ) {
      visited.add(ancestor);
      stack.push(ancestor.filename ?? ancestor.id);
    }
    return stack;
  }
}
