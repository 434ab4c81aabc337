// Declared devices: `device(make)` says how something of outside is made, and answers it. Where a program goes on from a state, `make` is
// called again, in the order in which devices were declared and before anything else of the program runs; what it answers is what the
// old one was. There must be an object in all the old one's places before `make` can be called, for `make` belongs to the program and
// may lead to them: a *membrane*, which hands everything on to the new one. In the process that first made it, it is itself.
import { inspect, types } from 'node:util';
import { internals, isObject, type Realm } from '@turntable/core';
import type { KnownObjects } from '@turntable/heap';
import { LoaderError } from '@turntable/loader';
import type { HandleRegistry } from './membrane/membrane-state.ts';
import { isProgramFunction } from './membrane/program-functions.ts';

type DeviceFactory = () => unknown;

/** What a state says of a device. */
export interface DeviceHead {
  /** Counts declarations, from the first process on. */
  readonly id: number;
  readonly name: string;
  readonly isCallable: boolean;
  /** Events of the old one for which the program has listeners that `make` did not set. */
  readonly listeners: readonly string[];
  /** Beyond the membrane of a recorded thread: its number there, its kind and the name of its class. A run again has that handle, and makes nothing. */
  readonly handle?: readonly [number: number, kind: number, label: string];
}

/** The program's part of it. */
export interface DeviceRoot {
  readonly factory: DeviceFactory;
  /** What `device` has answered, if that is a promise that is still pending. */
  readonly promise: object | undefined;
  /** Of one beyond a membrane the private members that classes of the program's have put on it, if there are any. */
  readonly members?: readonly unknown[];
}

/** Who knows of private members on handles. */
export interface PrivateMemberStore {
  membersOf(handle: object): readonly unknown[];
  restoreMembers(handle: object, members: readonly unknown[]): void;
}

class DeviceDeclaration {
  readonly id: number;
  factory: DeviceFactory;
  readonly name: string | undefined;
  /** What it is now; nothing while its promise is pending. */
  handle: object | undefined;
  /** What stands for it in this process, if it was made elsewhere. */
  placeholder: DevicePlaceholder | undefined;
  promise: object | undefined;
  isLost = false;
  /** What `make` has set. */
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

  /** `beyond`: of a thread that is recorded, or runs again. */
  constructor(realm: Realm, handles: HandleRegistry | undefined) {
    this.#realm = realm;
    this.#handles = handles;
  }

  declare(factory: DeviceFactory, name: string | undefined): unknown {
    // Who is declared makes it again by itself.
    if (this.#makeDepth > 0) return factory();
    const declaration = new DeviceDeclaration(this.#nextId++, factory, name);
    const result = this.#make(factory);
    if (!this.#isPromise(result)) {
      if (!isObject(result)) {
        throw new LoaderError(
          'TT_DEVICE',
          `device(…) was given a function that answered ${String(result)}; let it answer what it has made, or a promise of it`,
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
    // Nothing of the program: what waits here waits outside.
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

  /** Devices as roots of a state, which calls them by names. */
  read(
    known: KnownObjects,
    members?: PrivateMemberStore,
  ): { readonly heads: DeviceHead[]; readonly roots: DeviceRoot[] } {
    const live = this.#declarations.filter(({ isLost }) => !isLost);
    for (const { id, handle, placeholder: membrane } of live) {
      if (handle !== undefined) known.add(`${NAME_PREFIX}${id}`, handle, 'alone');
      if (membrane !== undefined) known.add(`${NAME_PREFIX}${id}`, membrane.proxy, 'alone');
    }
    return {
      heads: live.map((declaration) => deviceHeadOf(declaration, this.#handleRecordOf(declaration.handle))),
      roots: live.map(({ factory: make, promise, handle }) => {
        if (handle === undefined) return { factory: make, promise };
        const privateMembers = members?.membersOf(handle) ?? [];
        return {
          factory: make,
          promise: undefined,
          ...(privateMembers.length === 0 ? {} : { members: privateMembers }),
        };
      }),
    };
  }

  #handleRecordOf(handle: object | undefined): DeviceHead['handle'] {
    const record = handle === undefined ? undefined : this.#handles?.handleFromProxy(handle);
    return record === undefined || record.number < 0 ? undefined : [record.number, record.kind, record.label];
  }

  /** Before a state is read that has these devices. */
  expect(known: KnownObjects, heads: readonly DeviceHead[]): void {
    this.#nextId = Math.max(0, ...heads.map(({ id }) => id)) + 1;
    this.#declarations = heads.map(({ id, name, isCallable: callable, handle: beyond }) => {
      const revivedHandle = beyond === undefined ? undefined : this.#handles?.reviveProxy?.(...beyond);
      const missingFactory = (): never => {
        throw new LoaderError('TT_STATE', `the state is damaged: it does not say how ${name} is made`);
      };
      const declaration = new DeviceDeclaration(id, missingFactory, name);
      declaration.handle = revivedHandle;
      if (revivedHandle === undefined) declaration.placeholder = new DevicePlaceholder(name, callable);
      const object = declaration.placeholder?.proxy ?? (revivedHandle as object);
      known.add(`${NAME_PREFIX}${id}`, object, 'alone');
      known.setAlias(`${NAME_PREFIX}${id}`, object);
      return declaration;
    });
  }

  /** Makes all devices of a state that has been read. */
  async recreate(roots: readonly DeviceRoot[], members: PrivateMemberStore): Promise<void> {
    const declarations = this.#declarations;
    for (const [i, { factory: make, promise, members: privateMembers }] of roots.entries()) {
      const declaration = declarations[i];
      if (declaration === undefined || typeof make !== 'function')
        throw new LoaderError('TT_STATE', 'the state is damaged: it does not say how its devices are made');
      declaration.factory = make;
      declaration.promise = promise;
      if (declaration.handle !== undefined) {
        if (privateMembers !== undefined) members.restoreMembers(declaration.handle, privateMembers);
        continue;
      }
      let device: unknown;
      try {
        device = this.#make(make);
        if (this.#isPromise(device)) device = await device;
      } catch (error) {
        throw new LoaderError(
          'TT_DEVICE',
          `${declaration.name ?? 'a device'} could not be made again: ${error instanceof Error ? error.message : String(error)}`,
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

function deviceHeadOf(
  { id, name, handle, ownListeners: listeners, placeholder: membrane }: DeviceDeclaration,
  handleRecord: DeviceHead['handle'],
): DeviceHead {
  const addedListeners = listenersOf(handle).filter(
    ([, listener]) => !listeners.has(listener) && isProgramFunction(listener),
  );
  return {
    id,
    name: name ?? `device ${id}`,
    isCallable: typeof (handle ?? membrane?.proxy) === 'function',
    listeners: [...new Set(addedListeners.map(([event]) => event))],
    ...(handleRecord === undefined ? {} : { handle: handleRecord }),
  };
}

/** Of an emitter; without asking it, for its methods may be the program's, or noted. */
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

/** Behind the function that Node puts around a listener for one time. */
function unwrapOnceListener(listener: unknown): unknown {
  return isObject(listener) ? (getOwnPropertyDescriptor(listener, 'listener')?.value ?? listener) : listener;
}

/**
 * Stands for a device from before it is made. Methods run with the device itself as `this`, for those of the host look for what is
 * hidden in it, and where they answer `this`, that is the membrane.
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
      `${this.#name} is used before it has been made again; declare devices in the order in which they need each other`,
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
        // The stub lacks it, so it must not be said to be there for ever.
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
