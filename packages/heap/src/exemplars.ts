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

const NOTHING = Object.freeze({});
/** Of 32-bit integers, of numbers, of anything. */
const ELEMENTS: readonly unknown[] = [0, 0.5, NOTHING];

interface ArrayExemplars {
  readonly packed: readonly object[];
  readonly holey: readonly object[];
}

const ORDINARY = exemplarsOfArrays(() => []);
const NONE: ArrayExemplars = { packed: [], holey: [] };
/** By the prototype of a class that extends `Array`. */
const extended = new SafeWeakMap<object, ArrayExemplars>();

function exemplarsOfArrays(create: () => unknown[]): ArrayExemplars {
  const packed: object[] = [];
  const holey: object[] = [];
  for (let i = 0; i < ELEMENTS.length; i++) {
    packed[i] = withElement(create(), 0, ELEMENTS[i]);
    holey[i] = withElement(create(), 1, ELEMENTS[i]);
  }
  return { packed, holey };
}

/** Whatever its prototype says of assignments. */
function withElement(array: unknown[], index: number, value: unknown): unknown[] {
  defineProperty(array, index, { value, writable: true, enumerable: true, configurable: true });
  return array;
}

function exemplarsFor(array: object, { types }: HeapPorts): ArrayExemplars {
  const prototype = prototypeOf(array);
  if (prototype === arrayPrototype) return ORDINARY;
  if (prototype === null || types.isProxy(prototype)) return NONE;
  let found = extended.get(prototype);
  if (found === undefined) {
    const type: unknown = descriptorOf(prototype, 'constructor')?.value;
    const isClass =
      typeof type === 'function' && !types.isProxy(type) && descriptorOf(type, 'prototype')?.value === prototype;
    // As the engine makes them for the class, past what its constructor does.
    found = isClass ? exemplarsOfArrays(() => construct(Array, [], type) as unknown[]) : NONE;
    extended.set(prototype, found);
  }
  return found;
}

function isOne(object: object, exemplars: readonly object[], { realm }: HeapPorts): boolean {
  const { engine } = realm.parts.host;
  if (engine === undefined) return false;
  for (let i = 0; i < exemplars.length; i++) if (engine.sameShape(object, exemplars[i] as object)) return true;
  return false;
}

/** Of an array: all of its elements are there, and ordinary. */
export function isPacked(array: object, ports: HeapPorts): boolean {
  return isOne(array, exemplarsFor(array, ports).packed, ports);
}

/** Of an array: it has nothing but elements, which are ordinary, though some may be missing, and a length. */
export function isBareArray(array: object, ports: HeapPorts): boolean {
  const { packed, holey } = exemplarsFor(array, ports);
  return isOne(array, packed, ports) || isOne(array, holey, ports);
}

/** Of an array, whatever else it has: what makes an element anything else makes the engine keep all of them in a dictionary, or forbids that there be more. */
export function hasOrdinaryElements(array: object, { realm }: HeapPorts): boolean {
  return isExtensible(array) && realm.parts.host.engine?.hasFixedShape(array) === true;
}

/** Whether a hole of the array could be filled by what it inherits from: then elements are not to be read without looking. */
export function mayInheritElements(array: object, { types }: HeapPorts): boolean {
  for (let each = prototypeOf(array); each !== null; each = prototypeOf(each))
    if (types.isProxy(each) || startsWithIndex(each)) return true;
  return false;
}

function startsWithIndex(object: object): boolean {
  const first = namesOf(object)[0] ?? '';
  return `${(first as unknown as number) >>> 0}` === first;
}

/** For each class of views, one of the class, and for Node's buffers one that Node has made and one that the engine has made for Node. */
export function exemplarsOf(
  views: readonly (new (length: number) => object)[],
): (view: object, ports: HeapPorts) => boolean {
  const exemplars = views.map((view) => new view(0));
  // A realm of the engine's alone has none.
  if ('Buffer' in globalThis)
    exemplars.push(Buffer.alloc(0), Object.setPrototypeOf(new Uint8Array(0), Buffer.prototype) as object);
  return (view, ports) => isOne(view, exemplars, ports);
}
