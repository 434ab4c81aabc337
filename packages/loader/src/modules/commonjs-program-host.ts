// The host of core's CommonJS: `require` of the program's files over Node's own module objects and cache, so that native code sees the same ones.
import { dirname } from 'node:path';
import { isBuiltin } from 'node:module';
import { pathToFileURL } from 'node:url';
import {
  fillFrom,
  requireFile,
  type CommonJsHost,
  type CommonJsModule,
  type CommonJsSource,
  type ModuleRecord,
} from '@turntable/core';
import { formatOf } from '../node/format.ts';
import { becomeForeign } from '../realm/foreign-code.ts';
import { exportsInCycle, leaveCycle } from './cycle-warning.ts';
import type { ProgramHostDeps } from './esm-program-host.ts';
import { loaderOf } from '../node/file-loaders.ts';
import { parseJson } from './load-errors.ts';
import { MadeByTools } from './made-by-tools.ts';
import type { ModuleTable } from './module-table.ts';
import type { NativeLoader } from './native-modules.ts';
import { createRequireFunction } from './require-function.ts';
import { moduleAt, NodeModules } from '../node/resolution.ts';
import { resolveRequireOrRecorded } from './without-files.ts';

export interface CommonJsProgramHostDeps extends ProgramHostDeps {
  readonly table: ModuleTable;
  /** Loads devices beyond a membrane, if there is one. */
  readonly membraneLoader: NativeLoader | undefined;
  recordOf(url: string): ModuleRecord;
}

export class CommonJsProgramHost implements CommonJsHost {
  readonly cache: Record<string, CommonJsModule | undefined>;
  readonly madeByTools: MadeByTools;
  readonly #deps: CommonJsProgramHostDeps;
  /** File names by directory and `require` argument. */
  readonly #resolved: Map<string, string> = new Map();

  constructor(deps: CommonJsProgramHostDeps) {
    this.#deps = deps;
    this.cache = deps.cache;
    this.madeByTools = new MadeByTools(deps.code.loader, this);
  }

  require(id: string, from: NodeModule): unknown {
    const where = `${from.path}\0${id}`;
    const before = this.#resolved.get(where);
    if (before !== undefined && this.cache[before] !== undefined)
      return requireFile(this, before, from as unknown as CommonJsModule);
    const { builtins, verdicts, own, events, membraneLoader } = this.#deps;
    if (isBuiltin(id)) return builtins.get(id);
    if (id.startsWith('node:')) return builtins.get(id);
    const filename = this.#resolve('require', id, from);
    if (isBuiltin(filename)) return builtins.get(filename);
    const cached = this.cache[filename];
    if (membraneLoader !== undefined && verdicts.loadsNatively(filename, from.filename) && !own.has(filename)) {
      events.callbacks?.device(filename);
      return membraneLoader.load(filename);
    }
    if (cached === undefined) {
      if (verdicts.isNative(filename, from.filename)) {
        events.callbacks?.device(filename);
        return events.loadNative(() => NodeModules._load(filename, from, false));
      }
      const loader = loaderOf(filename);
      if (loader !== 'node') events.callbacks?.device(filename);
      if (loader === 'program') return NodeModules._load(filename, from, false);
      if (loader === 'tool' && !this.madeByTools.isGiven(filename)) return this.madeByTools.load(filename, from);
    }
    this.#resolved.set(where, filename);
    return requireFile(this, filename, from as unknown as CommonJsModule);
  }

  #resolve(
    what: 'require' | 'resolve',
    id: string,
    from: NodeModule,
    options?: Parameters<typeof resolveRequireOrRecorded>[3],
  ): string {
    const { noteResolution, code } = this.#deps;
    return noteResolution(`${what} ${id}`, () => resolveRequireOrRecorded(id, from, code.loader.recorded, options));
  }

  /** The program's exports of a file, which is evaluated if it has not been. */
  exportsOf(filename: string): unknown {
    return requireFile(this, filename, undefined);
  }

  /** Whether a CommonJS file of the program has begun to run. */
  hasLoaded(filename: string): boolean {
    return this.cache[filename] !== undefined && !this.#deps.verdicts.nativeFiles.has(filename);
  }

  /** Runs a file into the module object that Node has made for it. */
  run(module: NodeModule): void {
    this.#deps.entry.evaluationBegins();
    const own = module as unknown as CommonJsModule;
    const parent = module.parent as unknown as CommonJsModule | null | undefined;
    const before = becomeForeign(false);
    try {
      if (!this.madeByTools.runs(module, module.filename))
        fillFrom(this, own, this.loadSource(module.filename), parent ?? undefined);
    } finally {
      becomeForeign(before);
    }
    this.leaveCycle(own);
  }

  /** Runs a CommonJS text that a tool or the program has made of a file. */
  compileInto(module: NodeModule, source: string, filename: string): void {
    if (loaderOf(filename) === 'tool') this.madeByTools.compile(module, source, filename);
    else this.runText(module, filename, source);
  }

  /** Runs a text instead of the text of a CommonJS file. */
  runText(module: NodeModule, filename: string, text: string): void {
    this.#deps.entry.evaluationBegins();
    const own = module as unknown as CommonJsModule;
    const before = becomeForeign(false);
    try {
      fillFrom(this, own, this.#sourceOf(module, filename, text), undefined);
    } finally {
      becomeForeign(before);
    }
  }

  /** The source of a text that is in no file. */
  #sourceOf(module: NodeModule, filename: string, text: string): CommonJsSource {
    const url = pathToFileURL(filename).href;
    const { code, table } = this.#deps;
    const loaded = code.load(url, filename, text, { format: 'commonjs', typescript: false });
    const record = table.commonJsModule(url, loaded, filename, true);
    return { format: 'commonjs', record, factory: loaded.factory, require: this.requireFunction(module) };
  }

  createModule(filename: string, parent: CommonJsModule | undefined): CommonJsModule {
    return moduleAt(filename, parent as unknown as NodeModule) as unknown as CommonJsModule;
  }

  loadSource(filename: string): CommonJsSource {
    const given = this.madeByTools.takeGiven(filename);
    if (given !== undefined) return this.#sourceOf(this.cache[filename] as unknown as NodeModule, filename, given);
    const { code, table, recordOf } = this.#deps;
    const url = pathToFileURL(filename).href;
    const format = formatOf(filename);
    if (format?.format === 'json')
      return { format: 'json', parse: () => parseJson(code.loader.read(filename), filename) };
    if (format?.format === 'module') return { format: 'module', record: recordOf(url) };
    const known = format?.format === 'other' ? { format: 'commonjs' as const, typescript: false } : format;
    const loaded = code.takeKept(filename) ?? code.load(url, filename, code.loader.read(filename), known);
    if (loaded.kind === 'module') return { format: 'module', record: recordOf(url) };
    const record = table.commonJsModule(url, loaded, filename);
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
    const seen = new Set<unknown>();
    for (let at = parent as unknown as NodeModule | null | undefined; at && !seen.has(at); at = at.parent) {
      seen.add(at);
      stack.push(at.filename ?? at.id);
    }
    return stack;
  }
}
