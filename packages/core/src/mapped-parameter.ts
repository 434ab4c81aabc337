// Storage of a parameter that a sloppy function shares with its `arguments` (ECMA-262 §10.4.4). The element of
// `arguments` holds the value, so a write to either one changes both, wherever `arguments` is passed. The element is
// shared until it is deleted or made read-only. An assignment to a deleted element shares it again.

import { hasOwn } from './intrinsics.ts';

const { set } = Reflect;

export class MappedParameter {
  elements: ArrayLike<unknown> | null;
  index: number;
  /** The value that counts once the element is no longer shared. */
  own: unknown;

  constructor(elements: ArrayLike<unknown>, index: number) {
    this.elements = elements;
    this.index = index;
    this.own = elements[index];
  }

  get v(): unknown {
    const { elements, index } = this;
    if (elements === null || !hasOwn(elements, index)) return this.own;
    return elements[index];
  }

  set v(value: unknown) {
    const { elements, index } = this;
    this.own = value;
    if (elements === null) return;
    if (!hasOwn(elements, index) || !set(elements, index, value)) this.elements = null;
  }
}

/** Makes the storage of parameter `index`. A parameter without an argument shares nothing. */
export function parameter(elements: ArrayLike<unknown>, index: number, value: unknown): { v: unknown } {
  return index < elements.length ? new MappedParameter(elements, index) : { v: value };
}
