// `WeakRef` and `FinalizationRegistry` of transformed code. Their objects are the engine's own, with what capture must know
// stamped on them, and the prototypes are the engine's: nothing of the program or of a device can tell. What the collector does
// is an input like the clock's time, so there is one place each where it reaches the program: `observer.dereferenced` for what
// `deref()` answers, `observer.finalized` for a callback. Objects that devices make are left alone.
// (`WeakMap` and `WeakSet` need nothing: no program can see the collector in them, and capture asks the engine for the keys.)

import { CoreError } from './core-error.ts';
import {
  NativeTypeError,
  apply,
  construct,
  defineMethod,
  definePrototype,
  defineProperty,
  getOwnPropertyDescriptor,
  is,
  isObject,
  newTargetBelow,
} from './intrinsics.ts';
import { brands } from './show.ts';
import { Stamp } from './stamp.ts';
import { journal } from './undo/journal.ts';
import type { Context } from './frame.ts';
import type { Host } from './host.ts';
import type { Now } from './jobs.ts';

const NativeWeakRef = WeakRef;
const NativeRegistry = FinalizationRegistry;
const { deref } = WeakRef.prototype;
const { register, unregister } = FinalizationRegistry.prototype;
const weakMap = WeakMap.prototype as WeakMap<WeakKey, Registration[]>;
const { get, set } = weakMap;
const dropKey = weakMap.delete;
const { keyFor } = Symbol;
const live = Set.prototype as Set<Registration>;
const { add, forEach, has } = live;
const remove = live.delete;
const size = getOwnPropertyDescriptor(Set.prototype, 'size')?.get as () => number;

const entries = Map.prototype as Map<unknown, unknown>;
const { get: getEntry, set: setEntry, delete: dropEntry } = entries;

type Cleanup = (holdings: unknown) => unknown;

/** Where the collector's doing becomes an input of the program. Nothing is set: it passes. */
export interface WeakObserver {
  /** Is told of each reference that the program makes. */
  made: ((ref: object, target: unknown) => void) | undefined;
  /** Answers what `deref()` is to answer. */
  dereferenced: ((ref: object, target: unknown) => unknown) | undefined;
  /** Runs the callback for a registration, by its number, when it is to run. */
  finalized: ((number: number, callback: () => void) => void) | undefined;
  /** Registered targets live until `finalize` says otherwise: the collector calls nothing back. */
  holds: boolean;
  /** So many were registered. */
  registered: number;
}

/** What the realm's two constructors share. */
interface Realm {
  readonly now: Now;
  readonly observer: WeakObserver;
  /** By their numbers, what is held until it is finalized. */
  readonly waiting: Map<number, Held>;
}

interface Held {
  readonly state: RegistryState;
  readonly registration: Registration;
  readonly target: WeakKey;
}

class OwnWeakRef extends Stamp {
  #realm: Realm;
  /** Its target is not to be had any more, whatever the engine has: it was dead when this was made again, or was found to be. */
  #isDead: boolean;
  constructor(ref: object, realm: Realm, isDead: boolean) {
    super(ref);
    this.#realm = realm;
    this.#isDead = isDead;
  }
  static has(value: unknown): value is OwnWeakRef {
    return typeof value === 'object' && value !== null && #realm in value;
  }
  static target(ref: OwnWeakRef): unknown {
    return ref.#isDead ? undefined : targetOf(ref);
  }
  static bury(ref: OwnWeakRef): void {
    ref.#isDead = true;
  }
  static answer(ref: OwnWeakRef): unknown {
    const target = OwnWeakRef.target(ref);
    const { dereferenced } = ref.#realm.observer;
    return dereferenced === undefined ? target : dereferenced(ref, target);
  }
}

/** One call of `register`. The registry holds it as long as its target lives, and knows the target only weakly. */
class Registration {
  holdings: unknown;
  /** The target is its own unregister token. */
  readonly byTarget: boolean;
  /** For those that the engine does not show among a table's keys. */
  readonly target: WeakRef<WeakKey> | undefined;
  readonly token: WeakRef<WeakKey> | undefined;
  readonly number: number;
  constructor(holdings: unknown, target: WeakKey, token: WeakKey | undefined, number: number) {
    this.number = number;
    this.holdings = holdings;
    this.byTarget = token === target;
    this.target = isHidden(target) ? new NativeWeakRef(target) : undefined;
    this.token = token !== undefined && isHidden(token) ? new NativeWeakRef(token) : undefined;
  }
}

function canBeHeld(value: unknown): value is WeakKey {
  return isObject(value) || (typeof value === 'symbol' && keyFor(value) === undefined);
}

function isHidden(key: WeakKey): boolean {
  return typeof key === 'symbol' || brands.isProxy(key);
}

const none: readonly Registration[] = [];

interface RegistryState {
  cleanup: Cleanup;
  /** In which it was made, and its callbacks run. */
  context: Context;
  readonly realm: Realm;
  /** Those that have neither been reported nor unregistered. */
  readonly registrations: Set<Registration>;
  readonly byTarget: WeakMap<WeakKey, Registration[]>;
  /** By unregister tokens other than the target. */
  readonly byToken: WeakMap<WeakKey, Registration[]>;
}

/** A registration as data; without a target it is one whose target is dead and that will be reported. */
export interface RegistrationData {
  target: WeakKey | undefined;
  holdings: unknown;
  token: WeakKey | undefined;
  /** Of all that the realm has registered. */
  number: number;
}

export interface RegistryData {
  cleanup: unknown;
  context: Context;
  registrations: readonly RegistrationData[];
}

class OwnRegistry extends Stamp {
  #state: RegistryState;
  constructor(registry: object, state: RegistryState) {
    super(registry);
    this.#state = state;
  }
  static has(value: unknown): value is OwnRegistry {
    return typeof value === 'object' && value !== null && #state in value;
  }
  static state(registry: OwnRegistry): RegistryState {
    return registry.#state;
  }
}

/** The engine's prototypes serve all realms, so their methods are replaced once, and ask the object which realm it is of. */
const methods = {
  deref(this: WeakRef<WeakKey>): unknown {
    return OwnWeakRef.has(this) ? OwnWeakRef.answer(this) : apply(deref, this, []);
  },
  register(this: FinalizationRegistry<unknown>, target: WeakKey, holdings: unknown, token?: WeakKey): void {
    if (!OwnRegistry.has(this) || is(target, holdings)) {
      apply(register, this, [target, holdings, token]);
      return;
    }
    journal.log?.cannot('something has been registered with a FinalizationRegistry');
    registerAt(this, OwnRegistry.state(this), target, holdings, token);
  },
  unregister(this: FinalizationRegistry<unknown>, token: WeakKey): boolean {
    const found = apply(unregister, this, [token]) as boolean;
    if (!found || !OwnRegistry.has(this)) return found;
    journal.log?.cannot('something has been unregistered from a FinalizationRegistry');
    const state = OwnRegistry.state(this);
    const before = apply(size, state.registrations, []) as number;
    forget(state, token);
    // Of what is held, the engine keeps more than there would be.
    return !state.realm.observer.holds || apply(size, state.registrations, []) !== before;
  },
};
defineProperty(methods.register, 'length', { value: 2, configurable: true });

/** Of a registration that is made again: it keeps its number. */
interface Again {
  readonly number: number;
  readonly isDead: boolean;
}

function registerAt(
  registry: object,
  state: RegistryState,
  target: WeakKey,
  holdings: unknown,
  token: WeakKey | undefined,
  again?: Again,
): void {
  // What cannot be held weakly is refused in the engine's own words.
  if (!canBeHeld(target) || (token !== undefined && !canBeHeld(token))) {
    apply(register, registry as never, [target, holdings, token]);
    return;
  }
  const { observer, waiting } = state.realm;
  const registration = new Registration(holdings, target, token, again?.number ?? observer.registered);
  if (registration.number >= observer.registered) observer.registered = registration.number + 1;
  if (observer.holds) apply(setEntry, waiting, [registration.number, { state, registration, target }]);
  apply(register, registry as never, [target, registration, token]);
  apply(add, state.registrations, [registration]);
  // What stands in for a target that is dead already is nobody's.
  if (again?.isDead !== true) addTo(state.byTarget, target, registration, state);
  if (token !== undefined && token !== target) addTo(state.byToken, token, registration, state);
}

function addTo(
  table: WeakMap<WeakKey, Registration[]>,
  key: WeakKey,
  registration: Registration,
  state: RegistryState,
) {
  const before = (apply(get, table, [key]) as Registration[] | undefined) ?? none;
  const list: Registration[] = [];
  for (let i = 0; i < before.length; i++) {
    const each = before[i] as Registration;
    if (apply(has, state.registrations, [each])) list[list.length] = each;
  }
  list[list.length] = registration;
  apply(set, table, [key, list]);
}

function forget(state: RegistryState, token: WeakKey): void {
  const own = (apply(get, state.byTarget, [token]) as Registration[] | undefined) ?? none;
  for (let i = 0; i < own.length; i++) {
    const each = own[i] as Registration;
    if (each.byTarget) drop(state, each);
  }
  const others = (apply(get, state.byToken, [token]) as Registration[] | undefined) ?? none;
  for (let i = 0; i < others.length; i++) drop(state, others[i] as Registration);
  apply(dropKey, state.byToken, [token]);
}

function drop({ registrations, realm }: RegistryState, registration: Registration): void {
  apply(remove, registrations, [registration]);
  if (realm.observer.holds) apply(dropEntry, realm.waiting, [registration.number]);
}

function report(state: RegistryState, registration: Registration): void {
  if (!(apply(remove, state.registrations, [registration]) as boolean)) return;
  const { finalized } = state.realm.observer;
  if (finalized === undefined) cleanUp(state, registration);
  else finalized(registration.number, () => cleanUp(state, registration));
}

function cleanUp(state: RegistryState, registration: Registration): void {
  const { now } = state.realm;
  const before = now.context;
  now.context = state.context;
  try {
    apply(state.cleanup, undefined, [registration.holdings]);
  } finally {
    now.context = before;
  }
}

export interface WeakReferences {
  WeakRef: WeakRefConstructor;
  FinalizationRegistry: FinalizationRegistryConstructor;
  observer: WeakObserver;
  /** The target of a registration that is held has come to its end: calls back. False if there is none. */
  finalize(number: number): boolean;
  install(): void;
  isWeakRef(value: unknown): boolean;
  isRegistry(value: unknown): boolean;
  /** The target without an observer's noticing. */
  target(ref: object): WeakKey | undefined;
  /** From now on it has no target. */
  bury(ref: object): void;
  readRegistry(registry: object): RegistryData;
  /** A WeakRef to `target` below `prototype`; to nothing, if the target is dead. */
  allocateWeakRef(target: WeakKey | undefined, prototype: object): object;
  allocateRegistry(prototype: object): object;
  fillRegistry(registry: object, data: RegistryData): void;
}

export function createWeakReferences(now: Now, host: Host): WeakReferences {
  const observer: WeakObserver = {
    made: undefined,
    dereferenced: undefined,
    finalized: undefined,
    holds: false,
    registered: 0,
  };
  const waiting = new Map<number, Held>();
  const realm: Realm = { now, observer, waiting };

  const OwnConstructor = function WeakRef(target: WeakKey): object {
    if (new.target === undefined) throw new NativeTypeError("Constructor WeakRef requires 'new'");
    const ref = new OwnWeakRef(construct(NativeWeakRef, [target], new.target) as object, realm, false);
    observer.made?.(ref, target);
    return ref;
  } as unknown as WeakRefConstructor;

  const OwnRegistryConstructor = function FinalizationRegistry(cleanup: Cleanup): object {
    if (new.target === undefined) throw new NativeTypeError("Constructor FinalizationRegistry requires 'new'");
    // The engine's own words for what is no function.
    if (typeof cleanup !== 'function') new NativeRegistry(cleanup);
    return registryOf(cleanup, new.target as unknown as new () => object);
  } as unknown as FinalizationRegistryConstructor;

  function registryOf(cleanup: Cleanup, newTarget: new () => object): object {
    const state: RegistryState = {
      cleanup,
      context: now.context,
      realm,
      registrations: new Set(),
      byTarget: new WeakMap(),
      byToken: new WeakMap(),
    };
    const reported = (registration: Registration): void => report(state, registration);
    return new OwnRegistry(construct(NativeRegistry, [reported], newTarget) as object, state);
  }

  definePrototype(OwnConstructor, NativeWeakRef.prototype);
  definePrototype(OwnRegistryConstructor, NativeRegistry.prototype);

  function finalize(number: number): boolean {
    const held = apply(getEntry, waiting, [number]) as Held | undefined;
    if (held === undefined) return false;
    apply(dropEntry, waiting, [number]);
    if (apply(remove, held.state.registrations, [held.registration]) as boolean) cleanUp(held.state, held.registration);
    return true;
  }

  function install(): void {
    defineMethod(NativeWeakRef.prototype, 'constructor', OwnConstructor);
    defineMethod(NativeWeakRef.prototype, 'deref', methods.deref);
    defineMethod(NativeRegistry.prototype, 'constructor', OwnRegistryConstructor);
    defineMethod(NativeRegistry.prototype, 'register', methods.register);
    defineMethod(NativeRegistry.prototype, 'unregister', methods.unregister);
  }

  function readRegistry(registry: object): RegistryData {
    const state = OwnRegistry.state(registry as OwnRegistry);
    const registrations: RegistrationData[] = [];
    const at = new Map<Registration, RegistrationData>();
    apply(forEach, state.registrations, [
      (registration: Registration) => {
        const { holdings } = registration;
        const target = registration.target === undefined ? undefined : targetOf(registration.target);
        const token = registration.token === undefined ? undefined : targetOf(registration.token);
        const data: RegistrationData = { target, holdings, token, number: registration.number };
        registrations[registrations.length] = data;
        apply(setEntry, at, [registration, data]);
      },
    ]);
    eachKey(state.byTarget, at, (data, key, { byTarget }) => {
      data.target = key;
      if (byTarget) data.token = key;
    });
    eachKey(state.byToken, at, (data, key) => {
      data.token = key;
    });
    return { cleanup: state.cleanup, context: state.context, registrations };
  }

  function eachKey(
    table: WeakMap<WeakKey, Registration[]>,
    at: Map<Registration, RegistrationData>,
    found: (data: RegistrationData, key: WeakKey, registration: Registration) => void,
  ): void {
    if (host.engine === undefined) {
      throw new CoreError(
        'TT_ENGINE_CLOSED',
        'FinalizationRegistry: its targets cannot be read; give createRealm a host with an engine view',
      );
    }
    const { keys } = host.engine.weakKeys(table, Number.MAX_SAFE_INTEGER);
    for (let i = 0; i < keys.length; i++) {
      const list = apply(get, table, [keys[i] as WeakKey]) as Registration[];
      for (let k = 0; k < list.length; k++) {
        const data = apply(getEntry, at, [list[k] as Registration]) as RegistrationData | undefined;
        if (data !== undefined) found(data, keys[i] as WeakKey, list[k] as Registration);
      }
    }
  }

  function fillRegistry(registry: object, { cleanup, context, registrations }: RegistryData): void {
    const state = OwnRegistry.state(registry as OwnRegistry);
    state.cleanup = cleanup as Cleanup;
    state.context = context;
    for (let i = 0; i < registrations.length; i++) {
      const { target, holdings, token, number } = registrations[i] as RegistrationData;
      // A dead target is reported by the next collection, as it would have been.
      registerAt(registry, state, target ?? {}, holdings, token, { number, isDead: target === undefined });
    }
  }

  return {
    WeakRef: OwnConstructor,
    FinalizationRegistry: OwnRegistryConstructor,
    observer,
    finalize,
    install,
    isWeakRef: (value) => OwnWeakRef.has(value),
    isRegistry: (value) => OwnRegistry.has(value),
    bury: (ref) => OwnWeakRef.bury(ref as OwnWeakRef),
    target: (ref) => OwnWeakRef.target(ref as OwnWeakRef) as WeakKey | undefined,
    readRegistry,
    allocateWeakRef(target, prototype) {
      const native = construct(NativeWeakRef, [target ?? {}], newTargetBelow(prototype)) as object;
      const ref = new OwnWeakRef(native, realm, target === undefined);
      if (target !== undefined) observer.made?.(ref, target);
      return ref;
    },
    allocateRegistry: (prototype) => registryOf(noCleanup, newTargetBelow(prototype)),
    fillRegistry,
  };
}

function targetOf(ref: object): WeakKey | undefined {
  return apply(deref, ref as WeakRef<WeakKey>, []) as WeakKey | undefined;
}

const noCleanup: Cleanup = () => {
  throw new CoreError('TT_UNKNOWN_STATE', 'FinalizationRegistry: it was allocated and never filled');
};
