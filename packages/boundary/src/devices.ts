// Declared devices: `device(make)` says how something of outside is made, and answers it. Where a program goes on from a state, `make` is
// called again, in the order in which devices were declared and before anything else of the program runs; what it answers is what the
// old one was. There must be an object in all the old one's places before `make` can be called, for `make` belongs to the program and
// may lead to them: a *membrane*, which hands everything on to the new one. In the process that first made it, it is itself.
import { inspect, types } from 'node:util';
import { internals, isObject, type Realm } from '@turntable/core';
import type { KnownObjects } from '@turntable/heap';
import { LoaderError } from '@turntable/loader';
import type { Beyond } from './membrane/membrane-state.ts';
import { isOfProgram } from './membrane/of-program.ts';

type Make = () => unknown;

/** What a state says of a device. */
export interface DeviceHead {
  /** Counts declarations, from the first process on. */
  readonly id: number;
  readonly name: string;
  readonly callable: boolean;
  /** Events of the old one for which the program has listeners that `make` did not set. */
  readonly listeners: readonly string[];
  /** Beyond the membrane of a recorded thread: its number there, its kind and the name of its class. A run again has that handle, and makes nothing. */
  readonly beyond?: readonly [number: number, kind: number, label: string];
}

/** The program's part of it. */
export interface DeviceRoot {
  readonly make: Make;
  /** What `device` has answered, if that is a promise that is still pending. */
  readonly promise: object | undefined;
  /** Of one beyond a membrane the private members that classes of the program's have put on it, if there are any. */
  readonly members?: readonly unknown[];
}

/** Who knows of private members on handles. */
export interface DeviceMembers {
  membersOf(handle: object): readonly unknown[];
  giveMembers(handle: object, members: readonly unknown[]): void;
}

class Declaration {
  readonly id: number;
  make: Make;
  readonly name: string | undefined;
  /** What it is now; nothing while its promise is pending. */
  handle: object | undefined;
  /** What stands for it in this process, if it was made elsewhere. */
  membrane: Membrane | undefined;
  promise: object | undefined;
  isLost = false;
  /** What `make` has set. */
  listeners: ReadonlySet<unknown> = new Set();

  constructor(id: number, make: Make, name: string | undefined) {
    this.id = id;
    this.make = make;
    this.name = name;
  }
}

const { apply, getOwnPropertyDescriptor } = Reflect;
const { isPromise } = types;
const NativePromise = Promise;
const PREFIX = 'declared device ';

export class Devices {
  readonly #realm: Realm;
  readonly #beyond: Beyond | undefined;
  #declared: Declaration[] = [];
  #next = 1;
  #making = 0;

  /** `beyond`: of a thread that is recorded, or runs again. */
  constructor(realm: Realm, beyond: Beyond | undefined) {
    this.#realm = realm;
    this.#beyond = beyond;
  }

  declare(make: Make, name: string | undefined): unknown {
    // Who is declared makes it again by itself.
    if (this.#making > 0) return make();
    const declaration = new Declaration(this.#next++, make, name);
    const made = this.#make(make);
    if (!this.#isPromise(made)) {
      if (!isObject(made)) {
        throw new LoaderError(
          'TT_DEVICE',
          `device(…) was given a function that answered ${String(made)}; let it answer what it has made, or a promise of it`,
        );
      }
      this.#declared.push(declaration);
      settle(declaration, made);
      return made;
    }
    this.#declared.push(declaration);
    const { eventuals } = this.#realm.parts.promise;
    const promise = eventuals.create();
    const { home } = this.#realm.now.context;
    declaration.promise = promise;
    // Nothing of the program: what waits here waits outside.
    NativePromise.resolve(made).then(
      (handle: unknown) => {
        if (isObject(handle)) settle(declaration, handle);
        this.#realm.jobs.entering(home);
        eventuals.resolve(promise, handle);
      },
      (reason: unknown) => {
        declaration.isLost = true;
        this.#realm.jobs.entering(home);
        eventuals.reject(promise, reason);
      },
    );
    return promise;
  }

  /** Devices as roots of a state, which calls them by names. */
  read(known: KnownObjects, members?: DeviceMembers): { readonly heads: DeviceHead[]; readonly roots: DeviceRoot[] } {
    const living = this.#declared.filter(({ isLost }) => !isLost);
    for (const { id, handle, membrane } of living) {
      if (handle !== undefined) known.add(`${PREFIX}${id}`, handle, 'alone');
      if (membrane !== undefined) known.add(`${PREFIX}${id}`, membrane.object, 'alone');
    }
    return {
      heads: living.map((each) => headOf(each, this.#placeOf(each.handle))),
      roots: living.map(({ make, promise, handle }) => {
        if (handle === undefined) return { make, promise };
        const its = members?.membersOf(handle) ?? [];
        return { make, promise: undefined, ...(its.length === 0 ? {} : { members: its }) };
      }),
    };
  }

  #placeOf(handle: object | undefined): DeviceHead['beyond'] {
    const its = handle === undefined ? undefined : this.#beyond?.handleAt(handle);
    return its === undefined || its.number < 0 ? undefined : [its.number, its.kind, its.label];
  }

  /** Before a state is read that has these devices. */
  expect(known: KnownObjects, heads: readonly DeviceHead[]): void {
    this.#next = Math.max(0, ...heads.map(({ id }) => id)) + 1;
    this.#declared = heads.map(({ id, name, callable, beyond }) => {
      const revived = beyond === undefined ? undefined : this.#beyond?.revive?.(...beyond);
      const make = (): never => {
        throw new LoaderError('TT_STATE', `the state is damaged: it does not say how ${name} is made`);
      };
      const declaration = new Declaration(id, make, name);
      declaration.handle = revived;
      if (revived === undefined) declaration.membrane = new Membrane(name, callable);
      const object = declaration.membrane?.object ?? (revived as object);
      known.add(`${PREFIX}${id}`, object, 'alone');
      known.answer(`${PREFIX}${id}`, object);
      return declaration;
    });
  }

  /** Makes all devices of a state that has been read. */
  async makeAgain(roots: readonly DeviceRoot[], members: DeviceMembers): Promise<void> {
    const expected = this.#declared;
    for (const [i, { make, promise, members: its }] of roots.entries()) {
      const declaration = expected[i];
      if (declaration === undefined || typeof make !== 'function')
        throw new LoaderError('TT_STATE', 'the state is damaged: it does not say how its devices are made');
      declaration.make = make;
      declaration.promise = promise;
      if (declaration.handle !== undefined) {
        if (its !== undefined) members.giveMembers(declaration.handle, its);
        continue;
      }
      let made: unknown;
      try {
        made = this.#make(make);
        if (this.#isPromise(made)) made = await made;
      } catch (error) {
        throw new LoaderError(
          'TT_DEVICE',
          `${declaration.name ?? 'a device'} could not be made again: ${error instanceof Error ? error.message : String(error)}`,
          { cause: error },
        );
      }
      if (isObject(made)) settle(declaration, made);
      if (promise !== undefined) this.#realm.parts.promise.eventuals.resolve(promise as never, made);
    }
  }

  #make(make: Make): unknown {
    this.#making++;
    try {
      return make();
    } finally {
      this.#making--;
    }
  }

  #isPromise(value: unknown): value is PromiseLike<unknown> {
    return isPromise(value) || internals.read(this.#realm, value)?.kind === 'eventual';
  }
}

function settle(declaration: Declaration, handle: object): void {
  declaration.handle = handle;
  declaration.listeners = new Set(listenersOf(handle).map(([, listener]) => listener));
  declaration.membrane?.attach(handle);
}

function headOf({ id, name, handle, listeners, membrane }: Declaration, beyond: DeviceHead['beyond']): DeviceHead {
  const added = listenersOf(handle).filter(([, listener]) => !listeners.has(listener) && isOfProgram(listener));
  return {
    id,
    name: name ?? `device ${id}`,
    callable: typeof (handle ?? membrane?.object) === 'function',
    listeners: [...new Set(added.map(([event]) => event))],
    ...(beyond === undefined ? {} : { beyond }),
  };
}

/** Of an emitter; without asking it, for its methods may be the program's, or noted. */
function listenersOf(handle: object | undefined): [event: string, listener: unknown][] {
  const events: unknown =
    handle === undefined || types.isProxy(handle) ? undefined : getOwnPropertyDescriptor(handle, '_events')?.value;
  if (!isObject(events) || types.isProxy(events)) return [];
  return Reflect.ownKeys(events).flatMap((event) => {
    const found: unknown = getOwnPropertyDescriptor(events, event)?.value;
    const list: readonly unknown[] = Array.isArray(found) ? found : [found];
    return list.map((each): [string, unknown] => [String(event), originalOf(each)]);
  });
}

/** Behind the function that Node puts around a listener for one time. */
function originalOf(listener: unknown): unknown {
  return isObject(listener) ? (getOwnPropertyDescriptor(listener, 'listener')?.value ?? listener) : listener;
}

/**
 * Stands for a device from before it is made. Methods run with the device itself as `this`, for those of the host look for what is
 * hidden in it, and where they answer `this`, that is the membrane.
 */
class Membrane {
  readonly object: object;
  readonly #name: string;
  #device: object | undefined;
  readonly #methods = new WeakMap<object, object>();

  constructor(name: string, callable: boolean) {
    this.#name = name;
    const stub: object = callable ? () => undefined : {};
    for (const key of Reflect.ownKeys(stub)) Reflect.deleteProperty(stub, key);
    Object.defineProperty(stub, inspect.custom, {
      value: (_: number, options: object, show: typeof inspect) =>
        this.#device === undefined ? `[${name}, not made yet]` : show(this.#device, options),
      configurable: true,
    });
    this.object = new Proxy(stub, this.#traps());
  }

  attach(device: object): void {
    this.#device = device;
  }

  #now(): object {
    if (this.#device !== undefined) return this.#device;
    throw new LoaderError(
      'TT_DEVICE',
      `${this.#name} is used before it has been made again; declare devices in the order in which they need each other`,
    );
  }

  #traps(): ProxyHandler<object> {
    const own = (value: unknown): unknown => (value === this.object ? this.#now() : value);
    const shown = (value: unknown): unknown => (value === this.#device ? this.object : value);
    return {
      get: (_, key) => {
        const device = this.#now();
        const value: unknown = Reflect.get(device, key, device);
        return typeof value === 'function' && key !== 'constructor' ? this.#method(value, own, shown) : shown(value);
      },
      set: (_, key, value) => Reflect.set(this.#now(), key, value),
      has: (_, key) => Reflect.has(this.#now(), key),
      deleteProperty: (_, key) => Reflect.deleteProperty(this.#now(), key),
      ownKeys: () => Reflect.ownKeys(this.#now()),
      getOwnPropertyDescriptor: (_, key) => {
        const found = getOwnPropertyDescriptor(this.#now(), key);
        // The stub lacks it, so it must not be said to be there for ever.
        return found === undefined ? undefined : { ...found, configurable: true };
      },
      defineProperty: (_, key, descriptor) => Reflect.defineProperty(this.#now(), key, descriptor),
      getPrototypeOf: () => Reflect.getPrototypeOf(this.#now()),
      setPrototypeOf: (_, prototype) => Reflect.setPrototypeOf(this.#now(), prototype),
      preventExtensions: () => false,
      apply: (_, self, args: unknown[]) => shown(apply(this.#now() as () => unknown, own(self), args)),
    };
  }

  #method(method: object, own: (value: unknown) => unknown, shown: (value: unknown) => unknown): object {
    let known = this.#methods.get(method);
    if (known === undefined) {
      known = new Proxy(method, {
        apply: (_, self, args: unknown[]) => shown(apply(method as () => unknown, own(self), args)),
      });
      this.#methods.set(method, known);
    }
    return known;
  }
}
