// The rows of the timeline: each worker, and below it its actors in the order of their first tasks. If there are many
// actors, all actors of a class on a worker share a row until the user opens it.
import type { ResultOf } from '@turntable/time-machine/protocol';
import { groupBy } from './group-by.ts';
import type { Timeline } from './timeline.ts';

export type TimelineActor = ResultOf<'actors'>['actors'][number];

export interface LaneRow {
  readonly worker: number;
  /** The actor's index among all actors; undefined in the row of a worker or class. */
  readonly actorIndex: number | undefined;
  readonly name: string;
  /** The actors of the class; undefined except in the row of a class. */
  readonly group?: LaneGroup;
  readonly isOpen?: boolean;
}

/** The actors of a class on a worker, or a single actor. */
export interface LaneGroup {
  readonly key: string;
  readonly name: string;
  /** Indexes among all actors. */
  readonly actorIndexes: readonly number[];
}

/** The groups of a worker: one for each actor or, if there are many actors, one for each class. */
interface WorkerBand {
  readonly worker: number;
  readonly groups: readonly LaneGroup[];
}

/** Maximum number of actors that have their own rows without being grouped by class. */
const MAX_UNGROUPED_ACTORS = 60;

const bandCache = new WeakMap<
  readonly TimelineActor[],
  { readonly filter: string; readonly bands: readonly WorkerBand[] }
>();

/** Returns the rows to show. @param filter text that names must contain @param open keys of the groups that are open */
export function laneRows(
  actors: readonly TimelineActor[],
  filter = '',
  open: ReadonlySet<string> = new Set(),
): LaneRow[] {
  return workerBands(actors, filter).flatMap(({ worker, groups }) => [
    { worker, actorIndex: undefined, name: workerName(worker) },
    ...groups.flatMap((group) => groupRows(group, { worker, actors, isOpen: open.has(group.key) })),
  ]);
}

function groupRows(
  group: LaneGroup,
  {
    worker,
    actors,
    isOpen,
  }: { readonly worker: number; readonly actors: readonly TimelineActor[]; readonly isOpen: boolean },
): LaneRow[] {
  const own = (): LaneRow[] =>
    group.actorIndexes.map((actorIndex) => ({ worker, actorIndex, name: actors[actorIndex]?.name ?? '' }));
  if (group.actorIndexes.length === 1) return own();
  const row = { worker, actorIndex: undefined, name: group.name, group, isOpen };
  return isOpen ? [row, ...own()] : [row];
}

/** Returns the bands of all workers. The same actors give the same group objects: `Timeline` caches lanes by group. */
function workerBands(actors: readonly TimelineActor[], filter: string): readonly WorkerBand[] {
  const cached = bandCache.get(actors);
  if (cached?.filter === filter) return cached.bands;
  const pattern = filter.toLowerCase();
  const indexes = actors.flatMap(({ name }, index) => (name.toLowerCase().includes(pattern) ? [index] : []));
  const nameOf = (index: number): string => actors[index]?.name ?? '';
  const isGrouped = indexes.length > MAX_UNGROUPED_ACTORS;
  const bands = [...groupBy(indexes, (index) => actors[index]?.worker ?? 0)]
    .toSorted(([one], [other]) => one - other)
    .map(([worker, members]) => {
      const classes = [...groupBy(members, (index) => (isGrouped ? actorClassName(nameOf(index)) : String(index)))];
      return {
        worker,
        groups: classes.map(([name, actorIndexes]) => ({ key: `${worker} ${name}`, name, actorIndexes })),
      };
    });
  bandCache.set(actors, { filter, bands });
  return bands;
}

/** Returns the tasks to draw in a row; undefined for workers and open groups. */
export function laneOfRow({ actorIndex, group, isOpen }: LaneRow, timeline: Timeline): Uint32Array | undefined {
  if (actorIndex !== undefined) return timeline.lane(actorIndex);
  return group === undefined || isOpen === true ? undefined : timeline.mergedLane(group.actorIndexes);
}

/** Returns the tasks of a row in which an event of a kind occurred. @param kind index of the event kind */
export function eventLaneOfRow({ actorIndex, group }: LaneRow, kind: number, timeline: Timeline): Uint32Array {
  if (actorIndex !== undefined) return timeline.eventLane(actorIndex, kind);
  return timeline.mergedEventLane(group?.actorIndexes ?? [], kind);
}

const rowIndexCache = new WeakMap<readonly LaneRow[], ReadonlyMap<number, number>>();

/** Returns the index of the row in which each actor is drawn: its own row, or that of its closed group. */
export function rowIndexByActor(rows: readonly LaneRow[]): ReadonlyMap<number, number> {
  let rowIndexes = rowIndexCache.get(rows);
  if (rowIndexes === undefined) {
    const entries = rows.flatMap(({ actorIndex, group, isOpen }, row) => {
      if (actorIndex !== undefined) return [[actorIndex, row] as const];
      return isOpen === true ? [] : (group?.actorIndexes ?? []).map((each) => [each, row] as const);
    });
    rowIndexCache.set(rows, (rowIndexes = new Map(entries)));
  }
  return rowIndexes;
}

export function workerName(worker: number): string {
  return worker === 0 ? 'main thread' : `worker ${worker}`;
}

/** Returns the name of an actor's class: the actor's name without the number at its end. */
export function actorClassName(name: string): string {
  return name.replace(/[\s#:._-]*\d+$/, '') || name;
}
