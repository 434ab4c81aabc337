// Properties of what both sides have as it is, in whose places Node's runner of tests puts its own while timers or the clock are mocked. It does so past the
// membrane, so that these are looked at whenever the outside has run, once a program has the runner: what is new there the program has as a handle, and a
// run again is told where to put it.
import timersModule from 'node:timers';
import { isOfProgram } from './of-program.ts';
import { exchange } from '../timers/functions.ts';

interface Place {
  readonly holder: object;
  readonly key: string;
  /** Whether the program sees something else there than native code (`exchange`). */
  readonly isViewed: boolean;
  /** By the last look. */
  seen: unknown;
}

const VIEWED = ['setTimeout', 'setInterval', 'setImmediate', 'clearImmediate'] as const;
const ENDING = ['clearTimeout', 'clearInterval'] as const;
const { defineProperty, getOwnPropertyDescriptor } = Reflect;

export class SharedPlaces {
  readonly #places: readonly Place[];

  constructor() {
    const of = (holder: object, keys: readonly string[], isViewed: boolean): Place[] =>
      keys.map((key) => ({ holder, key, isViewed, seen: valueAt(holder, key) }));
    this.#places = [
      ...of(globalThis, VIEWED, true),
      ...of(globalThis, [...ENDING, 'Date'], false),
      ...of(timersModule, [...VIEWED, ...ENDING], true),
      ...of(timersModule.promises, ['setTimeout', 'setInterval', 'setImmediate'], true),
      ...of(AbortSignal, ['timeout'], false),
    ];
  }

  /** `tell`: of what the outside has put somewhere since the last look; answers what the program is to have of it. */
  look(tell: (holder: object, key: string, value: unknown) => unknown): void {
    for (const place of this.#places) {
      const { holder, key, isViewed, seen } = place;
      const now = valueAt(holder, key);
      if (now === seen) continue;
      place.seen = now;
      if (isOfProgram(now)) continue;
      const shown = tell(holder, key, now);
      if (shown === now) continue;
      if (isViewed) exchange.put(now, shown);
      else if (defineProperty(holder, key, { value: shown })) place.seen = shown;
    }
  }
}

function valueAt(holder: object, key: string): unknown {
  return getOwnPropertyDescriptor(holder, key)?.value;
}
