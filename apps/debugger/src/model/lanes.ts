// The rows of the time line: each worker's name, and below it its actors in the order in which they began.
import type { ResultOf } from '@turntable/replay/protocol';

export type Actor = ResultOf<'actors'>['actors'][number];

export interface Row {
  readonly worker: number;
  /** A place in the list of actors; undefined of the row of a worker's name. */
  readonly actor: number | undefined;
  readonly name: string;
}

/** @param filter what has to be in the name */
export function rowsOf(actors: readonly Actor[], filter = ''): Row[] {
  const wanted = filter.toLowerCase();
  const workers = [...new Set(actors.map(({ worker }) => worker))].toSorted((a, b) => a - b);
  return workers.flatMap((worker) => {
    const those = actors.flatMap((actor, place) =>
      actor.worker === worker && actor.name.toLowerCase().includes(wanted)
        ? [{ worker, actor: place, name: actor.name }]
        : [],
    );
    return those.length === 0 ? [] : [{ worker, actor: undefined, name: workerName(worker) }, ...those];
  });
}

export function workerName(worker: number): string {
  return worker === 0 ? 'main thread' : `worker ${worker}`;
}
