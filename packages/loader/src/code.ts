// From a file to something that can be run: read, transformed or taken from the cache, compiled under the file's own name. Knows
// nothing of modules. The transform comes in as a parameter.
import { readFileSync } from 'node:fs';
import { Script } from 'node:vm';
import type { ModuleFactory, ModuleTable } from '@turntable/core';
import { cacheKey, type CacheEntry, type CodeCache } from './code-cache.ts';
import { commonJsNames } from './commonjs-names.ts';
import { detectFormat } from './format.ts';
import type { CodePositions, SourceAndTable } from './function-text.ts';

export type CodeKind = 'module' | 'commonjs';

export interface TransformOptions {
  readonly path: string;
  readonly kind: CodeKind;
}

export interface Transformed {
  readonly code: string;
  readonly map: unknown;
  readonly table: { readonly module: unknown };
  /** What positions in the table refer to. */
  readonly source: string;
}

export interface Transformer {
  /** Goes into every cache key. */
  readonly version: string;
  transform(source: string, options: TransformOptions): Transformed;
  /** JavaScript of a TypeScript file. */
  lower(source: string, path: string): string;
}

/** The part of an entry that loading needs. */
interface Head {
  readonly kind: CodeKind;
  readonly module: ModuleTable;
}

export interface LoadedCode {
  readonly filename: string;
  readonly kind: CodeKind;
  readonly table: ModuleTable;
  readonly factory: ModuleFactory;
  readonly size: number;
}

/** A file as it runs: under this name its map, table and text can be had. */
export interface RunningCode {
  readonly entry: CacheEntry;
  readonly source: string;
}

interface Kept {
  readonly key: string;
  readonly entry: CacheEntry;
  readonly script: Script;
}

export interface LoadCounts {
  files: number;
  transformed: number;
  cached: number;
  milliseconds: number;
}

export class CodeLoader {
  readonly transformer: Transformer;
  readonly cache: CodeCache | undefined;
  readonly counts: LoadCounts = { files: 0, transformed: 0, cached: 0, milliseconds: 0 };
  /** By the name the code runs under. */
  readonly running: Map<string, RunningCode> = new Map();
  /** Compiled from text in this process: worth keeping V8's work of, once it has run. */
  readonly #fresh: Kept[] = [];
  readonly #sources: Map<RunningCode, SourceAndTable> = new Map();

  constructor(transformer: Transformer, cache: CodeCache | undefined) {
    this.transformer = transformer;
    this.cache = cache;
  }

  /** Lines of all files that have been loaded. */
  get lines(): number {
    let lines = 0;
    for (const { source } of this.running.values()) lines += source.split('\n').length;
    return lines;
  }

  /** `kind` undefined: by its syntax. `runName` is what stacks will show: a URL for ES modules, a path for CommonJS. */
  load(filename: string, source: string, wanted: CodeKind | undefined, typescript: boolean, runName: (kind: CodeKind) => string): LoadedCode {
    const started = performance.now();
    const key = cacheKey([this.transformer.version, process.version, process.arch, wanted ?? 'detect', typescript ? 'ts' : 'js', filename, source]);
    const cached = this.cache?.read(key);
    const entry = cached ?? this.#build(filename, source, wanted, typescript);
    const head = JSON.parse(entry.head) as Head;
    const name = runName(head.kind);
    const script = compile(entry, name);
    if (cached === undefined) this.cache?.write(key, entry);
    if (this.cache !== undefined && (entry.compiled.length === 0 || script.cachedDataRejected === true)) {
      this.#fresh.push({ key, entry, script });
    }
    this.running.set(name, { entry, source });
    const factory = script.runInThisContext() as ModuleFactory;
    this.counts.files++;
    this.counts[cached === undefined ? 'transformed' : 'cached']++;
    this.counts.milliseconds += performance.now() - started;
    return { filename, kind: head.kind, table: head.module, factory, size: source.length };
  }

  #build(filename: string, source: string, wanted: CodeKind | undefined, typescript: boolean): CacheEntry {
    const kind = wanted ?? detectFormat(typescript ? this.transformer.lower(source, filename) : source);
    const { code, map, table, source: described } = this.transformer.transform(source, { path: filename, kind });
    const head: Head = { kind, module: table.module as ModuleTable };
    return {
      head: JSON.stringify(head),
      code,
      map: typeof map === 'string' ? map : JSON.stringify(map),
      table: JSON.stringify(table),
      lowered: described === source ? '' : described,
      compiled: Buffer.alloc(0),
    };
  }

  /** The text and table behind running code. */
  sourceOf(name: string): SourceAndTable | undefined {
    const code = this.running.get(name);
    if (code === undefined) return undefined;
    let known = this.#sources.get(code);
    if (known === undefined) {
      const { lowered, table } = code.entry;
      known = { source: lowered === '' ? code.source : lowered, table: JSON.parse(table) as CodePositions };
      this.#sources.set(code, known);
    }
    return known;
  }

  /** Keeps V8's compiled code of what was compiled from text here, functions that ran included. Stops after `budget` ms. */
  keepCompiled(budget: number): void {
    const until = performance.now() + budget;
    for (const { key, entry, script } of this.#fresh.splice(0)) {
      if (performance.now() > until) return;
      const { head, code, map, table, lowered } = entry;
      this.cache?.write(key, { head, code, map, table, lowered, compiled: script.createCachedData() });
    }
  }

  /** The module system of a JavaScript text whose package does not say. */
  kindOf(source: string): CodeKind {
    return detectFormat(source);
  }

  /** The names `import` finds in a CommonJS file. */
  commonJsNames(filename: string, source: string, typescript: boolean): ReadonlySet<string> {
    const javascript = (text: string, file: string): string => (typescript ? this.transformer.lower(text, file) : text);
    return commonJsNames(javascript(source, filename), filename, (file) => readFileSync(file, 'utf8'));
  }
}

function compile(entry: CacheEntry, filename: string): Script {
  return entry.compiled.length === 0
    ? new Script(entry.code, { filename })
    : new Script(entry.code, { filename, cachedData: entry.compiled });
}

/** A file's text without byte order mark; throws Node's error. */
export function readSource(file: string | URL): string {
  const text = readFileSync(file, 'utf8');
  return text.charCodeAt(0) === 0xfe_ff ? text.slice(1) : text;
}
