// The state of a whole recording where its engine stands, as digests: equal for equal states, whatever way the engine has come there (docs/engine.md, "The same state").
import type { Position } from '../position.ts';
import type { RunIndex } from '../run-index/run-index.ts';
import { TaskGraph } from '../run-index/task-graph.ts';
import { isCreated, waitingTurns, type WaitingTurn } from '../run-index/waiting-turns.ts';
import type { ThreadName, ThreadRequests } from './protocol.ts';

/** Of a worker of which something has run. */
export interface WorkerDigest extends ThreadName {
  /** Of its files, of what it is about to do, of the statement that it stands before, of actors, and of what has been sent to them here. */
  readonly digest: string;
  /** Those of its actors that have a turn to come, and what waits for each. */
  readonly actors: readonly { readonly name: string; readonly waiting: readonly WaitingDigest[] }[];
}

/** A message by the task that it is about, and the one that has sent it. */
export interface WaitingDigest {
  readonly order: number | undefined;
  readonly sender: number;
}

type RequestDigest = (thread: ThreadName, digestedActors: ThreadRequests['digest']['params']) => Promise<string>;

/** @param includeAwaited whether it counts as well who waits for what nothing leads to: the same for processes that have begun at the same place */
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
    // Whether a thread is there of which nothing has run is not the program's.
    if ((runIndex.orderOf(worker, epoch, 1) ?? Infinity) >= position.order) continue;
    const actors = graph.actors.flatMap((each) => {
      const address = { worker, epoch, name: each.name };
      const hasLaterTask = each.worker === worker && (each.tasks.at(-1) ?? 0) >= position.order;
      if (!hasLaterTask || !isCreated(graph, position, address)) return [];
      return [{ name: each.name, turns: waitingTurns(graph, position, address, 0) }];
    });
    // What comes of elsewhere has arrived, or not yet.
    const isFromSameWorker = ({ sender }: WaitingTurn): boolean =>
      sender !== undefined && graph.worker(sender) === worker;
    const digestedActors = actors.map(({ name, turns }) => ({
      name,
      mailIndexes: turns.filter(isFromSameWorker).map(({ mailboxIndex: at }) => at),
    }));
    const actorDigests = actors.map(({ name, turns }) => ({
      name,
      waiting: turns.flatMap(({ order, sender }) => (sender === undefined ? [] : [{ order, sender }])),
    }));
    const statement = position.order <= runIndex.count && graph.worker(position.order) === worker;
    const digest = await requestDigest(
      { worker, epoch },
      { actors: digestedActors, includeStatement: statement, includeAwaited },
    );
    digests.push({ worker, epoch, digest, actors: actorDigests });
  }
  return digests;
}
