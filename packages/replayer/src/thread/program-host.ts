// The scheduler's port to the program: names for classes and errors that are the same on all threads, and warnings
// about failures that no caller receives.
import { inspect } from 'node:util';
import type { Loader } from './loader.ts';
import { ActorLostError, RuntimeError, type ProgramHost } from '@turntable/runtime';

type ErrorClass = abstract new (...args: never) => object;

/** Turntable's own error classes, which exist on all threads. */
const OWN_ERROR_CLASSES: Readonly<Record<string, ErrorClass>> = { RuntimeError, ActorLostError };

export function createProgramHost(
  { classes, hostCallbacks, awaitingFrames }: Loader,
  thread: number,
): Omit<ProgramHost, 'isPassedByReference'> {
  const keysByPrototype = new WeakMap<object, string>();
  let count = 0;

  function ownKey(prototype: object): string {
    let key = keysByPrototype.get(prototype);
    if (key === undefined) keysByPrototype.set(prototype, (key = `thread ${thread}: ${++count}`));
    return key;
  }

  return {
    hostCallbacks,
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
      const ownClass = Object.keys(OWN_ERROR_CLASSES).find((name) => OWN_ERROR_CLASSES[name] === constructor);
      if (ownClass !== undefined) return ownClass;
      try {
        return classes.addressOf(constructor as unknown as ErrorClass);
      } catch {
        return undefined;
      }
    },
    errorPrototype(name) {
      const ownClass = OWN_ERROR_CLASSES[name];
      if (ownClass !== undefined) return ownClass.prototype as object;
      try {
        return classes.findLoaded(name)?.prototype as object | undefined;
      } catch {
        return undefined;
      }
    },
    awaitingFrames,
    report(actor, reason) {
      // `inspect` includes the causes of the error.
      process.emitWarning(`${actor}: a failure that no caller receives: ${inspect(reason)}`, { code: 'TT_UNHANDLED' });
    },
    warnNotRestored(actors, reason) {
      const verb = actors.length === 1 ? 'was' : 'were';
      const text = `${actors.join(', ')} ${verb} restarted without the previous state: ${reason}`;
      process.emitWarning(text, { code: 'TT_NOT_RESTORED' });
    },
  };
}
