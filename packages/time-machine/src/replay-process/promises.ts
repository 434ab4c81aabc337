// Pending promises of a paused program and what waits for them. The answer to a call of another worker is known there, so what
// the threads answer is put together here.
import { EngineError } from './engine-error.ts';
import {
  OBJECT_IDS_PER_WORKER,
  type PromisesQuery,
  type ThreadName,
  type ThreadPromise,
  type ThreadPromises,
} from './protocol.ts';

export interface PendingPromise extends Omit<ThreadPromise, 'begun' | 'elsewhere'> {
  /** The stretch in which the wait began, by its place in the order; undefined if the wait is older than the process. */
  readonly since?: number | undefined;
}

export interface Promises {
  readonly promises: readonly PendingPromise[];
  readonly total: number;
}

interface Threads {
  /** Those that are there. */
  readonly threads: readonly ThreadName[];
  ask(thread: ThreadName, wanted: PromisesQuery): Promise<ThreadPromises>;
  /** The place among all of a thread's so-manieth stretch since its process began. */
  orderOf(thread: ThreadName, begun: number): number | undefined;
}

/** Answers that are followed from worker to worker. */
const MOST_WORKERS = 64;

export async function promisesOf(among: Threads, { of, actor, from, count }: PromisesQuery): Promise<Promises> {
  if (typeof of === 'number') return chainOf(among, of);
  const promises: PendingPromise[] = [];
  let total = 0;
  for (const thread of among.threads) {
    const page = { actor, from: Math.max(0, from - total), count: count - promises.length };
    const here = await among.ask(thread, page);
    for (const each of here.promises) {
      const { elsewhere, why } = each;
      const asked = elsewhere === undefined ? why : `it was asked on worker ${elsewhere.worker}`;
      promises.push({ ...known(among, thread, each), why: asked });
    }
    total += here.total;
  }
  return { promises, total };
}

function known(among: Threads, thread: ThreadName, here: ThreadPromise): PendingPromise {
  const { elsewhere: _elsewhere, begun, ...its } = here;
  return { ...its, since: begun === undefined || begun < 1 ? undefined : among.orderOf(thread, begun) };
}

/** From worker to worker, as far as answers lead. */
async function chainOf(among: Threads, first: number): Promise<Promises> {
  const promises: PendingPromise[] = [];
  let asked: readonly [of: NonNullable<PromisesQuery['of']>, whose: PendingPromise | undefined][] = [
    [first, undefined],
  ];
  for (let hops = 0; asked.length > 0 && hops < MOST_WORKERS; hops++) {
    const next: (typeof asked)[number][] = [];
    for (const [of, whose] of asked) {
      const worker = typeof of === 'number' ? Math.floor(of / OBJECT_IDS_PER_WORKER) : of.worker;
      const thread = among.threads.find((each) => each.worker === worker);
      const here = thread && (await among.ask(thread, { of, from: 0, count: 0 }));
      const settling = here?.promises[0]?.value.id;
      if (whose !== undefined) {
        const on = settling === undefined ? whose.on : [settling];
        promises[promises.indexOf(whose)] = { ...whose, on, why: settling === undefined ? here?.why : undefined };
      }
      if (thread === undefined || here === undefined) continue;
      for (const each of here.promises) {
        if (promises.some(({ value }) => value.id === each.value.id)) continue;
        const its = known(among, thread, each);
        promises.push(its);
        if (each.elsewhere !== undefined) next.push([each.elsewhere, its]);
      }
    }
    asked = next;
  }
  if (promises.length === 0) throw new EngineError('TT_NO_POSITION', `#${first} is no promise that is there`);
  return { promises, total: promises.length };
}
