// Interception of the calls that cross between a program and Turntable's own code on the same thread. In-place
// re-execution needs it: the undo log reverts a task, and then the program runs the task a second time in the same
// process (docs/internals/replay-process.md). A call into the program is kept, so that re-execution repeats it. A call out of the program
// returns its recorded result in re-execution, and its receiver must not see the call: a message would be sent twice.
//
// `CallInterceptor` is the port. The replayer implements it, and the runtime and the boundary call it. Both also
// replace the methods of their own objects with `interceptMethods`, from a table that gives each method of the class a
// mode. A method without a mode would take effect twice. So the compiler compares the table with the class, and
// `checkMethods` compares it with the object. A method that was renamed, or added without a mode, fails both checks.

import { CoreError } from '../core-error.ts';
import { apply, create, getOwnPropertyDescriptor, getPrototypeOf, hasOwn, ownKeys } from '../intrinsics.ts';
import type { Context } from '../frame.ts';

/** Values that the program passes to a call out of the program, such as the arguments of a message. */
export interface Handover<Done = unknown> {
  /** Effect of the recorded call on these values, for `reapply`; undefined if the call had none. */
  readonly effect: Done | undefined;
  /** Applies the recorded effect to the values that the program passes in re-execution. */
  reapply(effect: Done): void;
}

export interface CallInterceptor {
  /** Calls the program through `call`. Each re-execution calls `reexecute`. `context` defaults to the current one. */
  callProgram<T>(call: () => T, reexecute: () => unknown, context?: Context): T;
  /** Makes an object for the next call into the program. Re-execution makes a new object and discards it. */
  createForProgram<T>(make: () => T): T;
  /** Makes a call out of the program. Re-execution returns the recorded result, or diverges if `name` differs. */
  callOut<T>(name: string, call: () => T, handover?: Handover): T;
  /** Form of `callOut` for calls without effects. An expression that is evaluated at a pause may make them too. */
  query<T>(name: string, call: () => T): T;
  /** Runs code of Turntable whose result the program does not use. Re-execution skips this code. */
  runApart<T>(run: () => T): T;
  /** Runs code whose changes count as the program's, within a `callOut` or a `runApart`. */
  runAsProgram<T>(run: () => T): T;
  /** Declares that the current task cannot be undone. */
  preventUndo(reason: string): void;
}

/** Names of the public methods of `T`, and of its public properties that hold functions. */
export type PublicMethod<T> = {
  [K in keyof T]-?: NonNullable<T[K]> extends (...args: never[]) => unknown ? K : never;
}[keyof T];

/**
 * Treatment of a method when the program calls it, directly or through a `free` method:
 *
 * - `out`, `query`, `apart`: `CallInterceptor.callOut`, `query` and `runApart`
 * - `refuse`: `apart`, and the task cannot be undone
 * - `wrapped`: a handler that the caller of `interceptMethods` supplies
 * - `free`: not intercepted, so it also runs in re-execution. The method only reads, or changes only state that the
 *   undo log reverts, or cannot be reached by the program
 */
export type CallMode = 'out' | 'query' | 'apart' | 'refuse' | 'wrapped' | 'free';

/** Mode of a property that holds a function and that the object may lack. */
interface OptionalMode {
  readonly ifPresent: CallMode;
}

type ModeEntry = CallMode | OptionalMode;
type ModeEntryOf<T, K> = K extends keyof T ? (undefined extends T[K] ? OptionalMode : CallMode) : CallMode;

/** Modes of all methods of `T`. `Hidden` names the `protected` and `private` methods, which exist at run time too. */
export type CallModes<T, Hidden extends PropertyKey = never> = {
  readonly [K in PublicMethod<T> | Hidden]: ModeEntryOf<T, K>;
};

/** Replacement of a method. `run` calls the original method with the original arguments. */
export type CallHandler = (name: string, run: () => unknown, args: readonly unknown[]) => unknown;

type ModeOf<E> = E extends OptionalMode ? E['ifPresent'] : E;
/** One handler for each mode in the table `M`, except for `free`. */
export type CallHandlers<M> = {
  readonly [Mode in Exclude<ModeOf<M[keyof M]> & CallMode, 'free'>]: CallHandler;
};

type Method = (...args: unknown[]) => unknown;
/** Type of any table, for the functions below. Their parameters' types have checked the table. */
type AnyModes = Readonly<Record<PropertyKey, ModeEntry>>;

/** Makes the handlers of all modes but `wrapped`. @param reason why a task that calls a `refuse` method has no undo */
export function createHandlers(
  interceptor: CallInterceptor,
  reason = 'it called a method that cannot be re-executed',
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

// The program may have replaced methods of the language by now, so the code below calls none of them.

/** Replaces methods with the handlers of their modes. Replaces nothing if `checkMethods` throws. */
export function interceptMethods<T extends object, const M extends Readonly<Record<PublicMethod<T>, ModeEntry>>>(
  target: T,
  modes: M,
  handlers: CallHandlers<NoInfer<M>>,
): void {
  checkMethods(target, modes);
  const names = ownKeys(modes) as (string | symbol)[];
  for (let i = 0; i < names.length; i++) {
    const name = names[i] as string | symbol;
    const mode = modeOf((modes as AnyModes)[name] as ModeEntry);
    if (mode !== 'free') replaceMethod(target, name, (handlers as Readonly<Record<string, CallHandler>>)[mode]);
  }
}

function replaceMethod(target: object, name: string | symbol, handler: CallHandler | undefined): void {
  const methods = target as Record<PropertyKey, Method | undefined>;
  const method = methods[name];
  if (method === undefined || handler === undefined) return;
  const nameText = String(name);
  methods[name] = (...args) => handler(nameText, () => apply(method, target, args as never[]), args);
}

/** Throws unless the table has exactly the methods of the object, including inherited and hidden methods. */
export function checkMethods<T extends object>(target: T, modes: Readonly<Record<PublicMethod<T>, ModeEntry>>): void {
  const methods = methodNames(target);
  const existing = ownKeys(methods) as (string | symbol)[];
  for (let i = 0; i < existing.length; i++) {
    const name = existing[i] as string | symbol;
    if (!hasOwn(modes, name)) throw modeError(target, name, 'has no mode');
  }
  const listed = ownKeys(modes) as (string | symbol)[];
  for (let i = 0; i < listed.length; i++) {
    const name = listed[i] as string | symbol;
    const isOptional = typeof (modes as AnyModes)[name] === 'object';
    if (!isOptional && !hasOwn(methods, name)) throw modeError(target, name, 'has a mode, but does not exist');
  }
}

function modeOf(entry: ModeEntry): CallMode {
  return typeof entry === 'object' ? entry.ifPresent : entry;
}

/** Names of all methods of an object, as the keys of the result. Getters are not called. */
function methodNames(target: object): Readonly<Record<PropertyKey, true>> {
  const found = create(null) as Record<PropertyKey, true>;
  let holder: object | null = target;
  while (holder !== null && holder !== Object.prototype) {
    const names = ownKeys(holder) as (string | symbol)[];
    for (let i = 0; i < names.length; i++) {
      const name = names[i] as string | symbol;
      const value: unknown = getOwnPropertyDescriptor(holder, name)?.value;
      if (name !== 'constructor' && typeof value === 'function') found[name] = true;
    }
    holder = getPrototypeOf(holder);
  }
  return found;
}

function modeError(target: object, name: string | symbol, problem: string): CoreError {
  const { constructor } = target as { constructor: { name: string } };
  return new CoreError(
    'TT_CALL_MODE',
    `${constructor.name}.${String(name)} ${problem}; the table of its class must have a mode for each method`,
  );
}
