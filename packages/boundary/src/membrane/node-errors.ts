// Prototypes of the errors that Node throws. Each error code has its own class, reachable from its errors only. A
// process that has not seen a code makes an equivalent prototype.
import { types } from 'node:util';

export type ErrorBaseClass = new () => Error;

const { getPrototypeOf, getOwnPropertyDescriptor } = Reflect;
const functionSource = Function.prototype.toString;

interface NodeErrorSample {
  readonly mark: symbol;
  /** Source texts of Node's own methods. A method with any other text is not called. */
  readonly toStringSource: string;
  readonly constructorSource: string;
}

function createSample(): NodeErrorSample | undefined {
  let thrown: unknown;
  try {
    // Throws an error of the usual class: too few arguments.
    new URLSearchParams().append(...([] as unknown as [string, string]));
  } catch (error) {
    thrown = error;
  }
  for (let prototype = getPrototypeOf(thrown as object); prototype !== null; prototype = getPrototypeOf(prototype)) {
    const mark = Object.getOwnPropertySymbols(prototype).find(({ description }) => description === 'kIsNodeError');
    const constructor = getOwnPropertyDescriptor(prototype, 'constructor')?.get;
    if (mark === undefined || constructor === undefined) continue;
    return {
      mark,
      toStringSource: Reflect.apply(functionSource, (prototype as object).toString, []),
      constructorSource: Reflect.apply(functionSource, constructor, []),
    };
  }
  return undefined;
}

export interface CodedErrorClass {
  readonly base: ErrorBaseClass;
  readonly code: string;
}

const codedClasses = new WeakMap<object, CodedErrorClass>();

function methodsOf(prototype: object): { get: unknown; toString: unknown } {
  return {
    get: getOwnPropertyDescriptor(prototype, 'constructor')?.get,
    toString: getOwnPropertyDescriptor(prototype, 'toString')?.value,
  };
}

let cachedSample: { readonly sample: NodeErrorSample | undefined } | undefined;

function nodeErrorSample(): NodeErrorSample | undefined {
  return (cachedSample ??= { sample: createSample() }).sample;
}

function hasSource(fn: unknown, expected: string): boolean {
  return typeof fn === 'function' && (Reflect.apply(functionSource, fn, []) as string) === expected;
}

/** Returns the code and the class that a prototype of Node's errors declares; undefined for any other prototype. */
function codedErrorClass(prototype: object): CodedErrorClass | undefined {
  const knownClass = codedClasses.get(prototype);
  const sample = nodeErrorSample();
  if (knownClass !== undefined || sample === undefined || types.isProxy(prototype)) return knownClass;
  if (!Object.hasOwn(prototype, sample.mark)) return undefined;
  const { get, toString } = methodsOf(prototype);
  if (!hasSource(get, sample.constructorSource) || !hasSource(toString, sample.toStringSource)) return undefined;
  const shownText = Reflect.apply(toString as () => string, { name: '', message: '' }, []);
  const base = Reflect.apply(get as () => ErrorBaseClass, undefined, []);
  return { base, code: shownText.slice(' ['.length, -']: '.length) };
}

function isHidingPrototype(prototype: object): boolean {
  const keys = Reflect.ownKeys(prototype);
  return keys.length === 1 && keys[0] === 'constructor' && typeof methodsOf(prototype).get === 'function';
}

/**
 * Returns the class of a Node error by its prototype; undefined for other errors. `isHidden`: whether the prototype has
 * only a `constructor`, and inherits from the prototype that declares the code.
 */
export function codedClassOf(prototype: object): (CodedErrorClass & { readonly isHidden: boolean }) | undefined {
  const ownClass = codedErrorClass(prototype);
  if (ownClass !== undefined) return { ...ownClass, isHidden: false };
  const parent = types.isProxy(prototype) || !isHidingPrototype(prototype) ? null : getPrototypeOf(prototype);
  const parentClass = parent === null ? undefined : codedErrorClass(parent);
  return parentClass && { ...parentClass, isHidden: true };
}

const hidingPrototypes = new Map<object, object>();

export function codedPrototype({ isHidden, ...errorClass }: CodedErrorClass & { readonly isHidden: boolean }): object {
  const parent = prototypeWithCode(errorClass, nodeErrorSample()?.mark);
  if (!isHidden) return parent;
  let prototype = hidingPrototypes.get(parent);
  if (prototype === undefined) hidingPrototypes.set(parent, (prototype = hidingPrototype(parent, errorClass.base)));
  return prototype;
}

export const ERROR_BASES: readonly ErrorBaseClass[] = [Error, TypeError, RangeError, SyntaxError, URIError];
const prototypesByCode = new Map<string, object>();

function prototypeWithCode(errorClass: CodedErrorClass, mark: symbol | undefined): object {
  const { base, code } = errorClass;
  if (!ERROR_BASES.includes(base)) throw new TypeError('not an error class');
  const key = `${base.name} ${code}`;
  const knownPrototype = prototypesByCode.get(key);
  if (knownPrototype !== undefined) return knownPrototype;
  const prototype = Object.create(base.prototype as object, {
    ...constructorOf(base),
    toString: {
      value: {
        toString(this: Error): string {
          return `${this.name} [${code}]: ${this.message}`;
        },
      }.toString,
      writable: true,
      configurable: true,
    },
    ...(mark === undefined ? {} : { [mark]: { get: () => true, configurable: true } }),
  }) as object;
  codedClasses.set(prototype, errorClass);
  prototypesByCode.set(key, prototype);
  return prototype;
}

export function hidingPrototype(parent: object, constructor: unknown): object {
  return Object.create(parent, constructorOf(constructor)) as object;
}

function constructorOf(value: unknown): PropertyDescriptorMap {
  return { constructor: { get: () => value, configurable: true } };
}

/** Returns Node's class `AbortError`, which no builtin exports. @param on the native `events.on` */
export function nodeAbortError(on: (...args: unknown[]) => unknown): object {
  let thrown: unknown;
  try {
    on(undefined, 'x', { signal: AbortSignal.abort() });
  } catch (error) {
    thrown = error;
  }
  return (thrown as Error).constructor;
}
