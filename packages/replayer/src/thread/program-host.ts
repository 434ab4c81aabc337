// What a scheduler asks about the program: classes and errors as other threads know them, and where a failure goes that nobody asked for.
import { inspect } from 'node:util';
import type { Loader } from './loader.ts';
import { ActorLostError, RuntimeError, type ProgramHost } from '@turntable/runtime';

type ErrorClass = abstract new (...args: never) => object;

/** Ours, which all threads have. */
const OWN: Readonly<Record<string, ErrorClass>> = { RuntimeError, ActorLostError };

export function programHost(
  { classes, outside, awaitedBy }: Loader,
  thread: number,
): Omit<ProgramHost, 'isReferenced'> {
  const others = new WeakMap<object, string>();
  let count = 0;

  /** Of a class that is not the program's. */
  function ownKey(prototype: object): string {
    let key = others.get(prototype);
    if (key === undefined) others.set(prototype, (key = `thread ${thread}: ${++count}`));
    return key;
  }

  return {
    outside,
    classes: {
      keyOf(prototype) {
        const { constructor } = prototype as { constructor?: unknown };
        return (typeof constructor === 'function' ? classes.keyOf(constructor) : undefined) ?? ownKey(prototype);
      },
      addressOf: (type) => classes.addressOf(type),
      find: (address) => classes.find(address),
    },
    errorClassName(prototype) {
      const { constructor } = prototype as { constructor?: unknown };
      if (typeof constructor !== 'function') return undefined;
      const own = Object.keys(OWN).find((name) => OWN[name] === constructor);
      if (own !== undefined) return own;
      try {
        return classes.addressOf(constructor as unknown as ErrorClass);
      } catch {
        return undefined;
      }
    },
    errorPrototype(name) {
      const own = OWN[name];
      if (own !== undefined) return own.prototype as object;
      try {
        return classes.findLoaded(name)?.prototype as object | undefined;
      } catch {
        return undefined;
      }
    },
    awaitedBy,
    report(actor, reason) {
      // With what caused it.
      process.emitWarning(`${actor}: a failure that nobody asked for: ${inspect(reason)}`, { code: 'TT_UNHANDLED' });
    },
    forgotten(actors, why) {
      const were = actors.length === 1 ? 'was' : 'were';
      const text = `${actors.join(', ')} ${were} made anew, without what had been known there: ${why}`;
      process.emitWarning(text, { code: 'TT_NOT_RESTORED' });
    },
  };
}
