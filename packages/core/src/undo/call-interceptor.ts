// Interception of the calls between a program and the rest of a thread, so that a task can be undone and re-executed in place (docs/engine.md). Calls into
// the program are kept, so that they can be repeated. Calls out of the program are answered from their recorded results, and their receivers do not see them.
//
// A method that is not intercepted acts twice when its task is re-executed. So each intercepted class has a table with the mode of every method that can be
// called, checked by the compiler and again when methods are replaced: a method that was renamed, or added without a mode, fails there.

import { CoreError } from '../core-error.ts';
import { apply, create, getOwnPropertyDescriptor, getPrototypeOf, hasOwn, ownKeys } from '../intrinsics.ts';
import type { Context } from '../frame.ts';

/** Values that the program passes in a call out of it, such as the arguments of a message. */
export interface Handover<Done = unknown> {
  /** The effect of the call on these values, if it had any: re-execution applies it to the values of then. */
  readonly done: Done | undefined;
  again(done: Done): void;
}

export interface CallInterceptor {
  /** Calls the program: with `call` now, with `again` whenever the task is re-executed; in the current context unless another one is given. */
  in<T>(call: () => T, again: () => unknown, context?: Context): T;
  /** Makes an object of the program's for the next call into it, which stays as it was made. Re-execution makes another one and drops it. */
  makes<T>(make: () => T): T;
  /** The program calls out. Re-execution answers with the recorded result; `name` is compared with the recorded one to find a divergence. */
  out<T>(name: string, ask: () => T, handed?: Handover): T;
  /** The same, for calls that have no effect when an expression is evaluated. */
  looks<T>(name: string, ask: () => T): T;
  /** Runs code that is not the program's and whose result the program does not use. Re-execution skips it. */
  apart<T>(run: () => T): T;
  /** Within `out` or `apart`: runs code whose changes are the program's. */
  within<T>(run: () => T): T;
  /** The current task cannot be undone. */
  cannot(why: string): void;
}

/** Names of the methods of `T` that code outside of its class can call, properties that hold functions among them. */
export type PublicMethod<T> = {
  [K in keyof T]-?: NonNullable<T[K]> extends (...args: never[]) => unknown ? K : never;
}[keyof T];

/**
 * How a method behaves when the program calls it, directly or through other methods that run as usual:
 *
 * - `out`, `looks`, `apart`: as the methods of `CallInterceptor` with these names
 * - `refuse`: `apart`, and the task cannot be undone
 * - `wrapped`: by a handler that the caller of `interceptMethods` supplies
 * - `free`: runs as usual, also in re-execution. It only reads, or changes only what the undo log reverts, or no code of the program can reach it
 */
export type CallMode = 'out' | 'looks' | 'apart' | 'refuse' | 'wrapped' | 'free';

/** The mode of a method that the object may lack: an optional property that holds a function. */
interface Optional {
  readonly ifPresent: CallMode;
}

type Entry = CallMode | Optional;
type EntryOf<T, K> = K extends keyof T ? (undefined extends T[K] ? Optional : CallMode) : CallMode;

/** Modes of all methods of `T`. `Hidden`: names of `protected` and `private` methods, which can be called all the same at run time. */
export type CallModes<T, Hidden extends PropertyKey = never> = {
  readonly [K in PublicMethod<T> | Hidden]: EntryOf<T, K>;
};

/** Replaces a method; `run` calls the method. */
export type CallHandler = (name: string, run: () => unknown, args: readonly unknown[]) => unknown;

type ModeOf<E> = E extends Optional ? E['ifPresent'] : E;
/** A handler for each mode that a table has. */
export type CallHandlers<M> = {
  readonly [Mode in Exclude<ModeOf<M[keyof M]> & CallMode, 'free'>]: CallHandler;
};

type Method = (...args: unknown[]) => unknown;

/** Handlers of the modes that need nothing of the caller. `why`: the reason why tasks that have called a method with the mode `refuse` cannot be undone. */
export function handlersOf(
  interceptor: CallInterceptor,
  why = 'something was refused',
): CallHandlers<Record<string, 'out' | 'looks' | 'apart' | 'refuse'>> {
  return {
    out: (name, run) => interceptor.out(name, run),
    looks: (name, run) => interceptor.looks(name, run),
    apart: (_, run) => interceptor.apart(run),
    refuse(_, run) {
      interceptor.cannot(why);
      return interceptor.apart(run);
    },
  };
}

// The program may have replaced methods of the language by now, so none of them is used here.

/** Puts handlers in the places of an object's methods. Throws, with nothing replaced, unless the table has exactly the methods that the object has. */
export function interceptMethods<T extends object, const M extends Readonly<Record<PublicMethod<T>, Entry>>>(
  target: T,
  modes: M,
  handlers: CallHandlers<NoInfer<M>>,
): void {
  checkMethods(target, modes);
  const methods = target as Record<PropertyKey, Method | undefined>;
  const names = ownKeys(modes);
  for (let i = 0; i < names.length; i++) {
    const name = names[i] as string | symbol;
    const mode = modeOf(modes[name as keyof M]);
    const method = methods[name];
    if (mode === 'free' || method === undefined) continue;
    const handler = (handlers as Readonly<Record<string, CallHandler>>)[mode] as CallHandler;
    const text = String(name);
    methods[name] = (...args) => handler(text, () => apply(method, target, args as never[]), args);
  }
}

/** Throws unless the table has exactly the methods that the object has, inherited and hidden ones included. */
export function checkMethods<T extends object>(target: T, modes: Readonly<Record<PublicMethod<T>, Entry>>): void {
  const found = methodsOf(target);
  const names = ownKeys(found);
  for (let i = 0; i < names.length; i++) {
    const name = names[i] as string | symbol;
    if (!hasOwn(modes, name)) throw unfit(target, name, 'has no mode');
  }
  const listed = ownKeys(modes);
  for (let i = 0; i < listed.length; i++) {
    const name = listed[i] as string | symbol;
    const isOptional = typeof (modes as Readonly<Record<PropertyKey, Entry>>)[name] === 'object';
    if (!hasOwn(found, name) && !isOptional) throw unfit(target, name, 'has a mode, but does not exist');
  }
}

function modeOf(entry: Entry): CallMode {
  return typeof entry === 'object' ? entry.ifPresent : entry;
}

/** By their names; getters are not called. */
function methodsOf(target: object): Readonly<Record<PropertyKey, true>> {
  const found = create(null) as Record<PropertyKey, true>;
  for (let each: object | null = target; each !== null && each !== Object.prototype; each = getPrototypeOf(each)) {
    const names = ownKeys(each);
    for (let i = 0; i < names.length; i++) {
      const name = names[i] as string | symbol;
      if (name !== 'constructor' && typeof getOwnPropertyDescriptor(each, name)?.value === 'function')
        found[name] = true;
    }
  }
  return found;
}

function unfit(target: object, name: string | symbol, what: string): CoreError {
  const { constructor } = target as { constructor: { name: string } };
  return new CoreError(
    'TT_CALL_MODE',
    `${constructor.name}.${String(name)} ${what}; the table of its class must have a mode for each method`,
  );
}
