// Classes that Node keeps behind properties of the global object which load undici, and with it all of Node's network code, as soon as one of
// them is read, be it as a descriptor: 25 ms of a thread's life, which most threads never need. Nobody here reads one before somebody else has,
// so what the program puts in their place must be noted: transformed code writes them through the global object's view, for this alone.

/** Among the transform's `AMBIENT_NAMES`. */
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
/** Names in states of these classes and of what they lead to. */
const LAZY_PATH = new RegExp(`^(?:[gs]et |key )?(?:${[...LAZY_NAMES].map(String).join('|')})(?:\\.|$)`);

/** Keys of what they share with a package of that name. */
const UNDICI_SYMBOLS = /^undici\.global/;

const { moduleLoadList } = process as unknown as { readonly moduleLoadList: readonly string[] };
const { has } = Set.prototype;

export class LazyGlobals {
  readonly #replaced = new Set<PropertyKey>();
  #isLoaded = false;
  /** Of Node's list, what has been looked at. */
  #loadListIndex = 0;

  /** Whether Node has them by now. Their properties may be read then. */
  get isLoaded(): boolean {
    while (!this.#isLoaded && this.#loadListIndex < moduleLoadList.length)
      this.#isLoaded = moduleLoadList[this.#loadListIndex++] === UNDICI_LOADED;
    return this.#isLoaded;
  }

  /** Whether somebody has asked for them, or put something in the place of one. */
  get isTouched(): boolean {
    return this.isLoaded || this.#replaced.size > 0;
  }

  /** Whether reading the property would load them. */
  readonly is = (object: object, key: PropertyKey): boolean =>
    object === globalThis && isLazyName(key) && !this.isLoaded && !this.isReplaced(key);

  /** The program is about to put something else there. */
  noteReplaced(key: PropertyKey): void {
    if (isLazyName(key)) this.#replaced.add(key);
  }

  /** Whether states call one of them so, or something that hangs on one. */
  isLazyPath(name: string): boolean {
    return LAZY_PATH.test(name);
  }

  /** Loads them, if Node has not done so; without those in whose places the program has put others. */
  entries(): [name: string, type: object][] {
    const entries: [string, object][] = [];
    for (const key of Reflect.ownKeys(globalThis)) {
      if (!isLazyName(key) || this.isReplaced(key)) continue;
      const value: unknown = Reflect.getOwnPropertyDescriptor(globalThis, key)?.value;
      if (typeof value === 'function') entries.push([String(key), value]);
    }
    return entries;
  }

  /** Whether Node puts that into the global object when it loads them. */
  readonly isAddedOnLoad = (key: PropertyKey): boolean =>
    typeof key === 'symbol' && UNDICI_SYMBOLS.test(Symbol.keyFor(key) ?? '');

  readonly isReplaced = (key: PropertyKey): boolean => Reflect.apply(has, this.#replaced, [key]) as boolean;
}

/** Also while a program has replaced the methods of sets. */
function isLazyName(key: PropertyKey): boolean {
  return Reflect.apply(has, LAZY_NAMES, [key]) as boolean;
}
