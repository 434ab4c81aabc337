// All kinds, by tag, by the prototype that suggests them, and by the hidden state of an object.

import { CaptureRefusal } from '../heap-error.ts';
import {
  passesBrandCheck,
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
import { ARRAY_KINDS, generalArrayKind } from './array.ts';
import { BINARY_KINDS, arrayBufferKind, dataViewKind, typedArrayKind } from './binary.ts';
import { COLLECTION_KINDS, mapKind, setKind } from './collections.ts';
import { createCoreAdapter } from './core-objects.ts';
import { ContextCanonicalizer } from './context-canonicalizer.ts';
import { createCoreFunctionAdapter, nativeIteratorRefusal, createProxyAdapter } from './engine-objects.ts';
import { VALUE_KINDS, argumentsKind, boxedKind, dateKind, regexpKind } from './date-and-regexp.ts';
import { ERROR_KINDS, errorKind } from './errors.ts';
import { TARGET_KINDS } from './event-target.ts';
import { customEventPrototype, eventKind, EVENT_KINDS } from './events.ts';
import { FORMATTER_PROTOTYPES, formatterKind, HOST_KINDS } from './host-values.ts';
import { WEAK_KINDS, weakMapKind, weakSetKind } from './weak.ts';
import type { ObjectKind } from '../object-kind.ts';
import type { ObjectAdapter, HeapPorts } from '../ports.ts';

const ALL_KINDS: readonly ObjectKind[] = [
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

export const KIND_BY_TAG: readonly (ObjectKind | undefined)[] = (() => {
  const kinds: (ObjectKind | undefined)[] = [];
  for (let i = 0; i < 32; i++) kinds[i] = undefined;
  for (const kind of ALL_KINDS) kinds[kind.tag - FIRST_KIND] = kind;
  return kinds;
})();

/** Prototypes of kinds that are families without a definition, in the order of their numbers. */
export const STANDARD_PROTOTYPES: readonly object[] = ALL_KINDS.map((kind) => kind.prototype).filter(
  (prototype): prototype is object => prototype !== undefined && prototype !== arrayPrototype,
);

export const kindByPrototype = new SafeMap<object, ObjectKind>();
kindByPrototype.set(arrayPrototype, generalArrayKind);
for (const kind of ALL_KINDS)
  if (kind.prototype !== undefined && kind.prototype !== arrayPrototype) kindByPrototype.set(kind.prototype, kind);
for (const type of [Number, String, Boolean, Symbol, BigInt]) kindByPrototype.set(type.prototype, boxedKind);
kindByPrototype.set(Error.prototype, errorKind);
kindByPrototype.set(customEventPrototype, eventKind);
for (const prototype of FORMATTER_PROTOTYPES) kindByPrototype.set(prototype, formatterKind);
kindByPrototype.set(prototypeOf(Uint8Array.prototype) as object, typedArrayKind);

/** Returns an object's kind by hidden state; undefined for ordinary objects. Throws a refusal for opaque objects. */
export function kindOfObject(ports: HeapPorts, object: object): ObjectKind | undefined {
  if (isArray(object)) return generalArrayKind;
  const { types } = ports;
  if (types.isMap(object)) return mapKind;
  if (types.isSet(object)) return setKind;
  if (types.isDate(object)) return dateKind;
  if (types.isRegExp(object)) return regexpKind;
  if (types.isNativeError(object)) return errorKind;
  if (types.isBoxedPrimitive(object)) return boxedKind;
  if (types.isArgumentsObject(object)) return argumentsKind;
  if (types.isAnyArrayBuffer(object)) return arrayBufferKind;
  if (typedArrayTag(object) !== undefined) return typedArrayKind;
  if (types.isWeakMap(object)) return weakMapKind;
  if (types.isWeakSet(object)) return weakSetKind;
  if (ArrayBuffer.isView(object) && passesBrandCheck(dataViewBuffer, object)) return dataViewKind;
  const refusal = engineObjectRefusal(ports, object);
  if (refusal !== undefined) throw refusal;
  return undefined;
}

function engineObjectRefusal({ types }: HeapPorts, object: object): CaptureRefusal | undefined {
  if (types.isPromise(object)) {
    return new CaptureRefusal(
      object,
      'the reactions of a native promise cannot be read',
      'await it in transformed code, or create it there with new Promise(…) or an async function',
    );
  }
  if (types.isGeneratorObject(object))
    return new CaptureRefusal(
      object,
      'the suspended state of a native generator cannot be read',
      'transform the module of its function with --include PACKAGE',
    );
  if (types.isMapIterator(object) || types.isSetIterator(object)) return nativeIteratorRefusal(object);
  if (types.isModuleNamespaceObject(object))
    return new CaptureRefusal(
      object,
      'it is the namespace of a module that is not transformed',
      'import it where it is used instead of storing it',
    );
  if (types.isExternal(object))
    return new CaptureRefusal(object, 'it is an external value of a native addon', 'create it in device(() => …)');
  return undefined;
}

const MAX_SHOWN_SOURCE = 60;
const NATIVE_SOURCE_END = '{ [native code] }';

export function refusalFor(ports: HeapPorts, object: object): CaptureRefusal {
  if (ports.types.isProxy(object))
    return new CaptureRefusal(
      object,
      'this host cannot read the target of a Proxy',
      'give createRealm a host with an engine view, or create it in device(() => …)',
    );
  const source = sourceText(object as never);
  if (source.endsWith(NATIVE_SOURCE_END)) {
    const name: unknown = descriptorOf(object, 'name')?.value;
    const description = typeof name === 'string' && name !== '' ? `the function ${JSON.stringify(name)}` : 'a function';
    return new CaptureRefusal(
      object,
      `${description} is native code, so its state cannot be read`,
      'get it again where it is used instead of storing it, or create it in device(() => …)',
    );
  }
  const shownSource = source.length > MAX_SHOWN_SOURCE ? `${source.slice(0, MAX_SHOWN_SOURCE)}…` : source;
  return new CaptureRefusal(
    object,
    `the function ${JSON.stringify(shownSource)} is not transformed, so its captured variables cannot be read`,
    'transform its module with --include PACKAGE, or create it in device(() => …)',
  );
}

/** Creates the adapters; the index is the number in the format. Core's functions come after the program's. */
export function createAdapters(ports: HeapPorts): readonly ObjectAdapter[] {
  const contexts = new ContextCanonicalizer(ports.realm);
  const adapters: ObjectAdapter[] = [createCoreAdapter(ports, contexts)];
  const portAdapters = ports.adapters ?? [];
  for (let i = 0; i < portAdapters.length; i++) adapters[i + 1] = portAdapters[i] as ObjectAdapter;
  adapters[adapters.length] = createCoreFunctionAdapter(ports, contexts);
  adapters[adapters.length] = createProxyAdapter(ports);
  return adapters;
}
