// Eventuals that somebody waits for, and who does, for who looks on while a program that runs again stands still. They are kept in mind as they come to be waited for: mostly nothing of the
// program leads to them but what is to settle them, and nothing does to those that never will be. In the place of Eventual's own functions, so that nobody else pays for it; with the language's own
// methods, since those that the program calls are noted by an undo log. Nothing here runs code of the program.
import { AsyncGeneratorState } from './async-generator-state.ts';
import { elementOf, outcomeOf, settledBy, type AsyncParent, type AwaitingFrame } from './awaiting.ts';
import { Eventual, PENDING } from './eventual.ts';
import { FORWARD, Frame, Reaction, type Continuation, type Home, type Waiting } from './frame.ts';
import { apply, isArray, receiverFirst, setIteratorNext, setSize, setValues } from './intrinsics.ts';

/** Who waits for an eventual. */
export interface Waiter {
  /** A function at its `await`, handlers of `then`, an element of `Promise.all` and its like, an eventual settled as this one is, or code outside of the realm. */
  readonly how: 'function' | 'handlers' | 'element' | 'follows' | 'outside';
  /** On whose behalf. */
  readonly home: Home;
  /** What is settled by what it comes to. */
  readonly outcome: Eventual | undefined;
  readonly frame: AwaitingFrame | undefined;
  readonly handlers: readonly unknown[];
  /** Of `Promise.all` and its like. */
  readonly combinator: string | undefined;
  /** Who has asked from outside. */
  readonly target: object | undefined;
}

/** Nothing of one that is settled. */
export function waitersOf(eventual: object): Waiter[] {
  if (!Eventual.has(eventual)) return [];
  const { waiting } = Eventual.read(eventual);
  if (waiting === undefined) return [];
  if (!isArray(waiting)) return [waiterOf(waiting)];
  const waiters: Waiter[] = [];
  for (let i = 0; i < waiting.length; i++) waiters[i] = waiterOf(waiting[i] as Waiting);
  return waiters;
}

function waiterOf(waiting: Waiting): Waiter {
  const { home } = waiting.context;
  const about = { home, frame: undefined, handlers: [], combinator: undefined, target: undefined };
  if (waiting instanceof Frame) {
    const frame = { step: waiting.step, pc: waiting.pc, frame: waiting };
    return { ...about, how: 'function', outcome: eventualIn(waiting.result), frame };
  }
  if (!(waiting instanceof Reaction)) return continuing(waiting, about);
  const element = elementOf(waiting);
  if (element === undefined) {
    const { onFulfilled, onRejected } = waiting;
    return { ...about, how: 'handlers', outcome: eventualIn(outcomeOf(waiting)), handlers: [onFulfilled, onRejected] };
  }
  const combinator = combinatorOf(element.parent);
  const how = combinator === undefined ? 'follows' : 'element';
  return { ...about, how, outcome: eventualIn(element.promise), combinator };
}

function continuing({ tag, target }: Continuation, about: Omit<Waiter, 'how' | 'outcome'>): Waiter {
  if (tag === FORWARD) return { ...about, how: 'outside', outcome: undefined, target };
  return { ...about, how: 'follows', outcome: eventualIn(target) };
}

function combinatorOf(parent: AsyncParent | undefined): string | undefined {
  return parent !== undefined && 'combinator' in parent ? parent.combinator : undefined;
}

/** Of an asynchronous generator it is the request that it is at. */
function eventualIn(result: unknown): Eventual | undefined {
  const eventual: unknown = result instanceof AsyncGeneratorState ? result.queue[0]?.eventual : result;
  return Eventual.has(eventual) ? eventual : undefined;
}

/** What is settled by a function that a promise's executor was given; nothing of any other function. */
export function resolvedBy(fn: unknown): Eventual | undefined {
  const settling = settledBy(fn);
  return settling === undefined || settling.parent !== undefined ? undefined : eventualIn(settling.promise);
}

const add = receiverFirst(Set.prototype.add) as (set: Set<Eventual>, value: Eventual) => unknown;
const remove = receiverFirst(Set.prototype.delete) as (set: Set<Eventual>, value: Eventual) => boolean;
const has = receiverFirst(Set.prototype.has) as (set: Set<Eventual>, value: Eventual) => boolean;
const clear = receiverFirst(Set.prototype.clear) as (set: Set<Eventual>) => void;
type Times = WeakMap<Eventual, number>;
const sinceOf = receiverFirst(WeakMap.prototype.get) as (times: Times, eventual: Eventual) => unknown;
const isSince = receiverFirst(WeakMap.prototype.has) as (times: Times, eventual: Eventual) => boolean;
const setSince = receiverFirst(WeakMap.prototype.set) as (times: Times, eventual: Eventual, time: number) => unknown;

/** In one number stand when it was, and which of so many it was then. */
const MANY = 2 ** 26;

export class AwaitedEventuals {
  readonly #awaited = new Set<Eventual>();
  /** Those that came with a stretch which is run once more, and go with it. */
  readonly #apart = new Set<Eventual>();
  #isApart = false;
  readonly #since = new WeakMap<Eventual, number>();

  /** From now on, on this thread. @param most of more, those that have been waited for longest are forgotten @param now by what `since` is to say when that was */
  constructor(most: number, now: () => number) {
    const { settle, wait, write } = Eventual;
    const since = this.#since;
    let count = 0;
    const awaited = this.#awaited;
    const apart = this.#apart;
    const keep = (eventual: Eventual): void => {
      add(awaited, eventual);
      if ((apply(setSize, awaited, []) as number) > most) remove(awaited, firstOf(awaited));
    };
    Eventual.settle = (eventual, state, value) => {
      remove(awaited, eventual);
      return settle(eventual, state, value);
    };
    Eventual.wait = (eventual, waiting) => {
      const state = wait(eventual, waiting);
      if (state === PENDING && !has(awaited, eventual)) {
        // It may have begun to be waited for before, in a stretch that was undone and is no other one now.
        if (!isSince(since, eventual)) setSince(since, eventual, now() * MANY + (count++ % MANY));
        if (this.#isApart) add(apart, eventual);
        else keep(eventual);
      }
      return state;
    };
    // Where a state is put back, or a stretch is undone.
    Eventual.write = (eventual, state) => {
      write(eventual, state);
      if (state.state !== PENDING || state.waiting === undefined) remove(awaited, eventual);
      else if (!has(awaited, eventual) && !has(apart, eventual)) keep(eventual);
    };
  }

  /** What begins to be waited for is of a stretch that is run once more; at the end of that, it is as if it had never been. */
  runsOnceMore(isApart: boolean): void {
    this.#isApart = isApart;
    if (!isApart) clear(this.#apart);
  }

  /** When somebody began to wait for one; nothing, if it had begun when it came with a snapshot. */
  since(eventual: Eventual): number | undefined {
    const order = this.order(eventual);
    return order === 0 ? undefined : (order - (order % MANY)) / MANY;
  }

  /** Ascends in the order in which somebody began to wait for them; 0 if it had begun before. */
  order(eventual: Eventual): number {
    return (sinceOf(this.#since, eventual) as number | undefined) ?? 0;
  }

  get all(): Eventual[] {
    const found: Eventual[] = [];
    addPending(this.#awaited, found);
    addPending(this.#apart, found);
    return found;
  }
}

function addPending(set: ReadonlySet<Eventual>, found: Eventual[]): void {
  const iterator = apply(setValues, set, []) as SetIterator<Eventual>;
  const next = (): IteratorResult<Eventual> => apply(setIteratorNext, iterator, []) as IteratorResult<Eventual>;
  for (let each = next(); each.done !== true; each = next()) {
    const { state, waiting } = Eventual.read(each.value);
    if (state === PENDING && waiting !== undefined) found[found.length] = each.value;
  }
}

function firstOf(set: ReadonlySet<Eventual>): Eventual {
  const iterator = apply(setValues, set, []) as SetIterator<Eventual>;
  return (apply(setIteratorNext, iterator, []) as IteratorResult<Eventual>).value as Eventual;
}
