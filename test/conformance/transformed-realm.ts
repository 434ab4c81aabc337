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
import type * as FunctionText from '../../packages/loader/src/function-text.ts';
import { transform, TransformError, type TransformResult } from '@turntable/transform';
import { rolldown } from 'rolldown';
import { adoptError, define, harnessScript, host262 } from './native-realm.ts';
import type { TestRealm, TestRealmOptions } from './test-realm.ts';

type Kind = 'script' | 'module' | 'function';
type FunctionHost = NonNullable<Core.Host['compileFunction']>;
type FunctionKind = Parameters<FunctionHost>[0];

const coreScript = new vm.Script(await bundleCore(), { filename: 'core.js' });

/** Where a script finds its record and its realm: docs/abi.md. */
const scriptRecord = Symbol.for('turntable.script');

/** Core, and what the loader adds to it that the language itself shows. */
type Bundle = typeof Core & typeof FunctionText;

async function bundleCore(): Promise<string> {
  const functionText = fileURLToPath(new URL('../../packages/loader/src/function-text.ts', import.meta.url));
  const bundle = await rolldown({
    input: 'realm',
    plugins: [
      {
        name: 'realm',
        resolveId: (id) => (id === 'realm' ? functionText.replace('function-text.ts', 'realm.js') : null),
        load: (id) =>
          id.endsWith('realm.js')
            ? `export * from '@turntable/core'; export * from ${JSON.stringify(functionText)};`
            : null,
      },
    ],
    resolve: { conditionNames: ['turntable-source', 'import', 'default'] },
    logLevel: 'silent',
  });
  const { output } = await bundle.generate({ format: 'iife', name: 'core' });
  return `${output[0].code}\ncore;`;
}

export function openTransformedRealm(options: TestRealmOptions): TestRealm {
  const context = vm.createContext(vm.constants.DONT_CONTEXTIFY);
  const global = context as unknown as Record<string, unknown> & Record<symbol, unknown>;
  const core = coreScript.runInContext(context) as Bundle;
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
      const emitted = emit(source, 'anonymous', 'function');
      const factory = new vm.Script(emitted.code).runInContext(context) as Core.ModuleFactory;
      return factory(scriptRecordOf('anonymous', emitted), realm) as ReturnType<FunctionHost>;
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
    const emitted = emit(source, file, 'module');
    const factory = new vm.Script(emitted.code, { filename: file }).runInContext(context) as Core.ModuleFactory;
    const record = graph.module(file, emitted.table.module as Core.ModuleTable, factory);
    record.origin = emitted;
    return record;
  };

  const scriptRecordOf = (file: string, emitted: TransformResult): Core.ModuleRecord => {
    const record = graph.script(file);
    record.origin = emitted;
    return record;
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
    const emitted = emit(source, file, 'script');
    const compiled = new vm.Script(emitted.code, { filename: file });
    return { run: () => runScript(scriptRecordOf(file, emitted), () => compiled.runInContext(context)) };
  };

  const indirectEval = (source: unknown): unknown => {
    if (typeof source !== 'string') return source;
    const emitted = emit(source, 'eval', 'script');
    return runScript(scriptRecordOf('eval', emitted), () => nativeEval(emitted.code));
  };

  realm.install();
  core.showSourceTexts(realm, (record) => record.origin as TransformResult | undefined);
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
