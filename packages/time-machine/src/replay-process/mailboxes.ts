// What waits for actors where all stand: what has arrived where they live, and what is under way to them. Which of it has been sent by then is told by the run index: what has arrived depends on how one
// has come there.
import type { Position } from '../position.ts';
import type { RunIndex } from '../run-index/run-index.ts';
import { TaskGraph } from '../run-index/task-graph.ts';
import { isCreated, waitingTurns, type ActorAddress, type WaitingTurn } from '../run-index/waiting-turns.ts';
import type { Page, ThreadRequests, WaitingMessage } from './protocol.ts';

type MailboxRequest = ThreadRequests['mailbox'];

export interface MailboxPage {
  /** The next one first. */
  readonly messages: readonly WaitingMessage[];
  /** Number of all messages. */
  readonly total: number;
}

export class Mailboxes {
  readonly #runIndex: RunIndex;

  constructor(runIndex: RunIndex) {
    this.#runIndex = runIndex;
  }

  /** @param requestMailbox whoever knows what has arrived */
  async page(
    position: Position,
    { worker, epoch, id }: { readonly worker: number; readonly epoch: number; readonly id: number },
    { from, count }: Page,
    requestMailbox: (params: MailboxRequest['params']) => Promise<MailboxRequest['result']>,
  ): Promise<MailboxPage> {
    const { arrived: arrivedCount, name } = await requestMailbox({ actor: id, indexes: [] });
    const waiting = waitingTurns(TaskGraph.of(this.#runIndex), position, { worker, epoch, name }, arrivedCount);
    const page = waiting.slice(from, from + count);
    const indexes = page.map(({ mailboxIndex: at }) => at).filter((at) => at < arrivedCount);
    const arrived = indexes.length === 0 ? [] : (await requestMailbox({ actor: id, indexes })).messages;
    let next = 0;
    const messages = page.map((turn) => {
      const message = turn.mailboxIndex < arrivedCount ? (arrived[next++] as WaitingMessage) : this.#inFlight(turn);
      return { ...message, sender: message.sender ?? this.#senderName(turn.sender) };
    });
    return { messages, total: waiting.length };
  }

  /** How much waits for an actor for which so much has arrived. */
  waitingCount(position: Position, actor: ActorAddress, arrivedCount: number): number {
    return waitingTurns(TaskGraph.of(this.#runIndex), position, actor, arrivedCount).length;
  }

  /** Whether an actor is there: one that is still to be made may be known by then, or not. */
  isCreated(position: Position, actor: ActorAddress): boolean {
    return isCreated(TaskGraph.of(this.#runIndex), position, actor);
  }

  #senderName(sender: number | undefined): string | undefined {
    return sender === undefined ? undefined : this.#runIndex.actorName(sender);
  }

  #inFlight({ order, subject = '' }: WaitingTurn): WaitingMessage {
    if (order === undefined) return { subject, sender: undefined, values: undefined };
    const { method, kind } = this.#runIndex.task(order);
    return { subject: method ?? kind, sender: undefined, values: undefined };
  }
}
