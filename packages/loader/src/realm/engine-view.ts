// What the engine keeps inside objects and no JavaScript can ask for: which keys a WeakMap or WeakSet has, what a Map or Set
// iterator has left, what a Proxy stands for. For capture, which pays for it; the program pays nothing, its weak collections
// and proxies are the engine's own. Two doors: `util.inspect` prints hidden entries, and shows each value it meets to the list
// it keeps of what it is printing (put in place of that list, ours notes the values); V8's own functions open a Proxy and compare shapes.
// No code of the program runs. What the doors gave at start-up is checked against what is known, before it is believed.
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

/** What `inspect` lets its options decide, and `stylize`, through which its state can be had. */
interface InspectContext {
  seen: unknown;
  circular: unknown;
}

/** As in "... 12 more items", which stands where entries are left out. */
const MORE = /\.\.\. (\d+) more item/;

interface InspectedEntries {
  readonly values: unknown[];
  readonly remaining: number;
}

/** The values that stand in `subject`, at most `maxEntries` of its entries; each is looked at from outside only. */
function inspectEntries(subject: object, maxEntries: number): InspectedEntries {
  const values: unknown[] = [];
  let isInSubject = false;
  // Stands in for the array of what is being printed: claims that all but `subject` is, so that nothing is looked into.
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
    // Shown as such, and at this depth not looked into: otherwise Node asks the target of a proxy for its element 0.
    showProxy: true,
    customInspect: false,
    getters: false,
    depth: 1,
    maxArrayLength: maxEntries,
    breakLength: Infinity,
    compact: true,
    sorted: false,
    stylize(this: InspectContext | undefined): string {
      // Called as a method for the `null` before the subject.
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

/** Like `inspectEntries`, also for objects of classes: nothing of a class is asked while it is looked at. */
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
  // Values of a WeakMap and of own properties come along; a key that is a Proxy appears as its target.
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

/** How often V8 is asked, since other threads may have the same done at the same moment. */
const MAX_ATTEMPTS = 1000;

/**
 * V8's own functions are named in a dialect that a flag allows; it is on for these lines only. The flag is the process's: another
 * thread that is done takes it away, so what does not compile is tried again. The functions are called here, since V8 compiles what
 * is called; code that it drops later, to save memory, is compiled here again.
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
      throw engineClosedError('this V8 has no functions that open a Proxy and compare shapes', cause);
    } finally {
      setFlagsFromString('--no-allow-natives-syntax');
    }
    throw engineClosedError('this V8 opens proxies and compares shapes otherwise than those of Node 24 and 26 do');
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
    // V8's functions take a Proxy for granted.
    if (!isProxy(proxy)) throw engineClosedError('proxyParts was given something that is no Proxy');
    const [target, handler] = withFunctions((engine) => [engine.target(proxy), engine.handler(proxy)] as const);
    return target === null || handler === null ? undefined : { target, handler };
  }

  /** Asked for every object of a capture: V8 compiles this call into what calls it. */
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
    // `members` is used last: the collector must not take any of them before they are counted.
    if (keys[0] !== key || count !== 1 || entriesLeft(iterator) !== 1 || weakCount !== members.length)
      throw engineClosedError("this Node's util.inspect shows hidden entries otherwise than 24 and 26 do");
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
    `What the engine keeps inside objects cannot be read: ${reason}; run the program on a supported Node (24 or 26)`,
    ...(cause === undefined ? [] : [{ cause }]),
  );
}
