// All kinds, by tag, by the prototype that suggests them, and by what an object really is.

import { Refusal } from '../heap-error.ts';
import {
  accepts,
  arrayPrototype,
  dataViewBuffer,
  descriptorOf,
  isArray,
  prototypeOf,
  SafeMap,
  sourceText,
  typedArrayTag,
} from '../intrinsics.ts';
import { FIRST_KIND } from '../tags.ts';
import { ARRAY_KINDS, general } from './array.ts';
import { BINARY_KINDS, arrayBuffer, dataView, typedArray } from './binary.ts';
import { COLLECTION_KINDS, map, set } from './collections.ts';
import { coreAdapter } from './core-objects.ts';
import { Contexts } from './contexts.ts';
import { coreFunctions, nativeIterator, proxyAdapter } from './engine-objects.ts';
import { VALUE_KINDS, args, boxed, date, regexp } from './date-and-regexp.ts';
import { ERROR_KINDS, error } from './errors.ts';
import { TARGET_KINDS } from './event-target.ts';
import { customEventPrototype, event, EVENT_KINDS } from './events.ts';
import { FORMATTER_PROTOTYPES, formatter, HOST_KINDS } from './host-values.ts';
import { WEAK_KINDS, weakMap, weakSet } from './weak.ts';
import type { Kind } from '../kind.ts';
import type { Adapter, HeapPorts } from '../ports.ts';

const ALL: readonly Kind[] = [
  ...ARRAY_KINDS,
  ...COLLECTION_KINDS,
  ...VALUE_KINDS,
  ...ERROR_KINDS,
  ...BINARY_KINDS,
  ...WEAK_KINDS,
  ...HOST_KINDS,
  ...TARGET_KINDS,
  ...EVENT_KINDS,
];

export const KIND_BY_TAG: readonly (Kind | undefined)[] = (() => {
  const kinds: (Kind | undefined)[] = [];
  for (let i = 0; i < 32; i++) kinds[i] = undefined;
  for (const kind of ALL) kinds[kind.tag - FIRST_KIND] = kind;
  return kinds;
})();

/** Prototypes of kinds that are families without a definition, in the order of their numbers. */
export const STANDARD: readonly object[] = ALL.map((kind) => kind.prototype).filter(
  (prototype): prototype is object => prototype !== undefined && prototype !== arrayPrototype,
);

export const kindByPrototype = new SafeMap<object, Kind>();
kindByPrototype.set(arrayPrototype, general);
for (const kind of ALL)
  if (kind.prototype !== undefined && kind.prototype !== arrayPrototype) kindByPrototype.set(kind.prototype, kind);
for (const type of [Number, String, Boolean, Symbol, BigInt]) kindByPrototype.set(type.prototype, boxed);
kindByPrototype.set(Error.prototype, error);
kindByPrototype.set(customEventPrototype, event);
for (const prototype of FORMATTER_PROTOTYPES) kindByPrototype.set(prototype, formatter);
kindByPrototype.set(prototypeOf(Uint8Array.prototype) as object, typedArray);

/** What an object is by its hidden state, whatever its prototype; nothing for ordinary ones. Throws for what cannot be written. */
export function kindOfObject(ports: HeapPorts, object: object): Kind | undefined {
  if (isArray(object)) return general;
  const { types } = ports;
  if (types.isMap(object)) return map;
  if (types.isSet(object)) return set;
  if (types.isDate(object)) return date;
  if (types.isRegExp(object)) return regexp;
  if (types.isNativeError(object)) return error;
  if (types.isBoxedPrimitive(object)) return boxed;
  if (types.isArgumentsObject(object)) return args;
  if (types.isAnyArrayBuffer(object)) return arrayBuffer;
  if (typedArrayTag(object) !== undefined) return typedArray;
  if (types.isWeakMap(object)) return weakMap;
  if (types.isWeakSet(object)) return weakSet;
  if (ArrayBuffer.isView(object) && accepts(dataViewBuffer, object)) return dataView;
  const refusal = engineObject(ports, object);
  if (refusal !== undefined) throw refusal;
  return undefined;
}

function engineObject({ types }: HeapPorts, object: object): Refusal | undefined {
  if (types.isPromise(object)) {
    return new Refusal(
      object,
      'a native promise belongs to the engine, which does not tell who waits for it',
      'await it in transformed code, or make it in transformed code: new Promise(…), an async function',
    );
  }
  if (types.isGeneratorObject(object))
    return new Refusal(
      object,
      'a native generator is suspended inside the engine',
      'let its function be transformed (TURNTABLE_INCLUDE)',
    );
  if (types.isMapIterator(object) || types.isSetIterator(object)) return nativeIterator(object);
  if (types.isModuleNamespaceObject(object))
    return new Refusal(
      object,
      'the namespace of a module that is not part of the program',
      'import it where it is used instead of storing it',
    );
  if (types.isExternal(object))
    return new Refusal(object, 'an external value of a native addon', 'keep it behind a device');
  return undefined;
}

const HEAD = 60;
const NATIVE = '{ [native code] }';

export function refusalOf(ports: HeapPorts, object: object): Refusal {
  if (ports.types.isProxy(object))
    return new Refusal(
      object,
      'a Proxy hides its target from this host',
      'give createRealm a host with an engine view, or keep it behind a device',
    );
  const text = sourceText(object as never);
  if (text.endsWith(NATIVE)) {
    const name: unknown = descriptorOf(object, 'name')?.value;
    const called = typeof name === 'string' && name !== '' ? `the function ${JSON.stringify(name)}` : 'a function';
    return new Refusal(
      object,
      `${called} is native code, which does not tell what it holds`,
      'ask for it again where it is needed, or keep it behind a device',
    );
  }
  const head = text.length > HEAD ? `${text.slice(0, HEAD)}…` : text;
  return new Refusal(
    object,
    `the function ${JSON.stringify(head)} is not transformed, so what it captured cannot be seen`,
    'load its module through turntable (TURNTABLE_INCLUDE), or keep it behind a device',
  );
}

/** Their order is their number. Functions are mostly the program's, so core's are asked for last. */
export function adaptersOf(ports: HeapPorts): readonly Adapter[] {
  const contexts = new Contexts(ports.realm);
  const adapters: Adapter[] = [coreAdapter(ports, contexts)];
  const given = ports.adapters ?? [];
  for (let i = 0; i < given.length; i++) adapters[i + 1] = given[i] as Adapter;
  adapters[adapters.length] = coreFunctions(ports, contexts);
  adapters[adapters.length] = proxyAdapter(ports);
  return adapters;
}
