// Lists that the server tells page by page, whole.
import type { Client } from './client.ts';
import type { ResultOf } from '../protocol.ts';

/** Asked for at once. */
const PAGE = 1000;

export type ToldActor = ResultOf<'actors'>['actors'][number];
/** An actor where all stand. */
export type Resident = ResultOf<'population'>['actors'][number];

export function allActors(client: Client): Promise<ToldActor[]> {
  return whole(async (from) => {
    const { actors, total } = await client.request('actors', { from, count: PAGE });
    return { found: actors, total };
  });
}

export function allResidents(client: Client): Promise<Resident[]> {
  return whole(async (from) => {
    const { actors, total } = await client.request('population', { from, count: PAGE });
    return { found: actors, total };
  });
}

async function whole<T>(ask: (from: number) => Promise<{ found: readonly T[]; total: number }>): Promise<T[]> {
  const all: T[] = [];
  for (let isMore = true; isMore;) {
    const { found, total } = await ask(all.length);
    all.push(...found);
    isMore = found.length > 0 && all.length < total;
  }
  return all;
}
