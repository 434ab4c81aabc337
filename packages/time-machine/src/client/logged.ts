// Every time that the recording comes by a line, page by page.
import type { Client, RequestOptions } from './client.ts';
import type { ParamsOf, ResultOf } from '../protocol.ts';

export type LoggedHit = ResultOf<'log'>['hits'][number];

/** Times that are asked for at once. */
const PAGE = 1000;

export async function* logged(
  client: Client,
  wish: Omit<ParamsOf<'log'>, 'from' | 'count'>,
  options: RequestOptions,
): AsyncGenerator<LoggedHit, void, undefined> {
  for (let from: number | undefined = 1; from !== undefined;) {
    const page: ResultOf<'log'> = await client.request('log', { ...wish, from, count: PAGE }, options);
    yield* page.hits;
    from = page.next;
  }
}
