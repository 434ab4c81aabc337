// Loads all hits of a log point from the server, page by page.
import type { Client, RequestOptions } from './client.ts';
import type { ParamsOf, ResultOf } from '../protocol.ts';

export type LogPointHit = ResultOf<'logPoint'>['hits'][number];

const PAGE_SIZE = 1000;

export async function* logPointHits(
  client: Client,
  params: Omit<ParamsOf<'logPoint'>, 'from' | 'count'>,
  options: RequestOptions,
): AsyncGenerator<LogPointHit, void, undefined> {
  for (let from: number | undefined = 1; from !== undefined;) {
    const page: ResultOf<'logPoint'> = await client.request('logPoint', { ...params, from, count: PAGE_SIZE }, options);
    yield* page.hits;
    from = page.next;
  }
}
