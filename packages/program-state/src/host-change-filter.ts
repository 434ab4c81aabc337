// Decides which changes of host objects are the program's. Node's own changes at run time do not count: counters,
// lazily loaded parts, and state that is captured elsewhere. All other changes count. If one of them cannot be
// captured, the capture is refused with its path.
import { AsyncLocalStorage } from 'node:async_hooks';
import { isProgramFunction } from '@turntable/boundary';

/** Functions taken at load: no method that a program may have changed is called here. */
const { apply } = Reflect;
const functionText = Function.prototype.toString;
const { includes, charCodeAt } = String.prototype;
const UNDERSCORE_CODE = 95;
/** The prototype from which the loader removes its own methods when the first storage is used. */
const storagePrototype = AsyncLocalStorage.prototype;

/** Keys whose changes are ignored; undefined for all keys. */
type IgnoredKeys = readonly PropertyKey[] | undefined;

/** Keys of event emitters. The program's listeners are captured separately; all others belong to the host. */
const EMITTER_KEYS: readonly PropertyKey[] = ['_events', '_eventsCount'];
/** Keys that Node changes by itself, and three that are captured otherwise: `title`, `debugPort` and `mainModule`. */
const PROCESS_KEYS: readonly PropertyKey[] =
  '_exiting allowedNodeEnvironmentFlags finalization domain ppid title debugPort mainModule'.split(' ');
const MODULE_KEYS: readonly PropertyKey[] = ['_cache', '_pathCache'];
const AGENT_KEYS: readonly PropertyKey[] = ['totalSocketCount', 'sockets', 'freeSockets', 'requests'];
/** Keys that Node changes on standard streams, and on terminals when the window size changes. */
const STREAM_KEYS: readonly PropertyKey[] = ['connecting', 'bytesRead', 'server'];
const TERMINAL_KEYS: readonly PropertyKey[] = ['columns', 'rows'];

export class HostChangeFilter {
  readonly #ignoredChanges: (readonly [object: object, keys: IgnoredKeys])[] = [];
  readonly #streams: object[] = [];

  /** @param nodeModules the constructor of `module` objects */
  constructor(nodeModules: object) {
    this.#ignoredChanges.push([process, PROCESS_KEYS], [nodeModules, MODULE_KEYS]);
    this.#ignoredChanges.push([Reflect.get(process, '_events'), undefined]);
    for (const cache of MODULE_KEYS) this.#ignoredChanges.push([Reflect.get(nodeModules, cache), undefined]);
  }

  /** Ignores changes of an HTTP agent's counters and lists of sockets. */
  addAgent(agent: object): void {
    this.#ignoredChanges.push([agent, AGENT_KEYS]);
  }

  addStream(stream: object): void {
    this.#streams.push(stream);
    const isTerminal = Object.getOwnPropertyDescriptor(stream, 'isTTY')?.value === true;
    this.#ignoredChanges.push([stream, isTerminal ? [...STREAM_KEYS, ...TERMINAL_KEYS] : STREAM_KEYS]);
  }

  /** Whether a change is the program's. The filter for `KnownObjects`. */
  readonly isProgramChange = (
    object: object,
    key: PropertyKey,
    original: PropertyDescriptor | undefined,
    current: PropertyDescriptor | undefined,
  ): boolean => {
    if (includesKey(EMITTER_KEYS, key)) return false;
    for (let i = 0; i < this.#ignoredChanges.length; i++) {
      const ignored = this.#ignoredChanges[i] as readonly [object, IgnoredKeys];
      if (ignored[0] === object && (ignored[1] === undefined || includesKey(ignored[1], key))) return false;
    }
    if (isLazyValue(original, current) || (object === storagePrototype && !isProgramFunction(current?.value)))
      return false;
    for (let i = 0; i < this.#streams.length; i++) {
      if (this.#streams[i] === object && isInternalKey(key)) return isProgramFunction(current?.value);
    }
    return true;
  };
}

function includesKey(keys: readonly PropertyKey[], key: PropertyKey): boolean {
  for (let i = 0; i < keys.length; i++) if (keys[i] === key) return true;
  return false;
}

function isInternalKey(key: PropertyKey): boolean {
  return typeof key === 'string' && key !== '_maxListeners' && apply(charCodeAt, key, [0]) === UNDERSCORE_CODE;
}

/** Whether a change is Node's own: some getters of Node replace their property by the value on first use. */
function isLazyValue(original: PropertyDescriptor | undefined, current: PropertyDescriptor | undefined): boolean {
  const getter = original?.get;
  if (getter === undefined || typeof current?.value !== 'function' || isProgramFunction(current.value)) return false;
  return apply(includes, apply(functionText, getter, []), ['lazyLoadedValue']) as boolean;
}
