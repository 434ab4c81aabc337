// Sample arrays and views of the engine's initial shapes. An object with the shape of a sample has ordinary elements
// and no other properties, so their names and descriptors, 100 to 300 ns each, need not be read.

import {
  arrayPrototype,
  construct,
  defineProperty,
  descriptorOf,
  isExtensible,
  namesOf,
  prototypeOf,
  SafeWeakMap,
} from './intrinsics.ts';
import type { HeapPorts } from './ports.ts';

const SAMPLE_OBJECT = Object.freeze({});
/** One element of each type that V8 distinguishes: a 32-bit integer, another number, any other value. */
const SAMPLE_ELEMENTS: readonly unknown[] = [0, 0.5, SAMPLE_OBJECT];

interface ArrayExemplars {
  readonly packed: readonly object[];
  readonly holey: readonly object[];
}

const ORDINARY_ARRAYS = createArrayExemplars(() => []);
const NO_EXEMPLARS: ArrayExemplars = { packed: [], holey: [] };
/** Samples by the prototype of a class that extends `Array`. */
const exemplarsByPrototype = new SafeWeakMap<object, ArrayExemplars>();

function createArrayExemplars(create: () => unknown[]): ArrayExemplars {
  const packed: object[] = [];
  const holey: object[] = [];
  for (let i = 0; i < SAMPLE_ELEMENTS.length; i++) {
    packed[i] = withElement(create(), 0, SAMPLE_ELEMENTS[i]);
    holey[i] = withElement(create(), 1, SAMPLE_ELEMENTS[i]);
  }
  return { packed, holey };
}

/** Sets an element regardless of setters in the prototype chain. */
function withElement(array: unknown[], index: number, value: unknown): unknown[] {
  defineProperty(array, index, { value, writable: true, enumerable: true, configurable: true });
  return array;
}

function arrayExemplarsFor(array: object, { types }: HeapPorts): ArrayExemplars {
  const prototype = prototypeOf(array);
  if (prototype === arrayPrototype) return ORDINARY_ARRAYS;
  if (prototype === null || types.isProxy(prototype)) return NO_EXEMPLARS;
  let exemplars = exemplarsByPrototype.get(prototype);
  if (exemplars === undefined) {
    const type: unknown = descriptorOf(prototype, 'constructor')?.value;
    const isClass =
      typeof type === 'function' && !types.isProxy(type) && descriptorOf(type, 'prototype')?.value === prototype;
    // Created as the engine does for the class, without its constructor.
    exemplars = isClass ? createArrayExemplars(() => construct(Array, [], type) as unknown[]) : NO_EXEMPLARS;
    exemplarsByPrototype.set(prototype, exemplars);
  }
  return exemplars;
}

function hasShapeOfAny(object: object, exemplars: readonly object[], { realm }: HeapPorts): boolean {
  const { engine } = realm.parts.host;
  if (engine === undefined) return false;
  for (let i = 0; i < exemplars.length; i++) if (engine.sameShape(object, exemplars[i] as object)) return true;
  return false;
}

/** Returns whether the array's shape shows that all elements exist and are ordinary. */
export function isPacked(array: object, ports: HeapPorts): boolean {
  return hasShapeOfAny(array, arrayExemplarsFor(array, ports).packed, ports);
}

/** Returns whether the array's shape shows only ordinary elements, some possibly missing, and a length. */
export function isBareArray(array: object, ports: HeapPorts): boolean {
  const { packed, holey } = arrayExemplarsFor(array, ports);
  return hasShapeOfAny(array, packed, ports) || hasShapeOfAny(array, holey, ports);
}

/**
 * Returns whether all elements are ordinary properties: the array is extensible, and the engine does not store its
 * elements in a dictionary, as it does for elements with other attributes.
 */
export function hasOrdinaryElements(array: object, { realm }: HeapPorts): boolean {
  return isExtensible(array) && realm.parts.host.engine?.hasFixedShape(array) === true;
}

/** Returns whether a hole may get a value from the prototype chain, so that elements must be read carefully. */
export function mayInheritElements(array: object, { types }: HeapPorts): boolean {
  for (let ancestor = prototypeOf(array); ancestor !== null; ancestor = prototypeOf(ancestor))
    if (types.isProxy(ancestor) || hasIndexKey(ancestor)) return true;
  return false;
}

function hasIndexKey(object: object): boolean {
  const first = namesOf(object)[0] ?? '';
  return `${(first as unknown as number) >>> 0}` === first;
}

/** Creates a test whether a view has the shape of a new one. Buffers have two: one made by Node, one by the engine. */
export function createViewMatcher(
  views: readonly (new (length: number) => object)[],
): (view: object, ports: HeapPorts) => boolean {
  const exemplars = views.map((view) => new view(0));
  // Realms without Node have no `Buffer`.
  if ('Buffer' in globalThis)
    exemplars.push(Buffer.alloc(0), Object.setPrototypeOf(new Uint8Array(0), Buffer.prototype) as object);
  return (view, ports) => hasShapeOfAny(view, exemplars, ports);
}
