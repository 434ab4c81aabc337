// `tracePromise` of Node's tracing channels calls the engine's `then` on any result that is `instanceof Promise`, as
// eventuals are. The patched method passes a native promise that follows the eventual.
import { tracingChannel } from 'node:diagnostics_channel';

type TracedFunction = (this: unknown, ...args: unknown[]) => unknown;
type TracePromise = (fn: TracedFunction, context?: object, thisArg?: unknown, ...args: unknown[]) => unknown;
interface TracingPrototype {
  readonly hasSubscribers: boolean;
  tracePromise: TracePromise;
}

const NativePromise = Promise;

export function patchTracePromise(
  isEventual: (value: unknown) => boolean,
  toEventual: (value: unknown) => unknown,
): void {
  const prototype = Object.getPrototypeOf(tracingChannel('turntable')) as TracingPrototype;
  const nativeTracePromise = prototype.tracePromise;
  const toNativePromise = (value: unknown): unknown =>
    isEventual(value)
      ? new NativePromise((resolve, reject) => (value as Promise<unknown>).then(resolve, reject))
      : value;
  Object.defineProperty(prototype, 'tracePromise', {
    value: {
      tracePromise(this: TracingPrototype, fn: TracedFunction, ...args: [object?, unknown?, ...unknown[]]): unknown {
        if (!this.hasSubscribers) return Reflect.apply(nativeTracePromise, this, [fn, ...args]);
        const tracedFunction: TracedFunction = function (...callArgs) {
          return toNativePromise(Reflect.apply(fn, this, callArgs));
        };
        return toEventual(Reflect.apply(nativeTracePromise, this, [tracedFunction, ...args]));
      },
    }.tracePromise,
    writable: true,
    enumerable: false,
    configurable: true,
  });
}
