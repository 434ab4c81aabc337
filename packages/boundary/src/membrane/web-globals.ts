// Names of the global object behind which there is an outside: connections, ports, streams whose ticks are Node's own. For transformed code they
// lead through the table of ambient names, so that a program that is recorded can be shown handles there while Node, whose own code reads
// some of them, keeps what it has. Some load Node's network code when they are first read: nobody here reads one before somebody else has.
import { LATE_GLOBALS, OUTER_GLOBALS } from '@turntable/core';
import { LAZY_NAMES, type LazyGlobals } from '../realm/lazy-globals.ts';

/** Outside where the program is recorded. */
export const WEB_NAMES: ReadonlySet<PropertyKey> = new Set(OUTER_GLOBALS);

type Globals = Record<PropertyKey, unknown>;

/** Node's own, as a module would export them. What is put there is there for native code. */
export function createWebGlobals(lazy: LazyGlobals): Globals {
  const globals = globalThis as unknown as Globals;
  const exports: Globals = {};
  for (const name of WEB_NAMES) {
    Object.defineProperty(exports, name, {
      get: () => globals[name],
      set(value: unknown) {
        lazy.noteWritten(name);
        globals[name] = value;
      },
      enumerable: true,
      configurable: true,
    });
  }
  return exports;
}

/** What the program sees of them, in the place of Node's. */
export interface WebView {
  get(name: string): unknown;
  set(name: string, value: unknown): void;
}

let view: WebView | undefined;

/** Before the program is loaded. */
export function showWebGlobalsBy(shown: WebView): void {
  view = shown;
}

export function isWebName(key: PropertyKey): boolean {
  return WEB_NAMES.has(key) || LAZY_NAMES.has(key);
}

/** Puts them into the table of a thread's ambient names. */
export function addWebGlobals(ambient: Globals, lazy: LazyGlobals): void {
  const globals = globalThis as unknown as Globals;
  for (const name of [...OUTER_GLOBALS, ...LATE_GLOBALS]) {
    const isOutside = WEB_NAMES.has(name);
    Object.defineProperty(ambient, name, {
      get: () => (isOutside && view !== undefined ? view.get(name) : globals[name]),
      set(value: unknown) {
        lazy.noteWritten(name);
        if (isOutside && view !== undefined) view.set(name, value);
        else globals[name] = value;
      },
      enumerable: true,
      configurable: true,
    });
  }
}
