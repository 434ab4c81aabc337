// The rows of the time line: each worker's name, and below it its actors in the order in which they began. Where there are more than can be seen at once, those of one class are one row, until somebody opens it.
import type { ResultOf } from '@turntable/time-machine/protocol';
import { groupBy } from './group-by.ts';
import type { TimeLine } from './time-line.ts';

export type Actor = ResultOf<'actors'>['actors'][number];

export interface Row {
  readonly worker: number;
  /** A place in the list of actors; undefined of the row of a worker's name, and of a class. */
  readonly actor: number | undefined;
  readonly name: string;
  /** Of the row of a class. */
  readonly group?: LaneGroup;
  readonly isOpen?: boolean;
}

/** Actors of one class on one worker. */
export interface LaneGroup {
  readonly key: string;
  readonly name: string;
  /** Places in the list of actors. */
  readonly actors: readonly number[];
}

/** What a worker has, without what is open. */
interface Band {
  readonly worker: number;
  readonly lanes: readonly LaneGroup[];
}

/** Rows that are looked through without help. */
const MOST = 60;

const known = new WeakMap<readonly Actor[], { readonly filter: string; readonly bands: readonly Band[] }>();

/** @param filter what has to be in the name. @param open keys of classes whose actors have rows of their own */
export function rowsOf(actors: readonly Actor[], filter = '', open: ReadonlySet<string> = new Set()): Row[] {
  return bandsOf(actors, filter).flatMap(({ worker, lanes }) => [
    { worker, actor: undefined, name: workerName(worker) },
    ...lanes.flatMap((group) => rowsOfGroup(group, { worker, actors, isOpen: open.has(group.key) })),
  ]);
}

function rowsOfGroup(
  group: LaneGroup,
  { worker, actors, isOpen }: { readonly worker: number; readonly actors: readonly Actor[]; readonly isOpen: boolean },
): Row[] {
  const own = (): Row[] => group.actors.map((actor) => ({ worker, actor, name: actors[actor]?.name ?? '' }));
  if (group.actors.length === 1) return own();
  const row = { worker, actor: undefined, name: group.name, group, isOpen };
  return isOpen ? [row, ...own()] : [row];
}

/** The same groups for the same actors: what was made of them is found by them. */
function bandsOf(actors: readonly Actor[], filter: string): readonly Band[] {
  const before = known.get(actors);
  if (before?.filter === filter) return before.bands;
  const wanted = filter.toLowerCase();
  const places = actors.flatMap(({ name }, place) => (name.toLowerCase().includes(wanted) ? [place] : []));
  const nameOf = (place: number): string => actors[place]?.name ?? '';
  const isGrouped = places.length > MOST;
  const bands = [...groupBy(places, (place) => actors[place]?.worker ?? 0)]
    .toSorted(([one], [other]) => one - other)
    .map(([worker, those]) => {
      const classes = [...groupBy(those, (place) => (isGrouped ? className(nameOf(place)) : String(place)))];
      return { worker, lanes: classes.map(([name, all]) => ({ key: `${worker} ${name}`, name, actors: all })) };
    });
  known.set(actors, { filter, bands });
  return bands;
}

/** What is drawn in a row: nothing in those of workers, and of classes that are open. */
export function laneOf({ actor, group, isOpen }: Row, timeLine: TimeLine): Uint32Array | undefined {
  if (actor !== undefined) return timeLine.lane(actor);
  return group === undefined || isOpen === true ? undefined : timeLine.laneOfAll(group.actors);
}

/** What of it is marked so. @param kind a place in the list of marks */
export function markedIn({ actor, group }: Row, kind: number, timeLine: TimeLine): Uint32Array {
  if (actor !== undefined) return timeLine.markedOf(actor, kind);
  return timeLine.markedOfAll(group?.actors ?? [], kind);
}

const places = new WeakMap<readonly Row[], ReadonlyMap<number, number>>();

/** In which row an actor is: its own, or that of its class. */
export function rowsOfActors(rows: readonly Row[]): ReadonlyMap<number, number> {
  let found = places.get(rows);
  if (found === undefined) {
    const all = rows.flatMap(({ actor, group, isOpen }, row) => {
      if (actor !== undefined) return [[actor, row] as const];
      return isOpen === true ? [] : (group?.actors ?? []).map((each) => [each, row] as const);
    });
    places.set(rows, (found = new Map(all)));
  }
  return found;
}

export function workerName(worker: number): string {
  return worker === 0 ? 'main thread' : `worker ${worker}`;
}

/** The name of the class of an actor: its own without its number. */
export function className(name: string): string {
  return name.replace(/[\s#:._-]*\d+$/, '') || name;
}
