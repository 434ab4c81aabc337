// What the modules of this folder need of the functions that they stand in for: their checks and messages. Given by the loader, known
// to every captured state by name.
// Everything in this folder is transformed and captured as the program's own code is, and may only import builtins and each other.

export type AnyFunction = (this: unknown, ...args: never[]) => unknown;

export interface Natives {
  readonly promisify: (original: unknown) => AnyFunction;
  readonly callbackify: (original: unknown) => (...args: unknown[]) => void;
  readonly deprecate: (...args: unknown[]) => AnyFunction;
  readonly debuglog: (set: unknown) => { (...args: unknown[]): void; readonly enabled: boolean };
  readonly once: (...args: unknown[]) => unknown;
  readonly on: (...args: unknown[]) => unknown;
  readonly addAbortListener: (...args: unknown[]) => unknown;
  readonly timeout: (delay: unknown) => AbortSignal;
  readonly fromAsync: (...args: unknown[]) => unknown;
  readonly bindToResource: (fn: unknown) => AnyFunction;
  /** The promise will be settled by what the function calls back, if that does not belong to the program. */
  readonly noteHostPromise: (fn: unknown, promise: object) => void;
  /** An option of `addEventListener` that only Node has: the listener runs after `stopImmediatePropagation` too. */
  readonly resistStopPropagation: symbol;
  /** The program's timers, whatever a program has put in their place. */
  readonly timers: Pick<
    typeof globalThis,
    'setTimeout' | 'setInterval' | 'setImmediate' | 'clearTimeout' | 'clearImmediate'
  >;
  /** The error by which a function of `timers/promises` refuses these arguments. */
  readonly refusalFor: (name: 'setTimeout' | 'setImmediate', ...args: unknown[]) => Error;
}

export let natives: Natives;

export function useNatives(nativeFunctions: Natives): void {
  natives = nativeFunctions;
}
