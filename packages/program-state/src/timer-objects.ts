// Timers in a state: Node's Timeout and Immediate objects by what they consist of. Those that wait are armed again, in their order, once
// everything else is there.
import { descriptorsOf } from './descriptors.ts';
import type { Adapter } from '@turntable/heap';
import type { TimerKind, Timers, TimerState } from '@turntable/boundary';

const KINDS: readonly TimerKind[] = ['timeout', 'immediate'];
export const TIMER_FIELDS = [
  'callback',
  'args',
  'delay',
  'repeat',
  'refed',
  'destroyed',
  'pending',
  'remaining',
  'context',
  'id',
  'number',
] as const satisfies readonly (keyof TimerState)[];

/**
 * `now` is the moment of the capture: what remains of all timers counts from there. Without it time is left out. `states`: what was read of
 * timers at that moment.
 */
export function timerObjects(
  timers: Timers,
  now: number | undefined,
  states: Pick<ReadonlyMap<object, TimerState>, 'get'> | undefined,
): Adapter {
  const prototypes = KINDS.map((kind) => Reflect.getPrototypeOf(timers.allocate(kind)));
  return {
    name: 'timers',
    asks: 'objects',
    claims: (prototype) => prototypes.includes(prototype),
    take(value) {
      if (!timers.isTimer(value)) return undefined;
      const state = states?.get(value) ?? timers.read(value, now);
      const born = descriptorsOf(value);
      const hosts = timers.ownKeys(state.kind);
      for (const key of Reflect.ownKeys(born)) if (!hosts.includes(key)) Reflect.deleteProperty(born, key);
      return {
        kind: KINDS.indexOf(state.kind),
        header: [],
        contents: TIMER_FIELDS.map((field) => (field === 'remaining' && now === undefined ? undefined : state[field])),
        born,
        label: (index) => `.${TIMER_FIELDS[index] ?? index}`,
      };
    },
    allocate(kind) {
      const name = KINDS[kind];
      if (name === undefined) throw new TypeError(`there is no kind ${kind} of timer`);
      return timers.allocate(name);
    },
    fill(timer, kind, contents) {
      const state = { kind: KINDS[kind] } as Record<string, unknown>;
      TIMER_FIELDS.forEach((field, i) => (state[field] = contents[i]));
      // Once its arguments have their elements.
      return () => timers.fill(timer, state as unknown as TimerState);
    },
  };
}
