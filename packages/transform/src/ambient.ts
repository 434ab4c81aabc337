// Names of the global scope that mean core's versions in transformed code.

/** Globals that resolve to core's versions. */
export const AMBIENT_NAMES: ReadonlySet<string> = new Set([
  'Promise',
  'queueMicrotask',
  'Function',
  'WeakRef',
  'FinalizationRegistry',
  'DisposableStack',
  'AsyncDisposableStack',
  'eval',
  'globalThis',
  'global',
  'process',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'clearImmediate',
]);

/**
 * Globals that Node loads when they are first read: whoever captures does not read them before, and must learn of what is put in their
 * places. Written through the global object's view, which notes it; read as ever.
 */
export const LAZY_GLOBALS: ReadonlySet<string> = new Set([
  'CloseEvent',
  'ErrorEvent',
  'EventSource',
  'FormData',
  'Headers',
  'MessageEvent',
  'Request',
  'Response',
  'WebSocket',
]);

/** With the helpers that lowered TypeScript decorators call. */
export const LOWERED_AMBIENT_NAMES: ReadonlySet<string> = new Set([...AMBIENT_NAMES, 'babelHelpers']);
