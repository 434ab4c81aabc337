// Frames for the stack beyond the current turn: the start of the turn, the task that sent its message, the sender of
// that task, and so on.
import type { Client } from './client.ts';
import type { ResultOf, StatementInfo, CursorInfo } from '../protocol.ts';
import { parseLocation } from './position-key.ts';

export interface SourceRange {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly endLine?: number;
  readonly endColumn?: number;
}

export interface SenderFrame {
  /** Title of the sending task, followed by the sending function. */
  readonly name: string;
  /** Position of the send. */
  readonly position: string;
  readonly location: SourceRange | undefined;
}

/** Source location of the task at the cursor: of its method or, if that is unknown, of its first statement. */
export async function taskStartLocation(
  client: Client,
  { canStep }: Pick<ResultOf<'hello'>, 'canStep'>,
  cursor: CursorInfo,
): Promise<SourceRange | undefined> {
  const method = methodLocation(cursor.task?.methodLocation);
  if (method !== undefined || !canStep) return method;
  const { found, cursor: target } = await client.request('find', { move: 'step', from: cursor.position });
  return found && target.order === cursor.order ? target.statement : undefined;
}

/** Loads the frames of the senders of the current task. @param count maximum number of frames */
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
