/*
 * The transformed side of the comparison: core, bundled to one script, in a fresh context like that of the native side.
 * Tests, modules and run-time functions pass through the transform. Harness files stay native, but use core's versions
 * of what the transform replaces (Promise, Function …), which are the globals of this realm.
 */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import vm from 'node:vm';
import type * as Core from '@turntable/core';
import { transform, TransformError, type TransformResult } from '@turntable/transform';
import { bundle, type Bundle, type Core262 } from './realm-bundle.ts';
import { adoptError, define, harnessScript, host262 } from './native-realm.ts';
import type { TestRealm, TestRealmOptions } from './test-realm.ts';

/** `eval` is a script with its own scope of lexical declarations. */
export type RealmSourceKind = 'script' | 'eval' | 'module' | 'function';
type FunctionHost = NonNullable<Core.Host['compileFunction']>;
type FunctionKind = Parameters<FunctionHost>[0];

const coreBundle = await bundle('core');

/** The property where a script finds its record and realm: docs/internals/abi.md. */
const scriptRecord = Symbol.for('turntable.script');

/** The inputs of a record's code. */
export type RealmSource = {
  readonly kind: RealmSourceKind;
  readonly file: string;
  readonly source: string;
  readonly prefix: string;
  readonly id: string;
};

/** With the transform's table. */
export type CompiledSource = RealmSource & { readonly table: TransformResult['table'] };

type Selection = { readonly functions: readonly number[]; readonly classes: readonly number[] };

/** The parts of a transformed realm that capture and restore need in addition. */
export type TransformedRealm = TestRealm & {
  readonly core: Core262;
  readonly realm: Core.Realm;
  readonly graph: Core.ModuleGraph;
  readonly context: vm.Context;
  /** In the order of loading. */
  readonly sources: Map<Core.ModuleRecord, CompiledSource>;
  /** Number of sources so far, for numbered names. */
  sourceCount: number;
  /** A record of the same source, to be evaluated or, with a selection, to be restored. */
  recompile(text: RealmSource, restore?: Selection): { record: Core.ModuleRecord; factory: Core.ModuleFactory };
  load(file: string, attributes: Core.ImportAttributes): Core.ModuleRecord;
  /** Evaluates a harness file transformed like the test. */
  transformedHarness(source: string, file: string): void;
};

export type TransformedRealmOptions = TestRealmOptions & {
  /** The script that is evaluated first in the context. */
  readonly bundle?: Bundle<Core262>;
  readonly host?: Partial<Core.Host>;
  /** Called before anything but the language is added to the realm. */
  readonly onCreated?: (realm: Core.Realm, core: Core262) => void;
  readonly onOtherRealm?: () => void;
  /** Uses debug code, stopped at every statement without an effect. */
  readonly debug?: boolean;
};

export function openTransformedRealm(options: TransformedRealmOptions): TransformedRealm {
  const context = vm.createContext(vm.constants.DONT_CONTEXTIFY);
  const global = context as unknown as Record<string, unknown> & Record<symbol, unknown>;
  const core = (options.bundle ?? coreBundle)(context);
  if (options.debug === true) stopEverywhere(new core.StatementClock((text) => vm.runInContext(text, context)));
  const sources = new Map<Core.ModuleRecord, CompiledSource>();
  const nativeEval = global['eval'] as (source: string) => unknown;
  /** Makes a function look like one of this context. */
  const native = <F extends object>(fn: F): F => Object.setPrototypeOf(fn, functionPrototype) as F;
  const functionPrototype = (global['Function'] as { prototype: object }).prototype;
  const objectPrototype = (global['Object'] as { prototype: object }).prototype;

  /** Transforms a source; a construct that is refused to users is reported and stays native. */
  const emit = (source: string, file: string, textKind: RealmSourceKind): Emitted => {
    const n = self.sourceCount++;
    const kind = textKind === 'eval' ? 'script' : textKind;
    // Scripts of one realm share their top-level scope, so the names that the transform adds must differ.
    const prefix = kind === 'script' ? `$$${n}_` : '$$';
    const settings = { path: file, kind, prefix, id: `t${n}`, debug: options.debug === true };
    const text = (result: TransformResult): Emitted => ({
      code: result.code,
      compiled: { kind: textKind, file, source, prefix, id: settings.id, table: result.table },
    });
    try {
      return text(transform(source, settings));
    } catch (error) {
      if (!(error instanceof TransformError) || error.code !== 'TT_REFUSED') throw adoptError(error, global);
      const construct = /direct eval/.test(error.message) ? 'eval' : 'with';
      // Direct eval requires the native `eval`.
      if (construct === 'eval') global['eval'] = nativeEval;
      options.onRefusal?.(construct);
      return text(transform(source, { ...settings, lenient: true }));
    }
  };

  /** Must be read before core replaces them. */
  const nativeConstructors = vm.runInContext(
    `({
      function: Function,
      async: (async () => {}).constructor,
      generator: (function* () {}).constructor,
      asyncGenerator: (async function* () {}).constructor,
    })`,
    context,
  ) as Record<FunctionKind, (...source: string[]) => unknown>;

  const compileFunction: FunctionHost = (kind, parameters, body) => {
    const head = {
      function: 'function',
      async: 'async function',
      generator: 'function*',
      asyncGenerator: 'async function*',
    }[kind];
    const source = `(${head} anonymous(${parameters.join(',')}\n) {\n${body}\n})`;
    try {
      // The native constructor checks that parameters and body are each complete.
      nativeConstructors[kind](...parameters, body);
      const { code, compiled: text } = emit(source, 'anonymous', 'function');
      const factory = new vm.Script(code).runInContext(context) as Core.ModuleFactory;
      return factory(scriptRecordOf(text), realm) as ReturnType<FunctionHost>;
    } catch (error) {
      throw adoptError(error, global);
    }
  };

  const realm = core.createRealm({
    queueMicrotask: (callback) => queueMicrotask(callback),
    nextTick: (callback) => process.nextTick(callback),
    compileFunction,
    ...options.host,
  });
  const graph = new core.ModuleGraph(core.moduleRealmOf(realm), {
    load: (referrer, request) => load(resolve(dirname(referrer.key), request.specifier), request.attributes),
  });

  const load = (file: string, attributes: Core.ImportAttributes): Core.ModuleRecord => {
    const type = attributes['type'] ?? '';
    const key = `${type}:${file}`;
    let record = graph.records.get(key);
    if (record === undefined) {
      try {
        const source = readFileSync(file, 'utf8');
        record =
          type === 'json' ? graph.json(file, (global['JSON'] as JSON).parse(source)) : moduleRecord(source, file);
      } catch (error) {
        throw adoptError(error, global);
      }
      graph.records.set(key, record);
    }
    return record;
  };

  const moduleRecord = (source: string, file: string): Core.ModuleRecord => {
    const { code, compiled: text } = emit(source, file, 'module');
    const factory = new vm.Script(code, { filename: file }).runInContext(context) as Core.ModuleFactory;
    return withSource(text, graph.module(file, text.table.module as Core.ModuleTable, factory));
  };

  const scriptRecordOf = (text: CompiledSource): Core.ModuleRecord =>
    withSource(text, graph.script(text.file, text.table.module as Core.ModuleTable));

  const withSource = (text: CompiledSource, record: Core.ModuleRecord): Core.ModuleRecord => {
    sources.set(record, text);
    return record;
  };

  const recompile = (source: RealmSource, restore?: Selection): ReturnType<TransformedRealm['recompile']> => {
    const { table, code, script: compiled } = compileCached(source, restore);
    const text = { ...source, table };
    const run = (): unknown => (source.kind === 'eval' ? nativeEval(code) : compiled.runInContext(context));
    const factory = run() as Core.ModuleFactory;
    if (source.kind !== 'module') return { record: scriptRecordOf(text), factory };
    return { record: withSource(text, graph.module(source.file, table.module as Core.ModuleTable, factory)), factory };
  };

  const runScript = (record: Core.ModuleRecord, run: () => unknown): unknown => {
    const outer = global[scriptRecord];
    define(global, scriptRecord, { M: record, R: realm });
    try {
      return run();
    } finally {
      if (outer === undefined) delete global[scriptRecord];
      else define(global, scriptRecord, outer);
    }
  };

  const script = (source: string, file: string): { run(): unknown } => {
    const { code, compiled: text } = emit(source, file, 'script');
    const compiled = new vm.Script(code, { filename: file });
    return { run: () => runScript(scriptRecordOf(text), () => compiled.runInContext(context)) };
  };

  const indirectEval = (source: unknown): unknown => {
    if (typeof source !== 'string') return source;
    const { code, compiled: text } = emit(source, 'eval', 'eval');
    return runScript(scriptRecordOf(text), () => nativeEval(code));
  };

  realm.install();
  core.installFunctionSources(realm, (record) => sources.get(record));
  realm.ambient['eval'] = native({ eval: indirectEval }.eval);
  for (const name of ['globalThis', 'global', 'process']) realm.ambient[name] ??= global[name];
  for (const name of Object.keys(realm.ambient)) {
    if (realm.ambient[name] !== undefined) define(global, name, realm.ambient[name]);
    // One variable, as in a worker's realm: an assignment to either changes both.
    Object.defineProperty(realm.ambient, name, {
      get: () => global[name],
      set: (value: unknown) => {
        global[name] = value;
      },
    });
  }
  options.onCreated?.(realm, core);
  define(
    global,
    'print',
    native((text: unknown) => options.print(String(text))),
  );
  const $262 = host262(global, script, () => {
    options.onOtherRealm?.();
    return openTransformedRealm(options);
  });
  for (const value of [$262, ...Object.values($262)]) {
    if (typeof value === 'function') native(value);
    else if (value !== global) Object.setPrototypeOf(value, objectPrototype);
  }
  define(global, '$262', $262);

  const self: TransformedRealm = {
    core,
    realm,
    graph,
    context,
    sources,
    sourceCount: 0,
    recompile,
    load,
    global,
    transformedHarness: (source, file) => void script(source, file).run(),
    harness: (source, file) => void harnessScript(source, file).runInContext(context),
    script,
    module: (source, file) => {
      const record = moduleRecord(source, file);
      graph.records.set(`:${file}`, record);
      return {
        link: () => {
          core.loadRequested(record);
          core.link(record);
        },
        evaluate: () => Promise.resolve(core.evaluate(record) as PromiseLike<unknown>),
      };
    },
  };
  return self;
}

function stopEverywhere(clock: Core.StatementClock): void {
  clock.stopNext(() => stopEverywhere(clock));
}

type Compiled = { readonly table: TransformResult['table']; readonly code: string; readonly script: vm.Script };

/** Cached, since many realms use the same harness files. */
const compiledSources = new Map<string, Compiled>();
const MAX_COMPILED_SOURCES = 300;

function compileCached(text: RealmSource, restore: Selection | undefined): Compiled {
  const key = JSON.stringify([text, restore]);
  let found = compiledSources.get(key);
  if (found === undefined) {
    const { kind, file, source, prefix, id } = text;
    const settings = { path: file, kind: kind === 'eval' ? 'script' : kind, prefix, id } as const;
    const { code, table } = transform(source, restore === undefined ? settings : { ...settings, restore });
    found = { table, code, script: new vm.Script(code, { filename: file }) };
    if (compiledSources.size === MAX_COMPILED_SOURCES) compiledSources.clear();
    compiledSources.set(key, found);
  }
  return found;
}

type Emitted = { readonly code: string; readonly compiled: CompiledSource };
