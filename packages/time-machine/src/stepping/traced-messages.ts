// Messages of actors as steps: from the end of a method to what handles its reply, and from its start to the send.
import type { StatementTrace } from '../replay-process/statement-trace.ts';
import type { TaskGraph } from '../run-index/task-graph.ts';

/** A statement in the trace of its task. */
export interface TracedStatement {
  readonly trace: StatementTrace;
  readonly index: number;
}

export class TracedMessages {
  readonly #graph: TaskGraph;
  readonly #trace: (order: number) => Promise<StatementTrace>;

  constructor(graph: TaskGraph, trace: (order: number) => Promise<StatementTrace>) {
    this.#graph = graph;
    this.#trace = trace;
  }

  /** Whether a task is the call of an actor's method. */
  isMethodCall(order: number): boolean {
    return this.#graph.kind(order) === 'call';
  }

  /** The tasks that handle replies of a task. */
  replies(order: number): Uint32Array {
    return this.#graph.replies(order);
  }

  /** The statement that sent the message of a task; undefined if there is none, or it is not known. */
  async sendOf(order: number): Promise<TracedStatement | undefined> {
    const graph = this.#graph;
    const sender = order > graph.count ? undefined : graph.sender(order);
    const kind = sender === undefined ? undefined : graph.kind(order);
    if (sender === undefined || (kind !== 'call' && kind !== 'construct')) return undefined;
    const actor = graph.actorAt(order);
    const methodOf = (each: number): string => (kind === 'call' ? (graph.runIndex.task(each).method ?? '') : '');
    const method = methodOf(order);
    // Messages from one actor to another arrive in the order of their sends, so the n-th task belongs to the n-th send.
    const matchingTasks = graph
      .receivers(sender)
      .filter((each) => graph.kind(each) === kind && graph.actorAt(each) === actor && methodOf(each) === method);
    const trace = await this.#trace(sender);
    const sendsByMethod = trace.sends.filter(([, , each]) => each === method);
    const sendsByName = sendsByMethod.filter(([, each]) => each === actor?.name);
    // A reference from another worker may know only the actor's class. Then all sends of the method count, if they fit.
    const matchingSends =
      sendsByName.length === 0 && sendsByMethod.length === matchingTasks.length ? sendsByMethod : sendsByName;
    const [index = -1] = matchingSends[matchingTasks.indexOf(order)] ?? [];
    return index === -1 ? undefined : { trace, index };
  }
}
