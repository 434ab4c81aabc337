// The trace format of errors. Both sides share an error as it is. A replay creates an equal error. The error has the
// same class if a replay has that class: a class of the language, of a builtin that only computes, or of a Node error
// code. Any other error, of a device or of the system, gets a class of the same name.
import { on } from 'node:events';
import { types } from 'node:util';
import { codedClassOf, codedPrototype, nodeAbortError } from './node-errors.ts';
import { VALUE_FORM, type EncodedValue, type EncodedList } from './encoding.ts';
import type { Statics } from './static-objects.ts';

type ErrorList = readonly [form: number, errorClass: EncodedValue, message: string, stack: string, ...EncodedValue[]];
/** Prototypes that exist in every process. */
type StaticPrototypes = Pick<Statics, 'neutralPathOf' | 'objectAt'>;

type ErrorConstructor = new (message?: string) => Error;

const { isProxy } = types;
const { getPrototypeOf, ownKeys, getOwnPropertyDescriptor, defineProperty } = Reflect;
const LANGUAGE_ERRORS: Readonly<Record<string, ErrorConstructor>> = {
  Error,
  TypeError,
  RangeError,
  SyntaxError,
  ReferenceError,
  URIError,
  EvalError,
  AggregateError: AggregateError as unknown as ErrorConstructor,
};
const DOM_EXCEPTION = 'DOMException';
const { toString: nativeErrorToString } = Error.prototype;
/** The native `events.on`. The program has a handle of it. */
const nativeOn = on as (...args: unknown[]) => unknown;

/** First element of a list that is written in place of a class name. Each comment names the elements after it. */
const ERROR_CLASS_FORM = {
  /** Language class, code, `isHidden` (see `codedClassOf`). */
  coded: 0,
  /** Language class, own name, whether its text contains the code. */
  named: 1,
  /** Language class. */
  threadCopy: 2,
} as const;

export function isError(value: object): value is Error {
  return types.isNativeError(value) || isDomException(value) || isThreadCopy(value);
}

/** Whether a value is Node's copy of an error of another thread: an object that inherits from a language class. */
function isThreadCopy(value: object): boolean {
  if (types.isProxy(value) || types.isNativeError(value)) return false;
  const tag: unknown = getOwnPropertyDescriptor(value, Symbol.toStringTag)?.value;
  return tag === 'Error' && Object.values(LANGUAGE_ERRORS).some(({ prototype }) => prototype === getPrototypeOf(value));
}

/** Compares the prototype, because `instanceof` would call the traps of a proxy. */
function isDomException(value: object): value is DOMException {
  return getPrototypeOf(value) === DOMException.prototype;
}

/** @param encodeMember encodes a property value */
export function encodeError(
  error: Error,
  prototypes: StaticPrototypes,
  encodeKey: (key: PropertyKey) => EncodedValue,
  encodeMember: (value: unknown) => { readonly programValue: unknown; readonly encoded: EncodedValue },
): EncodedValue {
  const errorClass = encodeErrorClass(error, prototypes);
  const list: EncodedValue[] = [VALUE_FORM.error, errorClass, error.message, error.stack ?? ''];
  if (isDomException(error)) return [...list, error.name];
  for (const key of ownKeys(error)) {
    const descriptor = getOwnPropertyDescriptor(error, key);
    // The engine's `stack` is an accessor.
    if (key === 'message' || descriptor === undefined || (key === 'stack' && descriptor.set !== undefined)) continue;
    // Node's system errors have accessors for their data.
    const value: unknown = 'value' in descriptor ? descriptor.value : Reflect.get(error, key);
    if (typeof value === 'function') continue;
    const { programValue, encoded } = encodeMember(value);
    if (!Object.is(programValue, value) && descriptor.writable === true)
      defineProperty(error, key, { ...descriptor, value: programValue });
    list.push(encodeKey(key), descriptor.enumerable === true, encoded);
  }
  return list;
}

/** Encodes an error with its primitive members only. Does not change the error, since it may be the program's own. */
export function encodeErrorOnly(error: Error, prototypes: StaticPrototypes): EncodedValue {
  const errorClass = encodeKnownClass(error, prototypes) ?? languageClassOf(error);
  const list: EncodedValue[] = [VALUE_FORM.error, errorClass, error.message, error.stack ?? ''];
  if (isDomException(error)) return [...list, error.name];
  for (const [key, value] of Object.entries(error))
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
      list.push(key, true, value);
  return list;
}

export function decodeError(
  list: EncodedList,
  prototypes: StaticPrototypes,
  decodeKey: (encoded: EncodedValue) => PropertyKey,
  decode: (encoded: EncodedValue) => unknown,
  register: (error: Error) => void,
): Error {
  const [, errorClass, message, stack, ...members] = list as ErrorList;
  const isDom = errorClass === DOM_EXCEPTION;
  const error = isDom
    ? (new DOMException(message, members[0] as string) as unknown as Error)
    : createError(errorClass, message, prototypes);
  register(error);
  if (getOwnPropertyDescriptor(error, 'stack')?.set !== undefined) error.stack = stack;
  else defineProperty(error, 'stack', { value: stack, writable: true, configurable: true, enumerable: false });
  if (isDom) return error;
  for (let i = 0; i + 2 < members.length; i += 3)
    defineProperty(error, decodeKey(members[i]), {
      value: decode(members[i + 2]),
      enumerable: members[i + 1] as boolean,
      writable: true,
      configurable: true,
    });
  return error;
}

/** Returns the name of the language class from which the error inherits. */
function languageClassOf(error: Error): string {
  for (let holder = getPrototypeOf(error); holder !== null && !isProxy(holder); holder = getPrototypeOf(holder))
    for (const [name, type] of Object.entries(LANGUAGE_ERRORS)) if (holder === type.prototype) return name;
  return 'Error';
}

/** The name of a language class, the path of a prototype, or a list that starts with an `ERROR_CLASS_FORM`. */
function encodeErrorClass(error: Error, prototypes: StaticPrototypes): EncodedValue {
  const knownClass = encodeKnownClass(error, prototypes);
  if (knownClass !== undefined) return knownClass;
  const name = languageClassOf(error);
  const className = constructorNameOf(getPrototypeOf(error) as object);
  const isCodeShown = showsCodeInText(error);
  return className === name && !isCodeShown ? name : [ERROR_CLASS_FORM.named, name, className, isCodeShown];
}

/** Encodes an error class that exists in a replay. Returns undefined for any other class. */
function encodeKnownClass(error: Error, prototypes: StaticPrototypes): EncodedValue | undefined {
  if (isDomException(error)) return DOM_EXCEPTION;
  if (isThreadCopy(error)) return [ERROR_CLASS_FORM.threadCopy, languageClassOf(error), '', false];
  const name = languageClassOf(error);
  const prototype = getPrototypeOf(error);
  if (prototype === null || types.isProxy(prototype) || prototype === LANGUAGE_ERRORS[name]?.prototype) return name;
  const path = prototypes.neutralPathOf(prototype);
  if (path !== undefined) return path;
  const codedClass = codedClassOf(prototype);
  return codedClass && [ERROR_CLASS_FORM.coded, codedClass.base.name, codedClass.code, codedClass.isHidden];
}

function constructorNameOf(prototype: object): string {
  const { constructor } = prototype;
  return typeof constructor === 'function' && !types.isProxy(constructor) ? constructor.name : '';
}

function textWithCode(error: Error): string {
  return `${error.name} [${String((error as { code?: unknown }).code)}]: ${error.message}`;
}

function showsCodeInText(error: Error): boolean {
  if (error.toString === nativeErrorToString) return false;
  try {
    return error.toString() === textWithCode(error);
  } catch {
    return false;
  }
}

function createError(errorClass: EncodedValue, message: string, prototypes: StaticPrototypes): Error {
  if (typeof errorClass === 'string') {
    const type = LANGUAGE_ERRORS[errorClass];
    return type === undefined ? withPrototype(new Error(message), prototypes.objectAt(errorClass)) : new type(message);
  }
  const [kind, name, nameOrCode, flag] = errorClass as readonly [number, string, string, boolean];
  const base = LANGUAGE_ERRORS[name] ?? Error;
  if (kind === ERROR_CLASS_FORM.threadCopy)
    return Object.create(base.prototype, { message: { value: message, writable: true, configurable: true } }) as Error;
  const error = new base(message);
  if (kind === ERROR_CLASS_FORM.coded)
    return withPrototype(error, codedPrototype({ base, code: nameOrCode, isHidden: flag }));
  return withPrototype(
    error,
    nameOrCode === ABORT_ERROR ? abortErrorPrototype() : namedPrototype(base, nameOrCode, flag),
  );
}

function withPrototype(error: Error, prototype: object | undefined): Error {
  if (prototype !== undefined) Object.setPrototypeOf(error, prototype);
  return error;
}

const ABORT_ERROR = 'AbortError';

function abortErrorPrototype(): object {
  return (nodeAbortError(nativeOn) as ErrorConstructor).prototype;
}

const namedPrototypes = new Map<string, object>();

/** Returns one prototype for each name, so that equal errors have equal classes. */
function namedPrototype(base: ErrorConstructor, name: string, hasCode: boolean): object {
  const key = `${base.name} ${name} ${hasCode}`;
  const knownPrototype = namedPrototypes.get(key);
  if (knownPrototype !== undefined) return knownPrototype;
  const { prototype } = { [name]: class extends base {} }[name] as ErrorConstructor;
  if (hasCode)
    defineProperty(prototype, 'toString', {
      value: {
        toString(this: Error): string {
          return textWithCode(this);
        },
      }.toString,
      writable: true,
      configurable: true,
    });
  namedPrototypes.set(key, prototype);
  return prototype;
}
