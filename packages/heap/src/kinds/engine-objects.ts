// Engine objects that core can take apart (docs/internals/abi.md, "Engine objects"): WeakRefs, finalization registries,
// kept iterators, asynchronous storages, proxies, bound functions, contexts. An object of these kinds whose state is
// readable only by native code is refused.

import { internals, type EngineState, type Realm } from '@turntable/core';
import { CaptureRefusal } from '../heap-error.ts';
import {
  passesBrandCheck,
  defineProperty,
  descriptorOf,
  getterOf,
  ownKeys,
  prototypeOf,
  receiverFirst,
  SafeMap,
  SafeSet,
  setPrototypeOf,
  weakRefTarget,
  hiddenDescriptor,
} from '../intrinsics.ts';
import type { ContextCanonicalizer } from './context-canonicalizer.ts';
import type { ObjectAdapter, HeapPorts, ObjectParts } from '../ports.ts';

// Kinds of the core adapter below this number are core's own.
export const FIRST_ENGINE_KIND = 32;
export const ENGINE_KINDS = [
  'weakRef',
  'finalizationRegistry',
  'keptIterator',
  'asyncStorage',
  'iteratorHelper',
  'wrappedIterator',
  'disposableStack',
  'asyncDisposableStack',
] as const;
/** Fields of an iterator helper, in the order of the format. */
const HELPER_FIELDS = ['kind', 'status', 'iterator', 'next', 'argument', 'count', 'inner', 'innerNext'] as const;
type EngineKind = (typeof ENGINE_KINDS)[number];

/** Names of operands and contents in paths. */
export const ENGINE_FIELDS: Readonly<Record<EngineKind, readonly string[]>> = {
  weakRef: ['.deref()'],
  finalizationRegistry: [' cleanup', ' context'],
  keptIterator: [' kind', ' source', ' position', ' matcher'],
  asyncStorage: [' name', ' default value'],
  iteratorHelper: HELPER_FIELDS.map((name) => ` ${name}`),
  wrappedIterator: [' iterator', ' next'],
  disposableStack: [' disposed', ' contents'],
  asyncDisposableStack: [' disposed', ' contents'],
};
const REGISTRATION_LABELS = [' target', ' holdings', ' token', ' number'];

interface FinalizationEntry {
  readonly target: unknown;
  readonly holdings: unknown;
  readonly token: unknown;
  readonly number: unknown;
}

/** Creates the part of the core adapter for engine objects. */
export function createEngineObjectAdapter(
  { realm, types }: HeapPorts,
  contexts: ContextCanonicalizer,
): Pick<ObjectAdapter, 'takeApart' | 'allocate' | 'fill'> & {
  matchesPrototype(prototype: object): boolean;
} {
  const claimedPrototypes = new SafeSet<object>();
  claimedPrototypes.add(WeakRef.prototype);
  claimedPrototypes.add(FinalizationRegistry.prototype);
  for (let i = 0; i < DISPOSABLE_STACKS.length; i++)
    claimedPrototypes.add((DISPOSABLE_STACKS[i] as (typeof DISPOSABLE_STACKS)[number]).prototype);
  for (let i = 0; i < NATIVE_ITERATOR_PROTOTYPES.length; i++)
    claimedPrototypes.add(NATIVE_ITERATOR_PROTOTYPES[i] as object);
  const { keptPrototypes } = realm.parts;
  const names = ownKeys(keptPrototypes) as string[];
  for (let i = 0; i < names.length; i++) claimedPrototypes.add(keptPrototypes[names[i] as string] as object);
  const storagePrototype = realm.parts.host.contexts?.storagePrototype;
  if (storagePrototype !== undefined) claimedPrototypes.add(storagePrototype);
  /** Headers of the iterators being read. */
  const headerByIterator = new SafeMap<object, readonly unknown[]>();

  return {
    matchesPrototype: (prototype) => claimedPrototypes.has(prototype),

    takeApart(value) {
      const state = internals.readEngineObject(realm, value);
      if (state === undefined) {
        refuseNative(value, types.isProxy);
        return undefined;
      }
      let index = 0;
      while (index < ENGINE_KINDS.length && ENGINE_KINDS[index] !== state.kind) index++;
      if (index === ENGINE_KINDS.length) return undefined;
      const labels = ENGINE_FIELDS[state.kind as EngineKind];
      const { length } = state.operands;
      return {
        kind: FIRST_ENGINE_KIND + index,
        header: state.operands,
        contents: engineContentsOf(state, contexts),
        label: (index, part) =>
          labels[part === 'header' ? index : length + index] ??
          (REGISTRATION_LABELS[(index - labels.length) % REGISTRATION_LABELS.length] as string),
      };
    },

    allocate(kind, header, prototype) {
      const object = internals.allocateEngineObject(realm, engineKindAt(kind), header, prototype ?? undefined);
      if (prototype !== undefined && prototypeOf(object) !== prototype) setPrototypeOf(object, prototype);
      if (engineKindAt(kind) === 'keptIterator') headerByIterator.set(object, header);
      return object;
    },

    fill(object, kind, contents) {
      const name = engineKindAt(kind);
      if (name === 'finalizationRegistry') fillFinalizationRegistry(realm, object, contents);
      if (name === 'iteratorHelper') fillIteratorHelper(realm, object, contents);
      if (name === 'disposableStack' || name === 'asyncDisposableStack')
        fillDisposableStack(realm, object, name, contents);
      if (name === 'wrappedIterator') fillWrappedIterator(realm, object, contents);
      // Filled at the end: the iterator advances through a Map or Set, which needs its entries by then.
      if (name === 'keptIterator')
        return () => fillKeptIterator(realm, object, headerByIterator.get(object) ?? [], contents);
      return undefined;
    },
  };
}

function engineKindAt(kind: number): EngineKind {
  const name = ENGINE_KINDS[kind - FIRST_ENGINE_KIND];
  if (name === undefined) throw new TypeError(`core has no kind ${kind}`);
  return name;
}

function engineContentsOf({ kind, fields }: EngineState, contexts: ContextCanonicalizer): unknown[] {
  if (kind === 'keptIterator') return [fields['position'], fields['matcher']];
  const contents: unknown[] = [];
  if (kind === 'iteratorHelper')
    for (let i = 0; i < HELPER_FIELDS.length; i++) contents[i] = fields[HELPER_FIELDS[i] as string];
  if (kind === 'wrappedIterator') return [fields['iterator'], fields['next']];
  if (kind === 'disposableStack' || kind === 'asyncDisposableStack') return [fields['disposed'], fields['disposal']];
  if (kind !== 'finalizationRegistry') return contents;
  contents[0] = fields['cleanup'];
  contents[1] = contexts.canonicalOf(fields['context'] as object);
  const registrations = fields['registrations'] as readonly FinalizationEntry[];
  for (let i = 0; i < registrations.length; i++) {
    const { target, holdings, token, number } = registrations[i] as FinalizationEntry;
    contents[4 * i + 2] = target;
    contents[4 * i + 3] = holdings;
    contents[4 * i + 4] = token;
    contents[4 * i + 5] = number;
  }
  return contents;
}

function fillFinalizationRegistry(realm: Realm, object: object, contents: readonly unknown[]): void {
  if (contents.length % 4 !== 2 || typeof contents[0] !== 'function')
    throw new TypeError(
      'expected a callback, a context, and four values for each registration of a FinalizationRegistry',
    );
  const registrations: FinalizationEntry[] = [];
  for (let i = 2; i < contents.length; i += 4) {
    const number = contents[i + 3];
    if (!isSafeInteger(number)) throw new TypeError('expected the number of a registration');
    registrations[(i - 2) / 4] = { target: contents[i], holdings: contents[i + 1], token: contents[i + 2], number };
  }
  const fields = { cleanup: contents[0], context: contents[1], registrations };
  internals.fillEngineObject(realm, object, { kind: 'finalizationRegistry', operands: [], fields });
}

function fillIteratorHelper(realm: Realm, object: object, contents: readonly unknown[]): void {
  const fields: Record<string, unknown> = {};
  for (let i = 0; i < HELPER_FIELDS.length; i++) fields[HELPER_FIELDS[i] as string] = contents[i];
  const { kind, status, count } = fields;
  const isNumbered = isSafeInteger(kind) && isSafeInteger(status) && typeof count === 'number';
  if (contents.length !== HELPER_FIELDS.length || !isNumbered)
    throw new TypeError('expected eight fields of an iterator helper');
  internals.fillEngineObject(realm, object, { kind: 'iteratorHelper', operands: [], fields });
}

function fillWrappedIterator(realm: Realm, object: object, contents: readonly unknown[]): void {
  const [iterator, next] = contents;
  if (contents.length !== 2 || typeof iterator !== 'object')
    throw new TypeError('expected two fields of a wrapped iterator');
  internals.fillEngineObject(realm, object, { kind: 'wrappedIterator', operands: [], fields: { iterator, next } });
}

function isDisposalStack(realm: Realm, value: object): boolean {
  return prototypeOf(value) === prototypeOf(internals.allocate(realm, 'disposalStack'));
}

function fillDisposableStack(realm: Realm, object: object, kind: EngineKind, contents: readonly unknown[]): void {
  const [disposed, disposal] = contents;
  const isStack = typeof disposal === 'object' && disposal !== null && isDisposalStack(realm, disposal);
  if (contents.length !== 2 || typeof disposed !== 'boolean' || !isStack)
    throw new TypeError('expected the state and contents of a disposable stack');
  internals.fillEngineObject(realm, object, { kind, operands: [], fields: { disposed, disposal } });
}

function fillKeptIterator(
  realm: Realm,
  object: object,
  operands: readonly unknown[],
  contents: readonly unknown[],
): void {
  const position = contents[0];
  const matcher = contents[1];
  if (contents.length !== 2 || !isSafeInteger(position)) throw new TypeError('expected the position of an iterator');
  internals.fillEngineObject(realm, object, { kind: 'keptIterator', operands, fields: { position, matcher } });
}

const createNativeIterators = (): object[] => [
  [].values(),
  ''[Symbol.iterator](),
  ''.matchAll(/x/g),
  new Map().keys(),
  new Set().keys(),
  Iterator.from([]).take(0),
  Iterator.from({ next: () => ({ done: true, value: undefined }) } as Iterator<unknown>),
];
const NATIVE_ITERATOR_PROTOTYPES = createNativeIterators().map((iterator) => prototypeOf(iterator) as object);
/** `DisposableStack.prototype` and `AsyncDisposableStack.prototype`, each with a getter that checks the class. */
const DISPOSABLE_STACKS = [DisposableStack, AsyncDisposableStack].map(({ prototype }) => ({
  prototype: prototype as object,
  isDisposed: getterOf<boolean>(prototype, 'disposed'),
}));
const unregister = receiverFirst(FinalizationRegistry.prototype.unregister);
const PROBE_TOKEN = {};
const { isSafeInteger } = Number;

/** Refuses WeakRefs, registries, disposable stacks and iterators of native code, whose hidden state cannot be read. */
function refuseNative(value: object, isProxy: (value: unknown) => boolean): void {
  for (let ancestor = prototypeOf(value); ancestor !== null && !isProxy(ancestor); ancestor = prototypeOf(ancestor)) {
    if (ancestor === WeakRef.prototype && passesBrandCheck(weakRefTarget as (value: never) => unknown, value))
      throw nativeObjectRefusal(value, 'native code created this WeakRef, so its results are not recorded');
    if (
      ancestor === FinalizationRegistry.prototype &&
      passesBrandCheck((registry: never) => unregister(registry, PROBE_TOKEN), value)
    )
      throw nativeObjectRefusal(
        value,
        'native code created this FinalizationRegistry, so its registrations cannot be read',
      );
    for (let i = 0; i < DISPOSABLE_STACKS.length; i++) {
      const { prototype, isDisposed } = DISPOSABLE_STACKS[i] as (typeof DISPOSABLE_STACKS)[number];
      if (ancestor === prototype && passesBrandCheck(isDisposed, value))
        throw nativeObjectRefusal(value, 'native code created this disposable stack, so its resources cannot be read');
    }
    for (let i = 0; i < NATIVE_ITERATOR_PROTOTYPES.length; i++)
      if (ancestor === NATIVE_ITERATOR_PROTOTYPES[i]) throw nativeIteratorRefusal(value);
  }
}

function nativeObjectRefusal(value: object, reason: string): CaptureRefusal {
  return new CaptureRefusal(value, reason, 'create it in transformed code, or in device(() => …)');
}

export function nativeIteratorRefusal(value: object): CaptureRefusal {
  const remedy = 'iterate with for-of, or copy the remaining values into an array';
  return new CaptureRefusal(value, 'the position of a native iterator cannot be read', remedy);
}

const PROXY_LABELS = ['.[[Target]]', '.[[Handler]]'];

/** Creates the adapter of proxies: target and handler, or for a revoked proxy whether it is callable. */
export function createProxyAdapter({ realm }: HeapPorts): ObjectAdapter {
  return {
    name: 'proxies',
    appliesTo: 'proxies',
    takeApart(value) {
      const state = internals.readEngineObject(realm, value);
      if (state?.kind !== 'proxy') return undefined;
      return { kind: 0, header: state.operands, contents: [], label: (index) => PROXY_LABELS[index] as string };
    },
    allocate(kind, header) {
      if (kind !== 0 || header.length === 0 || header.length > 2)
        throw new TypeError('expected target and handler of a Proxy');
      return internals.allocateEngineObject(realm, 'proxy', header);
    },
    fill: () => undefined,
  };
}

const BOUND_KIND = 0;
const CONTEXT_KIND = 1;
const FIRST_CLOSURE_KIND = 2;
const BOUND_LABELS = [' bound function', ' bound this', '.name', '.length'];

/** Creates the adapter of core's closures (like resolving functions), bound functions and asynchronous contexts. */
export function createCoreFunctionAdapter({ realm }: HeapPorts, contexts: ContextCanonicalizer): ObjectAdapter {
  return {
    name: 'core functions',
    appliesTo: 'functions',

    ...(realm.parts.host.contexts === undefined
      ? {}
      : { representativeOf: (value: object) => contexts.representativeOf(value) }),

    takeApart(value): ObjectParts | undefined {
      const state = internals.readEngineObject(realm, value);
      if (state?.kind === 'boundFunction') return takeBoundFunctionApart(value, state.operands);
      if (state?.kind === 'asyncContext') return takeContextApart(contexts.operandsOf(value) ?? state.operands);
      const identity = internals.identify(value as () => unknown);
      if (identity?.module !== internals.CORE) return undefined;
      return {
        kind: FIRST_CLOSURE_KIND + identity.ordinal,
        header: identity.captures,
        contents: [],
        initialProperties: initialClosureProperties(realm, identity.ordinal, identity.captures),
        label: (index) => ` captured ${index}`,
      };
    },

    allocate(kind, header) {
      if (kind === BOUND_KIND) return createBoundFunction(realm, header);
      if (kind === CONTEXT_KIND) return internals.allocateEngineObject(realm, 'asyncContext', header);
      return internals.createClosure(realm, kind - FIRST_CLOSURE_KIND, copyFrom(header, 0));
    },

    fill: () => undefined,
  };
}

/** Initial properties of core's closures by ordinal, the same in every realm. */
const closureProperties: Record<string, PropertyDescriptor>[] = [];

function initialClosureProperties(
  realm: Realm,
  ordinal: number,
  captures: unknown[],
): Record<string, PropertyDescriptor> {
  let initial = closureProperties[ordinal];
  if (initial === undefined) {
    const fresh = internals.createClosure(realm, ordinal, captures);
    initial = { length: descriptorOf(fresh, 'length') as PropertyDescriptor, name: hiddenDescriptor('') };
    closureProperties[ordinal] = initial;
  }
  return initial;
}

function takeContextApart(operands: readonly unknown[]): ObjectParts {
  const label = (index: number): string =>
    index % 2 === 1 ? ' value' : index === operands.length - 1 ? ' home' : ' storage';
  return { kind: CONTEXT_KIND, header: operands, contents: [], isComplete: true, label };
}

function takeBoundFunctionApart(value: object, operands: readonly unknown[]): ObjectParts {
  const args = operands[2] as readonly unknown[];
  const name = ownValueOfType(value, 'name', 'string') ?? '';
  const length = ownValueOfType(value, 'length', 'number') ?? 0;
  const header: unknown[] = [operands[0], operands[1], name, length];
  for (let i = 0; i < args.length; i++) header[i + 4] = args[i];
  return {
    kind: BOUND_KIND,
    header,
    contents: [],
    initialProperties: { name: hiddenDescriptor(name), length: hiddenDescriptor(length) },
    label: (index) => BOUND_LABELS[index] ?? ` bound argument ${index - 4}`,
  };
}

/** Creates a bound function. The header has its name and length, as the target determined them when it was bound. */
function createBoundFunction(realm: Realm, header: readonly unknown[]): object {
  const bound = internals.allocateEngineObject(realm, 'boundFunction', [header[0], header[1], copyFrom(header, 4)]);
  defineProperty(bound, 'name', hiddenDescriptor(header[2]));
  defineProperty(bound, 'length', hiddenDescriptor(header[3]));
  return bound;
}

function ownValueOfType(object: object, key: string, type: 'string' | 'number'): unknown {
  const value: unknown = descriptorOf(object, key)?.value;
  return typeof value === type ? value : undefined;
}

function copyFrom(list: readonly unknown[], from: number): unknown[] {
  const copy: unknown[] = [];
  for (let i = from; i < list.length; i++) copy[i - from] = list[i];
  return copy;
}
