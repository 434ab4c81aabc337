// Handles: objects of the host or of a device in the program's graph, such as sockets, servers, streams, native
// functions and native promises. A capture that leaves them behind writes only their class. They come back as *dead
// handles*: one object in all places, with the same prototype, whose every use throws a `DeadDeviceError`. A native
// promise comes back rejected.
import { inspect, types } from 'node:util';
import { internals, type Realm } from '@turntable/core';
import type { ObjectAdapter, CodeAdapters, KnownObjects, ObjectParts } from '@turntable/heap';
import { builtinEntry, DeadDeviceError } from '@turntable/loader';
import { HANDLE_KIND, type HandleRegistry, type HandleRecord } from '@turntable/boundary/membrane';
import type { PrivateMemberStore } from '@turntable/boundary';
import { memberLabels, encodeMembers, decodeMembers, type ClassPrivateMembers } from './handle-members.ts';

/** The entry of a handle in a state's head. */
export interface HandleHead {
  readonly class: string;
  /** The path at which a handle that is dead already was first found; null for a live handle. */
  readonly path: string | null;
  /** The address at which a server listens; null for other handles. */
  readonly listenAddress: string | null;
  /** In a recorded thread: the number of the handle in the membrane, or the path of a static host object. */
  readonly membraneHandle?: number | string;
  /** The membrane's kind of a numbered handle. */
  readonly kind?: number;
}

interface DeadHandle {
  readonly class: string;
  readonly listenAddress: string | null;
  path: string | undefined;
  /** Whether the state that contains the handle is being restored. */
  isRestoring: boolean;
}

/** Reads and writes private members. */
type PrivateMemberAccess = Pick<CodeAdapters, 'privateMembersOf' | 'stampExisting' | 'setPrivateFields'>;

export interface HandleCapturerDeps {
  readonly realm: Realm;
  readonly known: KnownObjects;
  readonly registry: HandleRegistry | undefined;
  /** The static host object at a path, as the program sees it. */
  staticObjectAt(path: string): object | undefined;
}

/** The handles of one capture or restore. */
export interface HandlePass {
  readonly adapters: readonly ObjectAdapter[];
  /** The handles found so far; the index is the number. */
  heads(): HandleHead[];
  /** Decides which functions of known objects are omitted, see `HeapPorts`; undefined if none are. */
  readonly isOmitted: ((fn: () => unknown) => boolean) | undefined;
  /** Access to private members of program classes. Set when the heap of this pass is created. */
  memberAccess: PrivateMemberAccess | undefined;
}

export interface RestoredHandles extends HandlePass {
  /** Returns the handles left behind, with their paths. Must be called after everything has been read. */
  finish(pathsTo: (objects: readonly object[]) => readonly (string | undefined)[]): readonly AbandonedHandle[];
}

export interface AbandonedHandle {
  readonly class: string;
  readonly path: string;
  readonly listenAddress: string | null;
}

/** Prefix of the names of devices' exports in a state. */
export const DEVICE_PREFIX = 'device ';

const OBJECT_HANDLE = 0;
const FUNCTION_HANDLE = 1;
const PROMISE_HANDLE = 2;
const { getPrototypeOf, getOwnPropertyDescriptor, has, setPrototypeOf } = Reflect;
const { isProxy, isPromise } = types;
/** Prototypes of data: an object that inherits from one is no handle, even if a device's class created it. */
const DATA_PROTOTYPES: readonly object[] = [Error.prototype, Array.prototype];
const NativePromise = Promise;
const { promise: SAMPLE_PROMISE } = NativePromise.withResolvers<void>();
const nativePromisePrototype: object = getPrototypeOf(SAMPLE_PROMISE) as object;

export class HandleCapturer {
  readonly #known: KnownObjects;
  readonly #realm: Realm;
  /** The dead handles of this process. */
  readonly #deadHandles = new WeakMap<object, DeadHandle>();
  #hasDeadHandles = false;
  readonly #registry: HandleRegistry | undefined;
  readonly #staticObjectAt: HandleCapturerDeps['staticObjectAt'];

  constructor({ realm, known, registry: registered, staticObjectAt: staticAt }: HandleCapturerDeps) {
    this.#realm = realm;
    this.#known = known;
    this.#registry = registered;
    this.#staticObjectAt = staticAt;
  }

  /** @param leavesHandles whether live handles are left behind; otherwise only dead handles are written */
  capture(leavesHandles: boolean): HandlePass {
    const heads: HandleHead[] = [];
    const numbers = new Map<object, number>();
    const takeApart = (value: object): ObjectParts => {
      let number = numbers.get(value);
      if (number === undefined) numbers.set(value, (number = heads.push(this.#headOf(value)) - 1));
      const kind =
        typeof value === 'function' ? FUNCTION_HANDLE : isHostPromise(value) ? PROMISE_HANDLE : OBJECT_HANDLE;
      if (kind !== OBJECT_HANDLE) return { kind, header: [number], contents: [], isComplete: true };
      const memberAccess = this.#privateMembersOf(value, pass.memberAccess);
      const contents = [this.#nearestPrototype(value), ...encodeMembers(memberAccess)];
      const label = (index: number): string =>
        index === 0 ? '.[[Prototype]]' : (memberLabels(memberAccess)[index - 1] ?? '');
      return { kind, header: [number], contents, isComplete: true, label };
    };
    // A replay's membrane provides registered handles again, so they are written even if no handles are left behind.
    const isHandle = (value: object): boolean =>
      this.#deadHandles.has(value) || this.#registeredHandle(value) !== undefined;
    const substituteFor = (value: object): ObjectParts | undefined =>
      leavesHandles || isHandle(value) ? takeApart(value) : undefined;
    const [deviceAdapter, deadHandle] = this.#createAdapters(
      () => undefined,
      () => undefined,
    );
    const pass: HandlePass = {
      adapters: [
        {
          ...deviceAdapter,
          matchesPrototype: (prototype) => leavesHandles && this.#hasDeviceClass(prototype),
          takeApart,
        },
        {
          ...deadHandle,
          takeApart: (value) => (isHandle(value) ? takeApart(value) : undefined),
          // This check has a cost, so it is omitted if no handle can be found.
          ...(leavesHandles || this.#hasDeadHandles || this.#registry !== undefined ? { substituteFor } : {}),
        },
      ],
      heads: () => [...heads],
      isOmitted: leavesHandles ? this.#isDeviceFunction : undefined,
      memberAccess: undefined,
    };
    return pass;
  }

  restore(heads: readonly HandleHead[]): RestoredHandles {
    const handles = heads.map(({ class: name, listenAddress, path }): DeadHandle => ({
      class: name,
      listenAddress,
      path: path ?? undefined,
      isRestoring: true,
    }));
    /** Numbers of handles that exist again, so that they are neither dead nor reported. */
    const revivedNumbers = new Set<number>();
    const objects: object[] = [];
    const rejections: (() => void)[] = [];
    const create = (kind: number, number: unknown): object => {
      const handle = handles[number as number];
      if (handle === undefined) throw new TypeError('unknown handle');
      const known = objects[number as number];
      if (known !== undefined) return known;
      const restoredHandle = this.#revive(heads[number as number] as HandleHead);
      if (restoredHandle !== undefined) {
        revivedNumbers.add(number as number);
        return (objects[number as number] = restoredHandle);
      }
      const object =
        kind === PROMISE_HANDLE
          ? createLostPromise(handle, rejections)
          : createDeadHandle(handle, kind === FUNCTION_HANDLE);
      this.#deadHandles.set(object, handle);
      this.#hasDeadHandles = true;
      return (objects[number as number] = object);
    };
    const pass: RestoredHandles = {
      adapters: this.#createAdapters(create, () => pass.memberAccess),
      heads: () => [...heads],
      isOmitted: undefined,
      memberAccess: undefined,
      finish(pathsTo) {
        const newlyDead = Object.keys(objects)
          .map(Number)
          .filter((number) => handles[number]?.path === undefined && !revivedNumbers.has(number));
        const paths = newlyDead.length === 0 ? [] : pathsTo(newlyDead.map((number) => objects[number] as object));
        const abandoned = newlyDead.map((number, i): AbandonedHandle => {
          const handle = handles[number] as DeadHandle;
          handle.path = paths[i] ?? 'a handle';
          return { class: handle.class, path: handle.path, listenAddress: handle.listenAddress };
        });
        for (const handle of handles) handle.isRestoring = false;
        for (const reject of rejections) reject();
        return abandoned;
      },
    };
    return pass;
  }

  /** Returns a static host object, or in a replay a handle of the membrane; undefined if neither exists. */
  #revive({ class: name, membraneHandle: registered, kind = 0 }: HandleHead): object | undefined {
    if (registered === undefined) return undefined;
    if (typeof registered === 'string') return this.#staticObjectAt(registered);
    return this.#registry?.reviveProxy?.(registered, kind, labelOf(name, kind));
  }

  /** Whether a function is a device's: neither the program's nor one of the host that has a name. */
  readonly #isDeviceFunction = (fn: () => unknown): boolean =>
    !isProxy(fn) && this.#known.nameOf(fn) === undefined && !this.#isProgramClass(fn);

  /**
   * Whether calling a function starts work of the host: a function of a device, or of a builtin that does more than
   * compute.
   */
  startsHostOperation(fn: unknown): boolean {
    if (typeof fn !== 'function' || isProxy(fn)) return false;
    const [, module, member = ''] = /^node:([\w/]+)\.(\w+)/.exec(this.#known.nameOf(fn) ?? '') ?? [];
    if (module === undefined) return this.#isDeviceFunction(fn as () => unknown);
    const entry = builtinEntry(module);
    return entry !== undefined && (entry.members?.[member] ?? entry.class) !== 'pure';
  }

  /** Creates a dead function in place of a function that cannot be found in this process. */
  createDeadFunction(name: string): object {
    const handle: DeadHandle = { class: name, path: undefined, listenAddress: null, isRestoring: false };
    const object = createDeadHandle(handle, true);
    this.#deadHandles.set(object, handle);
    this.#hasDeadHandles = true;
    return object;
  }

  /** Creates the adapters of objects of devices' classes, and of all other handles. */
  #createAdapters(
    create: (kind: number, number: unknown) => object | undefined,
    getMemberAccess: () => PrivateMemberAccess | undefined,
  ): readonly [ObjectAdapter, ObjectAdapter] {
    const common: Omit<ObjectAdapter, 'appliesTo'> = {
      name: 'handles',
      takeApart: () => undefined,
      allocate(kind, header) {
        const object = kind > PROMISE_HANDLE ? undefined : create(kind, header[0]);
        if (object === undefined) throw new TypeError('expected the number of a handle');
        return object;
      },
      fill: (object, kind, contents) => {
        if (kind !== OBJECT_HANDLE) return undefined;
        const [prototype, ...memberContents] = contents;
        if (typeof prototype !== 'object' && typeof prototype !== 'function')
          throw new TypeError('expected the prototype of a handle');
        const target = deadTargets.get(object);
        if (target !== undefined) setPrototypeOf(target, prototype);
        const memberAccess = getMemberAccess();
        return memberAccess === undefined || memberContents.length === 0
          ? undefined
          : () => this.#restoreMembers(object, memberContents, memberAccess);
      },
    };
    return [
      { ...common, appliesTo: 'objects', isNative: true },
      { ...common, appliesTo: 'proxies' },
    ];
  }

  #headOf(value: object): HandleHead {
    const deadHandle = this.#deadHandles.get(value);
    if (deadHandle !== undefined)
      return { class: deadHandle.class, path: deadHandle.path ?? null, listenAddress: deadHandle.listenAddress };
    const registered = this.#registeredHandle(value);
    if (registered !== undefined) {
      const { number, path, kind, label, hostObject } = registered;
      const name = typeof value === 'function' ? functionName(label) : label || UNNAMED_OBJECT;
      const listenAddress = hostObject === undefined ? null : listenAddressOf(hostObject);
      return { class: name, path: null, listenAddress, membraneHandle: path ?? number, kind };
    }
    return { class: this.#className(value), path: null, listenAddress: listenAddressOf(value) };
  }

  /** Creates access to the private members of declared devices, which are written by name. */
  createMemberStore(getMemberAccess: () => PrivateMemberAccess): PrivateMemberStore {
    return {
      membersOf: (handle) => encodeMembers(this.#privateMembersOf(handle, getMemberAccess())),
      restoreMembers: (handle, contents) => this.#restoreMembers(handle, contents, getMemberAccess()),
    };
  }

  /** Private members of a handle beyond a membrane. */
  #privateMembersOf(value: object, memberAccess: PrivateMemberAccess | undefined): ClassPrivateMembers[] {
    const programClass = this.#registry?.handleFromProxy(value)?.programClass;
    const prototype: unknown =
      programClass && !isProxy(programClass) && getOwnPropertyDescriptor(programClass, 'prototype')?.value;
    if (typeof prototype !== 'object' || prototype === null || memberAccess === undefined) return [];
    return memberAccess.privateMembersOf(prototype).flatMap(({ owner, names = [], read }) => {
      const values = read(value);
      return values === undefined ? [] : [{ owner, names, values }];
    });
  }

  /** Restores private members. Dead handles get none, because any access to them throws. */
  #restoreMembers(object: object, contents: readonly unknown[], memberAccess: PrivateMemberAccess): void {
    const handle = this.#registry?.handleFromProxy(object);
    if (handle === undefined) return;
    for (const { owner, values } of decodeMembers(contents)) {
      handle.programClass = owner;
      if (hasPrivateMembers(object, owner, memberAccess)) continue;
      memberAccess.stampExisting(object, owner);
      memberAccess.setPrivateFields(object, owner, values);
    }
  }

  #registeredHandle(value: object): HandleRecord | undefined {
    const handle = this.#registry?.handleFromProxy(value) ?? this.#registry?.handleFromHostObject?.(value);
    return handle?.surrogateKind === undefined ? handle : undefined;
  }

  /**
   * Whether the prototype chain contains a device's class, by name or as a native class without a name. False for data.
   */
  #hasDeviceClass(prototype: object | null): boolean {
    let found = false;
    for (let current = prototype; current !== null && !isProxy(current); current = getPrototypeOf(current)) {
      if (DATA_PROTOTYPES.includes(current)) return false;
      const name = this.#known.nameOf(current);
      found ||= name === undefined ? this.#isNativeClass(current) : name.startsWith(DEVICE_PREFIX);
    }
    return found;
  }

  #isNativeClass(prototype: object): boolean {
    const type: unknown = getOwnPropertyDescriptor(prototype, 'constructor')?.value;
    if (typeof type !== 'function' || isProxy(type)) return false;
    if (getOwnPropertyDescriptor(type, 'prototype')?.value !== prototype) return false;
    return !this.#isProgramClass(type as () => void) && this.#known.nameOf(type) === undefined;
  }

  #isProgramClass(type: () => unknown): boolean {
    return this.#realm.classOf(type) !== undefined || internals.isCapturable(type);
  }

  /** The nearest prototype that exists after a restore. */
  #nearestPrototype(value: object): object | null {
    const deadHandle = deadTargets.get(value);
    if (deadHandle !== undefined) return getPrototypeOf(deadHandle);
    if (isProxy(value)) return Object.prototype;
    for (
      let current = getPrototypeOf(value);
      current !== null && !isProxy(current);
      current = getPrototypeOf(current)
    ) {
      if (this.#known.nameOf(current) !== undefined) return current;
      const type: unknown = getOwnPropertyDescriptor(current, 'constructor')?.value;
      if (typeof type === 'function' && !isProxy(type) && this.#isProgramClass(type as () => void)) return current;
    }
    return null;
  }

  #className(value: object): string {
    if (typeof value === 'function') {
      const name: unknown = isProxy(value) ? '' : getOwnPropertyDescriptor(value, 'name')?.value;
      return typeof name === 'string' && name !== '' ? `function ${name}` : 'function';
    }
    if (isProxy(value)) return 'Proxy';
    if (isHostPromise(value)) return 'native promise';
    for (
      let current = getPrototypeOf(value);
      current !== null && !isProxy(current);
      current = getPrototypeOf(current)
    ) {
      const path = this.#known.nameOf(current);
      if (path?.startsWith('node:') === true && path.endsWith('.prototype') && !path.includes('[['))
        return shortName(path.slice('node:'.length, -'.prototype'.length));
      const type: unknown = getOwnPropertyDescriptor(current, 'constructor')?.value;
      const name: unknown =
        typeof type === 'function' && !isProxy(type) ? getOwnPropertyDescriptor(type, 'name')?.value : undefined;
      if (typeof name === 'string' && name !== '') return name;
    }
    return 'object';
  }
}

/** Whether an object has the private members of a class: another part of the state may have restored them already. */
function hasPrivateMembers(object: object, owner: object, members: PrivateMemberAccess): boolean {
  const { prototype } = owner as { readonly prototype: object };
  return members.privateMembersOf(prototype).some((each) => each.owner === owner && each.has?.(object) === true);
}

/** The label of a handle without a name. */
const UNNAMED_OBJECT = 'object';

function functionName(label: string): string {
  return `function ${label}`.trim();
}

/** The label of a handle, from its name in a state. */
function labelOf(name: string, kind: number): string {
  if (kind === HANDLE_KIND.function || kind === HANDLE_KIND.method) return name.replace(/^function ?/, '');
  return name === UNNAMED_OBJECT ? '' : name;
}

/** The public name of a class: Node names `http.Server` after its internal file. */
function shortName(path: string): string {
  return path.replace(/^_(http|tls|stream)_\w+\./, '$1.').replace(/^(?:internal|fs\/promises)[\w/]*\./, '');
}

function isHostPromise(value: object): boolean {
  return !isProxy(value) && isPromise(value) && inheritsFrom(value, nativePromisePrototype);
}

function inheritsFrom(value: object, prototype: object): boolean {
  for (let each = getPrototypeOf(value); each !== null && !isProxy(each); each = getPrototypeOf(each))
    if (each === prototype) return true;
  return false;
}

/** The address at which a server listens, else null. Calls no methods, since the program may have replaced them. */
function listenAddressOf(value: object): string | null {
  if (typeof value === 'function' || isProxy(value)) return null;
  const readOwn = (key: string): unknown => getOwnPropertyDescriptor(value, key)?.value;
  if (readOwn('_connectionKey') === undefined || readOwn('_handle') === null || readOwn('_handle') === undefined)
    return null;
  // `6::::0` lacks the assigned port; the native handle has it.
  const address: { port?: number } = {};
  const handle = readOwn('_handle') as { getsockname?: (out: object) => number };
  if (typeof handle.getsockname === 'function') handle.getsockname(address);
  return address.port === undefined ? String(readOwn('_pipeName') ?? 'a pipe') : `port ${address.port}`;
}

const deadTargets = new WeakMap<object, object>();
/** Properties that may be read on anything, dead or not: by inspection, `await` and printing. */
const HARMLESS_KEYS: readonly PropertyKey[] = [Symbol.hasInstance, inspect.custom, 'constructor'];
const ACCESS_VERBS = { get: 'accessed', set: 'set', delete: 'deleted', define: 'defined' } as const;

export function withArticle(name: string): string {
  const article = /^(?:[aeiou]|http|fs\b)/i.test(name) ? 'an' : 'a';
  return `${article} ${name}`;
}

function deadHandleError({ class: name, path }: DeadHandle, action: string): DeadDeviceError {
  const subject = name.startsWith('function') ? `the ${name}` : withArticle(name);
  return new DeadDeviceError(
    `${path ?? 'a handle'}: ${subject} of the captured process, which was not restored (${action}); ` +
      'create it in device(() => …), which a restore calls again, or create another one where it is needed',
  );
}

function createDeadHandle(handle: DeadHandle, isFunction: boolean): object {
  const text = `[dead ${handle.class}]`;
  const target: object = isFunction ? function (): void {} : {};
  Object.defineProperty(target, inspect.custom, {
    value: () => (handle.path === undefined ? text : `[dead ${handle.class}: ${handle.path}]`),
    configurable: true,
  });
  const failWith = (action: string): never => {
    throw deadHandleError(handle, action);
  };
  const failAccess = (verb: string, key: PropertyKey): never => failWith(`${formatKey(key)} was ${verb}`);
  const proxy = new Proxy(target, {
    get(_, key) {
      if (HARMLESS_KEYS.includes(key)) return Reflect.get(target, key);
      if (key === Symbol.toStringTag) return stringTagOf(target);
      if (key === Symbol.toPrimitive || key === 'toJSON') return () => text;
      if (isFunction && key === 'name') return handle.class.replace(/^function ?/, '');
      // A class that extends the handle is being restored; its prototype chain comes from the state.
      if (isFunction && key === 'prototype' && handle.isRestoring) return null;
      // Resolving a promise reads `then` of any value.
      if ((key === 'then' || typeof key === 'symbol') && !has(target, key)) return undefined;
      return failAccess(ACCESS_VERBS.get, key);
    },
    set: (_, key) => failAccess(ACCESS_VERBS.set, key),
    deleteProperty: (_, key) => failAccess(ACCESS_VERBS.delete, key),
    defineProperty: (_, key) => failAccess(ACCESS_VERBS.define, key),
    ownKeys: () => Reflect.ownKeys(target).filter((key) => !isConfigurable(target, key)),
    setPrototypeOf: () => failWith('it was given another prototype'),
    preventExtensions: () => failWith('it was frozen'),
    ...(isFunction
      ? { apply: () => failWith('it was called'), construct: () => failWith('it was called with new') }
      : {}),
  });
  deadTargets.set(proxy, target);
  return proxy;
}

function isConfigurable(target: object, key: PropertyKey): boolean {
  return getOwnPropertyDescriptor(target, key)?.configurable === true;
}

/** Reads the tag; undefined if the getter throws, as some getters of the host do for foreign objects. */
function stringTagOf(target: object): unknown {
  try {
    return Reflect.get(target, Symbol.toStringTag);
  } catch {
    return undefined;
  }
}

function formatKey(key: PropertyKey): string {
  return typeof key === 'symbol' ? `[${String(key)}]` : `.${String(key)}`;
}

function createLostPromise(handle: DeadHandle, rejections: (() => void)[]): Promise<never> {
  const { promise, reject } = NativePromise.withResolvers<never>();
  // Code that awaits the promise gets the error; otherwise it is no failure.
  promise.catch(() => undefined);
  rejections.push(() => reject(deadHandleError(handle, 'its result was requested')));
  return promise;
}
