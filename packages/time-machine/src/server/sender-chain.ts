// Chain of senders of a task: the task that sent its message, the sender of that task, and so on. It extends the stack
// of a turn beyond the start of the turn.
import { UNKNOWN_SENDER } from '../moves/moves.ts';
import type { TaskGraph } from '../run-index/task-graph.ts';

export interface SenderChain {
  /** The task itself, followed by its senders. */
  readonly orders: readonly number[];
  /** The reason why the last task has no sender; undefined if the chain was cut at its maximum length. */
  readonly reason: string | undefined;
}

export function senderChainOf(graph: TaskGraph, order: number, count: number): SenderChain {
  if (order > graph.count)
    return { orders: [], reason: 'there is no task at the end of the recording; go to a task first' };
  const orders: number[] = [];
  for (let at: number | undefined = order; at !== undefined && orders.length < count; at = graph.sender(at))
    orders.push(at);
  const last = orders.at(-1);
  if (last === undefined || graph.sender(last) !== undefined) return { orders, reason: undefined };
  return { orders, reason: reasonForNoSender(graph, last) };
}

/** What the host did in a callback: a request that the task received, or else the source of the callback. */
function hostCause(graph: TaskGraph, order: number): string {
  const request = graph.runIndex.eventsAt(order).find(({ kind }) => kind === 'request');
  return request === undefined ? `host callback: ${graph.source(order)}` : `HTTP ${String(request.value)}`;
}

function reasonForNoSender(graph: TaskGraph, order: number): string {
  switch (graph.kind(order)) {
    case 'evaluation':
      return 'the program starts here';
    case 'entry':
      return hostCause(graph, order);
    case 'jobs':
      return 'Node ran these jobs by itself';
    default:
      return UNKNOWN_SENDER;
  }
}
