// Prototypes of the errors that Node throws: each code has a class of its own that nothing leads to but its errors. A process that has not
// met a code makes a prototype that says the same.
import { types } from 'node:util';

export type ErrorClass = new () => Error;

const { getPrototypeOf, getOwnPropertyDescriptor } = Reflect;
const textOf = Function.prototype.toString;

interface Sample {
  readonly mark: symbol;
  /** Texts of Node's methods: only those are called. */
  readonly toString: string;
  readonly constructor: string;
}

function sampleOf(): Sample | undefined {
  let thrown: unknown;
  try {
    // Too few arguments are refused with a class of the usual kind.
    new URLSearchParams().append(...([] as unknown as [string, string]));
  } catch (error) {
    thrown = error;
  }
  for (let each = getPrototypeOf(thrown as object); each !== null; each = getPrototypeOf(each)) {
    const mark = Object.getOwnPropertySymbols(each).find(({ description }) => description === 'kIsNodeError');
    const constructor = getOwnPropertyDescriptor(each, 'constructor')?.get;
    if (mark === undefined || constructor === undefined) continue;
    return {
      mark,
      toString: Reflect.apply(textOf, (each as object).toString, []),
      constructor: Reflect.apply(textOf, constructor, []),
    };
  }
  return undefined;
}

export interface Coded {
  readonly base: ErrorClass;
  readonly code: string;
}

const made = new WeakMap<object, Coded>();

function methodsOf(prototype: object): { get: unknown; toString: unknown } {
  return {
    get: getOwnPropertyDescriptor(prototype, 'constructor')?.get,
    toString: getOwnPropertyDescriptor(prototype, 'toString')?.value,
  };
}

let looked: { readonly sample: Sample | undefined } | undefined;

function theSample(): Sample | undefined {
  return (looked ??= { sample: sampleOf() }).sample;
}

function isText(fn: unknown, text: string): boolean {
  return typeof fn === 'function' && (Reflect.apply(textOf, fn, []) as string) === text;
}

/** What a prototype says that Node has for a code. */
function partsOf(prototype: object): Coded | undefined {
  const known = made.get(prototype);
  const sample = theSample();
  if (known !== undefined || sample === undefined || types.isProxy(prototype)) return known;
  if (!Object.hasOwn(prototype, sample.mark)) return undefined;
  const { get, toString } = methodsOf(prototype);
  if (!isText(get, sample.constructor) || !isText(toString, sample.toString)) return undefined;
  const shown = Reflect.apply(toString as () => string, { name: '', message: '' }, []);
  const base = Reflect.apply(get as () => ErrorClass, undefined, []);
  return { base, code: shown.slice(' ['.length, -']: '.length) };
}

function isHiding(prototype: object): boolean {
  const keys = Reflect.ownKeys(prototype);
  return keys.length === 1 && keys[0] === 'constructor' && typeof methodsOf(prototype).get === 'function';
}

/** Of an error's prototype, if it is Node's for a code; `isHidden`: the one below that. */
export function codedClassOf(prototype: object): (Coded & { readonly isHidden: boolean }) | undefined {
  const parts = partsOf(prototype);
  if (parts !== undefined) return { ...parts, isHidden: false };
  const above = types.isProxy(prototype) || !isHiding(prototype) ? null : getPrototypeOf(prototype);
  const hidden = above === null ? undefined : partsOf(above);
  return hidden && { ...hidden, isHidden: true };
}

const hiding = new Map<object, object>();

export function codedPrototype({ isHidden, ...parts }: Coded & { readonly isHidden: boolean }): object {
  const above = prototypeWithCode(parts, theSample()?.mark);
  if (!isHidden) return above;
  let prototype = hiding.get(above);
  if (prototype === undefined) hiding.set(above, (prototype = hidingPrototype(above, parts.base)));
  return prototype;
}

export const BASES: readonly ErrorClass[] = [Error, TypeError, RangeError, SyntaxError, URIError];
const byCode = new Map<string, object>();

function prototypeWithCode(parts: Coded, mark: symbol | undefined): object {
  const { base, code } = parts;
  if (!BASES.includes(base)) throw new TypeError('no class of errors');
  const key = `${base.name} ${code}`;
  const before = byCode.get(key);
  if (before !== undefined) return before;
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
  made.set(prototype, parts);
  byCode.set(key, prototype);
  return prototype;
}

export function hidingPrototype(above: object, constructor: unknown): object {
  return Object.create(above, constructorOf(constructor)) as object;
}

function constructorOf(value: unknown): PropertyDescriptorMap {
  return { constructor: { get: () => value, configurable: true } };
}

/** Node's class of what a signal has aborted, which it shows nowhere. `on`: Node's own `events.on`. */
export function nodeAbortError(on: (...args: unknown[]) => unknown): object {
  let thrown: unknown;
  try {
    on(undefined, 'x', { signal: AbortSignal.abort() });
  } catch (error) {
    thrown = error;
  }
  return (thrown as Error).constructor;
}
