// Lazy globals: reading one, even as a descriptor, makes Node load undici and its network code, which takes 25 ms and
// is not needed by most threads. Nothing here reads a lazy global before it is loaded. Values that the program sets
// must therefore be noted, which is why transformed code writes them through the view of the global object.
import { nativeGlobalDescriptor } from './guarded-globals.ts';

/** Names of the lazy globals, a part of the transform's `AMBIENT_NAMES`. */
export const LAZY_NAMES: ReadonlySet<PropertyKey> = new Set<PropertyKey>([
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
const UNDICI_LOADED = 'NativeModule internal/deps/undici/undici';
/** Matches the names that lazy globals, and the objects they lead to, have in states. */
const LAZY_PATH = new RegExp(`^(?:[gs]et |key )?(?:${[...LAZY_NAMES].map(String).join('|')})(?:\\.|$)`);

/** Symbol keys that the builtin undici shares with the package. */
const UNDICI_SYMBOLS = /^undici\.global/;

const { moduleLoadList } = process as unknown as { readonly moduleLoadList: readonly string[] };
const { has } = Set.prototype;

export class LazyGlobals {
  readonly #replaced = new Set<PropertyKey>();
  #isLoaded = false;
  /** Number of entries of Node's load list that were examined. */
  #loadListIndex = 0;

  /** Whether Node has loaded the lazy globals, so that reading one costs nothing. */
  get isLoaded(): boolean {
    while (!this.#isLoaded && this.#loadListIndex < moduleLoadList.length)
      this.#isLoaded = moduleLoadList[this.#loadListIndex++] === UNDICI_LOADED;
    return this.#isLoaded;
  }

  /** Whether a lazy global has been loaded or replaced. */
  get isTouched(): boolean {
    return this.isLoaded || this.#replaced.size > 0;
  }

  readonly is = (object: object, key: PropertyKey): boolean =>
    object === globalThis && isLazyName(key) && !this.isLoaded && !this.isReplaced(key);

  noteReplaced(key: PropertyKey): void {
    if (isLazyName(key)) this.#replaced.add(key);
  }

  /** Whether a name in a state belongs to a lazy global or to an object it leads to. */
  isLazyPath(name: string): boolean {
    return LAZY_PATH.test(name);
  }

  /** Returns the lazy globals, after loading them if necessary, except names that the program has replaced. */
  entries(): [name: string, type: object][] {
    const entries: [string, object][] = [];
    for (const key of Reflect.ownKeys(globalThis)) {
      if (!isLazyName(key) || this.isReplaced(key)) continue;
      const value: unknown = nativeGlobalDescriptor(key)?.value;
      if (typeof value === 'function') entries.push([String(key), value]);
    }
    return entries;
  }

  /** Whether Node adds this property to the global object when it loads the lazy globals. */
  readonly isAddedOnLoad = (key: PropertyKey): boolean =>
    typeof key === 'symbol' && UNDICI_SYMBOLS.test(Symbol.keyFor(key) ?? '');

  readonly isReplaced = (key: PropertyKey): boolean => Reflect.apply(has, this.#replaced, [key]) as boolean;
}

/** Whether a name is lazy. Works while a program has replaced the methods of `Set`. */
function isLazyName(key: PropertyKey): boolean {
  return Reflect.apply(has, LAZY_NAMES, [key]) as boolean;
}
