// Loads complete lists of actors from the server, page by page.
import type { Client } from './client.ts';
import type { ResultOf } from '../protocol.ts';

const PAGE_SIZE = 1000;

export type ActorSummary = ResultOf<'actors'>['actors'][number];
/** An actor at the current position. */
export type LiveActor = ResultOf<'liveActors'>['actors'][number];

export function loadActors(client: Client): Promise<ActorSummary[]> {
  return loadAll(async (from) => {
    const { actors, total } = await client.request('actors', { from, count: PAGE_SIZE });
    return { found: actors, total };
  });
}

export function loadLiveActors(client: Client): Promise<LiveActor[]> {
  return loadAll(async (from) => {
    const { actors, total } = await client.request('liveActors', { from, count: PAGE_SIZE });
    return { found: actors, total };
  });
}

async function loadAll<T>(loadPage: (from: number) => Promise<{ found: readonly T[]; total: number }>): Promise<T[]> {
  const all: T[] = [];
  for (let isMore = true; isMore;) {
    const { found, total } = await loadPage(all.length);
    all.push(...found);
    isMore = found.length > 0 && all.length < total;
  }
  return all;
}
