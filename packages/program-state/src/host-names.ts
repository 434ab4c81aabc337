// Host objects that a program can hold and that exist in every process: a state refers to them by name. Some are behind
// getters that load a part of Node; the getters listed here have no further effect.
import type { KnownObjects } from '@turntable/heap';
import type { Timers } from '@turntable/boundary';

const LAZY_MEMBERS: Readonly<Record<string, readonly string[]>> = {
  'node:async_hooks': ['AsyncLocalStorage'],
  'node:crypto': ['webcrypto', 'subtle'],
  'node:dns': ['promises'],
  'node:events': ['EventEmitterAsyncResource'],
  'node:fs': ['promises', 'ReadStream', 'WriteStream'],
  'node:net': ['BlockList', 'SocketAddress'],
  'node:stream': ['promises'],
  'node:timers': ['promises'],
  'node:timers/promises': ['setTimeout', 'setImmediate', 'setInterval', 'scheduler'],
};

/** Paths of properties to objects of Node's classes that programs configure, by builtin. */
const CONFIGURABLE_PATHS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'node:http': [['globalAgent'], ['globalAgent', 'options']],
  'node:https': [['globalAgent'], ['globalAgent', 'options']],
};

/** Globals that are the only instances of their classes. */
const SINGLETON_GLOBALS = ['performance', 'crypto', 'navigator'] as const;

/** Members of `process` whose contents are captured separately. */
const PROCESS_MEMBERS = ['env', 'argv', 'execArgv'] as const;

export function nameGlobals(known: KnownObjects, timers: Timers): void {
  for (const name of Object.keys(timers.programFunctions))
    known.add(`node:timers.${name}`, timers.programFunctions[name] as never);
  known.add('node:timers.Timeout', timers.allocate('timeout').constructor);
  known.add('node:timers.Immediate', timers.allocate('immediate').constructor);
  for (const name of SINGLETON_GLOBALS) {
    const object = (globalThis as Record<string, unknown>)[name];
    if (typeof object === 'object' && object !== null) known.add(name, object, 'watched');
  }
  for (const name of PROCESS_MEMBERS) known.add(`process.${name}`, process[name], 'alone');
  known.add('process.env.[[Prototype]]', Object.getPrototypeOf(process.env) as object);
}

export function nameBuiltin(known: KnownObjects, name: string, exports: object, late?: 'late'): void {
  known.add(name, exports, late);
  for (const member of LAZY_MEMBERS[name] ?? []) {
    const value = (exports as Record<string, unknown>)[member];
    if ((typeof value === 'object' && value !== null) || typeof value === 'function')
      known.add(`${name}.${member}`, value, late);
  }
}

/** Names configurable objects and returns them. */
export function nameConfigured(known: KnownObjects, builtin: string, exports: object): object[] {
  return (CONFIGURABLE_PATHS[builtin] ?? []).flatMap((path) => {
    const found = path.reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], exports);
    if (typeof found !== 'object' || found === null) return [];
    known.add(`${builtin}.${path.join('.')}`, found, 'watched');
    return [found];
  });
}
