// Objects of the engine whose internals capture must know: bound functions, WeakRefs, finalization registries, proxies,
// kept iterators, disposable stacks, asynchronous contexts. Restoring takes two steps, as in internals.ts. Parts that
// can be set only when the object is made are its `operands`. The other parts are its `fields`. The caller sets own
// properties and prototypes, as for any object.

import { BoundFunction, rebind, type BoundFunctionParts } from './bound-function.ts';
import { CoreError } from './core-error.ts';
import { IteratorHelper, WrappedIterator, allocateHelper, allocateWrapper } from './iterator-helpers.ts';
import {
  KeptIterator,
  allocateKeptIterator,
  fillKeptIterator,
  readKeptIterator,
  type KeptIteratorData,
} from './kept-iterator.ts';
import { brands } from './value-format.ts';
import { revocableProxy } from './revocable-proxy.ts';
import { ROOT_HOME, type HomeActor } from './frame.ts';
import type { ContextData, ContextView, EngineView } from './host.ts';
import type { DisposableStackState } from './disposable-stacks.ts';
import type { IteratorHelperState } from './iterator-helpers.ts';
import type { Realm } from './realm.ts';
import type { FinalizationRegistryState } from './weak-references.ts';

export type EngineKind =
  | 'boundFunction'
  | 'weakRef'
  | 'finalizationRegistry'
  | 'proxy'
  | 'keptIterator'
  | 'iteratorHelper'
  | 'wrappedIterator'
  | 'disposableStack'
  | 'asyncDisposableStack'
  | 'asyncContext'
  | 'asyncStorage';

export interface EngineState {
  kind: EngineKind;
  /** Parts that must be allocated before the object itself, but need not be filled by then. */
  operands: readonly unknown[];
  fields: Record<string, unknown>;
}

const NO_FIELDS = Object.freeze({});

/** State of an engine object; undefined for other objects, and for objects that native code made. */
export function readEngineObject(realm: Realm, value: object): EngineState | undefined {
  if (brands.isProxy(value)) {
    const { engine } = realm.parts.host;
    if (engine === undefined) return undefined;
    const parts = engine.proxyParts(value);
    // Of a revoked proxy, only whether it is callable is known.
    const operands = parts === undefined ? [typeof value === 'function'] : [parts.target, parts.handler];
    return { kind: 'proxy', operands, fields: NO_FIELDS };
  }
  if (typeof value === 'function') {
    const parts = BoundFunction.parts(value);
    if (parts === undefined) return readContext(realm, value);
    return { kind: 'boundFunction', operands: [parts.target, parts.receiver, parts.args], fields: NO_FIELDS };
  }
  if (KeptIterator.is(value)) {
    const { engine } = realm.parts.host;
    if (engine === undefined && KeptIterator.isCollection(value)) return undefined;
    const { kind, source, ...position } = readKeptIterator(value, engine as EngineView);
    return { kind: 'keptIterator', operands: [kind, source], fields: position };
  }
  if (IteratorHelper.is(value))
    return { kind: 'iteratorHelper', operands: [], fields: { ...IteratorHelper.read(value) } };
  if (WrappedIterator.is(value))
    return { kind: 'wrappedIterator', operands: [], fields: { ...WrappedIterator.read(value) } };
  const { weak, disposables } = realm.parts;
  const stack = disposables.read(value);
  if (stack !== undefined) {
    const { isAsync, ...fields } = stack;
    return { kind: isAsync ? 'asyncDisposableStack' : 'disposableStack', operands: [], fields };
  }
  if (weak.isWeakRef(value)) return { kind: 'weakRef', operands: [weak.target(value)], fields: NO_FIELDS };
  if (weak.isRegistry(value))
    return { kind: 'finalizationRegistry', operands: [], fields: { ...weak.readRegistry(value) } };
  const { contexts } = realm.parts.host;
  if (contexts?.isStorage(value) === true) {
    const { name, defaultValue } = contexts.readStorage(value);
    return { kind: 'asyncStorage', operands: [name, defaultValue], fields: NO_FIELDS };
  }
  return undefined;
}

export function allocateEngineObject(
  realm: Realm,
  kind: EngineKind,
  operands: readonly unknown[],
  prototype?: object,
): object {
  const { weak, disposables } = realm.parts;
  switch (kind) {
    case 'boundFunction': {
      const [target, receiver, args] = operands as [BoundFunctionParts['target'], unknown, readonly unknown[]];
      return rebind({ target, receiver, args });
    }
    case 'weakRef':
      return weak.allocateWeakRef(operands[0] as WeakKey | undefined, prototype ?? WeakRef.prototype);
    case 'finalizationRegistry':
      return weak.allocateRegistry(prototype ?? FinalizationRegistry.prototype);
    case 'asyncContext': {
      return requireContexts(realm).makeContext(contextOfOperands(operands));
    }
    case 'asyncStorage':
      return requireContexts(realm).makeStorage({ name: operands[0], defaultValue: operands[1] }, prototype);
    case 'disposableStack':
    case 'asyncDisposableStack':
      return disposables.allocate(kind === 'asyncDisposableStack', prototype);
    case 'iteratorHelper':
      return allocateHelper();
    case 'wrappedIterator':
      return allocateWrapper();
    case 'keptIterator':
      return allocateKeptIterator(operands[0] as number, operands[1]);
    case 'proxy': {
      if (operands.length > 1) return revocableProxy(operands[0] as object, operands[1] as object);
      const { proxy, revoke } = Proxy.revocable(operands[0] === true ? function () {} : {}, {});
      revoke();
      return proxy;
    }
    default:
      throw new CoreError(
        'TT_UNKNOWN_STATE',
        `allocateEngineObject: core has no objects of kind ${JSON.stringify(kind)}; restore the state with the version that wrote it`,
      );
  }
}

function requireContexts(realm: Realm): ContextView {
  const { contexts } = realm.parts.host;
  if (contexts !== undefined) return contexts;
  throw new CoreError(
    'TT_FOREIGN_STATE',
    "AsyncLocalStorage: the state has asynchronous contexts, but this realm's host has none; give createRealm a host with contexts",
  );
}

function readContext(realm: Realm, value: object): EngineState | undefined {
  const { contexts } = realm.parts.host;
  if (contexts === undefined || !contexts.isContext(value)) return undefined;
  return { kind: 'asyncContext', operands: operandsOfContext(contexts.readContext(value)), fields: NO_FIELDS };
}

/** Operands of a context: storages and their values in turn, then the home unless it is that of the main program. */
export function operandsOfContext({ home, entries }: ContextData): unknown[] {
  const operands: unknown[] = [];
  for (let i = 0; i < entries.length; i++) {
    const [storage, store] = entries[i] as readonly [object, unknown];
    operands[2 * i] = storage;
    operands[2 * i + 1] = store;
  }
  if (home !== ROOT_HOME) operands[operands.length] = home;
  return operands;
}

export function contextOfOperands(operands: readonly unknown[]): ContextData {
  const entries: [object, unknown][] = [];
  const { length } = operands;
  const home = length % 2 === 0 ? ROOT_HOME : operands[length - 1];
  if (typeof home !== 'object' || home === null)
    throw new TypeError('expected the home actor of an asynchronous context');
  for (let i = 0; i + 1 < length; i += 2) entries[i / 2] = [operands[i] as object, operands[i + 1]];
  return { home: home as HomeActor, entries };
}

/** Sets the fields of an allocated object. A collection that it iterates must have its entries by then. */
export function fillEngineObject(realm: Realm, object: object, { kind, operands, fields }: EngineState): void {
  if (kind === 'finalizationRegistry')
    realm.parts.weak.fillRegistry(object, fields as unknown as FinalizationRegistryState);
  if (kind === 'disposableStack' || kind === 'asyncDisposableStack')
    realm.parts.disposables.fill(object, fields as unknown as DisposableStackState);
  if (kind === 'iteratorHelper')
    IteratorHelper.write(object as IteratorHelper, fields as unknown as IteratorHelperState);
  if (kind === 'wrappedIterator')
    WrappedIterator.write(object as WrappedIterator, fields as { iterator: object; next: unknown });
  if (kind === 'keptIterator')
    fillKeptIterator(object, {
      ...(fields as unknown as KeptIteratorData),
      kind: operands[0] as number,
      source: operands[1],
    });
}
