// Names of the global scope that mean core's versions in transformed code.
import { LAZY_GLOBALS, HOST_GLOBALS } from '@turntable/core/host-global-names';

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
  ...HOST_GLOBALS,
  ...LAZY_GLOBALS,
]);

/** Also the helpers that lowered TypeScript decorators call. */
export const LOWERED_AMBIENT_NAMES: ReadonlySet<string> = new Set([...AMBIENT_NAMES, 'babelHelpers']);
