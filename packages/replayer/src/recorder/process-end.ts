// Observes the end of a process after all `exit` listeners of the program, which may be added later than ours. If a
// handler of uncaught exceptions throws itself, Node ends the process with code 7 without calling `exit` listeners;
// that is observed too.

type FatalException = (this: unknown, error: unknown, fromPromise: boolean) => boolean;

/** A thrown value of any type. */
export interface ThrownError {
  readonly error: unknown;
}

/** How the process ends. */
export interface ProcessEnd {
  /** Undefined if an `exit` listener or an exception handler has thrown. */
  readonly exitCode: number | undefined;
  /** The uncaught error that ends the process. */
  readonly uncaught?: ThrownError | undefined;
  /** The error thrown by an exception handler, if that ends the process. */
  readonly handlerFailure?: ThrownError;
}

/** Calls back when all `exit` listeners have been called, or one has thrown. */
export function afterExitListeners(callback: (end: ProcessEnd) => void): void {
  const process = globalThis.process as unknown as {
    emit: (...args: unknown[]) => boolean;
    exitCode: unknown;
    _fatalException: FatalException;
  };
  const { emit, _fatalException: nativeFatalException } = process;
  let uncaught: ThrownError | undefined;
  const override = {
    emit(this: NodeJS.Process, ...args: unknown[]): boolean {
      let isThrowing = true;
      try {
        const hasListeners = Reflect.apply(emit, this, args);
        isThrowing = false;
        return hasListeners;
      } finally {
        if (args[0] === 'exit' && (this as unknown) === process)
          callback({ exitCode: isThrowing ? undefined : Number(process.exitCode ?? 0) >>> 0, uncaught });
      }
    },
  };
  Object.defineProperty(process, 'emit', {
    value: override.emit,
    writable: true,
    configurable: true,
    enumerable: false,
  });
  process._fatalException = function (error, fromPromise) {
    uncaught = { error };
    try {
      const isHandled = Reflect.apply(nativeFatalException, this, [error, fromPromise]);
      uncaught = undefined;
      return isHandled;
    } catch (handlerError) {
      callback({ exitCode: undefined, handlerFailure: { error: handlerError } });
      throw handlerError;
    }
  };
}
