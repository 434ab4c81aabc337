// Access to internals of V8's objects that JavaScript cannot read: the keys of a WeakMap or WeakSet, the remaining
// entries of a Map or Set iterator, the target of a Proxy. Only captures need it and pay for it: the program uses V8's
// own collections and proxies. There are two ways in. `util.inspect` prints hidden entries and looks up each value in
// the list of objects being printed, which is replaced here by a list that notes the values. V8's own functions return
// the target of a Proxy and compare hidden classes. No code of the program runs. Both ways are tested before their
// results are first used.
import { setFlagsFromString } from 'node:v8';
import { inspect, types, type InspectOptions } from 'node:util';
import { Script } from 'node:vm';
import type { EngineView } from '@turntable/core';
import { LoaderError } from '../errors.ts';

type WeakCollection = WeakMap<WeakKey, unknown> | WeakSet<WeakKey>;

const { apply, getOwnPropertyDescriptor, getPrototypeOf, setPrototypeOf } = Reflect;
const weakMapHas = WeakMap.prototype.has;
const weakSetHas = WeakSet.prototype.has;
const { isProxy, isWeakMap } = types;

/** Internal state of `inspect`, which is `this` in the option `stylize`. */
interface InspectContext {
  seen: unknown;
  circular: unknown;
}

/** Matches the text that `inspect` prints for omitted entries, for example `... 12 more items`. */
const MORE = /\.\.\. (\d+) more item/;

interface InspectedEntries {
  readonly values: unknown[];
  readonly remaining: number;
}

/** The first `maxEntries` entries of `subject`, which are not inspected further. */
function inspectEntries(subject: object, maxEntries: number): InspectedEntries {
  const values: unknown[] = [];
  let isInSubject = false;
  // Replaces the list of objects being printed. It claims to contain everything but `subject`, so that no value is
  // inspected.
  const fakeSeen = {
    includes(value: unknown): boolean {
      if (!isInSubject && value === subject) {
        isInSubject = true;
        return false;
      }
      values[values.length] = value;
      return true;
    },
    push() {},
    pop() {},
  };
  const fakeCircular = { get: () => 1, set() {} };
  let isEntered = false;
  const printed = inspect({ before: null, subject }, {
    showHidden: true,
    // Prints proxies as such. At this depth Node would otherwise read element 0 of the target.
    showProxy: true,
    customInspect: false,
    getters: false,
    depth: 1,
    maxArrayLength: maxEntries,
    breakLength: Infinity,
    compact: true,
    sorted: false,
    stylize(this: InspectContext | undefined): string {
      // For the `null` before the subject, `stylize` is called as a method of the internal state.
      if (!isEntered && this !== undefined && this.seen !== undefined) {
        isEntered = true;
        this.seen = fakeSeen;
        this.circular = fakeCircular;
      }
      return '';
    },
  } as InspectOptions);
  return { values, remaining: Number(MORE.exec(printed)?.[1] ?? 0) };
}

/** Like `inspectEntries`, but reads no property of a class, which could run code of the program. */
export function inspectEntriesSafely(subject: object, maxEntries: number): InspectedEntries {
  if (isSafeToInspect(subject)) return inspectEntries(subject, maxEntries);
  const prototype = getPrototypeOf(subject);
  if (!setPrototypeOf(subject, null)) return inspectEntries(subject, maxEntries);
  try {
    return inspectEntries(subject, maxEntries);
  } finally {
    setPrototypeOf(subject, prototype);
  }
}

/** Whether finding the name of the object's class runs no code. */
function isSafeToInspect(subject: object): boolean {
  for (let holder: object | null = subject; holder !== null; holder = getPrototypeOf(holder)) {
    if (isProxy(holder) || !isDataProperty(holder, Symbol.toStringTag)) return false;
    const constructor: unknown = getOwnPropertyDescriptor(holder, 'constructor')?.value;
    if (typeof constructor !== 'function') continue;
    for (let type: object | null = constructor; type !== null; type = getPrototypeOf(type)) {
      if (isProxy(type) || !isDataProperty(type, 'name')) return false;
      if (type !== Function.prototype && Object.hasOwn(type, Symbol.hasInstance)) return false;
    }
  }
  return true;
}

function isDataProperty(holder: object, key: PropertyKey): boolean {
  const descriptor = getOwnPropertyDescriptor(holder, key);
  return descriptor === undefined || 'value' in descriptor;
}

function weakKeys(collection: WeakCollection, maxEntries: number): { keys: object[]; count: number } {
  const isKey = (isWeakMap(collection) ? weakMapHas : weakSetHas) as (key: WeakKey) => boolean;
  const { values, remaining } = inspectEntriesSafely(collection, maxEntries);
  const keys = new Set<object>();
  // The values of a WeakMap and of own properties are included; a key that is a Proxy appears as its target.
  for (const value of values) {
    if (apply(isKey, collection, [value]) as boolean) keys.add(value as object);
  }
  return { keys: [...keys], count: remaining === 0 ? keys.size : remaining + maxEntries };
}

function entriesLeft(iterator: object): number {
  return inspectEntriesSafely(iterator, 0).remaining;
}

interface EngineFunctions {
  target(proxy: object): object | null;
  handler(proxy: object): object | null;
  firstUnlike(objects: readonly object[], reference: object, from: number): number;
  sameShape(a: object, b: object): boolean;
  hasFixedShape(object: object): boolean;
}

const ENGINE_FUNCTIONS_SOURCE = `({
  target: (p) => %JSProxyGetTarget(p),
  handler: (p) => %JSProxyGetHandler(p),
  firstUnlike: (objects, reference, from) => {
    if (!%HasFastProperties(reference)) return from;
    for (let i = from; i < objects.length; i++) if (!%HaveSameMap(objects[i], reference)) return i;
    return objects.length;
  },
  sameShape: (a, b) => %HaveSameMap(a, b),
  hasFixedShape: (object) => %HasFastProperties(object) && !%HasDictionaryElements(object),
})`;

/** Maximum number of attempts to compile. Other threads may change the flag between setting it and compiling. */
const MAX_ATTEMPTS = 1000;

/**
 * V8's own functions can only be named while a flag allows its internal syntax, which is set here only. The flag
 * belongs to the process, and another thread may reset it, so a compilation that fails is tried again. The functions
 * are also called here, because V8 compiles lazily. If V8 discards their code later to save memory, it is compiled
 * again here.
 */
function compileEngineFunctions(): EngineFunctions {
  for (let attempt = 1; ; attempt++) {
    setFlagsFromString('--allow-natives-syntax');
    try {
      const functions = new Script(ENGINE_FUNCTIONS_SOURCE, {
        filename: 'turntable:engine',
      }).runInThisContext() as EngineFunctions;
      if (behaveAsExpected(functions)) return functions;
    } catch (cause) {
      if (attempt < MAX_ATTEMPTS && cause instanceof SyntaxError) continue;
      throw engineClosedError('this V8 has no functions that read a Proxy and compare hidden classes', cause);
    } finally {
      setFlagsFromString('--no-allow-natives-syntax');
    }
    throw engineClosedError(
      'this V8 reads proxies and compares hidden classes in another way than the V8 of Node 24 and 26',
    );
  }
}

function behaveAsExpected(functions: EngineFunctions): boolean {
  const [target, handler] = [{}, {}];
  const proxy = new Proxy(target, handler);
  const shapes = [{ a: 1 }, { a: 2 }, { a: 3, b: 4 }];
  return (
    functions.target(proxy) === target &&
    functions.handler(proxy) === handler &&
    functions.firstUnlike(shapes, { a: 0 }, 0) === 2 &&
    functions.sameShape(handler, target) &&
    !functions.sameShape([0], [0.5]) &&
    functions.hasFixedShape(target) &&
    !functions.hasFixedShape({ __proto__: null })
  );
}

export function createEngineView(): EngineView {
  let functions: EngineFunctions | undefined;

  function withFunctions<R>(run: (functions: EngineFunctions) => R): R {
    functions ??= compileEngineFunctions();
    try {
      return run(functions);
    } catch {
      functions = compileEngineFunctions();
      return run(functions);
    }
  }

  function proxyParts(proxy: object): { target: object; handler: object } | undefined {
    // V8's functions require a Proxy and do not check.
    if (!isProxy(proxy)) throw engineClosedError('proxyParts was called with a value that is not a Proxy');
    const [target, handler] = withFunctions((engine) => [engine.target(proxy), engine.handler(proxy)] as const);
    return target === null || handler === null ? undefined : { target, handler };
  }

  /** Called for every object of a capture. The first call replaces it by V8's function, which V8 can inline. */
  let compareShapes = (a: object, b: object): boolean => {
    compareShapes = withFunctions((engine) => engine).sameShape;
    return compareShapes(a, b);
  };
  function sameShape(a: object, b: object): boolean {
    try {
      return compareShapes(a, b);
    } catch {
      functions = compileEngineFunctions();
      compareShapes = functions.sameShape;
      return compareShapes(a, b);
    }
  }

  let isChecked = false;
  const checkInspect = (): void => {
    if (isChecked) return;
    const key = {};
    const members = [key, {}, {}];
    const { keys, count } = weakKeys(new WeakMap([[key, 'value']]), 8);
    const weakCount = weakKeys(new WeakSet(members), 1).count;
    const iterator = new Map([['a', key]]).entries();
    // `members` is used last, so that the garbage collector keeps all of them until they are counted.
    if (keys[0] !== key || count !== 1 || entriesLeft(iterator) !== 1 || weakCount !== members.length)
      throw engineClosedError('util.inspect of this Node prints hidden entries in another format than Node 24 and 26');
    isChecked = true;
  };

  return {
    proxyParts,
    sameShape,
    hasFixedShape: (object) => !isProxy(object) && withFunctions((engine) => engine.hasFixedShape(object)),
    firstDifferentShape: (objects, reference, from) =>
      withFunctions((engine) => engine.firstUnlike(objects, reference, from)),
    weakKeys(collection, maxEntries) {
      checkInspect();
      return weakKeys(collection, maxEntries);
    },
    entriesLeft(iterator) {
      checkInspect();
      return entriesLeft(iterator);
    },
  };
}

function engineClosedError(reason: string, cause?: unknown): LoaderError {
  return new LoaderError(
    'TT_ENGINE_CLOSED',
    `Internals of V8 objects cannot be read: ${reason}; run the program on a supported Node (24 or 26)`,
    ...(cause === undefined ? [] : [{ cause }]),
  );
}
