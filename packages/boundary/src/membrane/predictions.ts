// What is known of what is outside, and so what a replay would answer by itself: what the program has read or set, and what a class of Node's has under a
// name in every process. An ask that is answered so leaves nothing in a trace. A recorded run and its replay know the same at each event.

import { types } from 'node:util';
import { HANDLE_KIND } from './encoding.ts';
import { UNPREDICTED, Handle } from './handle.ts';
import { GENERIC_PROTOTYPES } from './export-form.ts';
import type { Statics } from './static-objects.ts';

export interface HandleLookup {
  handleFromProxy(proxy: object): Handle | undefined;
  /** What the program sees of something outside that is there in every process. */
  proxyFor<T extends object>(hostObject: T): T;
  /** A neutral function as the outside's. */
  boundProxy(fn: object): object;
}

/** While nothing is recorded nothing is known. */
export interface PauseState {
  readonly isPaused: boolean;
}

const { getPrototypeOf, getOwnPropertyDescriptor, ownKeys } = Reflect;
const { isProxy } = types;
const { toString: nativeToString } = Function.prototype;

export class Predictions {
  /** What was known in an earlier one is not known any more. */
  generation = 0;
  readonly #statics: Statics;
  readonly #handles: HandleLookup;
  readonly #pauseState: PauseState;
  /** Rises whenever something that was there in every process is not what it was, or may not be. */
  #structureVersion = 0;
  /** Methods that work on whatever they are given. */
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

  /** A snapshot begins, and who goes on from it knows nothing. */
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

  /** A handle, what is neutral or inside, null, or nothing is known. */
  prototypeOf(handle: Handle): unknown {
    if (this.isPrototypeKnown(handle)) return handle.knownPrototype;
    if (handle.path === undefined) return UNPREDICTED;
    const prototype = getPrototypeOf(handle.hostObject as object);
    if (prototype === null || this.#statics.isNeutral(prototype)) return prototype;
    return this.#statics.pathOf(prototype) === undefined
      ? UNPREDICTED
      : this.#handles.handleFromProxy(this.#handles.proxyFor(prototype));
  }

  /** What a replay would say it is: what it was, or what a class of Node's has under that name. */
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

  /** What all have that inherit from something static: it stays, as long as nothing of what is static changes. */
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

  /** Whether all that the last look at what is inherited went by is static. */
  #isStaticChain = true;

  /** `isClass`: a class inherits it. */
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

  /** Only what has always been there: anything else may not be there in a replay. */
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

  /** Of a class of both sides, whose methods are the outside's where something outside inherits them. */
  #predictNeutral(prototype: object, key: PropertyKey, isClass: boolean): unknown {
    for (
      let ancestor: object | null = prototype;
      ancestor !== null && !isProxy(ancestor);
      ancestor = getPrototypeOf(ancestor)
    ) {
      const descriptor = getOwnPropertyDescriptor(ancestor, key);
      if (descriptor === undefined) continue;
      const value: unknown = descriptor.value;
      if (typeof value !== 'function' || !this.#statics.isNeutral(value)) return UNPREDICTED;
      return this.isHostBound(key, value, isClass) ? this.#handles.boundProxy(value) : value;
    }
    return UNPREDICTED;
  }

  /**
   * A neutral method that something outside inherits needs what is outside: it is asked for as the outside's. Not what a class inherits from one (`on` of
   * `node:stream` is that of `EventEmitter`), which needs nothing of it; but a function's text is Node's, if it is asked for by itself.
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
