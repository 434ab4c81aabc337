// What the program does to something outside, done: natively, with what the outside has in the place of the program's.
import { inspect, type InspectOptionsStylized } from 'node:util';
import { OP, type Op } from './crossing.ts';

type Fn = (...args: unknown[]) => unknown;
const { apply, construct, getOwnPropertyDescriptor, getPrototypeOf, ownKeys } = Reflect;

/** `one`, `other`: as `Asks` has them. Of `get`, `one` is who inherits, if that is another one. */
export function ask(op: Op, native: object, key: PropertyKey | undefined, one: unknown, other: unknown): unknown {
  const name = key as PropertyKey;
  switch (op) {
    case OP.get:
      // As `Reflect.get` does it, which takes three times as long.
      return one === native ? (native as Record<PropertyKey, unknown>)[name] : Reflect.get(native, name, one);
    case OP.apply:
      return apply(native as Fn, one, other as readonly unknown[]);
    case OP.read:
      return (native as Record<PropertyKey, unknown>)[name];
    case OP.invoke:
      return apply((native as Record<PropertyKey, Fn>)[name] as Fn, native, one as readonly unknown[]);
    case OP.construct:
      return construct(native as Fn, one as readonly unknown[], other as Fn);
    case OP.set:
      return Reflect.set(native, name, one, native);
    case OP.setInherited:
      return setInherited(native, name, one, other);
    case OP.has:
      return Reflect.has(native, name);
    case OP.delete:
      return Reflect.deleteProperty(native, name);
    case OP.define:
      return Reflect.defineProperty(native, name, one as PropertyDescriptor);
    case OP.describe:
      return getOwnPropertyDescriptor(native, name);
    case OP.keys:
      return ownKeys(native);
    case OP.prototype:
      return getPrototypeOf(native);
    case OP.setPrototype:
      return Reflect.setPrototypeOf(native, one as object | null);
    case OP.isExtensible:
      return Reflect.isExtensible(native);
    case OP.preventExtensions:
      return Reflect.preventExtensions(native);
    case OP.inspect:
      return inspect(native, own(one as InspectOptionsStylized));
    default:
      throw new TypeError(`no program does operation ${op}`);
  }
}

/** Undefined: nobody above has anything against it. */
function setInherited(native: object, key: PropertyKey, value: unknown, heir: unknown): boolean | undefined {
  const found = inherited(native, key);
  if (found === undefined || 'value' in found) return found?.writable === false ? false : undefined;
  if (found.set === undefined) return false;
  apply(found.set, heir, [value]);
  return true;
}

function inherited(native: object, key: PropertyKey): PropertyDescriptor | undefined {
  for (let at: object | null = native; at !== null; at = getPrototypeOf(at)) {
    const found = getOwnPropertyDescriptor(at, key);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Whoever prints something has these by itself. */
function own(options: InspectOptionsStylized): object {
  const { inspect: _inspect, stylize: _stylize, ...rest } = options as InspectOptionsStylized & { inspect?: unknown };
  return rest;
}
