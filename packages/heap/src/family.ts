// A family: all objects with one prototype. It holds who of them has been met, and what to do with a new one.

import { SafeMap } from './intrinsics.ts';
import type { IdentitySet } from './identity-table.ts';
import type { ObjectKind } from './object-kind.ts';
import type { Layout } from './layout.ts';
import type { ObjectAdapter, PrivateMembers } from './ports.ts';
import type { Shape } from './shape.ts';

export interface Family {
  /** How the bytes call it; -1 until it is defined. */
  number: number;
  /** Undefined where objects are not told by their prototype. */
  readonly prototype: object | null | undefined;
  /** Its objects that were met, but for those of its shapes if it is `isSimple`. */
  readonly identitySet: IdentitySet;
  /** The kind that its prototype chain suggests. */
  readonly kind: ObjectKind | undefined;
  /** `prototype` is the kind's own. */
  readonly isStandard: boolean;
  readonly adapters: readonly ObjectAdapter[];
  readonly privateMembers: readonly PrivateMembers[] | undefined;
  /** Nothing but own properties is to be expected. */
  readonly isSimple: boolean;
  /** May hold things of outside. */
  readonly canBelongToHost: boolean;
  /** The class of the host that keeps something hidden in its objects. */
  readonly hostClass: string | undefined;
  /** The definition is being written: members that it leads to must go without. */
  isBeingDefined: boolean;
  isStray: boolean;
  readonly shapes: Shape[];
  /** Layouts of its objects that were met lately. */
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
