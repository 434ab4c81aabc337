// Where a membrane stands, with a snapshot: what numbers were given, and who has them. Only a run again has any use for it; where a program goes on
// outside of its recording the outside is another one. What the outside has of an actor's is written with that actor, before it changes: it leads to
// all that the actor has, and a cut is not to wait for that.
import type { SurrogateType } from './surrogates.ts';
import type { Handle } from './handle.ts';

type NumberedObject = readonly [number: number, object: object];

/** What the outside has of somebody's. */
export interface HostReferences {
  readonly exports: readonly NumberedObject[];
  /** Promises that the outside will settle. */
  readonly pending: readonly NumberedObject[];
  /** In which code of the program has asked for something. */
  readonly contexts: readonly NumberedObject[];
}

/** With what belongs to no actor. */
export interface MembraneState extends HostReferences {
  /** So many handles, exported objects and promises had numbers. */
  readonly counts: readonly [handles: number, exports: number, promises: number];
  /** Paths of what is there in every process and has crossed, with its number. */
  readonly statics: readonly (readonly [path: string, number: number])[];
  readonly contextCount: number;
  readonly symbols: readonly symbol[];
  /** What data sources have said. */
  readonly surrogateTypes: readonly SurrogateType[];
  readonly surrogates: readonly (readonly [number: number, object: object, kind: number])[];
}

export type OwnedEntry = readonly [number: number, object: object, home: object | undefined];

/** Each thing with the others of whose it is. */
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

/** The membrane of a recorded thread, or of one that runs again. */
export interface HandleRegistry {
  handleFromProxy(proxy: object): HandleRecord | undefined;
  /** In a recorded thread: of the thing itself, which stands where both sides look. */
  handleFromHostObject?(hostObject: object): HandleRecord | undefined;
  /** In a run again: what had the number. */
  reviveProxy?(number: number, kind: number, label: string): object;
}

export type HandleRecord = Pick<
  Handle,
  'number' | 'path' | 'kind' | 'label' | 'hostObject' | 'surrogateKind' | 'programClass'
>;
