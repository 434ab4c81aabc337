// The engine's own objects that core can take apart (docs/abi.md, "What the engine keeps"): WeakRefs, finalization registries,
// iterators that are kept, storages of asynchronous contexts, proxies, bound functions, contexts. What only native code has made
// of these tells nothing, and is refused.

import { internals, type EngineState, type Realm } from '@turntable/core';
import { Refusal } from '../heap-error.ts';
import {
  accepts,
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
  hidden,
} from '../intrinsics.ts';
import type { Contexts } from './contexts.ts';
import type { Adapter, HeapPorts, Parts } from '../ports.ts';

/** The kinds of the core adapter before these are core's own. */
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
/** In the order of the format. */
const HELPER_FIELDS = ['kind', 'status', 'iterator', 'next', 'argument', 'count', 'inner', 'innerNext'] as const;
type ObjectKind = (typeof ENGINE_KINDS)[number];

/** How operands and contents are called in paths. */
export const ENGINE_FIELDS: Readonly<Record<ObjectKind, readonly string[]>> = {
  weakRef: ['.deref()'],
  finalizationRegistry: [' cleanup', ' context'],
  keptIterator: [' kind', ' source', ' position', ' matcher'],
  asyncStorage: [' name', ' default value'],
  iteratorHelper: HELPER_FIELDS.map((name) => ` ${name}`),
  wrappedIterator: [' iterator', ' next'],
  disposableStack: [' disposed', ' contents'],
  asyncDisposableStack: [' disposed', ' contents'],
};
const REGISTRATION = [' target', ' holdings', ' token', ' number'];

interface RegistrationData {
  readonly target: unknown;
  readonly holdings: unknown;
  readonly token: unknown;
  readonly number: unknown;
}

/** Part of the core adapter: asked for with core's own objects. */
export function engineObjects(
  { realm, types }: HeapPorts,
  contexts: Contexts,
): Pick<Adapter, 'take' | 'allocate' | 'fill'> & {
  claims(prototype: object): boolean;
} {
  const claimed = new SafeSet<object>();
  claimed.add(WeakRef.prototype);
  claimed.add(FinalizationRegistry.prototype);
  for (let i = 0; i < STACKS.length; i++) claimed.add((STACKS[i] as (typeof STACKS)[number]).prototype);
  for (let i = 0; i < NATIVE_ITERATORS.length; i++) claimed.add(NATIVE_ITERATORS[i] as object);
  const { keptPrototypes } = realm.parts;
  const names = ownKeys(keptPrototypes) as string[];
  for (let i = 0; i < names.length; i++) claimed.add(keptPrototypes[names[i] as string] as object);
  const storages = realm.parts.host.contexts?.storagePrototype;
  if (storages !== undefined) claimed.add(storages);
  /** What iterators being read walk. */
  const walked = new SafeMap<object, readonly unknown[]>();

  return {
    claims: (prototype) => claimed.has(prototype),

    take(value) {
      const state = internals.readEngineObject(realm, value);
      if (state === undefined) {
        refuseNative(value, types.isProxy);
        return undefined;
      }
      let place = 0;
      while (place < ENGINE_KINDS.length && ENGINE_KINDS[place] !== state.kind) place++;
      if (place === ENGINE_KINDS.length) return undefined;
      const labels = ENGINE_FIELDS[state.kind as ObjectKind];
      const { length } = state.operands;
      return {
        kind: FIRST_ENGINE_KIND + place,
        header: state.operands,
        contents: contentsOf(state, contexts),
        label: (index, part) =>
          labels[part === 'header' ? index : length + index] ??
          (REGISTRATION[(index - labels.length) % REGISTRATION.length] as string),
      };
    },

    allocate(kind, header, prototype) {
      const object = internals.allocateEngineObject(realm, kindAt(kind), header, prototype ?? undefined);
      if (prototype !== undefined && prototypeOf(object) !== prototype) setPrototypeOf(object, prototype);
      if (kindAt(kind) === 'keptIterator') walked.set(object, header);
      return object;
    },

    fill(object, kind, contents) {
      const name = kindAt(kind);
      if (name === 'finalizationRegistry') fillRegistry(realm, object, contents);
      if (name === 'iteratorHelper') fillHelper(realm, object, contents);
      if (name === 'disposableStack' || name === 'asyncDisposableStack') fillStack(realm, object, name, contents);
      if (name === 'wrappedIterator') fillWrapper(realm, object, contents);
      // It is advanced to its place in a Map or Set that must have its entries by then.
      if (name === 'keptIterator') return () => fillIterator(realm, object, walked.get(object) ?? [], contents);
      return undefined;
    },
  };
}

function kindAt(kind: number): ObjectKind {
  const name = ENGINE_KINDS[kind - FIRST_ENGINE_KIND];
  if (name === undefined) throw new TypeError(`core has no kind ${kind}`);
  return name;
}

function contentsOf({ kind, fields }: EngineState, contexts: Contexts): unknown[] {
  if (kind === 'keptIterator') return [fields['position'], fields['matcher']];
  const contents: unknown[] = [];
  if (kind === 'iteratorHelper')
    for (let i = 0; i < HELPER_FIELDS.length; i++) contents[i] = fields[HELPER_FIELDS[i] as string];
  if (kind === 'wrappedIterator') return [fields['iterator'], fields['next']];
  if (kind === 'disposableStack' || kind === 'asyncDisposableStack') return [fields['disposed'], fields['disposal']];
  if (kind !== 'finalizationRegistry') return contents;
  contents[0] = fields['cleanup'];
  contents[1] = contexts.sameAs(fields['context'] as object);
  const registrations = fields['registrations'] as readonly RegistrationData[];
  for (let i = 0; i < registrations.length; i++) {
    const { target, holdings, token, number } = registrations[i] as RegistrationData;
    contents[4 * i + 2] = target;
    contents[4 * i + 3] = holdings;
    contents[4 * i + 4] = token;
    contents[4 * i + 5] = number;
  }
  return contents;
}

function fillRegistry(realm: Realm, object: object, contents: readonly unknown[]): void {
  if (contents.length % 4 !== 2 || typeof contents[0] !== 'function')
    throw new TypeError('a FinalizationRegistry has a callback, a context, and four values for each registration');
  const registrations: RegistrationData[] = [];
  for (let i = 2; i < contents.length; i += 4) {
    const number = contents[i + 3];
    if (!isSafeInteger(number)) throw new TypeError('a registration has a number');
    registrations[(i - 2) / 4] = { target: contents[i], holdings: contents[i + 1], token: contents[i + 2], number };
  }
  const fields = { cleanup: contents[0], context: contents[1], registrations };
  internals.fillEngineObject(realm, object, { kind: 'finalizationRegistry', operands: [], fields });
}

function fillHelper(realm: Realm, object: object, contents: readonly unknown[]): void {
  const fields: Record<string, unknown> = {};
  for (let i = 0; i < HELPER_FIELDS.length; i++) fields[HELPER_FIELDS[i] as string] = contents[i];
  const { kind, status, count } = fields;
  const isNumbered = isSafeInteger(kind) && isSafeInteger(status) && typeof count === 'number';
  if (contents.length !== HELPER_FIELDS.length || !isNumbered)
    throw new TypeError('an iterator helper has eight fields');
  internals.fillEngineObject(realm, object, { kind: 'iteratorHelper', operands: [], fields });
}

function fillWrapper(realm: Realm, object: object, contents: readonly unknown[]): void {
  const [iterator, next] = contents;
  if (contents.length !== 2 || typeof iterator !== 'object') throw new TypeError('a wrapped iterator has two fields');
  internals.fillEngineObject(realm, object, { kind: 'wrappedIterator', operands: [], fields: { iterator, next } });
}

function isStackContents(realm: Realm, value: object): boolean {
  return prototypeOf(value) === prototypeOf(internals.allocate(realm, 'disposalStack'));
}

function fillStack(realm: Realm, object: object, kind: ObjectKind, contents: readonly unknown[]): void {
  const [disposed, disposal] = contents;
  const isStack = typeof disposal === 'object' && disposal !== null && isStackContents(realm, disposal);
  if (contents.length !== 2 || typeof disposed !== 'boolean' || !isStack)
    throw new TypeError('a disposable stack is disposed or not, and has contents');
  internals.fillEngineObject(realm, object, { kind, operands: [], fields: { disposed, disposal } });
}

function fillIterator(realm: Realm, object: object, operands: readonly unknown[], contents: readonly unknown[]): void {
  const position = contents[0];
  const matcher = contents[1];
  if (contents.length !== 2 || !isSafeInteger(position)) throw new TypeError('an iterator has a position');
  internals.fillEngineObject(realm, object, { kind: 'keptIterator', operands, fields: { position, matcher } });
}

const iterators = (): object[] => [
  [].values(),
  ''[Symbol.iterator](),
  ''.matchAll(/x/g),
  new Map().keys(),
  new Set().keys(),
  Iterator.from([]).take(0),
  Iterator.from({ next: () => ({ done: true, value: undefined }) } as Iterator<unknown>),
];
const NATIVE_ITERATORS = iterators().map((iterator) => prototypeOf(iterator) as object);
/** Of the two kinds, what only accepts its own objects. */
const STACKS = [DisposableStack, AsyncDisposableStack].map(({ prototype }) => ({
  prototype: prototype as object,
  isDisposed: getterOf<boolean>(prototype, 'disposed'),
}));
const unregister = receiverFirst(FinalizationRegistry.prototype.unregister);
const TOKEN = {};
const { isSafeInteger } = Number;

/** Objects of these kinds that are not the program's own keep hidden what would have to be written. */
function refuseNative(value: object, isProxy: (value: unknown) => boolean): void {
  for (let each = prototypeOf(value); each !== null && !isProxy(each); each = prototypeOf(each)) {
    if (each === WeakRef.prototype && accepts(weakRefTarget as (value: never) => unknown, value))
      throw madeByNativeCode(value, 'a WeakRef that native code made: what it answers is not recorded');
    if (each === FinalizationRegistry.prototype && accepts((registry: never) => unregister(registry, TOKEN), value))
      throw madeByNativeCode(value, 'a FinalizationRegistry that native code made does not tell what is registered');
    for (let i = 0; i < STACKS.length; i++) {
      const { prototype, isDisposed } = STACKS[i] as (typeof STACKS)[number];
      if (each === prototype && accepts(isDisposed, value))
        throw madeByNativeCode(value, 'a disposable stack that native code made does not tell what it will dispose of');
    }
    for (let i = 0; i < NATIVE_ITERATORS.length; i++) if (each === NATIVE_ITERATORS[i]) throw nativeIterator(value);
  }
}

function madeByNativeCode(value: object, reason: string): Refusal {
  return new Refusal(value, reason, 'make it in transformed code, or keep it behind a device');
}

export function nativeIterator(value: object): Refusal {
  const remedy = 'iterate with for-of, or copy what is left into an array';
  return new Refusal(value, 'a native iterator does not tell its position', remedy);
}

const PROXY_LABELS = ['.[[Target]]', '.[[Handler]]'];

/** A proxy is its target and its handler, whoever made it; of a revoked one it is known whether it can be called. */
export function proxyAdapter({ realm }: HeapPorts): Adapter {
  return {
    name: 'proxies',
    asks: 'proxies',
    take(value) {
      const state = internals.readEngineObject(realm, value);
      if (state?.kind !== 'proxy') return undefined;
      return { kind: 0, header: state.operands, contents: [], label: (index) => PROXY_LABELS[index] as string };
    },
    allocate(kind, header) {
      if (kind !== 0 || header.length === 0 || header.length > 2) throw new TypeError('a Proxy has target and handler');
      return internals.allocateEngineObject(realm, 'proxy', header);
    },
    fill: () => undefined,
  };
}

const BOUND = 0;
const CONTEXT = 1;
const CLOSURE = 2;
const BOUND_LABELS = [' bound function', ' bound this', '.name', '.length'];

/** Core's own closures (resolving functions and their like), what `bind` made, and asynchronous contexts. */
export function coreFunctions({ realm }: HeapPorts, contexts: Contexts): Adapter {
  return {
    name: 'core functions',
    asks: 'functions',

    ...(realm.parts.host.contexts === undefined
      ? {}
      : { represents: (value: object) => contexts.representativeOf(value) }),

    take(value): Parts | undefined {
      const state = internals.readEngineObject(realm, value);
      if (state?.kind === 'boundFunction') return takeBound(value, state.operands);
      if (state?.kind === 'asyncContext') return takeContext(contexts.operandsOf(value) ?? state.operands);
      const identity = internals.identify(value as () => unknown);
      if (identity?.module !== internals.CORE) return undefined;
      return {
        kind: CLOSURE + identity.ordinal,
        header: identity.captures,
        contents: [],
        born: bornClosure(realm, identity.ordinal, identity.captures),
        label: (index) => ` captured ${index}`,
      };
    },

    allocate(kind, header) {
      if (kind === BOUND) return makeBound(realm, header);
      if (kind === CONTEXT) return internals.allocateEngineObject(realm, 'asyncContext', header);
      return internals.closure(realm, kind - CLOSURE, copied(header, 0));
    },

    fill: () => undefined,
  };
}

/** By ordinal, what core's closures are born with: the same in every realm. */
const bornClosures: Record<string, PropertyDescriptor>[] = [];

function bornClosure(realm: Realm, ordinal: number, captures: unknown[]): Record<string, PropertyDescriptor> {
  let born = bornClosures[ordinal];
  if (born === undefined) {
    const fresh = internals.closure(realm, ordinal, captures);
    born = { length: descriptorOf(fresh, 'length') as PropertyDescriptor, name: hidden('') };
    bornClosures[ordinal] = born;
  }
  return born;
}

function takeContext(operands: readonly unknown[]): Parts {
  const label = (index: number): string =>
    index % 2 === 1 ? ' value' : index === operands.length - 1 ? ' home' : ' storage';
  return { kind: CONTEXT, header: operands, contents: [], whole: true, label };
}

function takeBound(value: object, operands: readonly unknown[]): Parts {
  const args = operands[2] as readonly unknown[];
  const name = ownValue(value, 'name', 'string') ?? '';
  const length = ownValue(value, 'length', 'number') ?? 0;
  const header: unknown[] = [operands[0], operands[1], name, length];
  for (let i = 0; i < args.length; i++) header[i + 4] = args[i];
  return {
    kind: BOUND,
    header,
    contents: [],
    born: { name: hidden(name), length: hidden(length) },
    label: (index) => BOUND_LABELS[index] ?? ` bound argument ${index - 4}`,
  };
}

/** What name and length it was given depends on how its target looked at that time: they are written as they are. */
function makeBound(realm: Realm, header: readonly unknown[]): object {
  const bound = internals.allocateEngineObject(realm, 'boundFunction', [header[0], header[1], copied(header, 4)]);
  defineProperty(bound, 'name', hidden(header[2]));
  defineProperty(bound, 'length', hidden(header[3]));
  return bound;
}

function ownValue(object: object, key: string, type: 'string' | 'number'): unknown {
  const value: unknown = descriptorOf(object, key)?.value;
  return typeof value === type ? value : undefined;
}

function copied(list: readonly unknown[], from: number): unknown[] {
  const copy: unknown[] = [];
  for (let i = from; i < list.length; i++) copy[i - from] = list[i];
  return copy;
}
