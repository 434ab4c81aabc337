// Predictions of results: what the program has read or set before, and what the classes of Node have under a name in
// every process. A predicted result leaves no event in the trace. Invariant: at each event, a recorded run and its
// replay predict the same.

import { types } from 'node:util';
import { HANDLE_KIND } from './encoding.ts';
import { UNPREDICTED, Handle } from './handle.ts';
import { GENERIC_PROTOTYPES } from './export-form.ts';
import type { Statics } from './static-objects.ts';

export interface HandleLookup {
  handleFromProxy(proxy: object): Handle | undefined;
  proxyFor<T extends object>(hostObject: T): T;
  /** Returns the proxy that represents a neutral function as a host function. */
  boundProxy(fn: object): object;
}

/** State of the tape. While it is paused, nothing is predicted and nothing remembered. */
export interface PauseState {
  readonly isPaused: boolean;
}

const { getPrototypeOf, getOwnPropertyDescriptor, ownKeys } = Reflect;
const { isProxy } = types;
const { toString: nativeToString } = Function.prototype;

export class Predictions {
  /** Number of cuts so far. Values of an earlier generation are not predicted. */
  generation = 0;
  readonly #statics: Statics;
  readonly #handles: HandleLookup;
  readonly #pauseState: PauseState;
  /** Increases whenever a static object may have changed. */
  #structureVersion = 0;
  /** Methods that accept any receiver. */
  readonly #genericMethods: WeakSet<object>;

  constructor(statics: Statics, handles: HandleLookup, pauseState: PauseState) {
    this.#statics = statics;
    this.#handles = handles;
    this.#pauseState = pauseState;
    this.#genericMethods = new WeakSet(
      GENERIC_PROTOTYPES.flatMap((prototype) =>
        ownKeys(prototype).flatMap((key) => {
          const value: unknown = getOwnPropertyDescriptor(prototype, key)?.value;
          return typeof value === 'function' && value !== nativeToString ? [value] : [];
        }),
      ),
    );
  }

  /** Starts a new generation at a cut, because a replay that starts from the snapshot there knows nothing. */
  forget(): void {
    this.generation++;
    this.#structureVersion++;
  }

  isKnown(handle: Handle, key: PropertyKey): boolean {
    return handle.knownGeneration === this.generation && handle.knownProperties?.has(key) === true;
  }

  remember(handle: Handle, key: PropertyKey, value: unknown): void {
    if (this.#pauseState.isPaused) return;
    this.#dropIfStale(handle);
    handle.knownProperties ??= new Map();
    if (handle.path !== undefined && (!handle.knownProperties.has(key) || handle.knownProperties.get(key) !== value))
      this.#structureVersion++;
    handle.knownProperties.set(key, value);
  }

  isPrototypeKnown(handle: Handle): boolean {
    return handle.knownGeneration === this.generation && handle.knownPrototype !== UNPREDICTED;
  }

  rememberPrototype(handle: Handle, prototype: object | null): void {
    if (this.#pauseState.isPaused) return;
    this.#dropIfStale(handle);
    if (handle.path !== undefined) this.#structureVersion++;
    handle.knownPrototype = prototype === null ? null : (this.#handles.handleFromProxy(prototype) ?? prototype);
  }

  #dropIfStale(handle: Handle): void {
    if (handle.knownGeneration === this.generation) return;
    handle.knownGeneration = this.generation;
    handle.knownProperties = undefined;
    handle.knownPrototype = UNPREDICTED;
  }

  /** Returns the known prototype: a handle, a neutral or a program object, null, or `UNPREDICTED`. */
  prototypeOf(handle: Handle): unknown {
    if (this.isPrototypeKnown(handle)) return handle.knownPrototype;
    if (handle.path === undefined) return UNPREDICTED;
    const prototype = getPrototypeOf(handle.hostObject as object);
    if (prototype === null || this.#statics.isNeutral(prototype)) return prototype;
    return this.#statics.pathOf(prototype) === undefined
      ? UNPREDICTED
      : this.#handles.handleFromProxy(this.#handles.proxyFor(prototype));
  }

  /** Returns the result of a property read that a replay assumes, or `UNPREDICTED`. */
  predict(handle: Handle, key: PropertyKey): unknown {
    if (this.#pauseState.isPaused) return UNPREDICTED;
    if (handle.knownGeneration === this.generation && handle.knownProperties !== undefined) {
      const value = handle.knownProperties.get(key);
      if (value !== undefined || handle.knownProperties.has(key)) return value;
    }
    if (handle.path !== undefined) {
      const descriptor = getOwnPropertyDescriptor(handle.hostObject as object, key);
      if (descriptor !== undefined) return this.#predictStatic(handle.path, key, 'own', descriptor);
    }
    const prototype = this.prototypeOf(handle);
    const isClass = handle.kind === HANDLE_KIND.function || handle.kind === HANDLE_KIND.method;
    if (!(prototype instanceof Handle)) return this.#predictAtRoot(prototype, key, isClass);
    return isClass || prototype.path === undefined
      ? this.#predictInherited(prototype, key, isClass)
      : this.#predictShared(prototype, key);
  }

  /** Predicts for all objects with a static prototype. The results are cached until a static object changes. */
  #predictShared(prototype: Handle, key: PropertyKey): unknown {
    if (prototype.inheritedPredictions === undefined || prototype.inheritedVersion !== this.#structureVersion) {
      prototype.inheritedPredictions = new Map();
      prototype.inheritedVersion = this.#structureVersion;
    }
    let value = prototype.inheritedPredictions.get(key);
    if (value === undefined) {
      value = this.#predictInherited(prototype, key, false);
      if (prototype.inheritedVersion === this.#structureVersion && this.#isStaticChain && value !== UNPREDICTED)
        prototype.inheritedPredictions.set(key, value);
    }
    return value;
  }

  /** Whether the last walk along the prototypes met static ones only. */
  #isStaticChain = true;

  #predictInherited(prototype: Handle, key: PropertyKey, isClass: boolean): unknown {
    this.#isStaticChain = true;
    for (let ancestor = prototype; ;) {
      if (this.isKnown(ancestor, key)) return ancestor.knownProperties?.get(key);
      if (ancestor.path === undefined) this.#isStaticChain = false;
      else {
        const descriptor = getOwnPropertyDescriptor(ancestor.hostObject as object, key);
        if (descriptor !== undefined)
          return this.#predictStatic(ancestor.path, key, isClass ? 'class' : 'object', descriptor);
      }
      const parent = this.prototypeOf(ancestor);
      if (!(parent instanceof Handle)) return this.#predictAtRoot(parent, key, isClass);
      ancestor = parent;
    }
  }

  #predictAtRoot(root: unknown, key: PropertyKey, isClass: boolean): unknown {
    if ((typeof root !== 'object' && typeof root !== 'function') || root === null) return UNPREDICTED;
    return this.#statics.isNeutral(root) ? this.#predictNeutral(root, key, isClass) : UNPREDICTED;
  }

  /** Predicts only objects that exist in every process, because a replay may lack any other. */
  #predictStatic(
    path: string,
    key: PropertyKey,
    receiverKind: 'own' | 'class' | 'object',
    descriptor: PropertyDescriptor,
  ): unknown {
    const isOwn = receiverKind === 'own';
    const value: unknown = descriptor.value;
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return UNPREDICTED;
    if (!isOwn && this.isHostBound(key, value, receiverKind === 'class')) return this.#handles.boundProxy(value);
    if (this.#statics.isNeutral(value)) return value;
    const isInEveryProcess =
      this.#statics.pathOf(value)?.startsWith(`${path}.`) === true ||
      (isOwn && this.#statics.isAlias(path, key, value));
    return isInEveryProcess ? this.#handles.proxyFor(value) : UNPREDICTED;
  }

  /** Predicts a member of a neutral prototype that a handle inherits. A method becomes a host function. */
  #predictNeutral(prototype: object, key: PropertyKey, isClass: boolean): unknown {
    for (let holder: object | null = prototype; holder !== null && !isProxy(holder); holder = getPrototypeOf(holder)) {
      const descriptor = getOwnPropertyDescriptor(holder, key);
      if (descriptor === undefined) continue;
      const value: unknown = descriptor.value;
      if (typeof value !== 'function' || !this.#statics.isNeutral(value)) return UNPREDICTED;
      return this.isHostBound(key, value, isClass) ? this.#handles.boundProxy(value) : value;
    }
    return UNPREDICTED;
  }

  /**
   * Whether a neutral method must run on the host side because a handle inherits it. A method that a class inherits
   * from a class (`on` of `node:stream` is that of `EventEmitter`) needs no host object, except `toString`, which must
   * return the native text.
   */
  isHostBound(key: PropertyKey, value: unknown, isClass: boolean): value is object {
    return (!isClass || key === 'toString') && this.isNeutralMethod(key, value);
  }

  isNeutralMethod(key: PropertyKey, value: unknown): value is object {
    return (
      typeof value === 'function' &&
      key !== 'constructor' &&
      !this.#genericMethods.has(value) &&
      this.#statics.isNeutral(value)
    );
  }
}
