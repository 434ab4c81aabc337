// Promises that somebody waits for, and who does, in a program that stands somewhere. What has become of a message that was sent to another worker is known there, so what threads answer is put together
// here.
import { EngineError, OF_A_WORKER, type Page, type Value } from './engine.ts';
import type { ThreadName } from './messages.ts';

/** Lines and columns from 1 on. */
export interface WaitingPlace {
  readonly file: string;
  readonly line: number;
  /** Not known of where a handler begins. */
  readonly column?: number | undefined;
}

/** Who waits for a promise. */
export interface PromiseWaiter {
  /** In words, behind "awaited by". */
  readonly what: string;
  /** On whose behalf: an actor, or a main program. */
  readonly actor: string;
  /** Where a function waits, or a handler begins. */
  readonly place?: WaitingPlace | undefined;
  /** The number of the promise that its outcome settles, if there is one. */
  readonly promise?: number | undefined;
}

export interface PendingPromise {
  /** Its number is for `expand` as well. */
  readonly value: Value;
  /** What it is, in words. */
  readonly what: string;
  /** Where what settles it waits itself. */
  readonly place?: WaitingPlace | undefined;
  /** The numbers of the promises that have to be settled first. */
  readonly on: readonly number[];
  /** Why it is not settled, as far as something else is known, in words. */
  readonly why?: string | undefined;
  readonly waiters: readonly PromiseWaiter[];
  /** How many there are in all. */
  readonly waiting: number;
  /** The stretch in which somebody began to wait for it, by its place among all; not known of what had begun in the snapshot that a process has begun with. */
  readonly since?: number | undefined;
}

/** What has been asked of an actor elsewhere. */
export interface AskedElsewhere {
  /** Who has asked. */
  readonly asker: number;
  /** The number of the question, among those of the asker's worker to this one. */
  readonly question: number;
  /** Who was asked, and where it lives. */
  readonly actor: number;
  readonly worker: number;
}

/** As a thread knows it. */
export interface PendingHere extends Omit<PendingPromise, 'since'> {
  /** The same among those of the thread since its process began. */
  readonly begun?: number | undefined;
  readonly elsewhere?: AskedElsewhere | undefined;
}

export interface PromisesWanted extends Page {
  /** Only those that actors wait for whose names are like this, `*` standing for anything. */
  readonly actor?: string | undefined;
  /** In their place one and what it waits for, the nearest first: by its number, or by what it is the answer of. */
  readonly of?: number | AskedElsewhere | undefined;
}

export interface PromisesHere {
  readonly promises: readonly PendingHere[];
  /** How many there are in all. */
  readonly total: number;
  /** Of what was asked here and has led to no promise: why there is no answer, in words. */
  readonly why?: string | undefined;
}

export interface Promises {
  readonly promises: readonly PendingPromise[];
  readonly total: number;
}

interface Threads {
  /** Those that are there. */
  readonly threads: readonly ThreadName[];
  ask(thread: ThreadName, wanted: PromisesWanted): Promise<PromisesHere>;
  /** The place among all of a thread's so-manieth stretch since its process began. */
  orderOf(thread: ThreadName, begun: number): number | undefined;
}

/** Answers that are followed from worker to worker. */
const MOST_WORKERS = 64;

export async function promisesOf(among: Threads, { of, actor, from, count }: PromisesWanted): Promise<Promises> {
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

function known(among: Threads, thread: ThreadName, here: PendingHere): PendingPromise {
  const { elsewhere: _elsewhere, begun, ...its } = here;
  return { ...its, since: begun === undefined || begun < 1 ? undefined : among.orderOf(thread, begun) };
}

/** From worker to worker, as far as answers lead. */
async function chainOf(among: Threads, first: number): Promise<Promises> {
  const promises: PendingPromise[] = [];
  let asked: readonly [of: NonNullable<PromisesWanted['of']>, whose: PendingPromise | undefined][] = [
    [first, undefined],
  ];
  for (let hops = 0; asked.length > 0 && hops < MOST_WORKERS; hops++) {
    const next: (typeof asked)[number][] = [];
    for (const [of, whose] of asked) {
      const worker = typeof of === 'number' ? Math.floor(of / OF_A_WORKER) : of.worker;
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
