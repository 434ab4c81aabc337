// `Date` of a thread with a tape: native objects and the native prototype under a constructor that reads the time
// through `now`. There is one per thread, so `x.constructor === Date` and `x instanceof Date` hold for every date.

type DateFunction = DateConstructor & { prototype: Date };

const { apply, construct, defineProperty, getOwnPropertyDescriptor, ownKeys } = Reflect;

export function createDateConstructor(native: DateFunction, now: () => number): DateFunction {
  const { toString } = native.prototype;

  function Date(this: unknown): unknown {
    if (new.target === undefined) return apply(toString, new native(now()), []);
    const args = arguments as unknown as number[];
    if (args.length === 0) {
      return (new.target as unknown) === dateConstructor ? new native(now()) : construct(native, [now()], new.target);
    }
    if (args.length === 1 && (new.target as unknown) === dateConstructor) return new native(args[0] as number);
    return construct(native, args as never, new.target);
  }

  const dateConstructor = Date as unknown as DateFunction;
  for (const key of ownKeys(native))
    defineProperty(dateConstructor, key, getOwnPropertyDescriptor(native, key) as PropertyDescriptor);
  const { now: value } = { now: () => now() };
  defineProperty(dateConstructor, 'now', { value, writable: true, enumerable: false, configurable: true });
  return dateConstructor;
}
