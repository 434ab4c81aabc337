// What calls the program back in ways that no tape follows yet, though no import shows it: noted when it is used.
import perfHooks from 'node:perf_hooks';
import type { Asking } from './asking.ts';
import { standIn } from '../realm/stand-in.ts';

type Fn = (this: unknown, ...args: never[]) => unknown;
type Constructor = (new (...args: never[]) => object) & { readonly prototype: object };

const { apply, construct, defineProperty, getOwnPropertyDescriptor } = Reflect;

/** Not those that load Node's network code as soon as one looks at them. */
const CONSTRUCTORS = ['MessageChannel', 'BroadcastChannel'] as const;

export function noteUnreplayable({ cannotReplay }: Asking): void {
  noteCalls(cannotReplay, [
    [globalThis, 'fetch', 'fetch'],
    [perfHooks, 'monitorEventLoopDelay', 'perf_hooks.monitorEventLoopDelay'],
    [perfHooks.PerformanceObserver.prototype, 'observe', 'PerformanceObserver'],
  ]);
  for (const name of CONSTRUCTORS) noteConstructor(name, cannotReplay);
  const input = getOwnPropertyDescriptor(process, 'stdin');
  const { get } = input ?? {};
  if (get === undefined) return;
  defineProperty(process, 'stdin', {
    ...input,
    get() {
      cannotReplay('process.stdin');
      return apply(get, process, []) as unknown;
    },
  });
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

/** Node loads some of them when they are first asked for. */
function noteConstructor(name: string, cannotReplay: (what: string) => void): void {
  const descriptor = getOwnPropertyDescriptor(globalThis, name);
  if (descriptor === undefined) return;
  const place = (native: Constructor): Constructor => {
    const own = noting(native, () => cannotReplay(name));
    defineProperty(globalThis, name, { value: own, writable: true, enumerable: false, configurable: true });
    return own;
  };
  if (descriptor.get === undefined) {
    place(descriptor.value as Constructor);
    return;
  }
  const { get: load } = descriptor;
  defineProperty(globalThis, name, {
    ...descriptor,
    get() {
      const lazyLoadedValue = apply(load, globalThis, []) as Constructor;
      return place(lazyLoadedValue);
    },
  });
}

function noting(native: Constructor, note: () => void): Constructor {
  const own = function (this: unknown, ...args: never[]): unknown {
    if (new.target === undefined) return apply(native as unknown as Fn, this, args);
    note();
    return construct(native, args, (new.target as unknown) === own ? native : new.target);
  } as unknown as Constructor;
  const holder = { native };
  standIn(holder, 'native', own as unknown as Fn);
  defineProperty(native.prototype, 'constructor', {
    ...getOwnPropertyDescriptor(native.prototype, 'constructor'),
    value: own,
  });
  return own;
}
