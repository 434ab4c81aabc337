// Observes the end of a process after all `exit` listeners of the program, however late it adds them. If a handler of
// uncaught exceptions throws, Node ends the process with code 7 and calls no `exit` listeners; that is observed too.

type FatalException = (this: unknown, error: unknown, fromPromise: boolean) => boolean;

/** A thrown value of any type. */
export interface ThrownError {
  readonly error: unknown;
}

export interface ProcessEnd {
  /** Exit code; undefined if an `exit` listener or an exception handler has thrown, or the process has been aborted. */
  readonly exitCode: number | undefined;
  readonly uncaught?: ThrownError | undefined;
  /** The error of an exception handler that ends the process. */
  readonly handlerFailure?: ThrownError;
}

/** Calls back when all `exit` listeners have returned, or when a listener or an exception handler has thrown. */
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
