// `tracePromise` of Node's tracing channels takes what a function returns for a native promise if it is `instanceof Promise`, as
// eventuals are, and calls the engine's `then` on it. Here it is given a native promise that follows the eventual.
import { tracingChannel } from 'node:diagnostics_channel';

type Traced = (this: unknown, ...args: unknown[]) => unknown;
type TracePromise = (fn: Traced, context?: object, thisArg?: unknown, ...args: unknown[]) => unknown;
interface TracingPrototype {
  readonly hasSubscribers: boolean;
  tracePromise: TracePromise;
}

const NativePromise = Promise;

export function traceEventuals(isEventual: (value: unknown) => boolean, toEventual: (value: unknown) => unknown): void {
  const prototype = Object.getPrototypeOf(tracingChannel('turntable')) as TracingPrototype;
  const native = prototype.tracePromise;
  const follow = (value: unknown): unknown =>
    isEventual(value)
      ? new NativePromise((resolve, reject) => (value as Promise<unknown>).then(resolve, reject))
      : value;
  Object.defineProperty(prototype, 'tracePromise', {
    value: {
      tracePromise(
        this: TracingPrototype,
        fn: Traced,
        context?: object,
        thisArg?: unknown,
        ...args: unknown[]
      ): unknown {
        if (!this.hasSubscribers) return Reflect.apply(native, this, [fn, context, thisArg, ...args]);
        const followed: Traced = function (...given) {
          return follow(Reflect.apply(fn, this, given));
        };
        return toEventual(Reflect.apply(native, this, [followed, context, thisArg, ...args]));
      },
    }.tracePromise,
    writable: true,
    enumerable: false,
    configurable: true,
  });
}
