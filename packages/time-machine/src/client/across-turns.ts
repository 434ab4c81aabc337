// The stack beyond the call that runs: where a turn is about to begin, and who has sent what it is about, who has sent that, and so on back.
import type { Client } from './client.ts';
import type { ResultOf, ToldStatement, Where } from '../protocol.ts';
import { placeIn } from './spots.ts';

/** In a file as stacks have it. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly endLine?: number;
  readonly endColumn?: number;
}

export interface Sender {
  /** What was about, and in which function. */
  readonly name: string;
  /** Where it sent. */
  readonly position: string;
  readonly place: Place | undefined;
}

/** Of the stretch that is about to begin: its method, or else its first statement. */
export async function beginningPlace(
  client: Client,
  { statements }: Pick<ResultOf<'hello'>, 'statements'>,
  here: Where,
): Promise<Place | undefined> {
  const method = methodPlace(here.stretch?.place);
  if (method !== undefined || !statements) return method;
  const { found, where } = await client.request('find', { move: 'into', from: here.position });
  return found && where.order === here.order ? where.statement : undefined;
}

/** @param count at most */
export async function sendersOf(
  client: Client,
  count: number,
): Promise<{ readonly senders: readonly Sender[]; readonly isAll: boolean }> {
  const { stretches, why } = await client.request('history', { count: count + 1 });
  const senders = stretches.flatMap(({ stretch }, i): Sender[] => {
    const sending = stretches[i - 1];
    if (sending === undefined) return [];
    const { sent = stretch.position, statement } = sending;
    const name = `${stretch.title}${functionText(statement)}`;
    return [{ name, position: sent, place: statement ?? methodPlace(stretch.place) }];
  });
  return { senders, isAll: why !== undefined };
}

function functionText(statement: ToldStatement | undefined): string {
  return statement === undefined || statement.function === '' ? '' : `, in ${statement.function}`;
}

function methodPlace(text: string | undefined): Place | undefined {
  const place = placeIn(text);
  return place && { ...place, column: 1 };
}
