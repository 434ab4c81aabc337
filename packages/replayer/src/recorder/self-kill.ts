// Observes that the process kills itself with a signal. Node then calls no `exit` listener, so recordings must be
// flushed before the signal is sent.
import { constants } from 'node:os';

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

function isSignal(signal: string | number, name: (typeof FATAL_SIGNALS)[number]): boolean {
  return signal === name || signal === constants.signals[name];
}
