// ActorInspector answers requests about the actors of one paused thread and their mailboxes, at the program's position.
// The scheduler has their state at the front, the latest position that the thread has executed. After moves back in
// place, the undone tasks give the difference (undone-messages.ts). ThreadInspector owns the ActorInspector and reports
// each turn to it. An ActorInspector must never change an actor or run its code.
import { turnSubjectName, type Scheduler, type TurnSubject } from '@turntable/runtime';
import type { ActorInfo, ThreadRequests, Value } from '@turntable/time-machine/replay-process';
import type { StartedTurn } from '../replay/thread/task-tracker.ts';
import type { UndoHistory } from './undo-history.ts';
import { isConstruction, nextRecipientOf, undoneMessagesOf, waitingMessagesOf } from './undone-messages.ts';

type Actor = Parameters<Scheduler['mailboxOf']>[0];
type Message = Extract<ReturnType<Scheduler['mailboxOf']>[number], { readonly kind: 'tell' | 'send' }>;
type MailboxRequest = ThreadRequests['mailbox'];

export interface ActorInspectorDeps {
  scheduler(): Scheduler | undefined;
  /** Undefined in processes that cannot move back in place. */
  readonly undoHistory: UndoHistory | undefined;
  toValue(value: unknown): Value;
}

export class ActorInspector {
  readonly #deps: ActorInspectorDeps;
  /** Root of the actor of the current or next task; undefined if the task is not a turn. */
  #turnActor: object | undefined;
  /** Message of the turn that is about to start. It has left the mailbox but counts as waiting. */
  #nextMessage: Message | undefined;

  constructor(deps: ActorInspectorDeps) {
    this.#deps = deps;
  }

  /** @param turn the turn of the task that starts next, if it is one */
  turnStarting(turn: StartedTurn | undefined): void {
    this.#turnActor = turn?.actor.root;
    this.#nextMessage = turn && toMessage(turn);
  }

  taskStarted(): void {
    this.#nextMessage = undefined;
  }

  /** Value of `this` between two tasks: the actor of the next turn; undefined if the next task is no turn. */
  get thisObject(): object | undefined {
    const recipient = nextRecipientOf(this.#deps.undoHistory?.undoneTasks ?? []);
    if (recipient === undefined) return this.#turnActor;
    return recipient === 'none' ? undefined : (recipient as Actor).root;
  }

  /** Actors that exist at the program's position. */
  actors(): ActorInfo[] {
    const { scheduler, undoHistory, toValue } = this.#deps;
    const undoneTasks = undoHistory?.undoneTasks ?? [];
    const actors = scheduler()?.census.actors() ?? [];
    return actors.flatMap((actor): ActorInfo[] => {
      const undoneTurns = undoneMessagesOf(actor, undoneTasks);
      const { id, worker, name, root } = actor;
      const turns = actor.turns - undoneTurns.length;
      // The actor was created after the program's position, by its own construction or in a later turn.
      if (undoneTurns.some(isConstruction) || turns < actor.censusTurn) return [];
      const value = root === undefined ? undefined : toValue(root);
      return [{ worker, id, name, turns, waitingCount: this.waitingMessages(actor).length, value }];
    });
  }

  mailbox({ actor: id, indexes }: MailboxRequest['params']): MailboxRequest['result'] {
    const { scheduler, toValue } = this.#deps;
    const actor = scheduler()
      ?.census.actors()
      .find((each) => each.id === id);
    if (actor === undefined) return { messages: [], arrived: 0, name: '' };
    const waitingMessages = this.waitingMessages(actor);
    const messages = indexes.map((index) => {
      const message = waitingMessages[index] as Message;
      const sender = message.kind === 'send' ? message.sender.name : undefined;
      const subject = turnSubjectName(message.call as TurnSubject);
      return { subject, sender, values: message.args.map((arg) => toValue(arg)) };
    });
    return { messages, arrived: waitingMessages.length, name: actor.name };
  }

  /** Messages that have arrived for an actor and wait at the program's position, in order. */
  waitingMessages(actor: Actor): readonly Message[] {
    const { scheduler, undoHistory } = this.#deps;
    const mailbox = scheduler()?.mailboxOf(actor) ?? [];
    const waitingMessages = mailbox.filter((each) => each.kind === 'tell' || each.kind === 'send');
    const nextMessage = this.#nextMessage;
    const atFront = nextMessage?.recipient === actor ? [nextMessage, ...waitingMessages] : waitingMessages;
    return waitingMessagesOf(actor, atFront, undoHistory?.undoneTasks ?? []);
  }
}

function toMessage({ actor: recipient, call, target, args, replyTo, sender }: StartedTurn): Message {
  if (sender !== undefined) return { kind: 'send', recipient, call, args, target, replyTo, sender };
  return { kind: 'tell', recipient, call: turnSubjectName(call), args };
}
