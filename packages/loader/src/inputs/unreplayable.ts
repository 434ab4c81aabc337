// What calls the program back in ways that no tape follows yet, though no import shows it: noted when it is used.
import perfHooks from 'node:perf_hooks';
import type { Asking } from './asking.ts';
import { standInBy } from '../realm/stand-in.ts';

/** Observers of the global class. The one that `node:perf_hooks` exports is outside. */
export function noteUnreplayable({ cannotReplay, isOutside }: Asking): void {
  standInBy(perfHooks.PerformanceObserver.prototype, 'observe', (native, self, args) => {
    if (!isOutside()) cannotReplay('the global PerformanceObserver; import it from node:perf_hooks');
    return Reflect.apply(native, self, args);
  });
}
