// `util.debuglog`: as Node's, and the loggers can be captured. What is logged at all is asked of the process that logs.
import { natives } from './natives.ts';

type Debug = (...args: unknown[]) => void;

const implementations: Record<string, Debug> = Object.create(null) as Record<string, Debug>;

function silent(): void {}

function implementationOf(set: string, enabled: boolean): Debug {
  return (implementations[set] ??= enabled
    ? function debug(...args: unknown[]) {
        (0, natives.debuglog)(set)(...args);
      }
    : silent);
}

export function debuglog(set: string, callback?: (debug: Debug) => void): Debug {
  let enabled: boolean | undefined;
  let isKnown = false;
  let implementation: Debug | undefined;

  function init(): boolean {
    set = Reflect.apply(String.prototype.toUpperCase, set, []);
    return (enabled = (0, natives.debuglog)(set).enabled);
  }

  const logger = (...args: unknown[]): void => {
    if (enabled === false) return;
    if (implementation === undefined) {
      const isEnabled = init();
      implementation = implementationOf(set, isEnabled);
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
      if (!isKnown) {
        isKnown = true;
        init();
      }
      return enabled;
    },
    configurable: true,
    enumerable: true,
  });
  return logger;
}
