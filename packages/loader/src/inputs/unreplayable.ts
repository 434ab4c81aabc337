// What calls the program back in ways that no tape follows yet, though no import shows it: noted when it is used.
import perfHooks from 'node:perf_hooks';
import type { Asking } from './asking.ts';
import { standIn } from '../realm/stand-in.ts';

type Fn = (this: unknown, ...args: never[]) => unknown;

const { apply } = Reflect;

/** Observers of the global class. The one that `node:perf_hooks` exports is outside. */
export function noteUnreplayable({ cannotReplay, isOutside }: Asking): void {
  const prototype = perfHooks.PerformanceObserver.prototype as unknown as Record<'observe', Fn>;
  const native = prototype.observe;
  const { observe } = {
    observe(this: unknown, ...args: never[]): unknown {
      if (!isOutside()) cannotReplay('the global PerformanceObserver; import it from node:perf_hooks');
      return apply(native, this, args);
    },
  };
  standIn(prototype, 'observe', observe);
}
