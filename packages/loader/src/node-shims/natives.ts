// The functions of Node that the modules of this folder call, for Node's checks and messages. The loader provides them,
// and every captured state refers to them by name. Modules of this folder are transformed and captured like the
// program's code. They import only builtins and each other.

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
  /** Notes that the callback of `fn` settles `promise`, if `fn` does not belong to the program. */
  readonly noteHostPromise: (fn: unknown, promise: object) => void;
  /** Node's internal option of `addEventListener`: the listener runs even after `stopImmediatePropagation`. */
  readonly resistStopPropagation: symbol;
  /** The program's timers, even after the program has replaced the globals. */
  readonly timers: Pick<
    typeof globalThis,
    'setTimeout' | 'setInterval' | 'setImmediate' | 'clearTimeout' | 'clearImmediate'
  >;
  /** Returns the error that Node's function in `timers/promises` throws for these invalid arguments. */
  readonly refusalFor: (name: 'setTimeout' | 'setImmediate', ...args: unknown[]) => Error;
}

export let natives: Natives;

export function useNatives(nativeFunctions: Natives): void {
  natives = nativeFunctions;
}
