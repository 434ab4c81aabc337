// Errors for values that cannot be passed to another actor. An error says what the value is, where it is in the
// argument, and what to do instead. Used for values that are copied within a worker (`ArgumentCopier`) or encoded for
// another worker (`transport/encoder.ts`). Never on a hot path.

import { RuntimeError } from '../runtime-error.ts';

const { ownKeys } = Reflect;

type Plain = Record<PropertyKey, unknown>;

/** A value that cannot be passed, with the reason. Thrown at the value; `notPassableError` adds its path. */
export class NotPassableValue {
  readonly value: unknown;
  readonly reason: string;
  readonly remedy: string;
  constructor(value: unknown, reason: string, remedy: string) {
    this.value = value;
    this.reason = reason;
    this.remedy = remedy;
  }
}

/** Returns the error for the program. `name` describes `root`, the whole value. */
export function notPassableError(refused: NotPassableValue, root: unknown, name: string): RuntimeError {
  const { value, reason, remedy } = refused;
  const path = pathTo(root, value);
  return new RuntimeError('TT_NOT_PASSABLE', `${path}${path === '' ? '' : ' in '}${name}: ${reason}; ${remedy}`);
}

/** Replaces an error that cannot be passed by the refusal. Its cause has the message and stack of the error. */
export function replaceThrown(refusal: unknown, thrown: unknown): unknown {
  if (!(refusal instanceof RuntimeError) || !(thrown instanceof Error)) return refusal;
  const original = new Error(thrown.message);
  for (const key of ['name', 'stack'] as const)
    Object.defineProperty(original, key, { value: thrown[key], writable: true, enumerable: false, configurable: true });
  return new RuntimeError(refusal.code, refusal.message, { cause: original });
}

export function functionRefused(value: object): NotPassableValue {
  return new NotPassableValue(
    value,
    `the function ${quotedName(value)} cannot leave its actor`,
    'pass data, or an object with a method, wrapped in far(…)',
  );
}

export function instanceRefused(value: object, prototype: object): NotPassableValue {
  if (value instanceof SharedArrayBuffer) return sharedMemoryRefused(value);
  return new NotPassableValue(
    value,
    `${kindOf(value, prototype)} is not plain data`,
    'pass its data, make its class extend Actor, or pass a reference to it with far(…)',
  );
}

export function symbolKeyRefused(value: object): NotPassableValue {
  return new NotPassableValue(value, 'it has properties with symbol keys', 'use string keys, or leave them out');
}

export function proxyRefused(value: object): NotPassableValue {
  return new NotPassableValue(value, 'a Proxy cannot be copied', 'pass a copy of its properties ({ ...proxy })');
}

export function transferredRefused(value: object): NotPassableValue {
  return new NotPassableValue(value, 'its memory was transferred', 'pass it before the transfer, or pass a copy');
}

export function sharedMemoryRefused(value: object): NotPassableValue {
  return new NotPassableValue(value, 'two actors would have access to shared memory', 'pass a copy of its contents');
}

/** Returns a registered or well-known symbol, which is the same on all workers. Throws for other symbols. */
export function checkSymbol(value: symbol): symbol {
  if (Symbol.keyFor(value) !== undefined || wellKnown.has(value)) return value;
  throw new NotPassableValue(value, `${String(value)} is known only to its actor`, 'use Symbol.for(…), or a string');
}

/** Well-known symbols, by their names as properties of `Symbol`. */
export const wellKnownSymbols: ReadonlyMap<string, symbol> = new Map(
  ownKeys(Symbol).flatMap((key) => {
    const value: unknown = (Symbol as unknown as Plain)[key];
    return typeof value === 'symbol' && typeof key === 'string' ? [[key, value] as const] : [];
  }),
);

const wellKnown: ReadonlySet<symbol> = new Set(wellKnownSymbols.values());

function kindOf(value: object, prototype: object): string {
  const { constructor } = prototype as { constructor?: unknown };
  const type = typeof constructor === 'function' ? constructor : undefined;
  if (type?.prototype === prototype && type.name !== '') return `an instance of ${type.name}`;
  // Generators, iterators and namespaces have a tag instead of a class.
  const tag: unknown = (value as { [Symbol.toStringTag]?: unknown })[Symbol.toStringTag];
  if (typeof tag === 'string' && tag !== '') return `an object of the kind ${tag}`;
  return type === undefined || type.name === ''
    ? 'an instance of a class without a name'
    : `an object that inherits from an instance of ${type.name}`;
}

function quotedName(fn: object): string {
  const { name } = fn as { name: unknown };
  return typeof name === 'string' && name !== '' ? JSON.stringify(name) : 'without a name';
}

/** Returns the path of `target` in a value, for example `items[3].onClick`. */
function pathTo(root: unknown, target: unknown): string {
  const seen = new Set<unknown>();
  const find = (value: unknown, path: string): string | undefined => {
    if (value === target) return path;
    if (typeof value !== 'object' || value === null || seen.has(value)) return undefined;
    seen.add(value);
    for (const [key, inner] of partsOf(value)) {
      const answer = find(inner, path + key);
      if (answer !== undefined) return answer;
    }
    return undefined;
  };
  return (find(root, '') ?? '').replace(/^\./, '');
}

function* partsOf(value: object): Iterable<[key: string, part: unknown]> {
  for (const key of ownKeys(value)) {
    if (typeof key === 'symbol') continue;
    const name = /^\d+$/.test(key)
      ? `[${key}]`
      : /^[\p{ID_Start}_$][\p{ID_Continue}$]*$/u.test(key)
        ? `.${key}`
        : `[${JSON.stringify(key)}]`;
    yield [name, (value as Plain)[key]];
  }
  if (value instanceof Map) {
    for (const [key, inner] of value) {
      yield ['.key', key];
      yield [typeof key === 'object' ? '.get(…)' : `.get(${JSON.stringify(key) ?? String(key)})`, inner];
    }
  }
  const boxed: unknown = Object.prototype.toString.call(value) === '[object Symbol]' ? value.valueOf() : undefined;
  if (typeof boxed === 'symbol') yield ['', boxed];
  if (value instanceof Set) for (const inner of value) yield ['.member', inner];
}
