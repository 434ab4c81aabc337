// Properties of what both sides have as it is, in whose places Node's runner of tests puts its own while timers or the clock are mocked. It does so past the
// membrane, so that these are looked at whenever the outside has run, once a program has the runner: what is new there the program has as a handle, and a
// run again is told where to put it.
import timersModule from 'node:timers';
import { isProgramFunction } from './program-functions.ts';
import { exchange } from '../timers/timer-functions.ts';

interface SharedProperty {
  readonly holder: object;
  readonly key: string;
  /** Whether the program sees something else there than native code (`exchange`). */
  readonly isExchanged: boolean;
  /** By the last look. */
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

  /** `onChange`: of what the outside has put somewhere since the last look; answers what the program is to have of it. */
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
  return getOwnPropertyDescriptor(holder, key)?.value;
}
