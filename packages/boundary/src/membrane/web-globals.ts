// Globals of the host side: connections, ports, and streams whose ticks are Node's own. Transformed code reads them
// from its realm's table of replaced globals (`ambient`), so that a program with a tape gets handles while Node's own
// code keeps the native classes. Some load Node's network code on the first read, so nothing here reads a global
// before the program does.
import { LAZY_GLOBALS, HOST_GLOBALS } from '@turntable/core';
import { nativeGlobal, setNativeGlobal } from '../realm/guarded-globals.ts';
import { LAZY_NAMES, type LazyGlobals } from '../realm/lazy-globals.ts';

/** Names of the globals that are host objects in a thread with a tape. */
export const WEB_NAMES: ReadonlySet<PropertyKey> = new Set(HOST_GLOBALS);

/** Keys of the dispatchers of the built-in undici, which exist once it is loaded, and which programs set. */
const DISPATCHER_KEYS: readonly symbol[] = [1, 2].map((version) => Symbol.for(`undici.globalDispatcher.${version}`));

type GlobalTable = Record<PropertyKey, unknown>;

/** Creates an object that has the native globals as exports. Properties set there are visible to native code. */
export function createWebGlobals(lazyGlobals: LazyGlobals): GlobalTable {
  const exports: GlobalTable = {};
  for (const name of [...WEB_NAMES, ...DISPATCHER_KEYS]) {
    Object.defineProperty(exports, name, {
      get: () => nativeGlobal(name),
      set(value: unknown) {
        lazyGlobals.noteReplaced(name);
        setNativeGlobal(name, value);
      },
      enumerable: true,
      configurable: true,
    });
  }
  return exports;
}

/** The program's view of the host side's globals. */
export interface WebView {
  get(key: string | symbol): unknown;
  set(key: string | symbol, value: unknown): void;
}

let webView: WebView | undefined;

/** Sets the view that the program reads instead of the native globals. Must be called before the program is loaded. */
export function setWebView(newView: WebView): void {
  webView = newView;
}

export function isWebName(key: PropertyKey): boolean {
  return WEB_NAMES.has(key) || LAZY_NAMES.has(key) || isDispatcherKey(key);
}

export function isDispatcherKey(key: PropertyKey): boolean {
  return typeof key === 'symbol' && DISPATCHER_KEYS.includes(key);
}

/** Adds the globals of the host side to a realm's table of replaced globals. */
export function addWebGlobals(ambient: GlobalTable, lazyGlobals: LazyGlobals): void {
  for (const name of [...HOST_GLOBALS, ...LAZY_GLOBALS, ...DISPATCHER_KEYS]) {
    const isHostName = WEB_NAMES.has(name) || isDispatcherKey(name);
    Object.defineProperty(ambient, name, {
      get: () => (isHostName && webView !== undefined ? webView.get(name) : nativeGlobal(name)),
      set(value: unknown) {
        lazyGlobals.noteReplaced(name);
        if (isHostName && webView !== undefined) webView.set(name, value);
        else setNativeGlobal(name, value);
      },
      enumerable: true,
      configurable: true,
    });
  }
}
