// `Array.fromAsync` as in the standard. Unlike V8's native code, this function can be captured while it waits.

type Method = (this: unknown) => Iterator<unknown> & AsyncIterator<unknown>;
type Mapper = (this: unknown, value: unknown, index: number) => unknown;

function methodOf(items: unknown, key: symbol): Method | undefined {
  const method = (items as Record<symbol, unknown>)[key];
  if (method === undefined || method === null) return undefined;
  if (typeof method !== 'function') throw new TypeError(`${String(method)} is not a function`);
  return method as Method;
}

function isConstructor(value: unknown): value is new (...args: unknown[]) => Record<PropertyKey, unknown> {
  if (typeof value !== 'function') return false;
  try {
    Reflect.construct(Object, [], value);
    return true;
  } catch {
    return false;
  }
}

function createElement(array: object, index: number, value: unknown): void {
  const isAdded = Reflect.defineProperty(array, index, { value, writable: true, enumerable: true, configurable: true });
  if (!isAdded) throw new TypeError(`Cannot add property ${index}, object is not extensible`);
}

/** The iterable for `for await`; undefined for an array-like object. Its methods have already been read. */
function iterableOf(
  items: unknown,
  asyncMethod: Method | undefined,
  syncMethod: Method | undefined,
): AsyncIterable<unknown> | undefined {
  if (asyncMethod !== undefined) return { [Symbol.asyncIterator]: () => Reflect.apply(asyncMethod, items, []) };
  // `for await` can capture iterators of builtin iterables if it creates them itself.
  if (typeof items === 'string' || Array.isArray(items) || items instanceof Map || items instanceof Set)
    return items as unknown as AsyncIterable<unknown>;
  if (syncMethod !== undefined)
    return { [Symbol.iterator]: () => Reflect.apply(syncMethod, items, []) } as unknown as AsyncIterable<unknown>;
  return undefined;
}

export const { fromAsync } = {
  async fromAsync(this: unknown, items: unknown, mapper?: Mapper, receiver?: unknown): Promise<unknown> {
    if (mapper !== undefined && typeof mapper !== 'function')
      throw new TypeError(`${String(mapper)} is not a function`);
    const asyncMethod = methodOf(items, Symbol.asyncIterator);
    const iterable = iterableOf(
      items,
      asyncMethod,
      asyncMethod === undefined ? methodOf(items, Symbol.iterator) : undefined,
    );
    if (iterable !== undefined) {
      const array = isConstructor(this) ? new this() : ([] as unknown as Record<PropertyKey, unknown>);
      let index = 0;
      for await (const value of iterable) {
        createElement(
          array,
          index,
          mapper === undefined ? value : await Reflect.apply(mapper, receiver, [value, index]),
        );
        index++;
      }
      array['length'] = index;
      return array;
    }
    const source = Object(items) as ArrayLike<unknown>;
    const length = Math.min(Math.max(Math.trunc(Number(source.length)) || 0, 0), Number.MAX_SAFE_INTEGER);
    const array = isConstructor(this)
      ? new this(length)
      : (new Array(length) as unknown as Record<PropertyKey, unknown>);
    for (let index = 0; index < length; index++) {
      let value: unknown = await source[index];
      if (mapper !== undefined) value = await Reflect.apply(mapper, receiver, [value, index]);
      createElement(array, index, value);
    }
    array['length'] = length;
    return array;
  },
};
