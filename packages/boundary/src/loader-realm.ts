// The realm of a thread's transformed code, made of core's with Node as its host: what module records need of it, the ambient names
// that are Node's, and code that is compiled at run time.
import { pathToFileURL } from 'node:url';
import { Script } from 'node:vm';
import {
  createRealm,
  Eventual,
  FULFILLED,
  GeneratorState,
  moduleRealmOf,
  PENDING,
  REJECTED,
  type FunctionKind,
  type ModuleFactory,
  type ModuleGraph,
  type ModuleRealm,
  type ModuleRecord,
  type Realm,
} from '@turntable/core';
import {
  createNodeHost,
  LoaderError,
  type RuntimeCode,
  type RuntimeText,
  type RuntimeTransform,
  type Selection,
  showBuiltinAs,
  showSourceTexts,
  type SourceAndTable,
} from '@turntable/loader';
import { createGlobalView } from './global-view.ts';
import { addWebGlobals } from './membrane/web-globals.ts';
import { ambientTimers } from './timers/functions.ts';
import { Timers } from './timers/timers.ts';
import type { Inputs, Taped } from './inputs/inputs.ts';
import { type AsyncContexts, createAsyncContexts } from './realm/async-context.ts';
import {
  extendTypePredicates,
  type KindsOfObjects,
  showEventuals,
  showFunctionsAs,
  showWrittenTextInCloneErrors,
} from './realm/builtin-views.ts';
import { installTicks } from './realm/ticks.ts';
import { LazyGlobals } from './realm/lazy-globals.ts';
import { placeLocks } from './realm/web-locks.ts';
import { traceEventuals } from './realm/tracing-channels.ts';

export interface LoaderRealm {
  readonly realm: Realm;
  readonly modules: ModuleRealm;
  readonly timers: Timers;
  readonly contexts: AsyncContexts;
  /** Of a program that is recorded or runs again. */
  readonly inputs: Inputs | undefined;
  readonly lazyGlobals: LazyGlobals;
  /** Where records for code made by `Function(…)` and `eval` come from; there is none before the program exists. */
  useGraph(graph: ModuleGraph): void;
  /** What a record was made of at run time, if it was. */
  runtimeCode(record: ModuleRecord): RuntimeCode | undefined;
  /** A record for the same text, and the code that makes its functions again. */
  restoreRuntime(text: RuntimeText, selection: Selection): { record: ModuleRecord; start: ModuleFactory };
  /** A function's text as the engine has it. */
  nativeText(fn: (...args: never[]) => unknown): string;
  /** The original text of functions and classes, from now on. */
  showSources(of: (record: ModuleRecord) => SourceAndTable | undefined): void;
}

const FILE_NAMES = { function: 'anonymous', script: 'evalmachine.<anonymous>' } as const;
const SCRIPT: unique symbol = Symbol.for('turntable.script');
const FUNCTION_HEADS: Readonly<Record<FunctionKind, string>> = {
  function: 'function',
  async: 'async function',
  generator: 'function*',
  asyncGenerator: 'async function*',
};

/** `taped`: the program is recorded, or runs again. */
export function createLoaderRealm(transform: RuntimeTransform, taped?: Taped): LoaderRealm {
  let graph: ModuleGraph | undefined;
  const madeHere = new WeakMap<ModuleRecord, RuntimeCode>();
  let texts = 0;
  const contexts = createAsyncContexts();
  const realm: Realm = createRealm({ ...createNodeHost(ambientTimers, taped?.tape), compileFunction, contexts });
  const { ambient } = realm;

  function compileFunction(kind: FunctionKind, parameters: string[], body: string): (...args: never[]) => unknown {
    const source = `(${FUNCTION_HEADS[kind]} anonymous(${parameters.join(',')}\n) {\n${body}\n})`;
    // The engine's own constructor says what is wrong with the text, in its own words.
    (NATIVE_CONSTRUCTORS[kind] as Constructor)(...parameters, body);
    const { code, record } = runtimeCode({ kind: 'function', source, prefix: '$$', id: `f${texts++}` });
    const factory = new Script(code, { filename: FILE_NAMES.function }).runInThisContext() as ModuleFactory;
    return factory(record, realm) as (...args: never[]) => unknown;
  }

  function runtimeCode(text: RuntimeText, restore?: Selection): { code: string; record: ModuleRecord } {
    const { source, kind, prefix, id } = text;
    const options = { path: FILE_NAMES[kind], kind, prefix, id, lenient: true };
    const result = transform(source, restore === undefined ? options : { ...options, restore });
    return { code: result.code, record: recordFor({ ...text, table: result.table }) };
  }

  function recordFor(result: RuntimeCode): ModuleRecord {
    if (graph === undefined)
      throw new LoaderError(
        'TT_NOT_INSTALLED',
        'Function(…) is called before the loader is in place; call install() first',
      );
    const record = graph.script(`${pathToFileURL(process.cwd()).href}/`, result.table.module);
    madeHere.set(record, result);
    return record;
  }

  /** Indirect `eval`: a script of the global scope. */
  function evaluateScript(source: unknown): unknown {
    if (typeof source !== 'string') return source;
    const text = texts++;
    const { code, record } = runtimeCode({ kind: 'script', source, prefix: `$$${text}_`, id: `f${text}` });
    const holder = globalThis as unknown as Record<symbol, unknown>;
    const before = holder[SCRIPT];
    Object.defineProperty(holder, SCRIPT, {
      value: { M: record, R: realm },
      configurable: true,
      writable: true,
    });
    try {
      // The engine's own indirect eval: lexical declarations stay inside.
      return nativeEval(code);
    } finally {
      if (before === undefined) Reflect.deleteProperty(holder, SCRIPT);
      else holder[SCRIPT] = before;
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
  showBuiltinAs('timers', () => timers.exports);
  realm.install();
  const placed: { inputs?: Inputs | undefined } = {};
  installTicks(realm, (value) => placed.inputs?.around.membrane.isHandle(value) === true);
  contexts.follow(realm);
  introduceToNode(realm);
  placeLocks();
  const inputs = (placed.inputs = taped?.place({ realm, timers, contexts, lazyGlobals }));

  return {
    inputs,
    realm,
    timers,
    contexts,
    lazyGlobals,
    modules: moduleRealmOf(realm),
    useGraph(programGraph) {
      graph = programGraph;
    },
    runtimeCode: (record) => madeHere.get(record),
    restoreRuntime(text, selection) {
      texts = Math.max(texts, Number(text.id.slice(1)) + 1);
      const { code, record } = runtimeCode(text, selection);
      // Lexical declarations of a text that was given to `eval` are nobody else's.
      const start =
        text.kind === 'script'
          ? nativeEval(code)
          : new Script(code, { filename: FILE_NAMES[text.kind] }).runInThisContext();
      return { record, start: start as ModuleFactory };
    },
    nativeText: (fn) => Reflect.apply(functionText, fn, []) as string,
    showSources(of) {
      showSourceTexts(realm, (record) => madeHere.get(record) ?? of(record));
    },
  };
}

/** `util.inspect`, `util.types` and who asks them. */
function introduceToNode(realm: Realm): void {
  const states = { [PENDING]: 'pending', [FULFILLED]: 'fulfilled', [REJECTED]: 'rejected' } as const;
  const { kinds: functions } = realm;
  const generatorPrototypes = [
    functions.GeneratorFunction.prototype,
    functions.AsyncGeneratorFunction.prototype,
  ] as unknown[];
  const kindOf = (value: unknown): unknown => (typeof value === 'function' ? Object.getPrototypeOf(value) : undefined);
  const asynchronous = [functions.AsyncFunction.prototype, functions.AsyncGeneratorFunction.prototype] as unknown[];
  const kinds: KindsOfObjects = {
    eventualState: (value) =>
      Eventual.has(value)
        ? { state: states[Eventual.state(value) as 0 | 1 | 2], value: Eventual.value(value) }
        : undefined,
    isAsyncFunction: (value) => asynchronous.includes(kindOf(value)),
    isGeneratorFunction: (value) => generatorPrototypes.includes(kindOf(value)),
    isGeneratorObject: (value) => GeneratorState.has(value),
  };
  extendTypePredicates(kinds);
  acceptEventuals();
  showWrittenTextInCloneErrors();
  traceEventuals(
    (value) => Eventual.has(value),
    (value) => (value instanceof NativePromise ? realm.Promise.resolve(value) : value),
  );
  showEventuals(realm.Promise.prototype as object, kinds);
  showFunctionsAs('AsyncFunction', functions.AsyncFunction.prototype as object);
  showFunctionsAs('GeneratorFunction', functions.GeneratorFunction.prototype as object);
  showFunctionsAs('AsyncGeneratorFunction', functions.AsyncGeneratorFunction.prototype as object);
}

/** Devices ask `x instanceof Promise`, and mean the native one. The realm's own `Promise` accepts native promises in turn. */
function acceptEventuals(): void {
  const ordinary = Function.prototype[Symbol.hasInstance];
  Object.defineProperty(NativePromise, Symbol.hasInstance, {
    value(this: unknown, value: unknown): boolean {
      return (this === NativePromise && Eventual.has(value)) || Reflect.apply(ordinary, this, [value]);
    },
    writable: true,
    enumerable: false,
    configurable: true,
  });
}

const NativePromise = Promise;
// oxlint-disable-next-line no-eval -- what a program's own indirect `eval` ends in
const nativeEval = globalThis.eval;
const functionText = Function.prototype.toString;
type Constructor = (...args: string[]) => unknown;
/** Taken before core gives every function its own constructors. */
const NATIVE_CONSTRUCTORS: Readonly<Record<FunctionKind, Constructor>> = {
  function: Function as unknown as Constructor,
  async: (async () => {}).constructor as Constructor,
  generator: function* () {}.constructor as Constructor,
  asyncGenerator: async function* () {}.constructor as Constructor,
};
