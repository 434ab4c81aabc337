// Handles: what belongs to the host or to a device and stands in the program's graph nevertheless, sockets, servers, streams, functions of
// native code, native promises. A capture that is told so leaves them behind: each is written as its class alone and comes back as a
// *dead handle*, one object in all its places, below the same prototype, of which every use is a `DeadDeviceError`. A native promise
// comes back as one that is rejected.
import { inspect, types } from 'node:util';
import { internals, type Realm } from '@turntable/core';
import type { Adapter, CodeAdapters, KnownObjects, Parts } from '@turntable/heap';
import { builtinEntry, DeadDeviceError } from '@turntable/loader';
import { KIND, type Beyond, type BeyondHandle } from '@turntable/boundary/membrane';
import type { DeviceMembers } from '@turntable/boundary';
import { memberLabels, membersAsContents, membersIn, type MembersOfClass } from './handle-members.ts';

/** What a state says of a handle. */
export interface HandleHead {
  readonly class: string;
  /** Where it was met, if it was dead already. */
  readonly path: string | null;
  /** Of a server: where it listened. */
  readonly listened: string | null;
  /** Beyond the membrane of a recorded thread: its number there, or the path of what is there in every process. */
  readonly beyond?: number | string;
  /** Of its kinds, if it has a number. */
  readonly kind?: number;
}

interface Handle {
  readonly class: string;
  readonly listened: string | null;
  path: string | undefined;
  /** As long as the state is put back with which it comes. */
  isComing: boolean;
}

/** Who knows of private members, and gives them. */
type Members = Pick<CodeAdapters, 'privates' | 'bear' | 'brand'>;

export interface HandleParts {
  readonly realm: Realm;
  readonly known: KnownObjects;
  readonly beyond: Beyond | undefined;
  /** What stands at a path in this process, as the program sees it. */
  staticAt(path: string): object | undefined;
}

/** Handles of one capture, or of one restore. */
export interface HandlePass {
  readonly adapters: readonly Adapter[];
  /** What has been met so far, by number. */
  heads(): HandleHead[];
  /** What of known objects stays behind, see `HeapPorts`. */
  readonly leaves: ((fn: () => unknown) => boolean) | undefined;
  /** Of the heap that it is part of. */
  members: Members | undefined;
}

export interface RestoredHandles extends HandlePass {
  /** Once everything has been read: answers what was left behind, with where it is. */
  finish(pathsTo: (objects: readonly object[]) => readonly (string | undefined)[]): readonly LeftBehind[];
}

export interface LeftBehind {
  readonly class: string;
  readonly path: string;
  readonly listened: string | null;
}

/** Begins the names of what devices' modules export. */
export const DEVICE = 'device ';

const OBJECT = 0;
const FUNCTION = 1;
const PROMISE = 2;
const { getPrototypeOf, getOwnPropertyDescriptor, has, setPrototypeOf } = Reflect;
const { isProxy, isPromise } = types;
/** Objects below these are data, whoever has made their class. */
const DATA: readonly object[] = [Error.prototype, Array.prototype];
const NativePromise = Promise;
const { promise: SAMPLE } = NativePromise.withResolvers<void>();
const nativePromises: object = getPrototypeOf(SAMPLE) as object;

export class Handles {
  readonly #known: KnownObjects;
  readonly #realm: Realm;
  /** Dead ones of this process. */
  readonly #dead = new WeakMap<object, Handle>();
  #hasDead = false;
  readonly #beyond: Beyond | undefined;
  readonly #staticAt: HandleParts['staticAt'];

  constructor({ realm, known, beyond, staticAt }: HandleParts) {
    this.#realm = realm;
    this.#known = known;
    this.#beyond = beyond;
    this.#staticAt = staticAt;
  }

  /** `leaving`: handles stay behind. Without it, only those are written that are dead already. */
  capture(leaving: boolean): HandlePass {
    const met: HandleHead[] = [];
    const numbers = new Map<object, number>();
    const parts = (value: object): Parts => {
      let number = numbers.get(value);
      if (number === undefined) numbers.set(value, (number = met.push(this.#headOf(value)) - 1));
      const kind = typeof value === 'function' ? FUNCTION : isPromiseHandle(value) ? PROMISE : OBJECT;
      if (kind !== OBJECT) return { kind, header: [number], contents: [], whole: true };
      const members = this.#membersOf(value, pass.members);
      const contents = [this.#prototypeFor(value), ...membersAsContents(members)];
      const label = (at: number): string => (at === 0 ? '.[[Prototype]]' : (memberLabels(members)[at - 1] ?? ''));
      return { kind, header: [number], contents, whole: true, label };
    };
    // What is beyond the membrane is not left behind where the program runs again.
    const isHandle = (value: object): boolean => this.#dead.has(value) || this.#handleBeyond(value) !== undefined;
    const rescue = (value: object): Parts | undefined => (leaving || isHandle(value) ? parts(value) : undefined);
    const [living, dead] = this.#adapters(
      () => undefined,
      () => undefined,
    );
    const pass: HandlePass = {
      adapters: [
        { ...living, claims: (prototype) => leaving && this.#hasDeviceClass(prototype), take: parts },
        {
          ...dead,
          take: (value) => (isHandle(value) ? parts(value) : undefined),
          // Asking for it costs a little.
          ...(leaving || this.#hasDead || this.#beyond !== undefined ? { rescue } : {}),
        },
      ],
      heads: () => [...met],
      leaves: leaving ? this.#isOfDevice : undefined,
      members: undefined,
    };
    return pass;
  }

  restore(heads: readonly HandleHead[]): RestoredHandles {
    const handles = heads.map(({ class: name, listened, path }): Handle => ({
      class: name,
      listened,
      path: path ?? undefined,
      isComing: true,
    }));
    /** Neither dead nor to be told of. */
    const revived = new Set<number>();
    const objects: object[] = [];
    const rejections: (() => void)[] = [];
    const make = (kind: number, number: unknown): object => {
      const handle = handles[number as number];
      if (handle === undefined) throw new TypeError('there is no such handle');
      const known = objects[number as number];
      if (known !== undefined) return known;
      const again = this.#revive(heads[number as number] as HandleHead);
      if (again !== undefined) {
        revived.add(number as number);
        return (objects[number as number] = again);
      }
      const object = kind === PROMISE ? lostPromise(handle, rejections) : deadHandle(handle, kind === FUNCTION);
      this.#dead.set(object, handle);
      this.#hasDead = true;
      return (objects[number as number] = object);
    };
    const pass: RestoredHandles = {
      adapters: this.#adapters(make, () => pass.members),
      heads: () => [...heads],
      leaves: undefined,
      members: undefined,
      finish(pathsTo) {
        const fresh = Object.keys(objects)
          .map(Number)
          .filter((number) => handles[number]?.path === undefined && !revived.has(number));
        const paths = fresh.length === 0 ? [] : pathsTo(fresh.map((number) => objects[number] as object));
        const left = fresh.map((number, i): LeftBehind => {
          const handle = handles[number] as Handle;
          handle.path = paths[i] ?? 'a handle';
          return { class: handle.class, path: handle.path, listened: handle.listened };
        });
        for (const handle of handles) handle.isComing = false;
        for (const reject of rejections) reject();
        return left;
      },
    };
    return pass;
  }

  /** What is there in every process, and in a run again what it asks the trace about. */
  #revive({ class: name, beyond, kind = 0 }: HandleHead): object | undefined {
    if (beyond === undefined) return undefined;
    if (typeof beyond === 'string') return this.#staticAt(beyond);
    return this.#beyond?.revive?.(beyond, kind, labelIn(name, kind));
  }

  /** Whether it is a function of a device: neither the program's nor one that is there in every process. */
  readonly #isOfDevice = (fn: () => unknown): boolean =>
    !isProxy(fn) && this.#known.nameOf(fn) === undefined && !this.#isOfProgram(fn);

  /** Whether what the function begins ends outside: it is a device's, or of a builtin that does more than compute. */
  isOutside(fn: unknown): boolean {
    if (typeof fn !== 'function' || isProxy(fn)) return false;
    const [, module, member = ''] = /^node:([\w/]+)\.(\w+)/.exec(this.#known.nameOf(fn) ?? '') ?? [];
    if (module === undefined) return this.#isOfDevice(fn as () => unknown);
    const entry = builtinEntry(module);
    return entry !== undefined && (entry.members?.[member] ?? entry.class) !== 'pure';
  }

  /** A dead function of that description, for what cannot be found here. */
  dead(name: string): object {
    const handle: Handle = { class: name, path: undefined, listened: null, isComing: false };
    const object = deadHandle(handle, true);
    this.#dead.set(object, handle);
    this.#hasDead = true;
    return object;
  }

  /** Of objects of devices' classes, and of all others. */
  #adapters(
    make: (kind: number, number: unknown) => object | undefined,
    members: () => Members | undefined,
  ): readonly [Adapter, Adapter] {
    const common: Omit<Adapter, 'asks'> = {
      name: 'handles',
      take: () => undefined,
      allocate(kind, header) {
        const object = kind > PROMISE ? undefined : make(kind, header[0]);
        if (object === undefined) throw new TypeError('a handle has a number');
        return object;
      },
      fill: (object, kind, contents) => {
        if (kind !== OBJECT) return undefined;
        const [prototype, ...rest] = contents;
        if (typeof prototype !== 'object' && typeof prototype !== 'function')
          throw new TypeError('a handle has a prototype');
        const target = targets.get(object);
        if (target !== undefined) setPrototypeOf(target, prototype);
        const its = members();
        return its === undefined || rest.length === 0 ? undefined : () => this.#giveMembers(object, rest, its);
      },
    };
    return [
      { ...common, asks: 'objects', native: true },
      { ...common, asks: 'proxies' },
    ];
  }

  #headOf(value: object): HandleHead {
    const dead = this.#dead.get(value);
    if (dead !== undefined) return { class: dead.class, path: dead.path ?? null, listened: dead.listened };
    const beyond = this.#handleBeyond(value);
    if (beyond !== undefined) {
      const { number, path, kind, label, native } = beyond;
      const name = typeof value === 'function' ? nameOfFunction(label) : label || NAMELESS;
      const listened = native === undefined ? null : listeningAt(native);
      return { class: name, path: null, listened, beyond: path ?? number, kind };
    }
    return { class: this.#className(value), path: null, listened: listeningAt(value) };
  }

  /** Of a declared device, which is written by its name. */
  declared(members: () => Members): DeviceMembers {
    return {
      membersOf: (handle) => membersAsContents(this.#membersOf(handle, members())),
      giveMembers: (handle, contents) => this.#giveMembers(handle, contents, members()),
    };
  }

  /** Of what stands beyond a membrane. */
  #membersOf(value: object, members: Members | undefined): MembersOfClass[] {
    const madeAs = this.#beyond?.handleAt(value)?.madeAs;
    const prototype: unknown = madeAs && !isProxy(madeAs) && getOwnPropertyDescriptor(madeAs, 'prototype')?.value;
    if (typeof prototype !== 'object' || prototype === null || members === undefined) return [];
    return members.privates(prototype).flatMap(({ owner, names = [], read }) => {
      const values = read(value);
      return values === undefined ? [] : [{ owner, names, values }];
    });
  }

  /** Nothing to what is dead: whatever is done to that throws. */
  #giveMembers(object: object, contents: readonly unknown[], members: Members): void {
    const handle = this.#beyond?.handleAt(object);
    if (handle === undefined) return;
    for (const { owner, values } of membersIn(contents)) {
      handle.madeAs = owner;
      if (isBorn(object, owner, members)) continue;
      members.bear(object, owner);
      members.brand(object, owner, values);
    }
  }

  #handleBeyond(value: object): BeyondHandle | undefined {
    const handle = this.#beyond?.handleAt(value) ?? this.#beyond?.handleBehind?.(value);
    return handle?.handMade === undefined ? handle : undefined;
  }

  /** Whether a class of native code that is nobody's here has made the objects below. */
  #hasDeviceClass(prototype: object | null): boolean {
    let found = false;
    for (let each = prototype; each !== null && !isProxy(each); each = getPrototypeOf(each)) {
      if (DATA.includes(each)) return false;
      const name = this.#known.nameOf(each);
      found ||= name === undefined ? this.#isNativeClass(each) : name.startsWith(DEVICE);
    }
    return found;
  }

  #isNativeClass(prototype: object): boolean {
    const type: unknown = getOwnPropertyDescriptor(prototype, 'constructor')?.value;
    if (typeof type !== 'function' || isProxy(type)) return false;
    if (getOwnPropertyDescriptor(type, 'prototype')?.value !== prototype) return false;
    return !this.#isOfProgram(type as () => void) && this.#known.nameOf(type) === undefined;
  }

  #isOfProgram(type: () => unknown): boolean {
    return this.#realm.classOf(type) !== undefined || internals.isOurs(type);
  }

  /** The nearest that there is where the program goes on. */
  #prototypeFor(value: object): object | null {
    const dead = targets.get(value);
    if (dead !== undefined) return getPrototypeOf(dead);
    if (isProxy(value)) return Object.prototype;
    for (let each = getPrototypeOf(value); each !== null && !isProxy(each); each = getPrototypeOf(each)) {
      if (this.#known.nameOf(each) !== undefined) return each;
      const type: unknown = getOwnPropertyDescriptor(each, 'constructor')?.value;
      if (typeof type === 'function' && !isProxy(type) && this.#isOfProgram(type as () => void)) return each;
    }
    return null;
  }

  #className(value: object): string {
    if (typeof value === 'function') {
      const name: unknown = isProxy(value) ? '' : getOwnPropertyDescriptor(value, 'name')?.value;
      return typeof name === 'string' && name !== '' ? `function ${name}` : 'function';
    }
    if (isProxy(value)) return 'Proxy';
    if (isPromiseHandle(value)) return 'native promise';
    for (let each = getPrototypeOf(value); each !== null && !isProxy(each); each = getPrototypeOf(each)) {
      const path = this.#known.nameOf(each);
      if (path?.startsWith('node:') === true && path.endsWith('.prototype') && !path.includes('[['))
        return shortName(path.slice('node:'.length, -'.prototype'.length));
      const type: unknown = getOwnPropertyDescriptor(each, 'constructor')?.value;
      const name: unknown =
        typeof type === 'function' && !isProxy(type) ? getOwnPropertyDescriptor(type, 'name')?.value : undefined;
      if (typeof name === 'string' && name !== '') return name;
    }
    return 'object';
  }
}

/** Another part of the state may have brought it. */
function isBorn(object: object, owner: object, members: Members): boolean {
  const { prototype } = owner as { readonly prototype: object };
  return members.privates(prototype).some((each) => each.owner === owner && each.has?.(object) === true);
}

/** What a handle is called that has no name. */
const NAMELESS = 'object';

function nameOfFunction(label: string): string {
  return `function ${label}`.trim();
}

/** Its label, from what it is called in a state. */
function labelIn(name: string, kind: number): string {
  if (kind === KIND.function || kind === KIND.method) return name.replace(/^function ?/, '');
  return name === NAMELESS ? '' : name;
}

/** Node calls `http.Server` by the file it is in. */
function shortName(path: string): string {
  return path.replace(/^_(http|tls|stream)_\w+\./, '$1.').replace(/^(?:internal|fs\/promises)[\w/]*\./, '');
}

function isPromiseHandle(value: object): boolean {
  return !isProxy(value) && isPromise(value) && isBelow(value, nativePromises);
}

function isBelow(value: object, prototype: object): boolean {
  for (let each = getPrototypeOf(value); each !== null && !isProxy(each); each = getPrototypeOf(each))
    if (each === prototype) return true;
  return false;
}

/** No method is asked: a program may have put its own in the place. */
function listeningAt(value: object): string | null {
  if (typeof value === 'function' || isProxy(value)) return null;
  const own = (key: string): unknown => getOwnPropertyDescriptor(value, key)?.value;
  if (own('_connectionKey') === undefined || own('_handle') === null || own('_handle') === undefined) return null;
  // `6::::0` says nothing of the port that was given; the handle does.
  const address: { port?: number } = {};
  const handle = own('_handle') as { getsockname?: (out: object) => number };
  if (typeof handle.getsockname === 'function') handle.getsockname(address);
  return address.port === undefined ? String(own('_pipeName') ?? 'a pipe') : `port ${address.port}`;
}

const targets = new WeakMap<object, object>();
/** What may be asked of everything, living or dead: by whoever looks at it, waits for it or prints it. */
const HARMLESS: readonly PropertyKey[] = [Symbol.hasInstance, inspect.custom, 'constructor'];
const VERBS = { get: 'asked for', set: 'set', delete: 'deleted', define: 'defined' } as const;

export function withArticle(name: string): string {
  const article = /^(?:[aeiou]|http|fs\b)/i.test(name) ? 'an' : 'a';
  return `${article} ${name}`;
}

function failure({ class: name, path }: Handle, use: string): DeadDeviceError {
  const what = name.startsWith('function') ? `the ${name}` : withArticle(name);
  return new DeadDeviceError(
    `${path ?? 'a handle'}: ${what} that stayed behind in the process that was captured (${use}); ` +
      'declare it, device(() => …), to have it made again, or make another where it is needed',
  );
}

function deadHandle(handle: Handle, isFunction: boolean): object {
  const text = `[dead ${handle.class}]`;
  const target: object = isFunction ? function (): void {} : {};
  Object.defineProperty(target, inspect.custom, {
    value: () => (handle.path === undefined ? text : `[dead ${handle.class}: ${handle.path}]`),
    configurable: true,
  });
  const fail = (use: string): never => {
    throw failure(handle, use);
  };
  const changed = (how: string, key: PropertyKey): never => fail(`${keyText(key)} was ${how}`);
  const proxy = new Proxy(target, {
    get(_, key) {
      if (HARMLESS.includes(key)) return Reflect.get(target, key);
      if (key === Symbol.toStringTag) return tagOf(target);
      if (key === Symbol.toPrimitive || key === 'toJSON') return () => text;
      if (isFunction && key === 'name') return handle.class.replace(/^function ?/, '');
      // A class is made again that extends it: what its prototype is below comes with the state.
      if (isFunction && key === 'prototype' && handle.isComing) return null;
      // A promise is asked for `then` by whoever resolves another with it, and so is everything else.
      if ((key === 'then' || typeof key === 'symbol') && !has(target, key)) return undefined;
      return changed(VERBS.get, key);
    },
    set: (_, key) => changed(VERBS.set, key),
    deleteProperty: (_, key) => changed(VERBS.delete, key),
    defineProperty: (_, key) => changed(VERBS.define, key),
    ownKeys: () => Reflect.ownKeys(target).filter((key) => !isConfigurable(target, key)),
    setPrototypeOf: () => fail('it was given another prototype'),
    preventExtensions: () => fail('it was frozen'),
    ...(isFunction ? { apply: () => fail('it was called'), construct: () => fail('it was called with new') } : {}),
  });
  targets.set(proxy, target);
  return proxy;
}

function isConfigurable(target: object, key: PropertyKey): boolean {
  return getOwnPropertyDescriptor(target, key)?.configurable === true;
}

/** Some of the host's answer only for what is really theirs. */
function tagOf(target: object): unknown {
  try {
    return Reflect.get(target, Symbol.toStringTag);
  } catch {
    return undefined;
  }
}

function keyText(key: PropertyKey): string {
  return typeof key === 'symbol' ? `[${String(key)}]` : `.${String(key)}`;
}

function lostPromise(handle: Handle, rejections: (() => void)[]): Promise<never> {
  const { promise, reject } = NativePromise.withResolvers<never>();
  // Whoever asks for the outcome is told; that nobody does is no failure.
  promise.catch(() => undefined);
  rejections.push(() => reject(failure(handle, 'its outcome was asked for')));
  return promise;
}
