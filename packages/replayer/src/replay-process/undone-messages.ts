// The mailboxes of a thread that has moved back in place. The scheduler takes no part in the move, so its mailboxes are
// those at the front, the latest position of the thread. These functions convert them to the program's position, from
// the entries of the undone tasks. ThreadInspector and ActorInspector call them for requests. They change nothing.
import { turnSubjectName, type TurnSubject } from '@turntable/runtime';
import type { Message, MessageRecipient, TaskUndoEntry } from './task-undo-entry.ts';

/** A task between the program's position and the front. */
export interface UndoneTask extends TaskUndoEntry {
  /** Host calls that the program has made by now, if this task is being re-executed; otherwise undefined. */
  readonly repeatedCalls: number | undefined;
}

/** Messages that wait for an actor at the program's position. @param atFront messages that wait at the front */
export function waitingMessagesOf(
  actor: MessageRecipient,
  atFront: readonly Message[],
  undoneTasks: readonly UndoneTask[],
): readonly Message[] {
  const messages = [...atFront];
  for (const { enqueued, handledMessage, repeatedCalls } of undoneTasks) {
    const isSent = (answer: number): boolean => repeatedCalls !== undefined && answer < repeatedCalls;
    const unsent = enqueued.filter(({ recipient, answer }) => recipient === actor && !isSent(answer));
    messages.length = Math.max(0, messages.length - unsent.length);
    if (handledMessage?.recipient === actor && repeatedCalls === undefined) messages.unshift(handledMessage);
  }
  return messages;
}

/** Messages of an actor's turns that have not started at the program's position, latest first. */
export function undoneMessagesOf(actor: MessageRecipient, undoneTasks: readonly UndoneTask[]): readonly Message[] {
  return undoneTasks.flatMap(({ handledMessage, repeatedCalls }) =>
    handledMessage?.recipient === actor && repeatedCalls === undefined ? [handledMessage] : [],
  );
}

/** Actor of the next turn: 'none' if the next task is no turn, undefined if no task is undone. */
export function nextRecipientOf(undoneTasks: readonly UndoneTask[]): MessageRecipient | 'none' | undefined {
  const next = undoneTasks.at(-1);
  if (next === undefined) return undefined;
  const { handledMessage } = next;
  return handledMessage === undefined || isConstruction(handledMessage) ? 'none' : handledMessage.recipient;
}

/** Whether a message creates its actor. */
export function isConstruction({ call }: Message): boolean {
  return turnSubjectName(call as TurnSubject) === 'construct';
}
