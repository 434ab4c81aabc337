// `WeakRef` and `FinalizationRegistry` of transformed code. Their objects and prototypes are the engine's own, with the
// data that capture needs stamped on the objects, so neither the program nor a device can tell. The garbage collector
// is an input, as a clock is. It affects the program only through the result of `deref()` (`observer.onDeref`) and
// through cleanup callbacks (`observer.onFinalized`). Objects that devices make are left alone. `WeakMap` and `WeakSet`
// need nothing: the collector is invisible in them, and the engine gives capture their keys.

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
  newTargetWithPrototype,
} from './intrinsics.ts';
import { brands } from './value-format.ts';
import { Stamp } from './stamp.ts';
import { journal } from './undo/journal.ts';
import type { Context } from './frame.ts';
import type { Host } from './host.ts';
import type { CurrentExecution } from './jobs.ts';

const NativeWeakRef = WeakRef;
const NativeRegistry = FinalizationRegistry;
const { deref } = WeakRef.prototype;
const { register, unregister } = FinalizationRegistry.prototype;
const weakMapPrototype = WeakMap.prototype as WeakMap<WeakKey, Registration[]>;
const { get, set } = weakMapPrototype;
const deleteKey = weakMapPrototype.delete;
const { keyFor } = Symbol;
const setPrototype = Set.prototype as Set<Registration>;
const { add, forEach, has } = setPrototype;
const remove = setPrototype.delete;
const size = getOwnPropertyDescriptor(Set.prototype, 'size')?.get as () => number;

const mapPrototype = Map.prototype as Map<unknown, unknown>;
const { get: getEntry, set: setEntry, delete: deleteEntry } = mapPrototype;

type Cleanup = (holdings: unknown) => unknown;

/** Turns the collector's actions into inputs of the program. Without its functions, the actions take effect at once. */
export interface WeakObserver {
  /** Called with each WeakRef that the program makes. */
  onCreated: ((ref: object, target: unknown) => void) | undefined;
  /** Returns the result of `deref()`, given the actual target. */
  onDeref: ((ref: object, target: unknown) => unknown) | undefined;
  /** Called when the cleanup callback of registration `number` is due. May call it now or later. */
  onFinalized: ((number: number, callback: () => void) => void) | undefined;
  /** Whether registered targets are kept alive until `finalize`, so that the collector causes no callback. */
  holdsTargets: boolean;
  /** Number of registrations made so far, and number of the next one. */
  registeredCount: number;
}

/** State that the realm's two constructors share. */
interface WeakRealm {
  readonly current: CurrentExecution;
  readonly observer: WeakObserver;
  /** Registrations whose targets are kept alive, by number. `finalize` removes a registration. */
  readonly heldRegistrations: Map<number, HeldRegistration>;
}

interface HeldRegistration {
  readonly state: RegistryState;
  readonly registration: Registration;
  readonly target: WeakKey;
}

class OwnWeakRef extends Stamp {
  #realm: WeakRealm;
  /** Whether `deref()` returns undefined although the target exists, as for a target that was dead in the recording. */
  #isDead: boolean;
  constructor(ref: object, realm: WeakRealm, isDead: boolean) {
    super(ref);
    this.#realm = realm;
    this.#isDead = isDead;
  }
  static is(value: unknown): value is OwnWeakRef {
    return typeof value === 'object' && value !== null && #realm in value;
  }
  static target(ref: OwnWeakRef): unknown {
    return ref.#isDead ? undefined : targetOf(ref);
  }
  static markDead(ref: OwnWeakRef): void {
    ref.#isDead = true;
  }
  static deref(ref: OwnWeakRef): unknown {
    const target = OwnWeakRef.target(ref);
    const { onDeref: dereferenced } = ref.#realm.observer;
    return dereferenced === undefined ? target : dereferenced(ref, target);
  }
}

/** One call of `register`. The registry keeps the registration, which refers to its target only weakly. */
class Registration {
  holdings: unknown;
  /** Whether the target is its own unregister token. */
  readonly byTarget: boolean;
  /** Target and token, if they are symbols or proxies, which the engine does not list as keys of a WeakMap. */
  readonly target: WeakRef<WeakKey> | undefined;
  readonly token: WeakRef<WeakKey> | undefined;
  readonly number: number;
  constructor(holdings: unknown, target: WeakKey, token: WeakKey | undefined, number: number) {
    this.number = number;
    this.holdings = holdings;
    this.byTarget = token === target;
    this.target = isHiddenKey(target) ? new NativeWeakRef(target) : undefined;
    this.token = token !== undefined && isHiddenKey(token) ? new NativeWeakRef(token) : undefined;
  }
}

function canBeHeldWeakly(value: unknown): value is WeakKey {
  return isObject(value) || (typeof value === 'symbol' && keyFor(value) === undefined);
}

function isHiddenKey(key: WeakKey): boolean {
  return typeof key === 'symbol' || brands.isProxy(key);
}

const NO_REGISTRATIONS: readonly Registration[] = [];

interface RegistryState {
  cleanup: Cleanup;
  /** Context in which the registry was made, and in which its callbacks run. */
  context: Context;
  readonly realm: WeakRealm;
  /** Registrations that are neither reported nor unregistered. */
  readonly registrations: Set<Registration>;
  readonly byTarget: WeakMap<WeakKey, Registration[]>;
  /** Registrations by unregister token, unless the token is the target. */
  readonly byToken: WeakMap<WeakKey, Registration[]>;
}

/** A registration as data. If `target` is undefined, the target has died, and its callback is still due. */
export interface RegistrationState {
  target: WeakKey | undefined;
  holdings: unknown;
  token: WeakKey | undefined;
  /** Number among all registrations of the realm. */
  number: number;
}

export interface FinalizationRegistryState {
  cleanup: unknown;
  context: Context;
  registrations: readonly RegistrationState[];
}

class OwnRegistry extends Stamp {
  #state: RegistryState;
  constructor(registry: object, state: RegistryState) {
    super(registry);
    this.#state = state;
  }
  static is(value: unknown): value is OwnRegistry {
    return typeof value === 'object' && value !== null && #state in value;
  }
  static state(registry: OwnRegistry): RegistryState {
    return registry.#state;
  }
}

/** Methods that replace the engine's, once for all realms. They find the realm through the object. */
const methods = {
  deref(this: WeakRef<WeakKey>): unknown {
    return OwnWeakRef.is(this) ? OwnWeakRef.deref(this) : apply(deref, this, []);
  },
  register(this: FinalizationRegistry<unknown>, target: WeakKey, holdings: unknown, token?: WeakKey): void {
    if (!OwnRegistry.is(this) || is(target, holdings)) {
      apply(register, this, [target, holdings, token]);
      return;
    }
    journal.log?.noteObstacle('an object was registered with a FinalizationRegistry');
    addToRegistry(this, OwnRegistry.state(this), target, holdings, token);
  },
  unregister(this: FinalizationRegistry<unknown>, token: WeakKey): boolean {
    const found = apply(unregister, this, [token]) as boolean;
    if (!found || !OwnRegistry.is(this)) return found;
    journal.log?.noteObstacle('an object was unregistered from a FinalizationRegistry');
    const state = OwnRegistry.state(this);
    const sizeBefore = apply(size, state.registrations, []) as number;
    unregisterToken(state, token);
    // With targets kept alive, the engine may have found a registration that it would otherwise have dropped.
    return !state.realm.observer.holdsTargets || apply(size, state.registrations, []) !== sizeBefore;
  },
};
defineProperty(methods.register, 'length', { value: 2, configurable: true });

/** Number and state of a restored registration. */
interface RestoredRegistration {
  readonly number: number;
  readonly isDead: boolean;
}

function addToRegistry(
  registry: object,
  state: RegistryState,
  target: WeakKey,
  holdings: unknown,
  token: WeakKey | undefined,
  restored?: RestoredRegistration,
): void {
  // The engine throws the error for a target or token that cannot be held weakly.
  if (!canBeHeldWeakly(target) || (token !== undefined && !canBeHeldWeakly(token))) {
    apply(register, registry as never, [target, holdings, token]);
    return;
  }
  const { observer, heldRegistrations } = state.realm;
  const registration = new Registration(holdings, target, token, restored?.number ?? observer.registeredCount);
  if (registration.number >= observer.registeredCount) observer.registeredCount = registration.number + 1;
  if (observer.holdsTargets) apply(setEntry, heldRegistrations, [registration.number, { state, registration, target }]);
  apply(register, registry as never, [target, registration, token]);
  apply(add, state.registrations, [registration]);
  // A substitute for a dead target needs no table entry, because the program cannot unregister by it.
  if (restored?.isDead !== true) addUnderKey(state.byTarget, target, registration, state);
  if (token !== undefined && token !== target) addUnderKey(state.byToken, token, registration, state);
}

function addUnderKey(table: WeakMap<WeakKey, Registration[]>, key: WeakKey, added: Registration, state: RegistryState) {
  const existing = (apply(get, table, [key]) as Registration[] | undefined) ?? NO_REGISTRATIONS;
  const list: Registration[] = [];
  for (let i = 0; i < existing.length; i++) {
    const registration = existing[i] as Registration;
    if (apply(has, state.registrations, [registration])) list[list.length] = registration;
  }
  list[list.length] = added;
  apply(set, table, [key, list]);
}

function unregisterToken(state: RegistryState, token: WeakKey): void {
  const withTargetToken = (apply(get, state.byTarget, [token]) as Registration[] | undefined) ?? NO_REGISTRATIONS;
  for (let i = 0; i < withTargetToken.length; i++) {
    const registration = withTargetToken[i] as Registration;
    if (registration.byTarget) removeRegistration(state, registration);
  }
  const withToken = (apply(get, state.byToken, [token]) as Registration[] | undefined) ?? NO_REGISTRATIONS;
  for (let i = 0; i < withToken.length; i++) removeRegistration(state, withToken[i] as Registration);
  apply(deleteKey, state.byToken, [token]);
}

function removeRegistration({ registrations, realm }: RegistryState, registration: Registration): void {
  apply(remove, registrations, [registration]);
  if (realm.observer.holdsTargets) apply(deleteEntry, realm.heldRegistrations, [registration.number]);
}

function reportFinalized(state: RegistryState, registration: Registration): void {
  if (!(apply(remove, state.registrations, [registration]) as boolean)) return;
  const { onFinalized: finalized } = state.realm.observer;
  if (finalized === undefined) runCleanup(state, registration);
  else finalized(registration.number, () => runCleanup(state, registration));
}

function runCleanup(state: RegistryState, registration: Registration): void {
  const { current } = state.realm;
  const outerContext = current.context;
  current.context = state.context;
  try {
    apply(state.cleanup, undefined, [registration.holdings]);
  } finally {
    current.context = outerContext;
  }
}

export interface WeakReferences {
  WeakRef: WeakRefConstructor;
  FinalizationRegistry: FinalizationRegistryConstructor;
  observer: WeakObserver;
  /** Reports a registration whose target was kept alive. False if there is none with this number. */
  finalize(number: number): boolean;
  install(): void;
  isWeakRef(value: unknown): boolean;
  isRegistry(value: unknown): boolean;
  /** Target of a WeakRef, without calling the observer. */
  target(ref: object): WeakKey | undefined;
  /** Makes `deref()` of a WeakRef return undefined from now on. */
  markDead(ref: object): void;
  readRegistry(registry: object): FinalizationRegistryState;
  /** Makes a WeakRef with this prototype. Without a target, the WeakRef is a dead one. */
  allocateWeakRef(target: WeakKey | undefined, prototype: object): object;
  allocateRegistry(prototype: object): object;
  fillRegistry(registry: object, data: FinalizationRegistryState): void;
}

export function createWeakReferences(current: CurrentExecution, host: Host): WeakReferences {
  const observer: WeakObserver = {
    onCreated: undefined,
    onDeref: undefined,
    onFinalized: undefined,
    holdsTargets: false,
    registeredCount: 0,
  };
  const heldRegistrations = new Map<number, HeldRegistration>();
  const realm: WeakRealm = { current, observer, heldRegistrations };

  const OwnConstructor = function WeakRef(target: WeakKey): object {
    if (new.target === undefined) throw new NativeTypeError("Constructor WeakRef requires 'new'");
    const ref = new OwnWeakRef(construct(NativeWeakRef, [target], new.target) as object, realm, false);
    observer.onCreated?.(ref, target);
    return ref;
  } as unknown as WeakRefConstructor;

  const OwnRegistryConstructor = function FinalizationRegistry(cleanup: Cleanup): object {
    if (new.target === undefined) throw new NativeTypeError("Constructor FinalizationRegistry requires 'new'");
    // The engine throws the error for a `cleanup` that is no function.
    if (typeof cleanup !== 'function') new NativeRegistry(cleanup);
    return createRegistry(cleanup, new.target as unknown as new () => object);
  } as unknown as FinalizationRegistryConstructor;

  function createRegistry(cleanup: Cleanup, newTarget: new () => object): object {
    const state: RegistryState = {
      cleanup,
      context: current.context,
      realm,
      registrations: new Set(),
      byTarget: new WeakMap(),
      byToken: new WeakMap(),
    };
    const onFinalized = (registration: Registration): void => reportFinalized(state, registration);
    return new OwnRegistry(construct(NativeRegistry, [onFinalized], newTarget) as object, state);
  }

  definePrototype(OwnConstructor, NativeWeakRef.prototype);
  definePrototype(OwnRegistryConstructor, NativeRegistry.prototype);

  function finalize(number: number): boolean {
    const entry = apply(getEntry, heldRegistrations, [number]) as HeldRegistration | undefined;
    if (entry === undefined) return false;
    apply(deleteEntry, heldRegistrations, [number]);
    if (apply(remove, entry.state.registrations, [entry.registration]) as boolean)
      runCleanup(entry.state, entry.registration);
    return true;
  }

  function install(): void {
    defineMethod(NativeWeakRef.prototype, 'constructor', OwnConstructor);
    defineMethod(NativeWeakRef.prototype, 'deref', methods.deref);
    defineMethod(NativeRegistry.prototype, 'constructor', OwnRegistryConstructor);
    defineMethod(NativeRegistry.prototype, 'register', methods.register);
    defineMethod(NativeRegistry.prototype, 'unregister', methods.unregister);
  }

  function readRegistry(registry: object): FinalizationRegistryState {
    const state = OwnRegistry.state(registry as OwnRegistry);
    const registrations: RegistrationState[] = [];
    const statesByRegistration = new Map<Registration, RegistrationState>();
    apply(forEach, state.registrations, [
      (registration: Registration) => {
        const { holdings } = registration;
        const target = registration.target === undefined ? undefined : targetOf(registration.target);
        const token = registration.token === undefined ? undefined : targetOf(registration.token);
        const data: RegistrationState = { target, holdings, token, number: registration.number };
        registrations[registrations.length] = data;
        apply(setEntry, statesByRegistration, [registration, data]);
      },
    ]);
    eachKey(state.byTarget, statesByRegistration, (data, key, { byTarget }) => {
      data.target = key;
      if (byTarget) data.token = key;
    });
    eachKey(state.byToken, statesByRegistration, (data, key) => {
      data.token = key;
    });
    return { cleanup: state.cleanup, context: state.context, registrations };
  }

  function eachKey(
    table: WeakMap<WeakKey, Registration[]>,
    statesByRegistration: Map<Registration, RegistrationState>,
    onKey: (data: RegistrationState, key: WeakKey, registration: Registration) => void,
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
        const data = apply(getEntry, statesByRegistration, [list[k] as Registration]) as RegistrationState | undefined;
        if (data !== undefined) onKey(data, keys[i] as WeakKey, list[k] as Registration);
      }
    }
  }

  function fillRegistry(registry: object, { cleanup, context, registrations }: FinalizationRegistryState): void {
    const state = OwnRegistry.state(registry as OwnRegistry);
    state.cleanup = cleanup as Cleanup;
    state.context = context;
    for (let i = 0; i < registrations.length; i++) {
      const { target, holdings, token, number } = registrations[i] as RegistrationState;
      // The target has died. The next collection reports it, as it would have in the original process.
      addToRegistry(registry, state, target ?? {}, holdings, token, { number, isDead: target === undefined });
    }
  }

  return {
    WeakRef: OwnConstructor,
    FinalizationRegistry: OwnRegistryConstructor,
    observer,
    finalize,
    install,
    isWeakRef: (value) => OwnWeakRef.is(value),
    isRegistry: (value) => OwnRegistry.is(value),
    markDead: (ref) => OwnWeakRef.markDead(ref as OwnWeakRef),
    target: (ref) => OwnWeakRef.target(ref as OwnWeakRef) as WeakKey | undefined,
    readRegistry,
    allocateWeakRef(target, prototype) {
      const native = construct(NativeWeakRef, [target ?? {}], newTargetWithPrototype(prototype)) as object;
      const ref = new OwnWeakRef(native, realm, target === undefined);
      if (target !== undefined) observer.onCreated?.(ref, target);
      return ref;
    },
    allocateRegistry: (prototype) => createRegistry(unfilledCleanup, newTargetWithPrototype(prototype)),
    fillRegistry,
  };
}

function targetOf(ref: object): WeakKey | undefined {
  return apply(deref, ref as WeakRef<WeakKey>, []) as WeakKey | undefined;
}

const unfilledCleanup: Cleanup = () => {
  throw new CoreError(
    'TT_UNKNOWN_STATE',
    'FinalizationRegistry: it was allocated but never filled; restore another snapshot',
  );
};
