// `util.deprecate` like Node's, with results that can be captured. Codes that have been reported are part of the state.
import { natives, type AnyFunction } from './natives.ts';

const warnedCodes = new Set<string>();

export function deprecate(
  fn: AnyFunction,
  message: string,
  code?: string,
  { modifyPrototype = true }: { modifyPrototype?: boolean } = {},
): unknown {
  if (code !== undefined && typeof code !== 'string') return (0, natives.deprecate)(fn, message, code);
  let hasWarned = false;

  function warn(): void {
    if (hasWarned) return;
    hasWarned = true;
    if (code === undefined) {
      process.emitWarning(message, 'DeprecationWarning', deprecated as never);
    } else if (code === 'ExperimentalWarning') {
      process.emitWarning(message, code, deprecated as never);
    } else if (!warnedCodes.has(code)) {
      process.emitWarning(message, 'DeprecationWarning', code, deprecated as never);
      warnedCodes.add(code);
    }
  }

  function deprecated(this: unknown, ...args: unknown[]): unknown {
    if ((process as { noDeprecation?: boolean }).noDeprecation !== true) warn();
    if (new.target) return Reflect.construct(fn, args, new.target) as unknown;
    return Reflect.apply(fn, this, args as never[]);
  }

  if (modifyPrototype) {
    Object.setPrototypeOf(deprecated, fn);
    const { prototype } = fn as { prototype?: object };
    // Both functions share a prototype, so that instances of either are instances of the other.
    if (prototype) deprecated.prototype = prototype;
    Object.defineProperty(deprecated, 'length', { ...Object.getOwnPropertyDescriptor(fn, 'length') });
  }
  return deprecated;
}
