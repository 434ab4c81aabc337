// A family: all objects with one prototype. It holds who of them has been met, and what to do with a new one.

import { SafeMap } from './intrinsics.ts';
import type { Identities } from './identities.ts';
import type { Kind } from './kind.ts';
import type { Layout } from './layout.ts';
import type { Adapter, PrivateMembers } from './ports.ts';
import type { Shape } from './shape.ts';

export interface Family {
  /** How the bytes call it; -1 until it is defined. */
  number: number;
  /** Undefined where objects are not told by their prototype. */
  readonly prototype: object | null | undefined;
  /** Its objects that were met, but for those of its shapes if it is `simple`. */
  readonly identities: Identities;
  /** The kind that its prototype chain suggests. */
  readonly kind: Kind | undefined;
  /** `prototype` is the kind's own. */
  readonly standard: boolean;
  readonly adapters: readonly Adapter[];
  readonly privates: readonly PrivateMembers[] | undefined;
  /** Nothing but own properties is to be expected. */
  readonly simple: boolean;
  /** May hold things of outside. */
  readonly foreign: boolean;
  /** The class of the host that keeps something hidden in its objects. */
  readonly host: string | undefined;
  /** The definition is being written: members that it leads to must go without. */
  opening: boolean;
  stray: boolean;
  readonly shapes: Shape[];
  /** Layouts of its objects that were met lately. */
  readonly layouts: Layout[];
  readonly shapesByKeys: SafeMap<string, Shape>;
}

export function familyOf(
  number: number,
  identities: Identities,
  prototype: object | null | undefined,
  parts: Partial<Pick<Family, 'kind' | 'standard' | 'adapters' | 'privates' | 'foreign' | 'host'>>,
): Family {
  return {
    number,
    prototype,
    identities,
    kind: parts.kind,
    standard: parts.standard ?? false,
    adapters: parts.adapters ?? [],
    privates: parts.privates,
    foreign: parts.foreign ?? false,
    simple:
      prototype !== undefined && parts.kind === undefined && parts.adapters === undefined && parts.foreign !== true,
    host: parts.host,
    opening: false,
    stray: false,
    shapes: [],
    layouts: [],
    shapesByKeys: new SafeMap<string, Shape>(),
  };
}
