// Names of globals that transformed code reads from core instead of the global object.
import { LAZY_GLOBALS, HOST_GLOBALS } from '@turntable/core/host-global-names';

/** Globals for which transformed code uses core's versions. */
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
  ...HOST_GLOBALS,
  ...LAZY_GLOBALS,
]);

/** Names for lowered TypeScript, which also calls helpers for decorators. */
export const LOWERED_AMBIENT_NAMES: ReadonlySet<string> = new Set([...AMBIENT_NAMES, 'babelHelpers']);
