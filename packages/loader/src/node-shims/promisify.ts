// `util.promisify` like Node's, with results that can be captured.
import { types } from 'node:util';
import { natives, type AnyFunction } from './natives.ts';

const CUSTOM = Symbol.for('nodejs.util.promisify.custom');

/** The result names that Node stores in some functions under a private symbol. */
function argumentNamesOf(original: object): readonly string[] | undefined {
  for (const key of Object.getOwnPropertySymbols(original))
    if (key.description === 'customPromisifyArgs') return (original as Record<symbol, readonly string[]>)[key];
  return undefined;
}

export function promisify(original: AnyFunction): unknown {
  // Throws Node's error for a value that is not a function, and returns the custom implementation if there is one.
  if (typeof original !== 'function' || (original as unknown as Record<symbol, unknown>)[CUSTOM])
    return (0, natives.promisify)(original);
  const argumentNames = argumentNamesOf(original);

  function fn(this: unknown, ...args: unknown[]): Promise<unknown> {
    const promise = new Promise((resolve, reject) => {
      args.push((error: unknown, ...values: unknown[]) => {
        if (error) return reject(error as Error);
        if (argumentNames !== undefined && values.length > 1) {
          const results: Record<string, unknown> = {};
          for (let i = 0; i < argumentNames.length; i++) results[argumentNames[i] as string] = values[i];
          resolve(results);
        } else resolve(values[0]);
        return undefined;
      });
      if (types.isPromise(Reflect.apply(original, this, args as never[]))) {
        process.emitWarning(
          'Calling promisify on a function that returns a Promise is likely a mistake.',
          'DeprecationWarning',
          'DEP0174',
        );
      }
    });
    (0, natives.noteHostPromise)(original, promise);
    return promise;
  }

  Object.setPrototypeOf(fn, Object.getPrototypeOf(original) as object | null);
  Object.defineProperty(fn, CUSTOM, { value: fn, enumerable: false, writable: false, configurable: true });
  return Object.defineProperties(fn, Object.getOwnPropertyDescriptors(original));
}
