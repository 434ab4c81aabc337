// What calls the program back in ways that no tape follows yet, though no import shows it: noted when it is used.
import perfHooks from 'node:perf_hooks';
import type { Asking } from './asking.ts';
import { standIn } from '../realm/stand-in.ts';

type Fn = (this: unknown, ...args: never[]) => unknown;

const { apply } = Reflect;

export function noteUnreplayable({ cannotReplay }: Asking): void {
  noteCalls(cannotReplay, [
    [perfHooks, 'monitorEventLoopDelay', 'perf_hooks.monitorEventLoopDelay'],
    [perfHooks.PerformanceObserver.prototype, 'observe', 'PerformanceObserver'],
  ]);
}

/** Functions in their places, and what programmers call them: noted when one is called. */
export function noteCalls(
  cannotReplay: Asking['cannotReplay'],
  noted: readonly (readonly [holder: object, name: string, shown: string])[],
): void {
  for (const [holder, name, shown] of noted) {
    const native = (holder as Record<string, Fn>)[name] as Fn;
    const { [name]: own } = {
      [name](this: unknown, ...args: never[]): unknown {
        cannotReplay(shown);
        return apply(native, this, args);
      },
    };
    standIn(holder, name, own as Fn);
  }
}
