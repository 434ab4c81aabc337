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
  readonly effect: Done | undefined;
  reapply(effect: Done): void;
}

export interface CallInterceptor {
  /** Calls the program: with `call` now, with `reexecute` whenever the task is re-executed; in the current context unless another one is given. */
  callProgram<T>(call: () => T, reexecute: () => unknown, context?: Context): T;
  /** Makes an object of the program's for the next call into it, which stays as it was made. Re-execution makes another one and drops it. */
  createForProgram<T>(make: () => T): T;
  /** The program calls out. Re-execution answers with the recorded result; `name` is compared with the recorded one to find a divergence. */
  callOut<T>(name: string, call: () => T, handover?: Handover): T;
  /** The same, for calls that have no effect when an expression is evaluated. */
  query<T>(name: string, call: () => T): T;
  /** Runs code that is not the program's and whose result the program does not use. Re-execution skips it. */
  runApart<T>(run: () => T): T;
  /** Within `out` or `apart`: runs code whose changes are the program's. */
  runAsProgram<T>(run: () => T): T;
  /** The current task cannot be undone. */
  preventUndo(reason: string): void;
}

/** Names of the methods of `T` that code outside of its class can call, properties that hold functions among them. */
export type PublicMethod<T> = {
  [K in keyof T]-?: NonNullable<T[K]> extends (...args: never[]) => unknown ? K : never;
}[keyof T];

/**
 * How a method behaves when the program calls it, directly or through other methods that run as usual:
 *
 * - `out`, `query`, `apart`: as the methods of `CallInterceptor` with these names
 * - `refuse`: `apart`, and the task cannot be undone
 * - `wrapped`: by a handler that the caller of `interceptMethods` supplies
 * - `free`: runs as usual, also in re-execution. It only reads, or changes only what the undo log reverts, or no code of the program can reach it
 */
export type CallMode = 'out' | 'query' | 'apart' | 'refuse' | 'wrapped' | 'free';

/** The mode of a method that the object may lack: an optional property that holds a function. */
interface OptionalMode {
  readonly ifPresent: CallMode;
}

type ModeEntry = CallMode | OptionalMode;
type ModeEntryOf<T, K> = K extends keyof T ? (undefined extends T[K] ? OptionalMode : CallMode) : CallMode;

/** Modes of all methods of `T`. `Hidden`: names of `protected` and `private` methods, which can be called all the same at run time. */
export type CallModes<T, Hidden extends PropertyKey = never> = {
  readonly [K in PublicMethod<T> | Hidden]: ModeEntryOf<T, K>;
};

/** Replaces a method; `run` calls the method. */
export type CallHandler = (name: string, run: () => unknown, args: readonly unknown[]) => unknown;

type ModeOf<E> = E extends OptionalMode ? E['ifPresent'] : E;
/** A handler for each mode that a table has. */
export type CallHandlers<M> = {
  readonly [Mode in Exclude<ModeOf<M[keyof M]> & CallMode, 'free'>]: CallHandler;
};

type Method = (...args: unknown[]) => unknown;

/** Handlers of the modes that need nothing of the caller. `reason`: the reason why tasks that have called a method with the mode `refuse` cannot be undone. */
export function createHandlers(
  interceptor: CallInterceptor,
  reason = 'something was refused',
): CallHandlers<Record<string, 'out' | 'query' | 'apart' | 'refuse'>> {
  return {
    out: (name, run) => interceptor.callOut(name, run),
    query: (name, run) => interceptor.query(name, run),
    apart: (_, run) => interceptor.runApart(run),
    refuse(_, run) {
      interceptor.preventUndo(reason);
      return interceptor.runApart(run);
    },
  };
}

// The program may have replaced methods of the language by now, so none of them is used here.

/** Puts handlers in the places of an object's methods. Throws, with nothing replaced, unless the table has exactly the methods that the object has. */
export function interceptMethods<T extends object, const M extends Readonly<Record<PublicMethod<T>, ModeEntry>>>(
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
    const nameText = String(name);
    methods[name] = (...args) => handler(nameText, () => apply(method, target, args as never[]), args);
  }
}

/** Throws unless the table has exactly the methods that the object has, inherited and hidden ones included. */
export function checkMethods<T extends object>(target: T, modes: Readonly<Record<PublicMethod<T>, ModeEntry>>): void {
  const methodNames = methodsOf(target);
  const names = ownKeys(methodNames);
  for (let i = 0; i < names.length; i++) {
    const name = names[i] as string | symbol;
    if (!hasOwn(modes, name)) throw modeError(target, name, 'has no mode');
  }
  const listed = ownKeys(modes);
  for (let i = 0; i < listed.length; i++) {
    const name = listed[i] as string | symbol;
    const isOptional = typeof (modes as Readonly<Record<PropertyKey, ModeEntry>>)[name] === 'object';
    if (!hasOwn(methodNames, name) && !isOptional) throw modeError(target, name, 'has a mode, but does not exist');
  }
}

function modeOf(entry: ModeEntry): CallMode {
  return typeof entry === 'object' ? entry.ifPresent : entry;
}

/** By their names; getters are not called. */
function methodsOf(target: object): Readonly<Record<PropertyKey, true>> {
  const methodNames = create(null) as Record<PropertyKey, true>;
  for (
    let holder: object | null = target;
    holder !== null && holder !== Object.prototype;
    holder = getPrototypeOf(holder)
  ) {
    const names = ownKeys(holder);
    for (let i = 0; i < names.length; i++) {
      const name = names[i] as string | symbol;
      if (name !== 'constructor' && typeof getOwnPropertyDescriptor(holder, name)?.value === 'function')
        methodNames[name] = true;
    }
  }
  return methodNames;
}

function modeError(target: object, name: string | symbol, problem: string): CoreError {
  const { constructor } = target as { constructor: { name: string } };
  return new CoreError(
    'TT_CALL_MODE',
    `${constructor.name}.${String(name)} ${problem}; the table of its class must have a mode for each method`,
  );
}
