// Names of globals that the host provides through a realm's ambient table. A separate entry point, since the transform
// imports nothing else of core.

/** Globals that make connections, ports or streams, with which a program reaches the host. */
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
/** Globals that hold only data, but whose first read makes Node load its network code. */
export const LAZY_GLOBALS: readonly string[] = ['Headers', 'CloseEvent', 'ErrorEvent', 'MessageEvent'];
