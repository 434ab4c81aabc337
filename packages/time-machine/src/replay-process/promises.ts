// Pending promises of a paused program, with their waiters, from the answers of its threads. A call to an actor on
// another worker is pending on that worker as well, so a chain of promises is followed from worker to worker.
import { ReplayError } from './replay-error.ts';
import { OBJECT_IDS_PER_WORKER } from './inspected-values.ts';
import type { ThreadName } from './thread-name.ts';
import type { PromisesQuery, ThreadPromise, ThreadPromises } from './thread-promises.ts';

export interface PendingPromise extends Omit<ThreadPromise, 'waitingSinceTask' | 'remoteCall'> {
  /** Number among all tasks of the task in which the wait began; undefined if the wait is older than the process. */
  readonly since?: number | undefined;
}

export interface PromisesPage {
  readonly promises: readonly PendingPromise[];
  readonly total: number;
}

interface ThreadsDeps {
  readonly threads: readonly ThreadName[];
  request(thread: ThreadName, query: PromisesQuery): Promise<ThreadPromises>;
  /** Converts a thread's number of a task, counted from the start of its process, into the number among all tasks. */
  orderOf(thread: ThreadName, task: number): number | undefined;
}

/** Maximum number of steps from one worker to another that are followed in a chain of promises. */
const MAX_HOPS = 64;

export async function loadPromises(
  deps: ThreadsDeps,
  { promise, actor, from, count }: PromisesQuery,
): Promise<PromisesPage> {
  if (typeof promise === 'number') return followPromise(deps, promise);
  const promises: PendingPromise[] = [];
  let total = 0;
  for (const thread of deps.threads) {
    const query = { actor, from: Math.max(0, from - total), count: count - promises.length };
    const page = await deps.request(thread, query);
    for (const each of page.promises) {
      const { remoteCall } = each;
      const reason = remoteCall === undefined ? each.reason : `it waits for an answer from worker ${remoteCall.worker}`;
      promises.push({ ...withOrder(deps, thread, each), reason });
    }
    total += page.total;
  }
  return { promises, total };
}

function withOrder(deps: ThreadsDeps, thread: ThreadName, promise: ThreadPromise): PendingPromise {
  const { remoteCall: _remoteCall, waitingSinceTask: sinceTask, ...common } = promise;
  return { ...common, since: sinceTask === undefined || sinceTask < 1 ? undefined : deps.orderOf(thread, sinceTask) };
}

/** Loads a promise and the chain of promises that it waits for, the nearest first. */
async function followPromise(deps: ThreadsDeps, first: number): Promise<PromisesPage> {
  const promises: PendingPromise[] = [];
  type Step = readonly [promise: NonNullable<PromisesQuery['promise']>, waitingPromise: PendingPromise | undefined];
  let pendingRequests: readonly Step[] = [[first, undefined]];
  for (let hops = 0; pendingRequests.length > 0 && hops < MAX_HOPS; hops++) {
    const next: Step[] = [];
    for (const [promise, waitingPromise] of pendingRequests) {
      const worker = typeof promise === 'number' ? Math.floor(promise / OBJECT_IDS_PER_WORKER) : promise.worker;
      const thread = deps.threads.find((each) => each.worker === worker);
      const page = thread && (await deps.request(thread, { promise, from: 0, count: 0 }));
      const settlingId = page?.promises[0]?.value.id;
      if (waitingPromise !== undefined) {
        const waitsFor = settlingId === undefined ? waitingPromise.waitsFor : [settlingId];
        promises[promises.indexOf(waitingPromise)] = {
          ...waitingPromise,
          waitsFor,
          reason: settlingId === undefined ? page?.reason : undefined,
        };
      }
      if (thread === undefined || page === undefined) continue;
      for (const each of page.promises) {
        if (promises.some(({ value }) => value.id === each.value.id)) continue;
        const promise = withOrder(deps, thread, each);
        promises.push(promise);
        if (each.remoteCall !== undefined) next.push([each.remoteCall, promise]);
      }
    }
    pendingRequests = next;
  }
  if (promises.length === 0) throw new ReplayError('TT_NO_POSITION', `#${first} is not a pending promise here`);
  return { promises, total: promises.length };
}
