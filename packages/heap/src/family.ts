// A family: the objects with one prototype, the members already met, and the data needed to write others.

import { SafeMap } from './intrinsics.ts';
import type { IdentitySet } from './identity-table.ts';
import type { ObjectKind } from './object-kind.ts';
import type { Layout } from './layout.ts';
import type { ObjectAdapter, PrivateMembers } from './ports.ts';
import type { Shape } from './shape.ts';

export interface Family {
  /** Number in the bytes; -1 until the family is defined. */
  number: number;
  /** Prototype of the members; undefined for families that are not determined by a prototype. */
  readonly prototype: object | null | undefined;
  /** Members met so far. If `isSimple`, members with a shape are in the set of their shape instead. */
  readonly identitySet: IdentitySet;
  /** Kind that the prototype chain suggests. */
  readonly kind: ObjectKind | undefined;
  /** Whether `prototype` is the standard prototype of `kind`. */
  readonly isStandard: boolean;
  readonly adapters: readonly ObjectAdapter[];
  readonly privateMembers: readonly PrivateMembers[] | undefined;
  /** Whether the prototype suggests no kind, no adapter and no host object. */
  readonly isSimple: boolean;
  /** Whether members may be host objects, which must be checked first. */
  readonly canBelongToHost: boolean;
  /** Name of the host class whose instances have hidden state, if members inherit from it. */
  readonly hostClass: string | undefined;
  /** Whether the definition is being written. Members met meanwhile belong to the family of strays. */
  isBeingDefined: boolean;
  isStray: boolean;
  readonly shapes: Shape[];
  /** Layouts of members met recently. */
  readonly layouts: Layout[];
  readonly shapesByKeys: SafeMap<string, Shape>;
}

export function createFamily(
  number: number,
  identitySet: IdentitySet,
  prototype: object | null | undefined,
  traits: Partial<
    Pick<Family, 'kind' | 'isStandard' | 'adapters' | 'privateMembers' | 'canBelongToHost' | 'hostClass'>
  >,
): Family {
  return {
    number,
    prototype,
    identitySet,
    kind: traits.kind,
    isStandard: traits.isStandard ?? false,
    adapters: traits.adapters ?? [],
    privateMembers: traits.privateMembers,
    canBelongToHost: traits.canBelongToHost ?? false,
    isSimple:
      prototype !== undefined &&
      traits.kind === undefined &&
      traits.adapters === undefined &&
      traits.canBelongToHost !== true,
    hostClass: traits.hostClass,
    isBeingDefined: false,
    isStray: false,
    shapes: [],
    layouts: [],
    shapesByKeys: new SafeMap<string, Shape>(),
  };
}
