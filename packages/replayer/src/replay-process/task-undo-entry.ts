// TaskUndoEntry: everything that the re-execution of one task in place needs, except for the old values, which the undo
// log has. UndoHistory fills the entry when the task first runs, and only reads it afterwards.
//
// A task is a sequence of steps: calls of the host into the program, and jobs and ticks of the program's queues. In
// between, the program calls the host; each of these calls has one answer, in the order in which they began.
import type { Realm } from '@turntable/core';
import type { RandomState } from '@turntable/boundary';
import type { MailboxObserver } from '@turntable/runtime';

/** A call of the host into the program. */
export interface ProgramCall {
  readonly reexecute: () => unknown;
  readonly context: Realm['current']['context'];
}

/** Steps that run the next job or the next tick of the program's queues. */
export const JOB = 0;
export const TICK = 1;
export type ReexecutionStep = ProgramCall | typeof JOB | typeof TICK;

/** The recorded result of one call from the program to the host. */
export interface HostAnswer {
  readonly name: string;
  /** The result, or the thrown value if `isThrown`. */
  value: unknown;
  isThrown: boolean;
  /** Calls into the program during the host call, before it returned. */
  calls: ProgramCall[] | undefined;
  /** The effect of the host call on the values that the program passed to it. */
  effect: unknown;
}

/** The actor that receives a message. */
export type MessageRecipient = Parameters<MailboxObserver['enqueued']>[0];
export type Message = Parameters<MailboxObserver['dequeued']>[0];

/** A message that a task put into a mailbox. */
interface EnqueuedMessage {
  readonly recipient: MessageRecipient;
  /** Index of the answer of the host call that enqueued the message; Infinity if no host call did. */
  readonly answer: number;
}

export interface TaskUndoEntry {
  readonly steps: ReexecutionStep[];
  readonly answers: HostAnswer[];
  readonly enqueued: EnqueuedMessage[];
  /** The message that the task handles, if it is a turn. */
  handledMessage: Message | undefined;
  /** State of the program's random numbers before the task. */
  readonly randomState: RandomState;
  /** The reason why the task cannot be undone. */
  obstacle: string | undefined;
}
