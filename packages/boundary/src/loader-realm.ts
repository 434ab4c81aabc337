// The realm of a thread's transformed code: core's realm, with Node as its host. The host supplies what module records
// need, Node's globals, and code that is compiled at run time.
import { pathToFileURL } from 'node:url';
import { Script } from 'node:vm';
import { createRealm, Eventual, FULFILLED, GeneratorState, moduleRealmOf, PENDING, REJECTED } from '@turntable/core';
import type {
  DynamicFunctionKind,
  ModuleFactory,
  ModuleGraph,
  ModuleRealm,
  ModuleRecord,
  Realm,
} from '@turntable/core';
import { createNodeHost, LoaderError, showBuiltinAs, installFunctionSources } from '@turntable/loader';
import type { RuntimeCode, RuntimeSource, RuntimeTransform, RuntimeSelection, SourceAndTable } from '@turntable/loader';
import { createGlobalView } from './global-view.ts';
import { addWebGlobals } from './membrane/web-globals.ts';
import { ambientTimers } from './timers/timer-functions.ts';
import { Timers } from './timers/timers.ts';
import type { Inputs, TapedProgram } from './inputs/inputs.ts';
import { type AsyncContexts, createAsyncContexts } from './realm/async-contexts.ts';
import {
  extendTypePredicates,
  installEventualInspection,
  installFunctionInspection,
  installCloneErrorSources,
} from './realm/builtin-views.ts';
import type { ObjectKinds } from './realm/builtin-views.ts';
import { installTicks } from './realm/ticks.ts';
import { LazyGlobals } from './realm/lazy-globals.ts';
import { installWebLocks } from './realm/web-locks.ts';
import { patchTracePromise } from './realm/tracing-channels.ts';

export interface LoaderRealm {
  readonly realm: Realm;
  readonly modules: ModuleRealm;
  readonly timers: Timers;
  readonly contexts: AsyncContexts;
  /** Inputs of a thread with a tape; undefined in other threads. */
  readonly inputs: Inputs | undefined;
  readonly lazyGlobals: LazyGlobals;
  /** Sets the module graph, which provides records for code made by `Function(…)` and `eval`. */
  setGraph(graph: ModuleGraph): void;
  runtimeCodeOf(record: ModuleRecord): RuntimeCode | undefined;
  /** Restores the module record of a source compiled at run time, and the code that creates its functions. */
  restoreRuntimeCode(
    runtimeSource: RuntimeSource,
    selection: RuntimeSelection,
  ): { record: ModuleRecord; start: ModuleFactory };
  /** Returns the compiled text of a function, as the engine has it. */
  nativeSource(fn: (...args: never[]) => unknown): string;
  /** Makes functions and classes show their original text from now on. */
  installSources(sourceOf: (record: ModuleRecord) => SourceAndTable | undefined): void;
}

const FILE_NAMES = { function: 'anonymous', script: 'evalmachine.<anonymous>' } as const;
const SCRIPT_KEY: unique symbol = Symbol.for('turntable.script');
const FUNCTION_HEADS: Readonly<Record<DynamicFunctionKind, string>> = {
  function: 'function',
  async: 'async function',
  generator: 'function*',
  asyncGenerator: 'async function*',
};

/** @param taped setup of a thread with a tape */
export function createLoaderRealm(transform: RuntimeTransform, taped?: TapedProgram): LoaderRealm {
  let graph: ModuleGraph | undefined;
  const runtimeCodes = new WeakMap<ModuleRecord, RuntimeCode>();
  let sourceCount = 0;
  const contexts = createAsyncContexts();
  const realm: Realm = createRealm({ ...createNodeHost(ambientTimers, taped?.tape), compileFunction, contexts });
  const { ambient } = realm;

  function compileFunction(kind: DynamicFunctionKind, parameters: string[], body: string): DynamicFunction {
    const source = `(${FUNCTION_HEADS[kind]} anonymous(${parameters.join(',')}\n) {\n${body}\n})`;
    // The engine's own constructor reports an invalid text.
    (NATIVE_CONSTRUCTORS[kind] as Constructor)(...parameters, body);
    const { code, record } = compileRuntimeSource({ kind: 'function', source, prefix: '$$', id: `f${sourceCount++}` });
    const factory = new Script(code, { filename: FILE_NAMES.function }).runInThisContext() as ModuleFactory;
    return factory(record, realm) as DynamicFunction;
  }

  function compileRuntimeSource(
    runtimeSource: RuntimeSource,
    restore?: RuntimeSelection,
  ): { code: string; record: ModuleRecord } {
    const { source, kind, prefix, id } = runtimeSource;
    const options = { path: FILE_NAMES[kind], kind, prefix, id, lenient: true };
    const result = transform(source, restore === undefined ? options : { ...options, restore });
    return { code: result.code, record: createRecord({ ...runtimeSource, table: result.table }) };
  }

  function createRecord(result: RuntimeCode): ModuleRecord {
    if (graph === undefined)
      throw new LoaderError(
        'TT_NOT_INSTALLED',
        'Function(…) was called before the loader was installed; call install() first',
      );
    const record = graph.script(`${pathToFileURL(process.cwd()).href}/`, result.table.module);
    runtimeCodes.set(record, result);
    return record;
  }

  function evaluateScript(source: unknown): unknown {
    if (typeof source !== 'string') return source;
    const ordinal = sourceCount++;
    const script = { kind: 'script', source, prefix: `$$${ordinal}_`, id: `f${ordinal}` } as const;
    const { code, record } = compileRuntimeSource(script);
    const holder = globalThis as unknown as Record<symbol, unknown>;
    const previous = holder[SCRIPT_KEY];
    Object.defineProperty(holder, SCRIPT_KEY, { value: { M: record, R: realm }, configurable: true, writable: true });
    try {
      // As in the engine's own indirect eval, lexical declarations stay local.
      return nativeEval(code);
    } finally {
      if (previous === undefined) Reflect.deleteProperty(holder, SCRIPT_KEY);
      else holder[SCRIPT_KEY] = previous;
    }
  }

  ambient['eval'] = { eval: evaluateScript }.eval;
  ambient['process'] = process;
  const lazyGlobals = new LazyGlobals();
  addWebGlobals(ambient, lazyGlobals);
  const view = createGlobalView(ambient, lazyGlobals, taped !== undefined);
  ambient['globalThis'] = view;
  ambient['global'] = view;
  const timers = new Timers(realm, taped?.followTimers());
  showBuiltinAs('timers', () => timers.moduleView);
  realm.install();
  const installed: { inputs?: Inputs | undefined } = {};
  installTicks(realm, (value) => installed.inputs?.membraneSetup.membrane.isHandle(value) === true);
  contexts.attachTo(realm);
  teachNodeBuiltins(realm);
  installWebLocks();
  const inputs = (installed.inputs = taped?.installInputs({ realm, timers, contexts, lazyGlobals }));

  return {
    inputs,
    realm,
    timers,
    contexts,
    lazyGlobals,
    modules: moduleRealmOf(realm),
    setGraph(programGraph) {
      graph = programGraph;
    },
    runtimeCodeOf: (record) => runtimeCodes.get(record),
    restoreRuntimeCode(runtimeSource, selection) {
      sourceCount = Math.max(sourceCount, Number(runtimeSource.id.slice(1)) + 1);
      const { code, record } = compileRuntimeSource(runtimeSource, selection);
      // Lexical declarations stay local to the text.
      const start =
        runtimeSource.kind === 'script'
          ? nativeEval(code)
          : new Script(code, { filename: FILE_NAMES[runtimeSource.kind] }).runInThisContext();
      return { record, start: start as ModuleFactory };
    },
    nativeSource: (fn) => Reflect.apply(nativeToString, fn, []) as string,
    installSources(sourceOf) {
      installFunctionSources(realm, (record) => runtimeCodes.get(record) ?? sourceOf(record));
    },
  };
}

/** Makes `util.inspect`, `util.types` and the builtins that use them recognize eventuals and core's functions. */
function teachNodeBuiltins(realm: Realm): void {
  const stateNames = { [PENDING]: 'pending', [FULFILLED]: 'fulfilled', [REJECTED]: 'rejected' } as const;
  const { AsyncFunction, GeneratorFunction, AsyncGeneratorFunction } = realm.kinds;
  const generatorPrototypes: unknown[] = [GeneratorFunction.prototype, AsyncGeneratorFunction.prototype];
  const functionPrototypeOf = (value: unknown): unknown =>
    typeof value === 'function' ? Object.getPrototypeOf(value) : undefined;
  const asyncPrototypes: unknown[] = [AsyncFunction.prototype, AsyncGeneratorFunction.prototype];
  const objectKinds: ObjectKinds = {
    eventualState: (value) =>
      Eventual.is(value)
        ? { state: stateNames[Eventual.state(value) as 0 | 1 | 2], value: Eventual.value(value) }
        : undefined,
    isAsyncFunction: (value) => asyncPrototypes.includes(functionPrototypeOf(value)),
    isGeneratorFunction: (value) => generatorPrototypes.includes(functionPrototypeOf(value)),
    isGeneratorObject: (value) => GeneratorState.is(value),
  };
  extendTypePredicates(objectKinds);
  patchPromiseInstanceOf();
  installCloneErrorSources();
  patchTracePromise(
    (value) => Eventual.is(value),
    (value) => (value instanceof NativePromise ? realm.Promise.resolve(value) : value),
  );
  installEventualInspection(realm.Promise.prototype as object, objectKinds);
  installFunctionInspection('AsyncFunction', AsyncFunction.prototype as object);
  installFunctionInspection('GeneratorFunction', GeneratorFunction.prototype as object);
  installFunctionInspection('AsyncGeneratorFunction', AsyncGeneratorFunction.prototype as object);
}

/** Makes `x instanceof Promise` true for eventuals also with the native class, which devices use. */
function patchPromiseInstanceOf(): void {
  const nativeHasInstance = Function.prototype[Symbol.hasInstance];
  Object.defineProperty(NativePromise, Symbol.hasInstance, {
    value(this: unknown, value: unknown): boolean {
      return (this === NativePromise && Eventual.is(value)) || Reflect.apply(nativeHasInstance, this, [value]);
    },
    writable: true,
    enumerable: false,
    configurable: true,
  });
}

const NativePromise = Promise;
// oxlint-disable-next-line no-eval -- what a program's own indirect `eval` ends in
const nativeEval = globalThis.eval;
const nativeToString = Function.prototype.toString;
type DynamicFunction = (...args: never[]) => unknown;
type Constructor = (...args: string[]) => unknown;
/** The engine's constructors, read before core replaces the constructor of every function kind. */
const NATIVE_CONSTRUCTORS: Readonly<Record<DynamicFunctionKind, Constructor>> = {
  function: Function as unknown as Constructor,
  async: (async () => {}).constructor as Constructor,
  generator: function* () {}.constructor as Constructor,
  asyncGenerator: async function* () {}.constructor as Constructor,
};
