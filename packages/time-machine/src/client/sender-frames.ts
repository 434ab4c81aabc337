// The stack beyond the call that runs: where a turn is about to begin, and who has sent what it is about, who has sent that, and so on back.
import type { Client } from './client.ts';
import type { ResultOf, StatementInfo, CursorInfo } from '../protocol.ts';
import { parseLocation } from './position-key.ts';

/** In a file as stacks have it. */
export interface SourceRange {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly endLine?: number;
  readonly endColumn?: number;
}

export interface SenderFrame {
  /** What was about, and in which function. */
  readonly name: string;
  /** Where it sent. */
  readonly position: string;
  readonly location: SourceRange | undefined;
}

/** Of the task that is about to begin: its method, or else its first statement. */
export async function taskStartLocation(
  client: Client,
  { canStep }: Pick<ResultOf<'hello'>, 'canStep'>,
  cursor: CursorInfo,
): Promise<SourceRange | undefined> {
  const method = methodLocation(cursor.task?.methodLocation);
  if (method !== undefined || !canStep) return method;
  const { found, cursor: target } = await client.request('find', { move: 'into', from: cursor.position });
  return found && target.order === cursor.order ? target.statement : undefined;
}

/** @param count at most */
export async function loadSenderFrames(
  client: Client,
  count: number,
): Promise<{ readonly senders: readonly SenderFrame[]; readonly isAll: boolean }> {
  const { tasks, reason } = await client.request('history', { count: count + 1 });
  const senders = tasks.flatMap(({ task }, i): SenderFrame[] => {
    const previous = tasks[i - 1];
    if (previous === undefined) return [];
    const { sentAt = task.position, statement } = previous;
    const name = `${task.title}${functionSuffix(statement)}`;
    return [{ name, position: sentAt, location: statement ?? methodLocation(task.methodLocation) }];
  });
  return { senders, isAll: reason !== undefined };
}

function functionSuffix(statement: StatementInfo | undefined): string {
  return statement === undefined || statement.function === '' ? '' : `, in ${statement.function}`;
}

function methodLocation(text: string | undefined): SourceRange | undefined {
  const location = parseLocation(text);
  return location && { ...location, column: 1 };
}
