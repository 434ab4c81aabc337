// The process ends itself by a signal: no listener of `exit` hears of that. What was to be kept has to be kept before.
import { constants } from 'node:os';

/** Signals that end a process that does not listen, and that processes send themselves. */
const DEADLY = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGABRT', 'SIGKILL', 'SIGUSR2'] as const;

/** Calls back with the name of the signal. */
export function beforeOwnDeath(callback: (signal: string) => void): void {
  const asked = Object.getOwnPropertyDescriptor(process, 'kill') as PropertyDescriptor;
  const value = new Proxy(process.kill, {
    apply(kill: typeof process.kill, self: NodeJS.Process, args: [number, (string | number)?]) {
      const [pid, signal = 'SIGTERM'] = args;
      const deadly = pid === process.pid ? DEADLY.find((name) => isThat(signal, name)) : undefined;
      if (deadly !== undefined && process.listenerCount(deadly) === 0) callback(deadly);
      return Reflect.apply(kill, self, args);
    },
  });
  Object.defineProperty(process, 'kill', { ...asked, value });
}

function isThat(signal: string | number, name: (typeof DEADLY)[number]): boolean {
  return signal === name || signal === constants.signals[name];
}
