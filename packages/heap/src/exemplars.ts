// Arrays and views of the shapes that the engine gives those nobody has done anything to but to fill them. One that has the shape of one of these has no
// property but its elements, which are ordinary: it has not to be asked for the name and the descriptor of each of them, which takes 100 to 300 ns.

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
/** Of 32-bit integers, of numbers, of anything. */
const SAMPLE_ELEMENTS: readonly unknown[] = [0, 0.5, SAMPLE_OBJECT];

interface ArrayExemplars {
  readonly packed: readonly object[];
  readonly holey: readonly object[];
}

const ORDINARY_ARRAYS = createArrayExemplars(() => []);
const NO_EXEMPLARS: ArrayExemplars = { packed: [], holey: [] };
/** By the prototype of a class that extends `Array`. */
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

/** Whatever its prototype says of assignments. */
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
    // As the engine makes them for the class, past what its constructor does.
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

/** Of an array: all of its elements are there, and ordinary. */
export function isPacked(array: object, ports: HeapPorts): boolean {
  return hasShapeOfAny(array, arrayExemplarsFor(array, ports).packed, ports);
}

/** Of an array: it has nothing but elements, which are ordinary, though some may be missing, and a length. */
export function isBareArray(array: object, ports: HeapPorts): boolean {
  const { packed, holey } = arrayExemplarsFor(array, ports);
  return hasShapeOfAny(array, packed, ports) || hasShapeOfAny(array, holey, ports);
}

/** Of an array, whatever else it has: what makes an element anything else makes the engine keep all of them in a dictionary, or forbids that there be more. */
export function hasOrdinaryElements(array: object, { realm }: HeapPorts): boolean {
  return isExtensible(array) && realm.parts.host.engine?.hasFixedShape(array) === true;
}

/** Whether a hole of the array could be filled by what it inherits from: then elements are not to be read without looking. */
export function mayInheritElements(array: object, { types }: HeapPorts): boolean {
  for (let ancestor = prototypeOf(array); ancestor !== null; ancestor = prototypeOf(ancestor))
    if (types.isProxy(ancestor) || hasIndexKey(ancestor)) return true;
  return false;
}

function hasIndexKey(object: object): boolean {
  const first = namesOf(object)[0] ?? '';
  return `${(first as unknown as number) >>> 0}` === first;
}

/** For each class of views, one of the class, and for Node's buffers one that Node has made and one that the engine has made for Node. */
export function createViewMatcher(
  views: readonly (new (length: number) => object)[],
): (view: object, ports: HeapPorts) => boolean {
  const exemplars = views.map((view) => new view(0));
  // A realm of the engine's alone has none.
  if ('Buffer' in globalThis)
    exemplars.push(Buffer.alloc(0), Object.setPrototypeOf(new Uint8Array(0), Buffer.prototype) as object);
  return (view, ports) => hasShapeOfAny(view, exemplars, ports);
}
