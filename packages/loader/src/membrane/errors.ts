// Errors cross as errors: they are nobody's devices. What one holds is noted when it comes in, and a run again makes one that says the same.
import { types } from 'node:util';
import { FORM, type Coded, type CodedList } from './crossing.ts';

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

export function isError(value: object): value is Error {
  return types.isNativeError(value) || isDomException(value);
}

/** Asks no Proxy that it may inherit from. */
function isDomException(value: object): value is DOMException {
  return getPrototypeOf(value) === DOMException.prototype;
}

/** `cross`: what it holds comes in with it. */
export function codeError(
  error: Error,
  codeKey: (key: PropertyKey) => Coded,
  cross: (value: unknown) => { readonly inside: unknown; readonly coded: Coded },
): Coded {
  const { stack } = error;
  // Where Node's own code has captured it, an accessor of the engine's.
  if (getOwnPropertyDescriptor(error, 'stack')?.get !== undefined)
    defineProperty(error, 'stack', { value: stack, writable: true, configurable: true, enumerable: false });
  const list: Coded[] = [FORM.error, typeName(error), error.message, stack ?? ''];
  if (isDomException(error)) return [...list, error.name];
  for (const key of ownKeys(error)) {
    if (key === 'message' || key === 'stack') continue;
    const found = getOwnPropertyDescriptor(error, key);
    if (found === undefined || !('value' in found) || typeof found.value === 'function') continue;
    const { inside, coded } = cross(found.value);
    if (!Object.is(inside, found.value) && found.writable === true)
      defineProperty(error, key, { ...found, value: inside });
    list.push(codeKey(key), found.enumerable === true, coded);
  }
  return list;
}

/** Without objects that it holds, and as it is: it may be the program's. */
export function codeErrorAlone(error: Error): Coded {
  const list: Coded[] = [FORM.error, typeName(error), error.message, error.stack ?? ''];
  if (isDomException(error)) return [...list, error.name];
  for (const [key, value] of Object.entries(error))
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
      list.push(key, true, value);
  return list;
}

export function errorOf(
  list: CodedList,
  decodeKey: (coded: Coded) => PropertyKey,
  decode: (coded: Coded) => unknown,
  made: (error: Error) => void,
): Error {
  const [, name, message, stack, ...rest] = list as readonly [number, string, string, string, ...Coded[]];
  const error: Error =
    name === DOM
      ? (new DOMException(message, rest[0] as string) as unknown as Error)
      : new (TYPES[name] ?? Error)(message);
  made(error);
  defineProperty(error, 'stack', { value: stack, writable: true, configurable: true, enumerable: false });
  if (name === DOM) return error;
  for (let i = 0; i + 2 < rest.length; i += 3)
    defineProperty(error, decodeKey(rest[i]), {
      value: decode(rest[i + 2]),
      enumerable: rest[i + 1] as boolean,
      writable: true,
      configurable: true,
    });
  return error;
}

/** Of the language's: those of Node's own say who they are in their properties. */
function typeName(error: Error): string {
  if (isDomException(error)) return DOM;
  for (let at = getPrototypeOf(error); at !== null; at = getPrototypeOf(at))
    for (const [name, type] of Object.entries(TYPES)) if (at === type.prototype) return name;
  return 'Error';
}
