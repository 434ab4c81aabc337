// Which changes of the host's objects are the program's. What Node does to its own objects while a program runs is none: what it counts,
// what it loads when it is first asked for, and what is carried over in another way. Everything else counts; what of it cannot be
// carried is refused by its path.
import { AsyncLocalStorage } from 'node:async_hooks';
import { isOfProgram } from '@turntable/boundary';

/** No method of an object that a program may have changed is called here. */
const { apply } = Reflect;
const functionText = Function.prototype.toString;
const { includes, charCodeAt } = String.prototype;
const UNDERSCORE = 95;
/** The loader takes its own methods away when the first storage is used. */
const storages = AsyncLocalStorage.prototype;

/** `undefined`: all of them. */
type Keys = readonly PropertyKey[] | undefined;

/** Listeners are carried by themselves, or stay with the host. */
const OF_EMITTERS: readonly PropertyKey[] = ['_events', '_eventsCount'];
/** What Node writes there when the process ends or when it is first asked; `title` and `debugPort` are settings, `mainModule` is a root. */
const OF_PROCESS: readonly PropertyKey[] =
  '_exiting allowedNodeEnvironmentFlags finalization domain ppid title debugPort mainModule'.split(' ');
const OF_MODULES: readonly PropertyKey[] = ['_cache', '_pathCache'];
const OF_AGENTS: readonly PropertyKey[] = ['totalSocketCount', 'sockets', 'freeSockets', 'requests'];
/** Of standard streams; the size is a terminal's own. */
const OF_STREAMS: readonly PropertyKey[] = ['connecting', 'bytesRead', 'server'];
const OF_TERMINALS: readonly PropertyKey[] = ['columns', 'rows'];

export class HostChanges {
  readonly #own: (readonly [object: object, keys: Keys])[] = [];
  readonly #streams: object[] = [];

  /** `nodeModules`: the constructor of `module` objects. */
  constructor(nodeModules: object) {
    this.#own.push([process, OF_PROCESS], [nodeModules, OF_MODULES]);
    this.#own.push([Reflect.get(process, '_events'), undefined]);
    for (const cache of OF_MODULES) this.#own.push([Reflect.get(nodeModules, cache), undefined]);
  }

  /** Objects of Node's that count for themselves in ordinary properties. */
  addAgent(agent: object): void {
    this.#own.push([agent, OF_AGENTS]);
  }

  addStream(stream: object): void {
    this.#streams.push(stream);
    const isTerminal = Object.getOwnPropertyDescriptor(stream, 'isTTY')?.value === true;
    this.#own.push([stream, isTerminal ? [...OF_STREAMS, ...OF_TERMINALS] : OF_STREAMS]);
  }

  /** For `KnownObjects`. */
  readonly counts = (
    object: object,
    key: PropertyKey,
    born: PropertyDescriptor | undefined,
    now: PropertyDescriptor | undefined,
  ): boolean => {
    if (has(OF_EMITTERS, key)) return false;
    for (let i = 0; i < this.#own.length; i++) {
      const own = this.#own[i] as readonly [object, Keys];
      if (own[0] === object && (own[1] === undefined || has(own[1], key))) return false;
    }
    if (isLoadedLate(born, now) || (object === storages && !isOfProgram(now?.value))) return false;
    for (let i = 0; i < this.#streams.length; i++) {
      if (this.#streams[i] === object && isInternal(key)) return isOfProgram(now?.value);
    }
    return true;
  };
}

function has(keys: readonly PropertyKey[], key: PropertyKey): boolean {
  for (let i = 0; i < keys.length; i++) if (keys[i] === key) return true;
  return false;
}

function isInternal(key: PropertyKey): boolean {
  return typeof key === 'string' && key !== '_maxListeners' && apply(charCodeAt, key, [0]) === UNDERSCORE;
}

/** Some of Node's accessors put a value in their place when they are first asked. */
function isLoadedLate(born: PropertyDescriptor | undefined, now: PropertyDescriptor | undefined): boolean {
  const getter = born?.get;
  if (getter === undefined || typeof now?.value !== 'function' || isOfProgram(now.value)) return false;
  return apply(includes, apply(functionText, getter, []), ['lazyLoadedValue']) as boolean;
}
