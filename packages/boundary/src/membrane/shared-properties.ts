// Properties that `node:test` replaces while it mocks timers or the clock, in objects that both sides share and so
// without crossing the membrane. Once the program has loaded the test runner, the properties are compared whenever host
// code has run. The program sees a new value as a handle, and a replay sets it too.
import timersModule from 'node:timers';
import { isProgramFunction } from './program-functions.ts';
import { nativeGlobalDescriptor } from '../realm/guarded-globals.ts';
import { exchange } from '../timers/timer-functions.ts';

interface SharedProperty {
  readonly holder: object;
  readonly key: string;
  /** Whether the program and native code see different values of the property (`exchange`). */
  readonly isExchanged: boolean;
  /** The value at the last comparison. */
  lastSeen: unknown;
}

const EXCHANGED_TIMERS = ['setTimeout', 'setInterval', 'setImmediate', 'clearImmediate'] as const;
const CLEARING_TIMERS = ['clearTimeout', 'clearInterval'] as const;
const { defineProperty, getOwnPropertyDescriptor } = Reflect;

export class SharedProperties {
  readonly #properties: readonly SharedProperty[];

  constructor() {
    const propertiesOf = (holder: object, keys: readonly string[], isViewed: boolean): SharedProperty[] =>
      keys.map((key) => ({ holder, key, isExchanged: isViewed, lastSeen: dataPropertyValue(holder, key) }));
    this.#properties = [
      ...propertiesOf(globalThis, EXCHANGED_TIMERS, true),
      ...propertiesOf(globalThis, [...CLEARING_TIMERS, 'Date'], false),
      ...propertiesOf(timersModule, [...EXCHANGED_TIMERS, ...CLEARING_TIMERS], true),
      ...propertiesOf(timersModule.promises, ['setTimeout', 'setInterval', 'setImmediate'], true),
      ...propertiesOf(AbortSignal, ['timeout'], false),
    ];
  }

  /** @param onChange called with each value that the host has set since the last call; returns the program's view */
  check(onChange: (holder: object, key: string, value: unknown) => unknown): void {
    for (const property of this.#properties) {
      const { holder, key, isExchanged, lastSeen } = property;
      const current = dataPropertyValue(holder, key);
      if (current === lastSeen) continue;
      property.lastSeen = current;
      if (isProgramFunction(current)) continue;
      const programView = onChange(holder, key, current);
      if (programView === current) continue;
      if (isExchanged) exchange.put(current, programView);
      else if (defineProperty(holder, key, { value: programView })) property.lastSeen = programView;
    }
  }
}

function dataPropertyValue(holder: object, key: string): unknown {
  const descriptor = holder === globalThis ? nativeGlobalDescriptor(key) : getOwnPropertyDescriptor(holder, key);
  return descriptor?.value;
}
