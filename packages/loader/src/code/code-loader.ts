// Turns a file into code that can be run: reads it, transforms it or takes it from the cache, and compiles it under the
// file's name. Also makes the restoring form of code, and describes code that is not run. Knows nothing of modules.
import { fileURLToPath } from 'node:url';
import type { Script } from 'node:vm';
import { hostClock, type ModuleFactory, type ModuleTable } from '@turntable/core';
import type { SourceMapObject } from '@turntable/transform/source-map';
import { readFileSync } from '../files.ts';
import type { CacheKey } from './cache-directory.ts';
import type { CacheEntry, CodeCache } from './code-cache.ts';
import { commonJsNames } from '../node/commonjs-names.ts';
import { detectFormat } from '../node/file-format.ts';
import { buildKey } from './build-key.ts';
import { compileScript, headOf, type EntryHead } from './code-entry.ts';
import { isNodeShim } from '../node-shim-files.ts';
import { readPrebuilt } from './prebuilt.ts';
import { toUserError } from '../source-maps/user-error.ts';
import { TOOL_OUTPUT, type SourceChanges, type RecordedSources } from './recorded-sources.ts';
import type { BuildRequest, CodeKind, CodeRestoreOptions, RestorableParts } from './transform-service.ts';
import type { Transformer } from './transformer-port.ts';
import type { CodePositions, SourceAndTable } from '../realm/function-sources.ts';

/** Node's own timers: a program may replace the global functions, as tests do. */
const { setTimeout: nativeSetTimeout, setImmediate: nativeSetImmediate } = globalThis;

export interface LoadedCode {
  readonly filename: string;
  readonly kind: CodeKind;
  readonly table: ModuleTable;
  readonly mutableCells: readonly string[];
  readonly factory: ModuleFactory;
  readonly size: number;
  readonly running: RunningCode;
}

/** A loaded file. Its map, table and text are found by the name under which it runs. */
export interface RunningCode {
  readonly entry: CacheEntry;
  readonly source: string;
  readonly filename: string;
  readonly kind: CodeKind;
  /** Number of earlier loads of the file. Distinguishes the functions of several instances. */
  readonly instance: number;
}

export interface DescribedCode extends SourceAndTable {
  readonly code: string;
  sourceMap(): SourceMapObject;
}

interface BuiltCode {
  readonly cacheKey: CacheKey;
  readonly entry: CacheEntry;
  readonly head: EntryHead;
  readonly isCached: boolean;
}

interface PendingCacheEntry {
  readonly cacheKey: CacheKey;
  readonly entry: CacheEntry;
  readonly script: Script;
}

interface CompiledCode {
  readonly head: EntryHead;
  readonly entry: CacheEntry;
  readonly script: Script;
}

/** Delay from the load of the first file that is not in the cache to the start of writing. */
const CACHE_DELAY_MS = 1000;
/** Longest time for which one slice of writing may block the program. */
const CACHE_SLICE_MS = 5;

export interface LoadCounts {
  files: number;
  transformed: number;
  cached: number;
  /** Number of files whose code a build had transformed. */
  prebuilt: number;
  milliseconds: number;
}

export interface CodeLoaderOptions {
  /** Whether code has a probe before each statement. */
  readonly isDebug?: boolean;
  /** Sources that replace files. */
  readonly recordedSources?: RecordedSources;
  /** Files that changed during the run. Given only in a thread with a tape. */
  readonly sourceChanges?: SourceChanges | undefined;
}

export class CodeLoader {
  readonly transformer: Transformer;
  readonly #cache: CodeCache | undefined;
  readonly isDebug: boolean;
  readonly #sourceChanges: SourceChanges | undefined;
  #recordedSources: RecordedSources | undefined;
  #onSource: ((filename: string, source: string, settings: string) => void) | undefined;
  #beforeCode: (() => void) | undefined;
  readonly counts: LoadCounts = { files: 0, transformed: 0, cached: 0, prebuilt: 0, milliseconds: 0 };
  /** Loaded files, by the name under which their code runs. */
  readonly running: Map<string, RunningCode> = new Map();
  /** Number of instances of each file, by the file's id. */
  readonly #instances: Map<string, number> = new Map();
  /** Code that was transformed or compiled in this process and is not in the cache yet. */
  readonly #uncached: PendingCacheEntry[] = [];
  readonly #descriptions: Map<RunningCode, SourceAndTable> = new Map();
  /** Code of the restoring form that was compiled in advance, by `preparedKey`. */
  readonly #prepared: Map<string, { readonly source: string; readonly compiled: CompiledCode }> = new Map();

  constructor(
    transformer: Transformer,
    cache: CodeCache | undefined,
    { isDebug = false, recordedSources, sourceChanges }: CodeLoaderOptions = {},
  ) {
    this.transformer = transformer;
    this.#cache = cache;
    this.isDebug = isDebug;
    this.#recordedSources = recordedSources;
    this.#sourceChanges = sourceChanges;
  }

  get recordedSources(): RecordedSources | undefined {
    return this.#recordedSources;
  }

  /** Lets these sources replace files from now on. */
  useRecordedSources(sources: RecordedSources): void {
    this.#recordedSources = sources;
  }

  /**
   * Calls `listener` with each source that is read or restored, before it is transformed. Replaces the previous
   * listener.
   */
  onSource(listener: (filename: string, source: string, settings: string) => void): void {
    this.#onSource = listener;
  }

  /** Calls `listener` before code of a source that was passed to `onSource` can run. Replaces the previous listener. */
  beforeCode(listener: () => void): void {
    this.#beforeCode = listener;
  }

  /** Number of lines of all files that have been loaded. */
  get lines(): number {
    let lines = 0;
    for (const { source } of this.running.values()) lines += source.split('\n').length;
    return lines;
  }

  /** The text of a file without byte order mark. Throws Node's error if the file cannot be read. */
  read(file: string | URL): string {
    const filename = typeof file === 'string' ? file : fileURLToPath(file);
    const source =
      this.#recordedSources?.sourceOf(filename, this.#sourceChanges?.recordedHash(filename)) ?? readSource(file);
    const settings = (): string => this.settingsOf(filename);
    this.#onSource?.(filename, source, settings());
    this.#sourceChanges?.noteRead(filename, source, settings);
    return source;
  }

  /** The recorded output of a tool for a file, during a replay. Must be called once per run of the file. */
  toolOutput(filename: string): string | undefined {
    if (this.#recordedSources?.toolOutputOf(filename) === undefined) return undefined;
    return this.#recordedSources.toolOutputOf(filename, this.#sourceChanges?.recordedHash(toolOutputName(filename)));
  }

  noteToolOutput(filename: string, output: string): void {
    this.#onSource?.(filename, output, TOOL_OUTPUT);
    this.#sourceChanges?.noteRead(toolOutputName(filename), output, () => TOOL_OUTPUT);
  }

  /** The settings that decide how a file is compiled. */
  settingsOf(filename: string): string {
    return this.#recordedSources?.settingsOf(filename) ?? this.transformer.settings(filename);
  }

  /**
   * @param requestedKind undefined: detected from the syntax
   * @param runNameOf the name in stacks: a URL for ES modules, a path for CommonJS
   */
  load(
    filename: string,
    source: string,
    requestedKind: CodeKind | undefined,
    runNameOf: (kind: CodeKind) => string,
  ): LoadedCode {
    const startedMs = hostClock.now();
    const request = this.#requestFor({ path: filename, source, kind: requestedKind });
    const cacheKey = buildKey(this.transformer.version, request);
    const cached = this.#cache?.read(cacheKey);
    const isPrebuilt = cached === undefined && this.#debugForm(filename) === undefined;
    const prebuilt = isPrebuilt ? readPrebuilt(filename, source, this.transformer.version) : undefined;
    const entry = cached ?? prebuilt ?? this.transformer.build(request);
    const head = headOf(entry);
    const instance = this.#nextInstance(head.id);
    const name = runNameOf(head.kind);
    const compiled = this.#compile({ cacheKey, entry, head, isCached: cached !== undefined }, instance, name);
    this.#beforeCode?.();
    const code = this.#run(compiled, { filename, source, kind: head.kind, instance }, name);
    if (isNodeShim(filename)) return code;
    this.counts.files++;
    this.counts[cached !== undefined ? 'cached' : prebuilt !== undefined ? 'prebuilt' : 'transformed']++;
    this.counts.milliseconds += hostClock.now() - startedMs;
    return code;
  }

  /**
   * Loads code in the form that restores functions and classes. The code may cover more of them than requested: the
   * states of a program request nearly the same functions, so that later states need no further transform.
   */
  loadForRestore(running: Omit<RunningCode, 'entry'>, name: string, restoreOptions: CodeRestoreOptions): LoadedCode {
    const key = preparedKey(running, name, restoreOptions);
    const prepared = this.#prepared.get(key);
    this.#prepared.delete(key);
    const isPrepared =
      prepared?.source === running.source && coversParts(restoreOptions, prepared.compiled.head.restores);
    const compiled = isPrepared ? prepared.compiled : this.#compileForRestore(running, name, restoreOptions);
    this.#onSource?.(running.filename, running.source, this.settingsOf(running.filename));
    const { id } = compiled.head;
    this.#instances.set(id, Math.max(this.#instances.get(id) ?? 0, running.instance + 1));
    return this.#run(compiled, running, name);
  }

  /** Reads or transforms, and compiles, code for a later `loadForRestore`. Does not run the code. */
  prepareForRestore(running: Omit<RunningCode, 'entry'>, name: string, restoreOptions: CodeRestoreOptions): void {
    const compiled = this.#compileForRestore(running, name, restoreOptions);
    this.#prepared.set(preparedKey(running, name, restoreOptions), { source: running.source, compiled });
  }

  #compileForRestore(
    running: Omit<RunningCode, 'entry'>,
    name: string,
    restoreOptions: CodeRestoreOptions,
  ): CompiledCode {
    const { filename, source, kind, instance } = running;
    const request = this.#requestFor({ path: filename, source, kind, restore: restoreOptions });
    const cacheKey = buildKey(this.transformer.version, request);
    const cached = this.#cache?.read(cacheKey);
    const cachedParts = cached && headOf(cached).restores;
    const isCached = cached !== undefined && coversParts(restoreOptions, cachedParts);
    const restore = mergeRestoreOptions(restoreOptions, cachedParts);
    const entry = isCached ? cached : this.transformer.build({ ...request, restore });
    return this.#compile({ cacheKey, entry, head: headOf(entry), isCached }, instance, name);
  }

  #requestFor(fields: Pick<BuildRequest, 'path' | 'source' | 'kind' | 'restore'>): BuildRequest {
    return { ...fields, settings: this.settingsOf(fields.path), debug: this.#debugForm(fields.path) };
  }

  /** Form of a file's debug code. Shims of Node's functions report their writes, but have no statements to show. */
  #debugForm(filename: string): BuildRequest['debug'] {
    if (!this.isDebug) return undefined;
    return isNodeShim(filename) ? 'barriers' : true;
  }

  #compile({ cacheKey, entry: builtEntry, head, isCached }: BuiltCode, instance: number, name: string): CompiledCode {
    const entry = instance === 0 ? builtEntry : withInstanceId(builtEntry, head.id, instance);
    const script = compileScript(entry, name);
    if (
      this.#cache !== undefined &&
      !this.transformer.writesCache &&
      instance === 0 &&
      (!isCached || entry.compiled.length === 0 || script.cachedDataRejected === true)
    ) {
      this.#cacheLater({ cacheKey, entry, script });
    }
    return { head, entry, script };
  }

  #run({ head, entry, script }: CompiledCode, runningFields: Omit<RunningCode, 'entry'>, name: string): LoadedCode {
    const { filename, source, kind, instance } = runningFields;
    const running: RunningCode = { entry, source, filename, kind, instance };
    this.running.set(name, running);
    const factory = script.runInThisContext() as ModuleFactory;
    const { module: table, mutable: mutableCells } = head;
    return { filename, kind, table, mutableCells, factory, size: source.length, running };
  }

  #nextInstance(id: string): number {
    const previousCount = this.#instances.get(id) ?? 0;
    this.#instances.set(id, previousCount + 1);
    return previousCount;
  }

  sourceOf(name: string): SourceAndTable | undefined {
    const code = this.running.get(name);
    return code === undefined ? undefined : this.describeRunning(code);
  }

  describeRunning(code: RunningCode): SourceAndTable {
    let description = this.#descriptions.get(code);
    if (description === undefined) {
      const { lowered, table } = code.entry;
      description = { source: lowered === '' ? code.source : lowered, table: JSON.parse(table) as CodePositions };
      this.#descriptions.set(code, description);
    }
    return description;
  }

  /** The transform's description of a source, with the transformed code, which is not run. */
  describe(filename: string, source: string, kind: CodeKind): DescribedCode {
    const request = this.#requestFor({ path: filename, source, kind });
    const keys = [request, { ...request, kind: undefined }].map((each) => buildKey(this.transformer.version, each));
    const [cached] = keys.flatMap((cacheKey) => this.#cache?.read(cacheKey) ?? []);
    const entry = cached ?? this.transformer.build(request);
    const describedSource = entry.lowered === '' ? source : entry.lowered;
    return {
      source: describedSource,
      table: JSON.parse(entry.table) as CodePositions,
      code: entry.code,
      sourceMap: () => this.transformer.readMap(entry.map, entry.code, describedSource, ''),
    };
  }

  mapOf({ entry, source }: RunningCode): SourceMapObject {
    return this.transformer.readMap(entry.map, entry.code, entry.lowered === '' ? source : entry.lowered, '');
  }

  /**
   * Writes to the cache once the program has had time to run, so that V8's compiled code contains the functions that
   * were called.
   */
  #cacheLater(pending: PendingCacheEntry): void {
    if (this.#uncached.push(pending) === 1) nativeSetTimeout(() => this.#writeCacheSlices(), CACHE_DELAY_MS).unref();
  }

  #writeCacheSlices(): void {
    if (this.writeCacheSlice()) nativeSetImmediate(() => this.#writeCacheSlices()).unref();
  }

  /** Writes pending entries to the cache for `CACHE_SLICE_MS`. Returns whether any are left. */
  writeCacheSlice(): boolean {
    const untilMs = hostClock.now() + CACHE_SLICE_MS;
    while (this.#uncached.length > 0 && hostClock.now() < untilMs)
      this.#writeEntry(this.#uncached.pop() as PendingCacheEntry, true);
    return this.#uncached.length > 0;
  }

  /** Writes all pending entries without V8's compiled code. They stay pending until they are written with it. */
  writeSourcesToCache(): void {
    for (const pending of this.#uncached) this.#writeEntry(pending, false);
  }

  #writeEntry({ cacheKey, entry, script }: PendingCacheEntry, withCompiled: boolean): void {
    const { head, code, map, table, lowered } = entry;
    this.#cache?.write(cacheKey, {
      head,
      code,
      map,
      table,
      lowered,
      compiled: withCompiled ? script.createCachedData() : entry.compiled,
    });
  }

  /** Writes the pending entries when the process ends, with compiled code for at most `budgetMs` milliseconds. */
  flushCache(budgetMs: number): void {
    const untilMs = hostClock.now() + budgetMs;
    for (const pending of this.#uncached.splice(0)) this.#writeEntry(pending, hostClock.now() < untilMs);
  }

  /** The module system of a JavaScript source whose package does not specify one. */
  kindOf(source: string): CodeKind {
    return detectFormat(source);
  }

  /** The names that an importer of a CommonJS file can import. */
  commonJsNames(filename: string, source: string, isTypeScriptFile: boolean): ReadonlySet<string> {
    const lowerSource = (input: string, file: string): string =>
      isTypeScriptFile ? this.transformer.lower(input, file, this.settingsOf(file)) : input;
    try {
      return commonJsNames(lowerSource(source, filename), filename, (file) => this.read(file));
    } catch (error) {
      throw toUserError(error);
    }
  }
}

function preparedKey(
  { kind, instance }: Pick<RunningCode, 'kind' | 'instance'>,
  name: string,
  { dead = [] }: CodeRestoreOptions,
): string {
  return [name, kind, instance, ...dead].join('\n');
}

function toolOutputName(filename: string): string {
  return `${filename}, ${TOOL_OUTPUT}`;
}

/** Whether code that can return the parts `available` can return those `requested`. */
function coversParts(requested: RestorableParts, available: RestorableParts | undefined): boolean {
  if (available === undefined) return false;
  const { functions, classes } = available;
  const containsAll = (all: readonly number[], ordinals: readonly number[]): boolean => {
    const set = new Set(all);
    return ordinals.every((ordinal) => set.has(ordinal));
  };
  return containsAll(functions, requested.functions) && containsAll(classes, requested.classes);
}

export function mergeRestoreOptions(
  requested: CodeRestoreOptions,
  available: RestorableParts | undefined,
): CodeRestoreOptions {
  if (available === undefined) return requested;
  const mergeOrdinals = (first: readonly number[], second: readonly number[]): number[] =>
    [...new Set([...first, ...second])].toSorted((a, b) => a - b);
  const functions = mergeOrdinals(requested.functions, available.functions);
  return { ...requested, functions, classes: mergeOrdinals(requested.classes, available.classes) };
}

/** The id of a file in the markers and probes of running code. */
export function codeIdOf({ entry, instance }: RunningCode): string {
  const { id } = headOf(entry);
  return instance === 0 ? id : instanceId(id, instance);
}

function instanceId(id: string, instance: number): string {
  return `${id.slice(0, -4)}${instance.toString(36).padStart(4, '_')}`;
}

/** A copy of the code with another id of the same length, so that positions do not move. */
function withInstanceId(entry: CacheEntry, id: string, instance: number): CacheEntry {
  const newId = instanceId(id, instance);
  // The id is in markers, in probes and in the link from the file to its record.
  const code = entry.code
    .replaceAll(`/*@${id}:`, `/*@${newId}:`)
    .replaceAll(`tt$h(${JSON.stringify(id)}`, () => `tt$h(${JSON.stringify(newId)}`)
    .replace(JSON.stringify(id), JSON.stringify(newId));
  return { ...entry, code, compiled: Buffer.alloc(0) };
}

/** The text of a file without byte order mark. Throws Node's error if the file cannot be read. */
export function readSource(file: string | URL): string {
  const text = readFileSync(file, 'utf8');
  return text.charCodeAt(0) === 0xfe_ff ? text.slice(1) : text;
}
