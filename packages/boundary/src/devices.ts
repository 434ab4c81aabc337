// Declared devices: `device(make)` calls `make` and returns the host object that it creates. When a state is restored,
// `make` is called again, in the order of declaration and before any other program code. The restored program objects,
// `make` included, reference a placeholder: a proxy that forwards every operation to the new object. In the process
// that has declared it, a device is the host object itself, or its handle in a thread with a tape.
import { inspect, types } from 'node:util';
import { internals, isObject, type Realm } from '@turntable/core';
import type { KnownObjects } from '@turntable/heap';
import { LoaderError } from '@turntable/loader';
import type { HandleRegistry } from './membrane/membrane-state.ts';
import { isProgramFunction } from './membrane/program-functions.ts';

type DeviceFactory = () => unknown;

/** Part of a device's state that contains no program objects. */
export interface DeviceHead {
  /** Number of the declaration, counted across restores. */
  readonly id: number;
  readonly name: string;
  readonly isCallable: boolean;
  /** Events of the old object for which the program has listeners that `make` did not set. */
  readonly listeners: readonly string[];
  /** Number, kind and label of the handle, in recorded threads. A replay revives the handle and never calls `make`. */
  readonly handle?: readonly [number: number, kind: number, label: string];
}

/** Program objects in a device's state. */
export interface DeviceRoot {
  readonly factory: DeviceFactory;
  /** The promise that `device` has returned, while it is pending. */
  readonly promise: object | undefined;
  /** Private members that program classes have added to the handle, if any. */
  readonly members?: readonly unknown[];
}

/** Reads and restores private members of handles. */
export interface PrivateMemberStore {
  membersOf(handle: object): readonly unknown[];
  restoreMembers(handle: object, members: readonly unknown[]): void;
}

class DeviceDeclaration {
  readonly id: number;
  factory: DeviceFactory;
  readonly name: string | undefined;
  /** The host object; undefined while the promise for it is pending. */
  handle: object | undefined;
  /** The placeholder; undefined in the process that has declared the device, and where a handle has been revived. */
  placeholder: DevicePlaceholder | undefined;
  promise: object | undefined;
  isLost = false;
  ownListeners: ReadonlySet<unknown> = new Set();

  constructor(id: number, make: DeviceFactory, name: string | undefined) {
    this.id = id;
    this.factory = make;
    this.name = name;
  }
}

const { apply, getOwnPropertyDescriptor } = Reflect;
const { isPromise } = types;
const NativePromise = Promise;
const NAME_PREFIX = 'declared device ';

export class Devices {
  readonly #realm: Realm;
  readonly #handles: HandleRegistry | undefined;
  #declarations: DeviceDeclaration[] = [];
  #nextId = 1;
  #makeDepth = 0;

  /** @param handles membrane of the thread, if it has a tape */
  constructor(realm: Realm, handles: HandleRegistry | undefined) {
    this.#realm = realm;
    this.#handles = handles;
  }

  declare(factory: DeviceFactory, name: string | undefined): unknown {
    // Within `make`, a nested declaration belongs to the outer device.
    if (this.#makeDepth > 0) return factory();
    const declaration = new DeviceDeclaration(this.#nextId++, factory, name);
    const result = this.#make(factory);
    if (!this.#isPromise(result)) {
      if (!isObject(result)) {
        throw new LoaderError(
          'TT_DEVICE',
          `the function passed to device(…) returned ${String(result)}; return the device, or a promise of it`,
        );
      }
      this.#declarations.push(declaration);
      assignDevice(declaration, result);
      return result;
    }
    this.#declarations.push(declaration);
    const { eventuals } = this.#realm.parts.promise;
    const promise = eventuals.create();
    const { home } = this.#realm.current.context;
    declaration.promise = promise;
    // The reaction is native, because waiting for the host is not program state.
    NativePromise.resolve(result).then(
      (value: unknown) => {
        if (isObject(value)) assignDevice(declaration, value);
        this.#realm.jobs.enterFromNative(home);
        eventuals.resolve(promise, value);
      },
      (reason: unknown) => {
        declaration.isLost = true;
        this.#realm.jobs.enterFromNative(home);
        eventuals.reject(promise, reason);
      },
    );
    return promise;
  }

  read(known: KnownObjects, members?: PrivateMemberStore): { heads: DeviceHead[]; roots: DeviceRoot[] } {
    const live = this.#declarations.filter(({ isLost }) => !isLost);
    for (const { id, handle, placeholder } of live) {
      if (handle !== undefined) known.add(`${NAME_PREFIX}${id}`, handle, 'alone');
      if (placeholder !== undefined) known.add(`${NAME_PREFIX}${id}`, placeholder.proxy, 'alone');
    }
    return {
      heads: live.map((declaration) => deviceHeadOf(declaration, this.#handleRecordOf(declaration.handle))),
      roots: live.map(({ factory, promise, handle }) => {
        if (handle === undefined) return { factory, promise };
        const privateMembers = members?.membersOf(handle) ?? [];
        const root = { factory, promise: undefined };
        return privateMembers.length === 0 ? root : { ...root, members: privateMembers };
      }),
    };
  }

  #handleRecordOf(handle: object | undefined): DeviceHead['handle'] {
    const record = handle === undefined ? undefined : this.#handles?.handleFromProxy(handle);
    return record === undefined || record.number < 0 ? undefined : [record.number, record.kind, record.label];
  }

  /** Creates placeholders, or revives handles, for the devices of a state. Must be called before the state is read. */
  expect(known: KnownObjects, heads: readonly DeviceHead[]): void {
    this.#nextId = Math.max(0, ...heads.map(({ id }) => id)) + 1;
    this.#declarations = heads.map(({ id, name, isCallable, handle }) => {
      const revivedHandle = handle && this.#handles?.reviveProxy?.(...handle);
      const missingFactory = (): never => {
        throw new LoaderError(
          'TT_STATE',
          `the state is damaged: the factory of ${name} is missing; restore another snapshot`,
        );
      };
      const declaration = new DeviceDeclaration(id, missingFactory, name);
      declaration.handle = revivedHandle;
      if (revivedHandle === undefined) declaration.placeholder = new DevicePlaceholder(name, isCallable);
      const object = declaration.placeholder?.proxy ?? (revivedHandle as object);
      known.add(`${NAME_PREFIX}${id}`, object, 'alone');
      known.setAlias(`${NAME_PREFIX}${id}`, object);
      return declaration;
    });
  }

  async recreate(roots: readonly DeviceRoot[], members: PrivateMemberStore): Promise<void> {
    const declarations = this.#declarations;
    for (const [i, { factory, promise, members: privateMembers }] of roots.entries()) {
      const declaration = declarations[i];
      if (declaration === undefined || typeof factory !== 'function')
        throw new LoaderError(
          'TT_STATE',
          'the state is damaged: factories of its devices are missing; restore another snapshot',
        );
      declaration.factory = factory;
      declaration.promise = promise;
      if (declaration.handle !== undefined) {
        if (privateMembers !== undefined) members.restoreMembers(declaration.handle, privateMembers);
        continue;
      }
      let device: unknown;
      try {
        device = this.#make(factory);
        if (this.#isPromise(device)) device = await device;
      } catch (error) {
        throw new LoaderError(
          'TT_DEVICE',
          `${declaration.name ?? 'a device'} could not be created again, because its device(…) function failed: ${error instanceof Error ? error.message : String(error)}`,
          { cause: error },
        );
      }
      if (isObject(device)) assignDevice(declaration, device);
      if (promise !== undefined) this.#realm.parts.promise.eventuals.resolve(promise as never, device);
    }
  }

  #make(factory: DeviceFactory): unknown {
    this.#makeDepth++;
    try {
      return factory();
    } finally {
      this.#makeDepth--;
    }
  }

  #isPromise(value: unknown): value is PromiseLike<unknown> {
    return isPromise(value) || internals.read(this.#realm, value)?.kind === 'eventual';
  }
}

function assignDevice(declaration: DeviceDeclaration, device: object): void {
  declaration.handle = device;
  declaration.ownListeners = new Set(listenersOf(device).map(([, listener]) => listener));
  declaration.placeholder?.attachDevice(device);
}

function deviceHeadOf(declaration: DeviceDeclaration, handleRecord: DeviceHead['handle']): DeviceHead {
  const { id, name, handle, ownListeners, placeholder } = declaration;
  const isAdded = (listener: unknown): boolean => !ownListeners.has(listener) && isProgramFunction(listener);
  const addedListeners = listenersOf(handle).filter(([, listener]) => isAdded(listener));
  return {
    id,
    name: name ?? `device ${id}`,
    isCallable: typeof (handle ?? placeholder?.proxy) === 'function',
    listeners: [...new Set(addedListeners.map(([event]) => event))],
    ...(handleRecord === undefined ? {} : { handle: handleRecord }),
  };
}

/** Returns the listeners of an emitter without calling its methods, which may be recorded or the program's own. */
function listenersOf(handle: object | undefined): [event: string, listener: unknown][] {
  const events: unknown =
    handle === undefined || types.isProxy(handle) ? undefined : getOwnPropertyDescriptor(handle, '_events')?.value;
  if (!isObject(events) || types.isProxy(events)) return [];
  return Reflect.ownKeys(events).flatMap((event) => {
    const value: unknown = getOwnPropertyDescriptor(events, event)?.value;
    const list: readonly unknown[] = Array.isArray(value) ? value : [value];
    return list.map((entry): [string, unknown] => [String(event), unwrapOnceListener(entry)]);
  });
}

/** Returns the listener inside Node's wrapper for `once`, or the value itself if it is not such a wrapper. */
function unwrapOnceListener(listener: unknown): unknown {
  return isObject(listener) ? (getOwnPropertyDescriptor(listener, 'listener')?.value ?? listener) : listener;
}

/**
 * Represents a device until it is created again, and forwards to the device afterwards. Methods run with the device as
 * `this`, because native methods need its internal slots. A method that returns the device returns the placeholder.
 */
class DevicePlaceholder {
  readonly proxy: object;
  readonly #name: string;
  #device: object | undefined;
  readonly #methodProxies = new WeakMap<object, object>();

  constructor(name: string, callable: boolean) {
    this.#name = name;
    const stub: object = callable ? () => undefined : {};
    for (const key of Reflect.ownKeys(stub)) Reflect.deleteProperty(stub, key);
    Object.defineProperty(stub, inspect.custom, {
      value: (_: number, options: object, inspectValue: typeof inspect) =>
        this.#device === undefined ? `[${name}, not made yet]` : inspectValue(this.#device, options),
      configurable: true,
    });
    this.proxy = new Proxy(stub, this.#traps());
  }

  attachDevice(device: object): void {
    this.#device = device;
  }

  #requireDevice(): object {
    if (this.#device !== undefined) return this.#device;
    throw new LoaderError(
      'TT_DEVICE',
      `${this.#name} is used before it has been created again; declare devices in the order of their dependencies`,
    );
  }

  #traps(): ProxyHandler<object> {
    const unwrap = (value: unknown): unknown => (value === this.proxy ? this.#requireDevice() : value);
    const wrap = (value: unknown): unknown => (value === this.#device ? this.proxy : value);
    return {
      get: (_, key) => {
        const device = this.#requireDevice();
        const value: unknown = Reflect.get(device, key, device);
        return typeof value === 'function' && key !== 'constructor'
          ? this.#methodProxy(value, unwrap, wrap)
          : wrap(value);
      },
      set: (_, key, value) => Reflect.set(this.#requireDevice(), key, value),
      has: (_, key) => Reflect.has(this.#requireDevice(), key),
      deleteProperty: (_, key) => Reflect.deleteProperty(this.#requireDevice(), key),
      ownKeys: () => Reflect.ownKeys(this.#requireDevice()),
      getOwnPropertyDescriptor: (_, key) => {
        const descriptor = getOwnPropertyDescriptor(this.#requireDevice(), key);
        // The target lacks the property, so it must be reported as configurable.
        return descriptor === undefined ? undefined : { ...descriptor, configurable: true };
      },
      defineProperty: (_, key, descriptor) => Reflect.defineProperty(this.#requireDevice(), key, descriptor),
      getPrototypeOf: () => Reflect.getPrototypeOf(this.#requireDevice()),
      setPrototypeOf: (_, prototype) => Reflect.setPrototypeOf(this.#requireDevice(), prototype),
      preventExtensions: () => false,
      apply: (_, self, args: unknown[]) => wrap(apply(this.#requireDevice() as () => unknown, unwrap(self), args)),
    };
  }

  #methodProxy(method: object, unwrap: (value: unknown) => unknown, wrap: (value: unknown) => unknown): object {
    let proxy = this.#methodProxies.get(method);
    if (proxy === undefined) {
      proxy = new Proxy(method, {
        apply: (_, self, args: unknown[]) => wrap(apply(method as () => unknown, unwrap(self), args)),
      });
      this.#methodProxies.set(method, proxy);
    }
    return proxy;
  }
}
