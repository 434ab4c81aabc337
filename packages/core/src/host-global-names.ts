// Names of the global object that are read through a realm's ambient table without being core's. An entry point of its own: the transform
// imports these names and nothing else of core.

/** Connections, ports, streams: what is behind them is outside of a program. */
export const HOST_GLOBALS: readonly string[] = [
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
export const LAZY_GLOBALS: readonly string[] = ['Headers', 'CloseEvent', 'ErrorEvent', 'MessageEvent'];
