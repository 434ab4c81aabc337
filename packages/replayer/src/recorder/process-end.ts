// The end of a process, behind everything that the program does at it: its listeners of `exit` may have been added later than ours. And its end without
// them: where what takes exceptions that nobody has caught throws one itself, Node ends the process at once, with code 7.

type FatalException = (this: unknown, error: unknown, fromPromise: boolean) => boolean;

/** Whatever it is. */
export interface ThrownError {
  readonly error: unknown;
}

/** How the process ends. */
export interface ProcessEnd {
  /** Undefined where a listener of `exit`, or a handler of exceptions, has thrown. */
  readonly exitCode: number | undefined;
  /** What it ends of, if nobody has caught that. */
  readonly uncaught?: ThrownError | undefined;
  /** What a handler of exceptions has thrown, if it ends of that. */
  readonly handlerFailure?: ThrownError;
}

/** Calls back when all listeners of `exit` have been called, or one of them has thrown. */
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
