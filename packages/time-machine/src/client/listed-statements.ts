// Loads complete lists of statements from the server, page by page.
import type { Client } from './client.ts';
import type { ParamsOf, ResultOf } from '../protocol.ts';

export type ListedStatement = NonNullable<ResultOf<'statements'>['statements']>[number];

const PAGE_SIZE = 1000;

/** Loads all statements of a file, in the order of the text; undefined if the server does not know them. */
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

/** The statement at which a breakpoint stops: the first one that begins at the given line and column or later. */
export function statementAt<T extends Pick<ListedStatement, 'line' | 'column'>>(
  all: readonly T[],
  line: number,
  column = 1,
): T | undefined {
  return all.find((each) => each.line > line || (each.line === line && each.column >= column));
}
