// Arrays and views of the shapes that the engine gives those nobody has done anything to but to fill them. One that has the shape of one of these has no
// property but its elements, which are ordinary: it has not to be asked for the name and the descriptor of each of them, which takes 100 to 300 ns.

import { isExtensible } from './intrinsics.ts';
import type { HeapPorts } from './ports.ts';

const NOTHING = Object.freeze({});
/** Of 32-bit integers, of numbers, of anything. */
const PACKED: readonly object[] = [[0], [0.5], [NOTHING]];
const HOLEY: readonly object[] = [withHole(0), withHole(0.5), withHole(NOTHING)];

function withHole(value: unknown): unknown[] {
  const array: unknown[] = [];
  array[1] = value;
  return array;
}

function isOne(object: object, exemplars: readonly object[], { realm }: HeapPorts): boolean {
  const { engine } = realm.parts.host;
  if (engine === undefined) return false;
  for (let i = 0; i < exemplars.length; i++) if (engine.sameShape(object, exemplars[i] as object)) return true;
  return false;
}

/** Of an array: all of its elements are there, and ordinary. */
export function isPacked(array: object, ports: HeapPorts): boolean {
  return isOne(array, PACKED, ports);
}

/** Of an array: it has nothing but elements, which are ordinary, though some may be missing, and a length. */
export function isBareArray(array: object, ports: HeapPorts): boolean {
  return isPacked(array, ports) || isOne(array, HOLEY, ports);
}

/** Of an array, whatever else it has: what makes an element anything else makes the engine keep all of them in a dictionary, or forbids that there be more. */
export function hasOrdinaryElements(array: object, { realm }: HeapPorts): boolean {
  return isExtensible(array) && realm.parts.host.engine?.hasFixedShape(array) === true;
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
