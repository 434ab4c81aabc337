// Errors cross as errors: they are nobody's devices. What one holds is noted when it comes in, and a run again makes one that says the same, of the same
// class as far as there is one: the language's and those of builtins that compute are there, Node's own for a code and of what was aborted are
// made or found, and of others (of devices, of Node's own for the system) there is one of that name.
import { on } from 'node:events';
import { types } from 'node:util';
import { codedClassOf, codedPrototype, nodeAbortError } from './node-errors.ts';
import { FORM, type Coded, type CodedList } from './crossing.ts';
import type { Statics } from './statics.ts';

/** Prototypes that both runs have. */
type Prototypes = Pick<Statics, 'neutralPathOf' | 'at'>;

type ErrorType = new (message?: string) => Error;

const { getPrototypeOf, ownKeys, getOwnPropertyDescriptor, defineProperty } = Reflect;
const TYPES: Readonly<Record<string, ErrorType>> = {
  Error,
  TypeError,
  RangeError,
  SyntaxError,
  ReferenceError,
  URIError,
  EvalError,
  AggregateError: AggregateError as unknown as ErrorType,
};
const DOM = 'DOMException';
const { toString: shownByLanguage } = Error.prototype;
/** The program's is another one. */
const nativeOn = on as (...args: unknown[]) => unknown;

/** What begins the list that is in the place of a name. */
const CLASS = {
  /** Name of the language's class, code, whether it is the class below that. */
  coded: 0,
  /** The same name, its own, whether it shows its code. */
  named: 1,
  /** The same name. */
  told: 2,
} as const;

export function isError(value: object): value is Error {
  return types.isNativeError(value) || isDomException(value) || isTold(value);
}

/** As Node tells of an error of another thread: an ordinary object below the class of the language, whose tag says that it is one. */
function isTold(value: object): boolean {
  if (types.isProxy(value) || types.isNativeError(value)) return false;
  const tag: unknown = getOwnPropertyDescriptor(value, Symbol.toStringTag)?.value;
  return tag === 'Error' && Object.values(TYPES).some(({ prototype }) => prototype === getPrototypeOf(value));
}

/** Asks no Proxy that it may inherit from. */
function isDomException(value: object): value is DOMException {
  return getPrototypeOf(value) === DOMException.prototype;
}

/** `cross`: what it holds comes in with it. */
export function codeError(
  error: Error,
  prototypes: Prototypes,
  codeKey: (key: PropertyKey) => Coded,
  cross: (value: unknown) => { readonly inside: unknown; readonly coded: Coded },
): Coded {
  const { stack } = error;
  // Where Node's own code has captured it, an accessor of the engine's.
  if (getOwnPropertyDescriptor(error, 'stack')?.get !== undefined)
    defineProperty(error, 'stack', { value: stack, writable: true, configurable: true, enumerable: false });
  const list: Coded[] = [FORM.error, classOf(error, prototypes), error.message, stack ?? ''];
  if (isDomException(error)) return [...list, error.name];
  for (const key of ownKeys(error)) {
    if (key === 'message' || key === 'stack') continue;
    const found = getOwnPropertyDescriptor(error, key);
    if (found === undefined) continue;
    // Node's own of the system have accessors for what they know.
    const value: unknown = 'value' in found ? found.value : Reflect.get(error, key);
    if (typeof value === 'function') continue;
    const { inside, coded } = cross(value);
    if (!Object.is(inside, value) && found.writable === true) defineProperty(error, key, { ...found, value: inside });
    list.push(codeKey(key), found.enumerable === true, coded);
  }
  return list;
}

/** Without objects that it holds, and as it is: it may be the program's. */
export function codeErrorAlone(error: Error, prototypes: Prototypes): Coded {
  const its = knownClassOf(error, prototypes) ?? typeName(error);
  const list: Coded[] = [FORM.error, its, error.message, error.stack ?? ''];
  if (isDomException(error)) return [...list, error.name];
  for (const [key, value] of Object.entries(error))
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
      list.push(key, true, value);
  return list;
}

export function errorOf(
  list: CodedList,
  prototypes: Prototypes,
  decodeKey: (coded: Coded) => PropertyKey,
  decode: (coded: Coded) => unknown,
  made: (error: Error) => void,
): Error {
  const [, its, message, stack, ...rest] = list as readonly [number, Coded, string, string, ...Coded[]];
  const isDom = its === DOM;
  const error = isDom
    ? (new DOMException(message, rest[0] as string) as unknown as Error)
    : errorOfClass(its, message, prototypes);
  made(error);
  defineProperty(error, 'stack', { value: stack, writable: true, configurable: true, enumerable: false });
  if (isDom) return error;
  for (let i = 0; i + 2 < rest.length; i += 3)
    defineProperty(error, decodeKey(rest[i]), {
      value: decode(rest[i + 2]),
      enumerable: rest[i + 1] as boolean,
      writable: true,
      configurable: true,
    });
  return error;
}

/** Of the language's class from which it inherits. */
function typeName(error: Error): string {
  for (let at = getPrototypeOf(error); at !== null && !types.isProxy(at); at = getPrototypeOf(at))
    for (const [name, type] of Object.entries(TYPES)) if (at === type.prototype) return name;
  return 'Error';
}

/** The name of a class of the language, or the path of a prototype, or a list that begins with one of `CLASS`. */
function classOf(error: Error, prototypes: Prototypes): Coded {
  const known = knownClassOf(error, prototypes);
  if (known !== undefined) return known;
  const name = typeName(error);
  const own = nameOf(getPrototypeOf(error) as object);
  const isCodeShown = showsCode(error);
  return own === name && !isCodeShown ? name : [CLASS.named, name, own, isCodeShown];
}

/** The same where a run again has the class itself. */
function knownClassOf(error: Error, prototypes: Prototypes): Coded | undefined {
  if (isDomException(error)) return DOM;
  if (isTold(error)) return [CLASS.told, typeName(error), '', false];
  const name = typeName(error);
  const prototype = getPrototypeOf(error);
  if (prototype === null || types.isProxy(prototype) || prototype === TYPES[name]?.prototype) return name;
  const path = prototypes.neutralPathOf(prototype);
  if (path !== undefined) return path;
  const coded = codedClassOf(prototype);
  return coded && [CLASS.coded, coded.base.name, coded.code, coded.isHidden];
}

function nameOf(prototype: object): string {
  const { constructor } = prototype;
  return typeof constructor === 'function' && !types.isProxy(constructor) ? constructor.name : '';
}

function withCode(error: Error): string {
  return `${error.name} [${String((error as { code?: unknown }).code)}]: ${error.message}`;
}

function showsCode(error: Error): boolean {
  if (error.toString === shownByLanguage) return false;
  try {
    return error.toString() === withCode(error);
  } catch {
    return false;
  }
}

function errorOfClass(its: Coded, message: string, prototypes: Prototypes): Error {
  if (typeof its === 'string') {
    const type = TYPES[its];
    return type === undefined ? below(new Error(message), prototypes.at(its)) : new type(message);
  }
  const [kind, name, own, isSo] = its as readonly [number, string, string, boolean];
  const base = TYPES[name] ?? Error;
  if (kind === CLASS.told)
    return Object.create(base.prototype, { message: { value: message, writable: true, configurable: true } }) as Error;
  const error = new base(message);
  if (kind === CLASS.coded) return below(error, codedPrototype({ base, code: own, isHidden: isSo }));
  return below(error, own === ABORTED ? abortPrototype() : namedPrototype(base, own, isSo));
}

function below(error: Error, prototype: object | undefined): Error {
  if (prototype !== undefined) Object.setPrototypeOf(error, prototype);
  return error;
}

const ABORTED = 'AbortError';

function abortPrototype(): object {
  return (nodeAbortError(nativeOn) as ErrorType).prototype;
}

const named = new Map<string, object>();

/** One for each name: they are told apart by that. */
function namedPrototype(base: ErrorType, name: string, hasCode: boolean): object {
  const key = `${base.name} ${name} ${hasCode}`;
  const known = named.get(key);
  if (known !== undefined) return known;
  const { prototype } = { [name]: class extends base {} }[name] as ErrorType;
  if (hasCode)
    defineProperty(prototype, 'toString', {
      value: {
        toString(this: Error): string {
          return withCode(this);
        },
      }.toString,
      writable: true,
      configurable: true,
    });
  named.set(key, prototype);
  return prototype;
}
