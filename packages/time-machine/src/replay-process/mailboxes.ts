// Waiting messages of actors at a position: messages that have arrived, and messages in flight between workers. The run
// index decides which messages exist at the position. The actor's thread knows only the messages that have arrived,
// and their number depends on the moves that led to the position.
import type { Position } from '../position.ts';
import type { RunIndex } from '../run-index/run-index.ts';
import { TaskGraph } from '../run-index/task-graph.ts';
import { isCreated, waitingTurns, type ActorAddress, type WaitingTurn } from '../run-index/waiting-turns.ts';
import type { WaitingMessage } from './actor-states.ts';
import type { Page } from './inspected-values.ts';
import type { ThreadRequests } from './protocol.ts';

type MailboxRequest = ThreadRequests['mailbox'];

export interface MailboxPage {
  /** The message that is handled next comes first. */
  readonly messages: readonly WaitingMessage[];
  /** Number of all waiting messages. */
  readonly total: number;
}

export class Mailboxes {
  readonly #runIndex: RunIndex;

  constructor(runIndex: RunIndex) {
    this.#runIndex = runIndex;
  }

  /** @param requestMailbox sends a request to the thread of the actor */
  async page(
    position: Position,
    { worker, epoch, id }: { readonly worker: number; readonly epoch: number; readonly id: number },
    { from, count }: Page,
    requestMailbox: (params: MailboxRequest['params']) => Promise<MailboxRequest['result']>,
  ): Promise<MailboxPage> {
    const { arrived: arrivedCount, name } = await requestMailbox({ actor: id, indexes: [] });
    const waiting = waitingTurns(TaskGraph.of(this.#runIndex), position, { worker, epoch, name }, arrivedCount);
    const page = waiting.slice(from, from + count);
    const indexes = page.map(({ mailboxIndex }) => mailboxIndex).filter((index) => index < arrivedCount);
    const arrived = indexes.length === 0 ? [] : (await requestMailbox({ actor: id, indexes })).messages;
    let next = 0;
    const messages = page.map((turn) => {
      const message = turn.mailboxIndex < arrivedCount ? (arrived[next++] as WaitingMessage) : this.#inFlight(turn);
      return { ...message, sender: message.sender ?? this.#senderName(turn.sender) };
    });
    return { messages, total: waiting.length };
  }

  /** Number of waiting messages. @param arrivedCount number of waiting messages that have arrived */
  waitingCount(position: Position, actor: ActorAddress, arrivedCount: number): number {
    return waitingTurns(TaskGraph.of(this.#runIndex), position, actor, arrivedCount).length;
  }

  /** Whether an actor exists at a position. A thread may already know an actor that is spawned after the position. */
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
