// The box of a parameter that a sloppy function shares with its `arguments` (ECMA-262 §10.4.4): the element of `arguments` is
// where the value is, so that writes through either show in the other, wherever `arguments` goes. The element counts as
// shared until it is deleted or made read-only; one that is deleted and then assigned again counts as shared once more.

import { hasOwn } from './intrinsics.ts';

const { set } = Reflect;

export class MappedParameter {
  elements: ArrayLike<unknown> | null;
  index: number;
  /** The value once the element is no longer shared. */
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

/** The box of parameter number `index`; one that was not given a value shares nothing. */
export function parameter(elements: ArrayLike<unknown>, index: number, value: unknown): { v: unknown } {
  return index < elements.length ? new MappedParameter(elements, index) : { v: value };
}
