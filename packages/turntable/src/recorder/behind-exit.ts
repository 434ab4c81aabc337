// The end of a process, behind everything that the program does at it: its listeners of `exit` may have been added later than ours. And its end without
// them: where what takes exceptions that nobody has caught throws one itself, Node ends the process at once, with code 7.

type FatalException = (this: unknown, error: unknown, fromPromise: boolean) => boolean;

/** What a handler of uncaught exceptions has thrown. */
export interface HandlerFailure {
  readonly error: unknown;
}

/**
 * Calls back when all listeners of `exit` have been called, or one of them has thrown; says whether the process ends well, and of what it ends, if that is a
 * handler of exceptions.
 */
export function behindExit(callback: (isWell: boolean, failure?: HandlerFailure) => void): void {
  const process = globalThis.process as unknown as {
    emit: (...args: unknown[]) => boolean;
    exitCode: unknown;
    _fatalException: FatalException;
  };
  const { emit, _fatalException: native } = process;
  const own = {
    emit(this: NodeJS.Process, ...args: unknown[]): boolean {
      let hasThrown = true;
      try {
        const isHeard = Reflect.apply(emit, this, args);
        hasThrown = false;
        return isHeard;
      } finally {
        if (args[0] === 'exit' && (this as unknown) === process)
          callback(!hasThrown && Number(process.exitCode ?? 0) === 0);
      }
    },
  };
  Object.defineProperty(process, 'emit', { value: own.emit, writable: true, configurable: true, enumerable: false });
  process._fatalException = function (error, fromPromise) {
    try {
      return Reflect.apply(native, this, [error, fromPromise]);
    } catch (thrown) {
      callback(false, { error: thrown });
      throw thrown;
    }
  };
}
