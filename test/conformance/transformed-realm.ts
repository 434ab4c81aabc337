/*
 * The transformed side of the comparison: core, bundled to one script and evaluated in a fresh context like the native
 * side's, and every test, module and run-time function passed through the transform. Harness files stay native: they see
 * core's versions of what the transform replaces (Promise, Function …) because the realm's globals are those here.
 */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import vm from 'node:vm';
import type * as Core from '@turntable/core';
import { transform, TransformError, type TransformResult } from '@turntable/transform';
import { bundle, type Bundle, type Core262 } from './realm-bundle.ts';
import { adoptError, define, harnessScript, host262 } from './native-realm.ts';
import type { TestRealm, TestRealmOptions } from './test-realm.ts';

/** `eval` is a script whose lexical declarations are nobody else's. */
export type RealmSourceKind = 'script' | 'eval' | 'module' | 'function';
type FunctionHost = NonNullable<Core.Host['compileFunction']>;
type FunctionKind = Parameters<FunctionHost>[0];

const coreBundle = await bundle('core');

/** Where a script finds its record and its realm: docs/abi.md. */
const scriptRecord = Symbol.for('turntable.script');

/** What a record's code is made from. */
export type RealmSource = {
  readonly kind: RealmSourceKind;
  readonly file: string;
  readonly source: string;
  readonly prefix: string;
  readonly id: string;
};

/** And what the transform said of it. */
export type CompiledSource = RealmSource & { readonly table: TransformResult['table'] };

type Selection = { readonly functions: readonly number[]; readonly classes: readonly number[] };

/** The parts of a transformed realm that capture and restore need beside what tests see. */
export type TransformedRealm = TestRealm & {
  readonly core: Core262;
  readonly realm: Core.Realm;
  readonly graph: Core.ModuleGraph;
  readonly context: vm.Context;
  /** In the order in which they were run or loaded. */
  readonly sources: Map<Core.ModuleRecord, CompiledSource>;
  /** How many texts there have been: names of theirs are numbered. */
  sourceCount: number;
  /** A record of the same text: to be evaluated or, with a selection, to go on from a state. */
  recompile(text: RealmSource, restore?: Selection): { record: Core.ModuleRecord; factory: Core.ModuleFactory };
  load(file: string, attributes: Core.ImportAttributes): Core.ModuleRecord;
  /** A harness file, transformed like the test. */
  transformedHarness(source: string, file: string): void;
};

export type TransformedRealmOptions = TestRealmOptions & {
  /** What is evaluated in the context to begin with. */
  readonly bundle?: Bundle<Core262>;
  readonly host?: Partial<Core.Host>;
  /** Before anything that is not the language's is put there. */
  readonly onCreated?: (realm: Core.Realm, core: Core262) => void;
  readonly onOtherRealm?: () => void;
  /** Code of debug mode, stopped at every statement for nothing. */
  readonly debug?: boolean;
};

export function openTransformedRealm(options: TransformedRealmOptions): TransformedRealm {
  const context = vm.createContext(vm.constants.DONT_CONTEXTIFY);
  const global = context as unknown as Record<string, unknown> & Record<symbol, unknown>;
  const core = (options.bundle ?? coreBundle)(context);
  if (options.debug === true) stopEverywhere(new core.StatementClock((text) => vm.runInContext(text, context)));
  const sources = new Map<Core.ModuleRecord, CompiledSource>();
  const nativeEval = global['eval'] as (source: string) => unknown;
  /** Belongs to this context, like what a program finds there otherwise. */
  const native = <F extends object>(fn: F): F => Object.setPrototypeOf(fn, functionPrototype) as F;
  const functionPrototype = (global['Function'] as { prototype: object }).prototype;
  const objectPrototype = (global['Object'] as { prototype: object }).prototype;

  /** Transforms; a construct that is refused to users is left in place here and reported. */
  const emit = (source: string, file: string, textKind: RealmSourceKind): Emitted => {
    const n = self.sourceCount++;
    const kind = textKind === 'eval' ? 'script' : textKind;
    // Scripts of one realm share their top-level scope: what the transform adds must differ.
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
      // Direct eval is only direct if `eval` is the native one.
      if (construct === 'eval') global['eval'] = nativeEval;
      options.onRefusal?.(construct);
      return text(transform(source, { ...settings, lenient: true }));
    }
  };

  /** Taken before core puts its own in their place. */
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
      // The engine's own constructor sees that parameters and body are complete each on their own.
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
    return noted(text, graph.module(file, text.table.module as Core.ModuleTable, factory));
  };

  const scriptRecordOf = (text: CompiledSource): Core.ModuleRecord =>
    noted(text, graph.script(text.file, text.table.module as Core.ModuleTable));

  const noted = (text: CompiledSource, record: Core.ModuleRecord): Core.ModuleRecord => {
    sources.set(record, text);
    return record;
  };

  const recompile = (source: RealmSource, restore?: Selection): ReturnType<TransformedRealm['recompile']> => {
    const { table, code, script: compiled } = compileCached(source, restore);
    const text = { ...source, table };
    const run = (): unknown => (source.kind === 'eval' ? nativeEval(code) : compiled.runInContext(context));
    const factory = run() as Core.ModuleFactory;
    if (source.kind !== 'module') return { record: scriptRecordOf(text), factory };
    return { record: noted(text, graph.module(source.file, table.module as Core.ModuleTable, factory)), factory };
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
    // One variable, as in a worker's realm: assigning either is assigning both.
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

/** Harness files are the same in many realms. */
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
