/*
 * The transformed side of the comparison: core, bundled to one script and evaluated in a fresh context like the native
 * side's, and every test, module and run-time function passed through the transform. Harness files stay native: they see
 * core's versions of what the transform replaces (Promise, Function …) because the realm's globals are those here.
 */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import vm from 'node:vm';
import type * as Core from '@turntable/core';
import { transform, TransformError, type TransformResult } from '@turntable/transform';
import { rolldown } from 'rolldown';
import { adoptError, define, harnessScript, host262 } from './native-realm.ts';
import type { TestRealm, TestRealmOptions } from './test-realm.ts';

type Kind = 'script' | 'module' | 'function';
type FunctionHost = NonNullable<Core.Host['compileFunction']>;

const coreScript = new vm.Script(await bundleCore(), { filename: 'core.js' });

/** Where a script finds its record and its realm: docs/abi.md. */
const scriptRecord = Symbol.for('turntable.script');

async function bundleCore(): Promise<string> {
  const bundle = await rolldown({
    input: fileURLToPath(import.meta.resolve('@turntable/core')),
    resolve: { conditionNames: ['turntable-source', 'import', 'default'] },
    logLevel: 'silent',
  });
  const { output } = await bundle.generate({ format: 'iife', name: 'core' });
  return `${output[0].code}\ncore;`;
}

export function openTransformedRealm(options: TestRealmOptions): TestRealm {
  const context = vm.createContext(vm.constants.DONT_CONTEXTIFY);
  const global = context as unknown as Record<string, unknown> & Record<symbol, unknown>;
  const core = coreScript.runInContext(context) as typeof Core;
  const nativeEval = global['eval'] as (source: string) => unknown;
  // Scripts of one realm share their top-level scope: what the transform adds must differ.
  let scripts = 0;

  /** Transforms; a construct that is refused to users is left in place here and reported. */
  const emit = (source: string, file: string, kind: Kind): TransformResult => {
    const prefix = kind === 'script' ? `$$${scripts++}_` : '$$';
    try {
      return transform(source, { path: file, kind, prefix });
    } catch (error) {
      if (!(error instanceof TransformError) || error.code !== 'TT_REFUSED') throw adoptError(error, global);
      const construct = /direct eval/.test(error.message) ? 'eval' : 'with';
      // Direct eval is only direct if `eval` is the native one.
      if (construct === 'eval') global['eval'] = nativeEval;
      options.onRefusal?.(construct);
      return transform(source, { path: file, kind, prefix, lenient: true });
    }
  };

  const compileFunction: FunctionHost = (kind, parameters, body) => {
    const head = { function: 'function', async: 'async function', generator: 'function*', asyncGenerator: 'async function*' }[kind];
    const source = `(${head} anonymous(${parameters.join(',')}\n) {\n${body}\n})`;
    try {
      // Parameters and body must be complete on their own.
      new vm.Script(`(${head} anonymous(\n) {\n${body}\n})`);
      const factory = new vm.Script(emit(source, 'anonymous', 'function').code).runInContext(context) as Core.ModuleFactory;
      return factory(graph.script('anonymous'), realm) as ReturnType<FunctionHost>;
    } catch (error) {
      throw adoptError(error, global);
    }
  };

  const realm = core.createRealm({
    queueMicrotask: (callback) => queueMicrotask(callback),
    nextTick: (callback) => process.nextTick(callback),
    compileFunction,
  });
  const graph = new core.ModuleGraph(moduleRealmOf(realm), {
    load: (referrer, request) => load(resolve(dirname(referrer.key), request.specifier), request.attributes),
  });

  const load = (file: string, attributes: Core.ImportAttributes): Core.ModuleRecord => {
    const type = attributes['type'] ?? '';
    const key = `${type}:${file}`;
    let record = graph.records.get(key);
    if (record === undefined) {
      try {
        const source = readFileSync(file, 'utf8');
        record = type === 'json' ? graph.json(file, (global['JSON'] as JSON).parse(source)) : moduleRecord(source, file);
      } catch (error) {
        throw adoptError(error, global);
      }
      graph.records.set(key, record);
    }
    return record;
  };

  const moduleRecord = (source: string, file: string): Core.ModuleRecord => {
    const { code, table } = emit(source, file, 'module');
    const factory = new vm.Script(code, { filename: file }).runInContext(context) as Core.ModuleFactory;
    return graph.module(file, table.module as Core.ModuleTable, factory);
  };

  const runScript = (file: string, run: () => unknown): unknown => {
    const outer = global[scriptRecord];
    define(global, scriptRecord, { M: graph.script(file), R: realm });
    try {
      return run();
    } finally {
      if (outer === undefined) delete global[scriptRecord];
      else define(global, scriptRecord, outer);
    }
  };

  const script = (source: string, file: string): { run(): unknown } => {
    const compiled = new vm.Script(emit(source, file, 'script').code, { filename: file });
    return { run: () => runScript(file, () => compiled.runInContext(context)) };
  };

  const indirectEval = (source: unknown): unknown => {
    if (typeof source !== 'string') return source;
    const { code } = emit(source, 'eval', 'script');
    return runScript('eval', () => nativeEval(code));
  };

  realm.install();
  realm.ambient['eval'] = { eval: indirectEval }.eval;
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
  define(global, 'print', (text: unknown) => options.print(String(text)));
  define(
    global,
    '$262',
    host262(
      global,
      (source) => {
        let compiled;
        try {
          compiled = script(source, 'evalScript.js');
        } catch (error) {
          throw adoptError(error, global);
        }
        return compiled.run();
      },
      () => openTransformedRealm(options),
    ),
  );

  return {
    global: global,
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
}

/** What module records need of a realm. */
function moduleRealmOf(realm: Core.Realm): Core.ModuleRealm {
  const { eventuals } = realm.parts;
  return {
    createFrame: (step) => new realm.Frame(step as never),
    async: (frame) => realm.async(frame as never) as object,
    await: (frame, k, value) => realm.await(frame as never, k, value),
    createEventual: () => eventuals.create(),
    resolveEventual: (eventual, value) => eventuals.resolve(eventual as never, value),
    rejectEventual: (eventual, reason) => eventuals.reject(eventual as never, reason),
    forCode: realm,
  };
}
