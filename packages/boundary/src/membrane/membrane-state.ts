// Where a membrane stands, with a snapshot: what numbers were given, and who has them. Only a run again has any use for it; where a program goes on
// outside of its recording the outside is another one. What the outside has of an actor's is written with that actor, before it changes: it leads to
// all that the actor has, and a cut is not to wait for that.
import type { HandMade } from './hand-made.ts';
import type { Handle } from './handle.ts';

type Numbered = readonly [number: number, object: object];

/** What the outside has of somebody's. */
export interface Held {
  readonly exports: readonly Numbered[];
  /** Promises that the outside will settle. */
  readonly pending: readonly Numbered[];
  /** In which code of the program has asked for something. */
  readonly contexts: readonly Numbered[];
}

/** With what belongs to no actor. */
export interface MembraneState extends Held {
  /** So many handles, exported objects and promises had numbers. */
  readonly counts: readonly [handles: number, exports: number, promises: number];
  /** Paths of what is there in every process and has crossed, with its number. */
  readonly statics: readonly (readonly [path: string, number: number])[];
  readonly contextCount: number;
  readonly symbols: readonly symbol[];
  /** What data sources have said. */
  readonly sources: readonly HandMade[];
  readonly handMade: readonly (readonly [number: number, object: object, kind: number])[];
}

export type Belonging = readonly [number: number, object: object, home: object | undefined];

/** Each thing with the others of whose it is. */
export function heldByHomes(
  all: Readonly<Record<keyof Held, readonly Belonging[]>>,
  isOfBase: (home: object) => boolean,
): { readonly base: Held; readonly others: readonly (readonly [home: object, held: Held])[] } {
  const create = (): Record<keyof Held, Numbered[]> => ({ exports: [], pending: [], contexts: [] });
  const base = create();
  const others = new Map<object, ReturnType<typeof create>>();
  const heldBy = (home: object | undefined): typeof base => {
    if (home === undefined || isOfBase(home)) return base;
    let held = others.get(home);
    if (held === undefined) others.set(home, (held = create()));
    return held;
  };
  for (const what of ['exports', 'pending', 'contexts'] as const)
    for (const [number, object, home] of all[what]) heldBy(home)[what].push([number, object]);
  return { base, others: [...others] };
}

/** The membrane of a recorded thread, or of one that runs again. */
export interface Beyond {
  handleAt(proxy: object): BeyondHandle | undefined;
  /** In a recorded thread: of the thing itself, which stands where both sides look. */
  handleBehind?(native: object): BeyondHandle | undefined;
  /** In a run again: what had the number. */
  revive?(number: number, kind: number, label: string): object;
}

export type BeyondHandle = Pick<Handle, 'number' | 'path' | 'kind' | 'label' | 'native' | 'handMade' | 'madeAs'>;
