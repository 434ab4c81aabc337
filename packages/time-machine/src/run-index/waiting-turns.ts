// Messages that wait for an actor at a position: the messages of its later turns, and unhandled messages, if they were
// sent before the position. The result does not depend on which messages have arrived in the process that is paused
// there.
import { lowerBound } from '../binary-search.ts';
import type { TaskKind } from '../task-log.ts';
import { isTaskStart, type Position } from '../position.ts';
import type { TaskGraph } from './task-graph.ts';

export interface ActorAddress {
  readonly worker: number;
  readonly epoch: number;
  readonly name: string;
}

export interface WaitingTurn {
  /** Index in the mailbox. For a message in flight, it is at least the number of arrived messages. */
  readonly mailboxIndex: number;
  /** The task that handles the message; undefined if none does. */
  readonly order: number | undefined;
  /** The sending task; undefined if it is unknown. */
  readonly sender: number | undefined;
  /** Method or other subject of a message that no task handles; undefined if it is unknown. */
  readonly subject: string | undefined;
}

const NON_TURN_KINDS: ReadonlySet<TaskKind> = new Set(['evaluation', 'entry', 'jobs']);

/** @param arrivedCount number of messages in the mailbox: the n-th message is handled by the n-th later turn */
export function waitingTurns(
  graph: TaskGraph,
  position: Position,
  { worker, epoch, name }: ActorAddress,
  arrivedCount: number,
): WaitingTurn[] {
  const found: WaitingTurn[] = [];
  const tasks = graph.actorNamed(worker, name)?.tasks ?? new Uint32Array();
  const isInTask = !isTaskStart(position);
  const firstOrder = isInTask ? position.order + 1 : position.order;
  const isSameWorker = isInTask && graph.worker(position.order) === worker;
  let at = 0;
  const addTurn = (order: number | undefined, sender: number | undefined, subject?: string): void => {
    // If the current task is the sender, or the sender is unknown, the message exists only if it has arrived.
    const isKnown = sender !== undefined && !(isInTask && sender === position.order && isSameWorker);
    if (isKnown ? sender < position.order : at < arrivedCount) found.push({ mailboxIndex: at, order, sender, subject });
    at++;
  };
  for (let i = lowerBound(tasks, firstOrder); i < tasks.length; i++) {
    const order = tasks[i] as number;
    if (graph.epoch(order) !== epoch || NON_TURN_KINDS.has(graph.kind(order))) continue;
    addTurn(order, graph.sender(order));
  }
  const undelivered = graph.undeliveredTo(worker, epoch, name);
  for (const { sender, subject } of undelivered) addTurn(undefined, sender, subject);
  if (undelivered.length > 0) return found;
  // The rest was sent to a stopped actor, which drops messages without logging them.
  for (; at < arrivedCount; at++)
    found.push({ mailboxIndex: at, order: undefined, sender: undefined, subject: undefined });
  return found;
}

/** Whether the construction of an actor has begun. It has if the actor is older than the run index. */
export function isCreated(graph: TaskGraph, position: Position, { worker, epoch, name }: ActorAddress): boolean {
  const actor = graph.actorNamed(worker, name);
  if (actor?.creation === undefined) return true;
  const creationOrder = actor.tasks.find((order) => graph.epoch(order) === epoch && graph.kind(order) === 'construct');
  return (
    creationOrder === undefined ||
    creationOrder < position.order ||
    (creationOrder === position.order && !isTaskStart(position))
  );
}
