// The end of a process, behind everything that the program does at it: its listeners of `exit` may have been added later than ours.

/** Calls back when all listeners of `exit` have been called, or one of them has thrown. */
export function behindExit(callback: () => void): void {
  const { emit } = process as unknown as { emit: (...args: unknown[]) => boolean };
  const own = {
    emit(this: NodeJS.Process, ...args: unknown[]): boolean {
      try {
        return Reflect.apply(emit, this, args);
      } finally {
        if (args[0] === 'exit' && this === process) callback();
      }
    },
  };
  Object.defineProperty(process, 'emit', { value: own.emit, writable: true, configurable: true, enumerable: false });
}
