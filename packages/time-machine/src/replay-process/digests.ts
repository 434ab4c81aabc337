// Digests of the whole state of a paused program. Equal states have equal digests, whichever moves led to them
// (docs/internals/replay-process.md, "Equal states"). Tests compare replays by their digests.
import type { Position } from '../position.ts';
import type { RunIndex } from '../run-index/run-index.ts';
import { TaskGraph } from '../run-index/task-graph.ts';
import { isCreated, waitingTurns, type WaitingTurn } from '../run-index/waiting-turns.ts';
import type { ThreadRequests } from './protocol.ts';
import type { ThreadName } from './thread-name.ts';

/** Digest of a thread that has run at least one task. */
export interface WorkerDigest extends ThreadName {
  /** Covers its modules, its queued work, the statement at which it is paused, its actors and their local messages. */
  readonly digest: string;
  /** The actors that have later turns, with their waiting messages. */
  readonly actors: readonly { readonly name: string; readonly waiting: readonly WaitingDigest[] }[];
}

/** A waiting message: the task that handles it, and the task that sent it. */
export interface WaitingDigest {
  readonly order: number | undefined;
  readonly sender: number;
}

type RequestDigest = (thread: ThreadName, digestedActors: ThreadRequests['digest']['params']) => Promise<string>;

/** @param includeAwaited also covers unreachable awaited eventuals, which differ if processes start differently */
export async function digestsAt(
  runIndex: RunIndex,
  position: Position,
  threads: readonly ThreadName[],
  requestDigest: RequestDigest,
  includeAwaited: boolean,
): Promise<WorkerDigest[]> {
  const graph = TaskGraph.of(runIndex);
  const digests: WorkerDigest[] = [];
  for (const { worker, epoch } of threads) {
    // A thread that has not run a task yet has no part in the state.
    if ((runIndex.orderOf(worker, epoch, 1) ?? Infinity) >= position.order) continue;
    const actors = graph.actors.flatMap((each) => {
      const address = { worker, epoch, name: each.name };
      const hasLaterTask = each.worker === worker && (each.tasks.at(-1) ?? 0) >= position.order;
      if (!hasLaterTask || !isCreated(graph, position, address)) return [];
      return [{ name: each.name, turns: waitingTurns(graph, position, address, 0) }];
    });
    // The arrival time of another worker's message depends on the moves that led here.
    const isFromSameWorker = ({ sender }: WaitingTurn): boolean =>
      sender !== undefined && graph.worker(sender) === worker;
    const digestedActors = actors.map(({ name, turns }) => ({
      name,
      mailIndexes: turns.filter(isFromSameWorker).map(({ mailboxIndex }) => mailboxIndex),
    }));
    const actorDigests = actors.map(({ name, turns }) => ({
      name,
      waiting: turns.flatMap(({ order, sender }) => (sender === undefined ? [] : [{ order, sender }])),
    }));
    const includeStatement = position.order <= runIndex.count && graph.worker(position.order) === worker;
    const params = { actors: digestedActors, includeStatement, includeAwaited };
    const digest = await requestDigest({ worker, epoch }, params);
    digests.push({ worker, epoch, digest, actors: actorDigests });
  }
  return digests;
}
