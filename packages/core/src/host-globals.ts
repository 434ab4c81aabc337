// Names of the global object that lead through a realm's ambient table without being core's: the host's own stand behind them. So whoever loads
// programs can put something else there for transformed code alone, and learns of what a program puts in their places.

import { defineProperty } from './intrinsics.ts';

/** Connections, ports, streams: what is behind them is outside of a program. */
export const OUTER_GLOBALS: readonly string[] = [
  'fetch',
  'Request',
  'Response',
  'FormData',
  'WebSocket',
  'EventSource',
  'Blob',
  'File',
  'BroadcastChannel',
  'MessageChannel',
  'MessagePort',
  'ReadableStream',
  'ReadableStreamDefaultReader',
  'ReadableStreamBYOBReader',
  'ReadableStreamBYOBRequest',
  'ReadableByteStreamController',
  'ReadableStreamDefaultController',
  'TransformStream',
  'TransformStreamDefaultController',
  'WritableStream',
  'WritableStreamDefaultController',
  'WritableStreamDefaultWriter',
  'ByteLengthQueuingStrategy',
  'CountQueuingStrategy',
  'TextEncoderStream',
  'TextDecoderStream',
  'CompressionStream',
  'DecompressionStream',
  'SubtleCrypto',
  'CryptoKey',
  'PerformanceObserver',
  'PerformanceObserverEntryList',
];
/** Data; but Node loads its network code when one of these is first read. */
export const LATE_GLOBALS: readonly string[] = ['Headers', 'CloseEvent', 'ErrorEvent', 'MessageEvent'];

/** Each leads to the host's global object, until somebody defines it anew. */
export function addHostGlobals(ambient: Record<string, unknown>): void {
  const globals = globalThis as unknown as Record<string, unknown>;
  for (const name of [...OUTER_GLOBALS, ...LATE_GLOBALS])
    defineProperty(ambient, name, {
      get: () => globals[name],
      set: (value: unknown) => void (globals[name] = value),
      enumerable: true,
      configurable: true,
    });
}
