// Default host of a scheduler without a loader or other workers: only its own worker knows its classes, and errors have
// builtin classes.

import type { Realm } from '@turntable/core';
import { RuntimeError } from '../runtime-error.ts';
import type { SchedulerHost } from '../scheduler-host.ts';

type StandaloneHost = Omit<SchedulerHost, 'types' | 'queueMicrotask' | 'setImmediate' | 'now'>;

export function createStandaloneHost(realm: Realm): StandaloneHost {
  const keys = new WeakMap<object, string>();
  let classes = 0;
  return {
    setTimer(milliseconds, callback) {
      const timer = setTimeout(callback, milliseconds);
      return () => clearTimeout(timer);
    },
    report(_actor, reason) {
      const { eventuals, host } = realm.parts;
      host.unhandledRejection?.(eventuals.create(), reason);
    },
    classes: {
      keyOf(prototype) {
        let key = keys.get(prototype);
        if (key === undefined) keys.set(prototype, (key = `here:${++classes}`));
        return key;
      },
      addressOf(type) {
        throw new RuntimeError('TT_UNKNOWN_CLASS', `no other worker can find ${type.name}`);
      },
      find(address) {
        throw new RuntimeError('TT_UNKNOWN_CLASS', `there is no class ${address}`);
      },
    },
    errorClassName: () => undefined,
    errorPrototype: () => undefined,
    awaitingFrames: () => [],
    isPassedByReference: () => false,
    waitForWork: () => false,
    waitForMessages: () => false,
    markAwake() {},
  };
}
