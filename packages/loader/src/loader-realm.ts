// The realm of a thread's transformed code, made of core's with Node as its host: what module records need of it, the ambient names
// that are Node's, and code that is compiled at run time.
import { pathToFileURL } from 'node:url';
import { Script } from 'node:vm';
import {
  createRealm,
  Eventual,
  FULFILLED,
  GeneratorState,
  PENDING,
  REJECTED,
  type FunctionKind,
  type ModuleFactory,
  type ModuleGraph,
  type ModuleRealm,
  type ModuleRecord,
  type Realm,
} from '@turntable/core';
import { createAsyncContexts } from './async-context.ts';
import { LoaderError } from './errors.ts';
import {
  extendTypePredicates,
  showEventuals,
  showFunctionsAs,
  showWrittenTextInCloneErrors,
  type KindsOfObjects,
} from './builtin-views.ts';
import { showSourceTexts, type CodePositions, type SourceAndTable } from './function-text.ts';
import { createGlobalView } from './global-view.ts';
import { createNodeHost } from './node-host.ts';
import { installTicks } from './ticks.ts';
import { traceEventuals } from './tracing-channels.ts';

/** How text becomes code at run time. */
export interface RuntimeTransform {
  (
    source: string,
    options: {
      readonly path: string;
      readonly kind: 'function' | 'script';
      readonly prefix: string;
      readonly lenient: boolean;
    },
  ): {
    readonly code: string;
    readonly table: CodePositions;
    readonly source: string;
  };
}

export interface LoaderRealm {
  readonly realm: Realm;
  readonly modules: ModuleRealm;
  /** Where records for code made by `Function(…)` and `eval` come from; there is none before the program exists. */
  useGraph(graph: ModuleGraph): void;
  /** A function's text as the engine has it. */
  nativeText(fn: (...args: never[]) => unknown): string;
  /** The original text of functions and classes, from now on. */
  showSources(of: (record: ModuleRecord) => SourceAndTable | undefined): void;
}

const SCRIPT: unique symbol = Symbol.for('turntable.script');
const FUNCTION_HEADS: Readonly<Record<FunctionKind, string>> = {
  function: 'function',
  async: 'async function',
  generator: 'function*',
  asyncGenerator: 'async function*',
};

export function createLoaderRealm(transform: RuntimeTransform): LoaderRealm {
  let graph: ModuleGraph | undefined;
  const madeHere = new WeakMap<ModuleRecord, SourceAndTable>();
  let scripts = 0;
  const contexts = createAsyncContexts();
  const realm: Realm = createRealm({ ...createNodeHost(), compileFunction, contexts });
  const { eventuals } = realm.parts;
  const { ambient } = realm;

  function compileFunction(kind: FunctionKind, parameters: string[], body: string): (...args: never[]) => unknown {
    const source = `(${FUNCTION_HEADS[kind]} anonymous(${parameters.join(',')}\n) {\n${body}\n})`;
    // The engine's own constructor says what is wrong with the text, in its own words.
    (NATIVE_CONSTRUCTORS[kind] as Constructor)(...parameters, body);
    const result = transform(source, { path: 'anonymous', kind: 'function', prefix: '$$', lenient: true });
    const factory = new Script(result.code, { filename: 'anonymous' }).runInThisContext() as ModuleFactory;
    return factory(recordFor(result), realm) as (...args: never[]) => unknown;
  }

  function recordFor(result: SourceAndTable): ModuleRecord {
    if (graph === undefined)
      throw new LoaderError(
        'TT_NOT_INSTALLED',
        'Function(…) is called before the loader is in place; call install() first',
      );
    const record = graph.script(`${pathToFileURL(process.cwd()).href}/`);
    madeHere.set(record, result);
    return record;
  }

  /** Indirect `eval`: a script of the global scope. */
  function evaluateScript(source: unknown): unknown {
    if (typeof source !== 'string') return source;
    const result = transform(source, {
      path: 'evalmachine.<anonymous>',
      kind: 'script',
      prefix: `$$${scripts++}_`,
      lenient: true,
    });
    const holder = globalThis as unknown as Record<symbol, unknown>;
    const before = holder[SCRIPT];
    Object.defineProperty(holder, SCRIPT, {
      value: { M: recordFor(result), R: realm },
      configurable: true,
      writable: true,
    });
    try {
      // The engine's own indirect eval: lexical declarations stay inside.
      return nativeEval(result.code);
    } finally {
      if (before === undefined) Reflect.deleteProperty(holder, SCRIPT);
      else holder[SCRIPT] = before;
    }
  }

  ambient['eval'] = { eval: evaluateScript }.eval;
  ambient['process'] = process;
  const view = createGlobalView(ambient);
  ambient['globalThis'] = view;
  ambient['global'] = view;
  realm.install();
  installTicks(realm);
  contexts.follow(realm);
  introduceToNode(realm);

  return {
    realm,
    modules: {
      createFrame: (step) => new realm.Frame(step as never),
      async: (frame) => realm.async(frame as never) as object,
      await: (frame, k, value) => realm.await(frame as never, k, value),
      createEventual: () => eventuals.create(),
      resolveEventual: (eventual, value) => eventuals.resolve(eventual as never, value),
      rejectEventual: (eventual, reason) => eventuals.reject(eventual as never, reason),
      forCode: realm,
    },
    useGraph(programGraph) {
      graph = programGraph;
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
