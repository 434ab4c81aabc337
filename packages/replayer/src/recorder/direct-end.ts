// Observes that the program ends its process without `exit` listeners: with a signal to itself, `process.abort` or
// `process.reallyExit`. Recordings must be flushed, and replays must report, before the process ends.
import { constants } from 'node:os';
import { wrapFunction } from '@turntable/loader';

/** Signals that processes send to themselves and that end a process without a listener for them. */
const FATAL_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGABRT', 'SIGKILL', 'SIGUSR2'] as const;

export function beforeSelfKill(callback: (signal: string) => void): void {
  const descriptor = Object.getOwnPropertyDescriptor(process, 'kill') as PropertyDescriptor;
  const value = new Proxy(process.kill, {
    apply(kill: typeof process.kill, self: NodeJS.Process, args: [number, (string | number)?]) {
      const [pid, signal = 'SIGTERM'] = args;
      const fatalSignal = pid === process.pid ? FATAL_SIGNALS.find((name) => isSignal(signal, name)) : undefined;
      if (fatalSignal !== undefined && process.listenerCount(fatalSignal) === 0) callback(fatalSignal);
      return Reflect.apply(kill, self, args);
    },
  });
  Object.defineProperty(process, 'kill', { ...descriptor, value });
}

export function beforeAbort(callback: () => void): void {
  wrapFunction(process, 'abort', (abort, self, args) => {
    callback();
    return Reflect.apply(abort, self, args);
  });
}

/** Node calls `process.reallyExit` too, after all `exit` listeners. */
export function beforeReallyExit(callback: (exitCode: number) => void): void {
  wrapFunction(process, 'reallyExit', (reallyExit, self, args) => {
    callback(Number(args[0] ?? 0) >>> 0);
    return Reflect.apply(reallyExit, self, args);
  });
}

function isSignal(signal: string | number, name: (typeof FATAL_SIGNALS)[number]): boolean {
  return signal === name || signal === constants.signals[name];
}
