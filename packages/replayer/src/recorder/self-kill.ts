// The process ends itself by a signal: no listener of `exit` hears of that. What was to be kept has to be kept before.
import { constants } from 'node:os';

/** Signals that end a process that does not listen, and that processes send themselves. */
const FATAL_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGABRT', 'SIGKILL', 'SIGUSR2'] as const;

/** Calls back with the name of the signal. */
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

function isSignal(signal: string | number, name: (typeof FATAL_SIGNALS)[number]): boolean {
  return signal === name || signal === constants.signals[name];
}
