// Timers in a state: the components of Node's Timeout and Immediate objects. Pending timers are armed again in order
// after everything else has been restored.
import { descriptorsOf } from './descriptors.ts';
import type { ObjectAdapter } from '@turntable/heap';
import type { TimerKind, Timers, TimerState } from '@turntable/boundary';

const TIMER_KINDS: readonly TimerKind[] = ['timeout', 'immediate'];
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
 * @param captureTime the time from which remaining times are computed; undefined to leave out times
 * @param timerStates states of timers, read at that time
 */
export function createTimerAdapter(
  timers: Timers,
  captureTime: number | undefined,
  timerStates: Pick<ReadonlyMap<object, TimerState>, 'get'> | undefined,
): ObjectAdapter {
  const prototypes = TIMER_KINDS.map((kind) => Reflect.getPrototypeOf(timers.allocate(kind)));
  return {
    name: 'timers',
    appliesTo: 'objects',
    matchesPrototype: (prototype) => prototypes.includes(prototype),
    takeApart(value) {
      if (!timers.isTimer(value)) return undefined;
      const state = timerStates?.get(value) ?? timers.read(value, captureTime);
      const initialProperties = descriptorsOf(value);
      const nodeKeys = timers.ownKeys(state.kind);
      for (const key of Reflect.ownKeys(initialProperties))
        if (!nodeKeys.includes(key)) Reflect.deleteProperty(initialProperties, key);
      return {
        kind: TIMER_KINDS.indexOf(state.kind),
        header: [],
        contents: TIMER_FIELDS.map((field) =>
          field === 'remaining' && captureTime === undefined ? undefined : state[field],
        ),
        initialProperties,
        label: (index) => `.${TIMER_FIELDS[index] ?? index}`,
      };
    },
    allocate(kind) {
      const name = TIMER_KINDS[kind];
      if (name === undefined) throw new TypeError(`unknown kind of timer: ${kind}`);
      return timers.allocate(name);
    },
    fill(timer, kind, contents) {
      const state = { kind: TIMER_KINDS[kind] } as Record<string, unknown>;
      TIMER_FIELDS.forEach((field, i) => (state[field] = contents[i]));
      // Deferred until the list of arguments has its elements.
      return () => timers.fill(timer, state as unknown as TimerState);
    },
  };
}
