// The statements of a file, whole.
import type { Client } from './client.ts';
import type { ParamsOf, ResultOf } from '../protocol.ts';

export type ListedStatement = NonNullable<ResultOf<'statements'>['statements']>[number];

/** Asked for at once. */
const PAGE_SIZE = 1000;

/** In the order of the text; undefined, if they are not known. */
export async function loadStatements(
  client: Client,
  params: Omit<ParamsOf<'statements'>, 'from' | 'count'>,
): Promise<ListedStatement[] | undefined> {
  const all: ListedStatement[] = [];
  for (let isMore = true; isMore;) {
    const { statements, total } = await client.request('statements', { ...params, from: all.length, count: PAGE_SIZE });
    if (statements === undefined) return undefined;
    all.push(...statements);
    isMore = statements.length > 0 && all.length < total;
  }
  return all;
}

/** The one that is stopped at for a line, or for a column of it: the first that begins there or behind. */
export function statementAt<T extends Pick<ListedStatement, 'line' | 'column'>>(
  all: readonly T[],
  line: number,
  column = 1,
): T | undefined {
  return all.find((each) => each.line > line || (each.line === line && each.column >= column));
}
