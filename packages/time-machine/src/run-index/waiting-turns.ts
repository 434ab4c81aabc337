// What waits for an actor at a place of the order, as far as a recording tells: what its later turns are about, and what has come to none up to the end, if that was sent before. So it is a
// function of the place alone, whatever has arrived where in the process that stands there.
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
  /** The place among those that have arrived where it lives; not lower than their number, if it is under way. */
  readonly mailboxIndex: number;
  /** The task that it is about; nothing, if it never came to that. */
  readonly order: number | undefined;
  /** That has sent it. */
  readonly sender: number | undefined;
  /** What it calls, if it never came to a task, and that is known. */
  readonly subject: string | undefined;
}

/** Kinds that are no turns. */
const NON_TURN_KINDS: ReadonlySet<TaskKind> = new Set(['evaluation', 'entry', 'jobs']);

/** @param arrivedCount how many have arrived where it lives: the first of them is what the first of its later turns is about, and so on */
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
    // What the task has sent that one stands in the midst of is seen by those of its own thread alone; and of what has no sender only the process knows.
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
  // Of what is not noted: whoever was ended has dropped it.
  for (; at < arrivedCount; at++)
    found.push({ mailboxIndex: at, order: undefined, sender: undefined, subject: undefined });
  return found;
}

/** Whether an actor has begun to be made there; of one whose making is in no run index, it has been before. */
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
