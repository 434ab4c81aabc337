// The membrane's part of a snapshot: the assigned numbers and their objects. Only a replay uses it, because a restored
// program has another host. The host's references into an actor are written with that actor, before its next change.
// Through them all of the actor's objects are reachable, and a cut must not wait until these are written.
import type { SurrogateType } from './surrogates.ts';
import type { Handle } from './handle.ts';

type NumberedObject = readonly [number: number, object: object];

/** The host's references to the objects of one home, by number. */
export interface HostReferences {
  readonly exports: readonly NumberedObject[];
  /** Promises that the host will settle. */
  readonly pending: readonly NumberedObject[];
  /** Contexts in which program code has called the host. */
  readonly contexts: readonly NumberedObject[];
}

/** The state of the whole membrane, with the references that belong to no actor. */
export interface MembraneState extends HostReferences {
  /** Number of handles, exports and promises that were assigned a number. */
  readonly counts: readonly [handles: number, exports: number, promises: number];
  /** Paths and numbers of the static objects that have crossed the membrane. */
  readonly statics: readonly (readonly [path: string, number: number])[];
  readonly contextCount: number;
  readonly symbols: readonly symbol[];
  /** Surrogate types that data sources have declared. */
  readonly surrogateTypes: readonly SurrogateType[];
  readonly surrogates: readonly (readonly [number: number, object: object, kind: number])[];
}

export type OwnedEntry = readonly [number: number, object: object, home: object | undefined];

/** Groups references by home; `base` has the references of no actor. */
export function groupByHome(
  entries: Readonly<Record<keyof HostReferences, readonly OwnedEntry[]>>,
  isBaseHome: (home: object) => boolean,
): {
  readonly base: HostReferences;
  readonly others: readonly (readonly [home: object, references: HostReferences])[];
} {
  const create = (): Record<keyof HostReferences, NumberedObject[]> => ({ exports: [], pending: [], contexts: [] });
  const base = create();
  const others = new Map<object, ReturnType<typeof create>>();
  const groupOf = (home: object | undefined): typeof base => {
    if (home === undefined || isBaseHome(home)) return base;
    let group = others.get(home);
    if (group === undefined) others.set(home, (group = create()));
    return group;
  };
  for (const kind of ['exports', 'pending', 'contexts'] as const)
    for (const [number, object, home] of entries[kind]) groupOf(home)[kind].push([number, object]);
  return { base, others: [...others] };
}

/** Interface of a membrane for the code that writes and reads states: identifies and revives handles. */
export interface HandleRegistry {
  handleFromProxy(proxy: object): HandleRecord | undefined;
  /** Recorded threads only: the handle of a host object that program objects reference directly. */
  handleFromHostObject?(hostObject: object): HandleRecord | undefined;
  /** Replaying threads only: returns the proxy with a number, and creates it if necessary. */
  reviveProxy?(number: number, kind: number, label: string): object;
}

export type HandleRecord = Pick<
  Handle,
  'number' | 'path' | 'kind' | 'label' | 'hostObject' | 'surrogateKind' | 'programClass'
>;
