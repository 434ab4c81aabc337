// Actors as DAP threads. A recording may have thousands of actors, and editors list all threads at each stop, so the
// list is limited: recently shown actors first, then main programs, then the actors with the most tasks.
import { loadActors, type ActorSummary } from '@turntable/time-machine/client';
import type { CursorInfo } from '@turntable/time-machine/protocol';
import { DapError } from './dap-error.ts';
import type { SessionContext } from './session-context.ts';

export class ActorThreads {
  readonly #actors: readonly ActorSummary[];
  readonly #idByName: ReadonlyMap<string, number>;
  /** Ids of the threads shown at earlier stops, the latest one last. */
  readonly #recentIds = new Set<number>();
  readonly #context: SessionContext;
  readonly #maxThreads: number;
  #hasReportedMore = false;

  private constructor(context: SessionContext, actors: readonly ActorSummary[], maxThreads: number) {
    this.#context = context;
    this.#actors = actors;
    this.#maxThreads = maxThreads;
    this.#idByName = new Map(actors.map(({ worker, name }, i) => [keyOf(worker, name), i + 1]));
  }

  /** Requests all actors of the recording from the server. @param maxThreads maximum number of listed threads */
  static async read(context: SessionContext, maxThreads: number): Promise<ActorThreads> {
    return new ActorThreads(context, await loadActors(context.client), maxThreads);
  }

  /** Returns the thread of the current task. At the end of the recording, returns the thread shown last, or else 1. */
  threadAt({ task }: CursorInfo): number {
    const currentId = task && this.#idByName.get(keyOf(task.worker, task.actor));
    if (currentId === undefined) return [...this.#recentIds].at(-1) ?? 1;
    this.#recentIds.delete(currentId);
    this.#recentIds.add(currentId);
    return currentId;
  }

  actorOfThread(threadId: number): ActorSummary {
    const actor = this.#actors[threadId - 1];
    if (actor === undefined)
      throw new DapError(
        'TT_DAP_NOT_THERE',
        `there is no thread ${threadId}; threads are numbered from 1 to ${this.#actors.length}`,
      );
    return actor;
  }

  threads(cursor: CursorInfo): { readonly id: number; readonly name: string }[] {
    const currentId = this.threadAt(cursor);
    const entries = this.#actors.map((actor, i) => ({ actor, id: i + 1 }));
    const created = entries.filter(({ actor, id }) => id === currentId || (actor.creation ?? 0) <= cursor.order);
    const recent = [...this.#recentIds].toReversed();
    const rank = ({ id, actor }: (typeof entries)[number]): readonly number[] => {
      const recency = recent.indexOf(id);
      return [recency === -1 ? recent.length : recency, actor.creation === undefined ? 0 : 1, -actor.taskCount, id];
    };
    const ranked = created.map((each) => ({ each, rank: rank(each) })).toSorted((a, b) => compareRanks(a.rank, b.rank));
    if (created.length > this.#maxThreads && !this.#hasReportedMore) {
      this.#hasReportedMore = true;
      this.#context.printLine(
        `${created.length} actors live here, ${this.#maxThreads} of them are shown as threads: set "threads" in the configuration to show more`,
      );
    }
    return ranked.slice(0, this.#maxThreads).map(({ each: { id, actor } }) => ({ id, name: threadName(actor) }));
  }
}

function threadName({ worker, name }: ActorSummary): string {
  return worker === 0 ? name : `${name} (worker ${worker})`;
}

function keyOf(worker: number, name: string): string {
  return `${worker} ${name}`;
}

function compareRanks(a: readonly number[], b: readonly number[]): number {
  for (const [i, number] of a.entries()) if (number !== b[i]) return number - (b[i] ?? 0);
  return 0;
}
