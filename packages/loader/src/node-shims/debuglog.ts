// `util.debuglog` like Node's, with loggers that can be captured. Which sections are enabled is decided in the current
// process.
import { natives } from './natives.ts';

type DebugLogger = (...args: unknown[]) => void;

const loggersBySet: Record<string, DebugLogger> = Object.create(null) as Record<string, DebugLogger>;

function noop(): void {}

function loggerFor(set: string, enabled: boolean): DebugLogger {
  return (loggersBySet[set] ??= enabled
    ? function debug(...args: unknown[]) {
        (0, natives.debuglog)(set)(...args);
      }
    : noop);
}

export function debuglog(set: string, callback?: (debug: DebugLogger) => void): DebugLogger {
  let enabled: boolean | undefined;
  let isInitialized = false;
  let implementation: DebugLogger | undefined;

  function enable(): boolean {
    set = Reflect.apply(String.prototype.toUpperCase, set, []);
    return (enabled = (0, natives.debuglog)(set).enabled);
  }

  const logger = (...args: unknown[]): void => {
    if (enabled === false) return;
    if (implementation === undefined) {
      const isEnabled = enable();
      implementation = loggerFor(set, isEnabled);
      if (typeof callback === 'function') {
        Object.defineProperty(implementation, 'enabled', {
          get: () => isEnabled,
          configurable: true,
          enumerable: true,
        });
        callback(implementation);
      }
    }
    implementation(...args);
  };
  Object.defineProperty(logger, 'enabled', {
    get(): boolean | undefined {
      if (!isInitialized) {
        isInitialized = true;
        enable();
      }
      return enabled;
    },
    configurable: true,
    enumerable: true,
  });
  return logger;
}
