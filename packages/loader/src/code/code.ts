// From a file to something that can be run: read, transformed or taken from the cache, compiled under the file's own name. Knows
// nothing of modules. The transform comes in as a parameter.
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';
import { hostClock, type ModuleFactory, type ModuleTable } from '@turntable/core';
import type { SourceMapObject } from '@turntable/transform/source-map';
import { readFileSync } from '../files.ts';
import type { CacheOrigin } from './cache-directory.ts';
import type { CacheEntry, CodeCache } from './code-cache.ts';
import { commonJsNames } from '../node/commonjs-names.ts';
import { MAP_COMMENT } from '../source-maps/provided-maps.ts';
import { detectFormat, isTypeScript } from '../node/format.ts';
import { isNodeShim } from '../node-shim-files.ts';
import { readPrebuilt } from './prebuilt.ts';
import { shownError } from '../source-maps/shown-error.ts';
import { MADE_BY_TOOL, type ChangedTexts, type RecordedTexts } from './recorded-texts.ts';
import {
  mutableVariables,
  type CodeKind,
  type Transformed,
  type Transformer,
  type TransformOptions,
} from './transformer-port.ts';
import type { CodePositions, SourceAndTable } from '../realm/function-text.ts';

/** A program may put its own in the places of these: tests do. */
const { setTimeout: nativeSetTimeout, setImmediate: nativeSetImmediate } = globalThis;

/** The part of an entry that loading needs. */
interface Head {
  readonly kind: CodeKind;
  /** What the code's markers call the file. */
  readonly id: string;
  readonly module: ModuleTable;
  /** Cells that the module may assign after they are initialised. */
  readonly mutable: readonly string[];
  /** Of the form that restores: what it can give back. */
  readonly restores?: Restored;
}

type Restoring = NonNullable<TransformOptions['restore']>;
type Restored = Pick<Restoring, 'functions' | 'classes'>;

export interface LoadedCode {
  readonly filename: string;
  readonly kind: CodeKind;
  readonly table: ModuleTable;
  readonly mutable: readonly string[];
  readonly factory: ModuleFactory;
  readonly size: number;
  readonly text: RunningCode;
}

/** A file as it runs: under this name its map, table and text can be had. */
export interface RunningCode {
  readonly entry: CacheEntry;
  readonly source: string;
  readonly filename: string;
  readonly kind: CodeKind;
  /** How often the file had been run before: functions of one that runs twice must not be taken for each other. */
  readonly instance: number;
}

export interface DescribedCode extends SourceAndTable {
  readonly code: string;
  map(): SourceMapObject;
}

interface BuiltCode {
  readonly origin: CacheOrigin;
  readonly built: CacheEntry;
  readonly head: Head;
  readonly isCached: boolean;
}

interface Kept {
  readonly origin: CacheOrigin;
  readonly entry: CacheEntry;
  readonly script: Script;
}

interface CompiledCode {
  readonly head: Head;
  readonly entry: CacheEntry;
  readonly script: Script;
}

/** After the last thing was loaded that the cache does not have. */
const QUIET_MS = 1000;
/** Longest time the program is held up by one go at the cache. */
const SLICE_MS = 5;

export interface LoadCounts {
  files: number;
  transformed: number;
  cached: number;
  /** Transformed by a build. */
  prebuilt: number;
  milliseconds: number;
}

export interface CodeLoaderOptions {
  /** Code has a probe before each statement. */
  readonly debug?: boolean;
  /** Texts that replace files. */
  readonly recorded?: RecordedTexts;
  /** In a thread with a tape. */
  readonly changed?: ChangedTexts | undefined;
}

export class CodeLoader {
  readonly transformer: Transformer;
  readonly #cache: CodeCache | undefined;
  readonly debug: boolean;
  readonly #changed: ChangedTexts | undefined;
  #recorded: RecordedTexts | undefined;
  #listener: ((filename: string, text: string, settings: string) => void) | undefined;
  readonly counts: LoadCounts = { files: 0, transformed: 0, cached: 0, prebuilt: 0, milliseconds: 0 };
  /** By the name the code runs under. */
  readonly running: Map<string, RunningCode> = new Map();
  /** How often files of an id have been run. */
  readonly #instances: Map<string, number> = new Map();
  /** Transformed or compiled from text in this process, not in the cache yet. */
  readonly #fresh: Kept[] = [];
  readonly #sources: Map<RunningCode, SourceAndTable> = new Map();
  /** In the form that restores, before anybody has asked for it: by what it will run as. */
  readonly #expected: Map<string, { readonly source: string; readonly compiled: CompiledCode }> = new Map();

  constructor(
    transformer: Transformer,
    cache: CodeCache | undefined,
    { debug = false, recorded, changed }: CodeLoaderOptions = {},
  ) {
    this.transformer = transformer;
    this.#cache = cache;
    this.debug = debug;
    this.#recorded = recorded;
    this.#changed = changed;
  }

  get recorded(): RecordedTexts | undefined {
    return this.#recorded;
  }

  /** From now on these texts replace files. */
  useRecorded(texts: RecordedTexts): void {
    this.#recorded = texts;
  }

  /** Calls `listener` with each text that is read or restored, before it is transformed. The last listener counts. */
  onText(listener: (filename: string, text: string, settings: string) => void): void {
    this.#listener = listener;
  }

  /** Lines of all files that have been loaded. */
  get lines(): number {
    let lines = 0;
    for (const { source } of this.running.values()) lines += source.split('\n').length;
    return lines;
  }

  /** A file's text without byte order mark; throws Node's error. */
  read(file: string | URL): string {
    const filename = typeof file === 'string' ? file : fileURLToPath(file);
    const text = this.#recorded?.textOf(filename, this.#changed?.recorded(filename)) ?? readSource(file);
    const settings = (): string => this.settingsOf(filename);
    this.#listener?.(filename, text, settings());
    this.#changed?.read(filename, text, settings);
    return text;
  }

  /** What a tool had made of a file, in a run again; so it is asked for once each time the file is run. */
  made(filename: string): string | undefined {
    if (this.#recorded?.madeOf(filename) === undefined) return undefined;
    return this.#recorded.madeOf(filename, this.#changed?.recorded(madeName(filename)));
  }

  take(filename: string, text: string): void {
    this.#listener?.(filename, text, MADE_BY_TOOL);
    this.#changed?.read(madeName(filename), text, () => MADE_BY_TOOL);
  }

  /** What besides text and name decides how a file is compiled. */
  settingsOf(filename: string): string {
    return this.#recorded?.settingsOf(filename) ?? this.transformer.settings(filename);
  }

  /** `kind` undefined: by its syntax. `runName` is what stacks will show: a URL for ES modules, a path for CommonJS. */
  load(
    filename: string,
    source: string,
    wanted: CodeKind | undefined,
    typescript: boolean,
    runName: (kind: CodeKind) => string,
  ): LoadedCode {
    const started = hostClock.now();
    const origin = this.#origin(filename, source, wanted ?? 'detect', typescript);
    const cached = this.#cache?.read(origin);
    const isPrebuilt = cached === undefined && this.#debugForm(filename) === undefined;
    const prebuilt = isPrebuilt ? readPrebuilt(filename, source, this.transformer.version) : undefined;
    const built = cached ?? prebuilt ?? this.#build(filename, source, wanted, typescript);
    const head = JSON.parse(built.head) as Head;
    const instance = this.#nextInstance(head.id);
    const name = runName(head.kind);
    const compiled = this.#compile({ origin, built, head, isCached: cached !== undefined }, instance, name);
    const code = this.#run(compiled, { filename, source, kind: head.kind, instance }, name);
    if (isNodeShim(filename)) return code;
    this.counts.files++;
    this.counts[cached !== undefined ? 'cached' : prebuilt !== undefined ? 'prebuilt' : 'transformed']++;
    this.counts.milliseconds += hostClock.now() - started;
    return code;
  }

  /**
   * Code of the form that restores; what it answers is up to the caller. It can give back what earlier states have asked for as well: the states of one program
   * ask for nearly the same, so that soon nothing has to be transformed for another one.
   */
  loadRestoring(text: Omit<RunningCode, 'entry'>, name: string, restore: Restoring): LoadedCode {
    const key = expectedKey(text, name, restore);
    const expected = this.#expected.get(key);
    this.#expected.delete(key);
    const isExpected = expected?.source === text.source && isAmong(restore, expected.compiled.head.restores);
    const compiled = isExpected ? expected.compiled : this.#restoring(text, name, restore);
    this.#listener?.(text.filename, text.source, this.settingsOf(text.filename));
    const { id } = compiled.head;
    this.#instances.set(id, Math.max(this.#instances.get(id) ?? 0, text.instance + 1));
    return this.#run(compiled, text, name);
  }

  /** The same will be asked for, or less of it: it is read, or transformed, and compiled, and nothing of it is run. */
  expectRestoring(text: Omit<RunningCode, 'entry'>, name: string, restore: Restoring): void {
    const compiled = this.#restoring(text, name, restore);
    this.#expected.set(expectedKey(text, name, restore), { source: text.source, compiled });
  }

  #restoring(text: Omit<RunningCode, 'entry'>, name: string, restore: Restoring): CompiledCode {
    const { filename, source, kind, instance } = text;
    const form = `${kind} restored ${JSON.stringify(restore.dead ?? [])}`;
    const origin = this.#origin(filename, source, form, isTypeScript(filename));
    const cached = this.#cache?.read(origin);
    const before = cached && (JSON.parse(cached.head) as Head).restores;
    const isCached = cached !== undefined && isAmong(restore, before);
    const built = isCached ? cached : this.#buildRestoring(text, both(restore, before));
    return this.#compile({ origin, built, head: JSON.parse(built.head) as Head, isCached }, instance, name);
  }

  #buildRestoring({ filename, source, kind }: Omit<RunningCode, 'entry'>, restore: Restoring): CacheEntry {
    const { functions, classes } = restore;
    return entryOf(this.#transform(source, { path: filename, kind, restore }), kind, source, { functions, classes });
  }

  #origin(filename: string, source: string, form: string, typescript: boolean): CacheOrigin {
    const language = typescript ? `ts ${this.settingsOf(filename)}` : 'js';
    const debug = this.#debugForm(filename);
    const probed = debug === undefined ? '' : debug === true ? ' debug' : ` ${debug}`;
    const about = [this.transformer.version, process.version, process.arch, form + probed, language, filename].join(
      '\n',
    );
    return { about, source };
  }

  /** What the loader puts in for functions of Node's is nothing that anybody stops in, but what it writes is the program's. */
  #debugForm(filename: string): TransformOptions['debug'] {
    if (!this.debug) return undefined;
    return isNodeShim(filename) ? 'barriers' : true;
  }

  #compile({ origin, built, head, isCached }: BuiltCode, instance: number, name: string): CompiledCode {
    const entry = instance === 0 ? built : asInstance(built, head.id, instance);
    const script = compile(entry, name);
    if (
      this.#cache !== undefined &&
      instance === 0 &&
      (!isCached || entry.compiled.length === 0 || script.cachedDataRejected === true)
    ) {
      this.#keepLater({ origin, entry, script });
    }
    return { head, entry, script };
  }

  #run({ head, entry, script }: CompiledCode, text: Omit<RunningCode, 'entry'>, name: string): LoadedCode {
    const { filename, source, kind, instance } = text;
    const running: RunningCode = { entry, source, filename, kind, instance };
    this.running.set(name, running);
    const factory = script.runInThisContext() as ModuleFactory;
    const { module: table, mutable } = head;
    return { filename, kind, table, mutable, factory, size: source.length, text: running };
  }

  #nextInstance(id: string): number {
    const before = this.#instances.get(id) ?? 0;
    this.#instances.set(id, before + 1);
    return before;
  }

  #build(filename: string, source: string, wanted: CodeKind | undefined, typescript: boolean): CacheEntry {
    const kind = wanted ?? detectFormat(typescript ? this.#lower(source, filename) : source);
    return entryOf(this.#transform(source, { path: filename, kind }), kind, source);
  }

  #transform(source: string, options: TransformOptions): Transformed {
    // What was left as it is when it ran is not refused where it goes on, whether or not there is a source map beside it.
    const isLenientAt = options.restore === undefined ? undefined : () => true;
    const settings = this.#recorded?.settingsOf(options.path);
    const debug = this.#debugForm(options.path);
    const about = { ...(isLenientAt && { isLenientAt }), ...(debug !== undefined && { debug }) };
    return this.transformer.transform(source, { ...options, settings, ...about });
  }

  #lower(source: string, filename: string): string {
    return this.transformer.lower(source, filename, this.#recorded?.settingsOf(filename));
  }

  sourceOf(name: string): SourceAndTable | undefined {
    const code = this.running.get(name);
    return code === undefined ? undefined : this.described(code);
  }

  described(code: RunningCode): SourceAndTable {
    let known = this.#sources.get(code);
    if (known === undefined) {
      const { lowered, table } = code.entry;
      known = { source: lowered === '' ? code.source : lowered, table: JSON.parse(table) as CodePositions };
      this.#sources.set(code, known);
    }
    return known;
  }

  /** What the transform says of a text, which is not run, and what it makes of it. */
  describe(filename: string, source: string, kind: CodeKind): DescribedCode {
    const typescript = isTypeScript(filename);
    const cached = [kind, 'detect'].map((form) => this.#cache?.read(this.#origin(filename, source, form, typescript)));
    const entry = cached[0] ?? cached[1] ?? this.#build(filename, source, kind, typescript);
    const described = entry.lowered === '' ? source : entry.lowered;
    return {
      source: described,
      table: JSON.parse(entry.table) as CodePositions,
      code: entry.code,
      map: () => this.transformer.readMap(entry.map, entry.code, described, ''),
    };
  }

  mapOf({ entry, source }: RunningCode): SourceMapObject {
    return this.transformer.readMap(entry.map, entry.code, entry.lowered === '' ? source : entry.lowered, '');
  }

  /** Into the cache once the program has had time to run: V8's compiled code then holds the functions that were called. */
  #keepLater(kept: Kept): void {
    if (this.#fresh.push(kept) === 1) nativeSetTimeout(() => this.#keepSome(), QUIET_MS).unref();
  }

  #keepSome(): void {
    if (this.keepSome()) nativeSetImmediate(() => this.#keepSome()).unref();
  }

  /** At a moment at which nothing else is to be done. Whether anything is left that the cache does not have. */
  keepSome(): boolean {
    const until = hostClock.now() + SLICE_MS;
    while (this.#fresh.length > 0 && hostClock.now() < until) this.#keep(this.#fresh.pop() as Kept, true);
    return this.#fresh.length > 0;
  }

  /** What is left is in the cache from now on, but for V8's compiled code, for which it stays left. */
  keepTexts(): void {
    for (const kept of this.#fresh) this.#keep(kept, false);
  }

  #keep({ origin, entry, script }: Kept, compiled: boolean): void {
    const { head, code, map, table, lowered } = entry;
    this.#cache?.write(origin, {
      head,
      code,
      map,
      table,
      lowered,
      compiled: compiled ? script.createCachedData() : entry.compiled,
    });
  }

  /** What is left, when the process ends; compiled code only for as long as `budget` milliseconds. */
  keepRest(budget: number): void {
    const until = hostClock.now() + budget;
    for (const kept of this.#fresh.splice(0)) this.#keep(kept, hostClock.now() < until);
  }

  /** The module system of a JavaScript text whose package does not say. */
  kindOf(source: string): CodeKind {
    return detectFormat(source);
  }

  /** The names `import` finds in a CommonJS file. */
  commonJsNames(filename: string, source: string, typescript: boolean): ReadonlySet<string> {
    const javascript = (text: string, file: string): string => (typescript ? this.#lower(text, file) : text);
    try {
      return commonJsNames(javascript(source, filename), filename, (file) => this.read(file));
    } catch (error) {
      throw shownError(error);
    }
  }
}

function expectedKey(
  { kind, instance }: Pick<RunningCode, 'kind' | 'instance'>,
  name: string,
  { dead = [] }: Restoring,
): string {
  return [name, kind, instance, ...dead].join('\n');
}

function madeName(filename: string): string {
  return `${filename}, ${MADE_BY_TOOL}`;
}

/** Whether code that can give back some functions and classes can give back others. */
function isAmong(wanted: Restored, known: Restored | undefined): boolean {
  if (known === undefined) return false;
  const { functions, classes } = known;
  const isThere = (all: readonly number[], those: readonly number[]): boolean => {
    const known = new Set(all);
    return those.every((ordinal) => known.has(ordinal));
  };
  return isThere(functions, wanted.functions) && isThere(classes, wanted.classes);
}

export function both(wanted: Restoring, before: Restored | undefined): Restoring {
  if (before === undefined) return wanted;
  const joined = (one: readonly number[], other: readonly number[]): number[] =>
    [...new Set([...one, ...other])].toSorted((a, b) => a - b);
  const functions = joined(wanted.functions, before.functions);
  return { ...wanted, functions, classes: joined(wanted.classes, before.classes) };
}

function entryOf(transformed: Transformed, kind: CodeKind, source: string, restores?: Restored): CacheEntry {
  const { code, table, source: described } = transformed;
  const { id, module } = table;
  const about = { kind, id, module: module as ModuleTable, mutable: mutableVariables(table) };
  const head: Head = restores === undefined ? about : { ...about, restores };
  // Most of the text is only for the cache, which can wait.
  let mapText: string | undefined;
  let tableText: string | undefined;
  return {
    head: JSON.stringify(head),
    code,
    get map(): string {
      return (mapText ??= transformed.mapText);
    },
    get table(): string {
      return (tableText ??= JSON.stringify(table));
    },
    lowered: described === source ? '' : described,
    compiled: Buffer.alloc(0),
  };
}

/** What markers and probes of running code call its file. */
export function idOf({ entry, instance }: RunningCode): string {
  const { id } = JSON.parse(entry.head) as Head;
  return instance === 0 ? id : idOfInstance(id, instance);
}

function idOfInstance(id: string, instance: number): string {
  return `${id.slice(0, -4)}${instance.toString(36).padStart(4, '_')}`;
}

/** The same code under another id, as long as its own: positions must not move. */
function asInstance(entry: CacheEntry, id: string, instance: number): CacheEntry {
  const own = idOfInstance(id, instance);
  // Markers, probes, and what ties the file to its record.
  const code = entry.code
    .replaceAll(`/*@${id}:`, `/*@${own}:`)
    .replaceAll(`tt$h(${JSON.stringify(id)}`, () => `tt$h(${JSON.stringify(own)}`)
    .replace(JSON.stringify(id), JSON.stringify(own));
  return { ...entry, code, compiled: Buffer.alloc(0) };
}

function compile(entry: CacheEntry, filename: string): Script {
  const text = entry.code + MAP_COMMENT;
  return entry.compiled.length === 0
    ? new Script(text, { filename })
    : new Script(text, { filename, cachedData: entry.compiled });
}

/** A file's text without byte order mark; throws Node's error. */
export function readSource(file: string | URL): string {
  const text = readFileSync(file, 'utf8');
  return text.charCodeAt(0) === 0xfe_ff ? text.slice(1) : text;
}
