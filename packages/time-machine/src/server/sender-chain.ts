// What led to a task: it was sent by one that was sent by one, and so on. So an actor's turn is known by more than the stack that it has.
import type { TaskGraph } from '../run-index/task-graph.ts';

export interface SenderChain {
  /** From the task itself on, back. */
  readonly orders: readonly number[];
  /** Why it goes no further back; nothing if more was not asked for. */
  readonly reason: string | undefined;
}

export function senderChainOf(graph: TaskGraph, order: number, count: number): SenderChain {
  if (order > graph.count) return { orders: [], reason: 'the end was sent by nobody' };
  const orders: number[] = [];
  for (let at: number | undefined = order; at !== undefined && orders.length < count; at = graph.sender(at))
    orders.push(at);
  const last = orders.at(-1);
  if (last === undefined || graph.sender(last) !== undefined) return { orders, reason: undefined };
  return { orders, reason: reasonForNoSender(graph, last) };
}

function reasonForNoSender(graph: TaskGraph, order: number): string {
  switch (graph.kind(order)) {
    case 'evaluation':
      return 'the program begins there';
    case 'entry':
      return `it came from outside: ${graph.source(order)}`;
    case 'jobs':
      return 'it came of what the worker had taken';
    default:
      return 'who has sent that is not known: it was under way when the recording began, or Turntable has sent it';
  }
}
