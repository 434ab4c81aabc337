// The end of a process, behind everything that the program does at it: its listeners of `exit` may have been added later than ours.

/** Calls back when all listeners of `exit` have been called, or one of them has thrown; says whether the process ends well. */
export function behindExit(callback: (isWell: boolean) => void): void {
  const { emit } = process as unknown as { emit: (...args: unknown[]) => boolean };
  const own = {
    emit(this: NodeJS.Process, ...args: unknown[]): boolean {
      let hasThrown = true;
      try {
        const isHeard = Reflect.apply(emit, this, args);
        hasThrown = false;
        return isHeard;
      } finally {
        if (args[0] === 'exit' && this === process) callback(!hasThrown && Number(process.exitCode ?? 0) === 0);
      }
    },
  };
  Object.defineProperty(process, 'emit', { value: own.emit, writable: true, configurable: true, enumerable: false });
}
