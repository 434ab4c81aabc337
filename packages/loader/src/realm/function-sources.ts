// `Function.prototype.toString` for transformed code: returns the original source text. Libraries parse it (dependency
// injection by parameter names), print it and compare it.
import { isMutator, type ModuleRecord, type Realm } from '@turntable/core';
import { nativeFunctionOf } from './replaced-functions.ts';

interface SourceSpan {
  readonly start: number;
  readonly end: number;
}

/** The part of the transform's table with the positions of functions and classes. */
export interface CodePositions {
  readonly functions: readonly SourceSpan[];
  readonly classes: readonly SourceSpan[];
}

export interface SourceAndTable {
  readonly source: string;
  readonly table: CodePositions;
}

type AnyFunction = (...args: never[]) => unknown;

export function installFunctionSources(
  realm: Realm,
  sourceOf: (record: ModuleRecord) => SourceAndTable | undefined,
): void {
  const nativeToString = Function.prototype.toString;
  const nativeLooking = builtinReplacements(realm);
  const { toString } = {
    toString(this: unknown): string {
      const nativeSource = Reflect.apply(nativeToString, nativeFunctionOf(this as object) ?? this, []) as string;
      if (nativeLooking.has(this as object) || isMutator(this as object)) return nativeSourceText(this as AnyFunction);
      const isClass = nativeSource.startsWith('class');
      if (!isClass && !nativeSource.includes('/*@')) return nativeSource;
      const identity = isClass ? realm.classOf(this as object) : realm.identify(this as AnyFunction);
      if (identity === undefined) return nativeSource;
      // Core's own closures, such as resolving functions.
      if (typeof identity.module !== 'object') return nativeSourceText(this as AnyFunction);
      const described = sourceOf(identity.module as ModuleRecord);
      const span = described?.table[isClass ? 'classes' : 'functions'][identity.ordinal];
      return span === undefined || described === undefined
        ? nativeSource
        : described.source.slice(span.start, span.end);
    },
  };
  nativeLooking.add(toString);
  realm.parts.brands.sourceText = (fn) => Reflect.apply(toString, fn, []);
  // oxlint-disable-next-line no-extend-native -- replacing it is the purpose of this file
  Object.defineProperty(Function.prototype, 'toString', {
    value: toString,
    writable: true,
    enumerable: false,
    configurable: true,
  });
}

function nativeSourceText(fn: AnyFunction): string {
  const name = Object.getOwnPropertyDescriptor(fn, 'name')?.value as unknown;
  return `function ${typeof name === 'string' ? name : ''}() { [native code] }`;
}

/** The replacements of builtins, with all their methods. Their source text is shown as native code. */
function builtinReplacements(realm: Realm): WeakSet<object> {
  const functions = new WeakSet<object>();
  const visit = (value: unknown): void => {
    if (typeof value !== 'function' || functions.has(value)) return;
    functions.add(value);
    visitMembers(value);
    const { prototype } = value as { prototype?: unknown };
    if (typeof prototype === 'object' && prototype !== null) visitMembers(prototype);
  };
  const visitMembers = (object: object): void => {
    for (const descriptor of Object.values(Object.getOwnPropertyDescriptors(object))) {
      visit(descriptor.value);
      visit(descriptor.get);
      visit(descriptor.set);
    }
  };
  const { kinds, ambient, Promise, generatorPrototype, asyncGeneratorPrototype } = realm;
  for (const value of [
    Promise,
    kinds.Function,
    kinds.AsyncFunction,
    kinds.GeneratorFunction,
    kinds.AsyncGeneratorFunction,
  ])
    visit(value);
  for (const name of ['WeakRef', 'FinalizationRegistry', 'queueMicrotask', 'eval']) visit(ambient[name]);
  visit(Function.prototype.bind);
  visit(Proxy.revocable);
  for (const fn of realm.parts.iteratorFunctions) visit(fn);
  for (const fn of realm.parts.disposables.functions) visit(fn);
  // `process` is missing in tests of the language alone.
  visit((globalThis as { process?: NodeJS.Process }).process?.nextTick);
  for (const prototype of Object.values(realm.parts.keptPrototypes)) visitMembers(prototype);
  for (const prototype of [generatorPrototype(), asyncGeneratorPrototype()]) {
    const sharedPrototype = Object.getPrototypeOf(prototype) as object | null;
    if (sharedPrototype !== null) visitMembers(sharedPrototype);
  }
  return functions;
}
