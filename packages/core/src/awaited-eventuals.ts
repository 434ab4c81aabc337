// Eventuals that somebody waits for, and who does, for who looks on while a program that runs again stands still. They are kept in mind as they come to be waited for: mostly nothing of the
// program leads to them but what is to settle them, and nothing does to those that never will be. In the place of Eventual's own functions, so that nobody else pays for it; with the language's own
// methods, since those that the program calls are noted by an undo log. Nothing here runs code of the program.
import { AsyncGeneratorState } from './async-generator-state.ts';
import { targetOfReaction, derivedOf, targetOfHandler, type AsyncParent, type AwaitingFrame } from './async-parents.ts';
import { Eventual, PENDING } from './eventual.ts';
import { FORWARD, Frame, Reaction, type Continuation, type HomeActor, type PendingReaction } from './frame.ts';
import { apply, isArray, receiverFirst, setIteratorNext, setSize, setValues } from './intrinsics.ts';

/** Who waits for an eventual. */
export interface EventualWaiter {
  /** A function at its `await`, handlers of `then`, an element of `Promise.all` and its like, an eventual settled as this one is, or code outside of the realm. */
  readonly kind: 'function' | 'handlers' | 'element' | 'adoption' | 'host';
  /** On whose behalf. */
  readonly home: HomeActor;
  /** What is settled by what it comes to. */
  readonly derived: Eventual | undefined;
  readonly frame: AwaitingFrame | undefined;
  readonly handlers: readonly unknown[];
  /** Of `Promise.all` and its like. */
  readonly combinator: string | undefined;
  /** Who has asked from outside. */
  readonly target: object | undefined;
}

/** Nothing of one that is settled. */
export function waitersOf(eventual: object): EventualWaiter[] {
  if (!Eventual.is(eventual)) return [];
  const { waiting: reactions } = Eventual.read(eventual);
  if (reactions === undefined) return [];
  if (!isArray(reactions)) return [waiterOf(reactions)];
  const waiters: EventualWaiter[] = [];
  for (let i = 0; i < reactions.length; i++) waiters[i] = waiterOf(reactions[i] as PendingReaction);
  return waiters;
}

function waiterOf(reaction: PendingReaction): EventualWaiter {
  const { home } = reaction.context;
  const base = { home, frame: undefined, handlers: [], combinator: undefined, target: undefined };
  if (reaction instanceof Frame) {
    const frame = { step: reaction.step, pc: reaction.pc, frame: reaction };
    return { ...base, kind: 'function', derived: eventualIn(reaction.result), frame };
  }
  if (!(reaction instanceof Reaction)) return waiterOfContinuation(reaction, base);
  const element = targetOfReaction(reaction);
  if (element === undefined) {
    const { onFulfilled, onRejected } = reaction;
    return { ...base, kind: 'handlers', derived: eventualIn(derivedOf(reaction)), handlers: [onFulfilled, onRejected] };
  }
  const combinator = combinatorOf(element.parent);
  const kind = combinator === undefined ? 'adoption' : 'element';
  return { ...base, kind, derived: eventualIn(element.promise), combinator };
}

function waiterOfContinuation(
  { tag, target }: Continuation,
  base: Omit<EventualWaiter, 'kind' | 'derived'>,
): EventualWaiter {
  if (tag === FORWARD) return { ...base, kind: 'host', derived: undefined, target };
  return { ...base, kind: 'adoption', derived: eventualIn(target) };
}

function combinatorOf(parent: AsyncParent | undefined): string | undefined {
  return parent !== undefined && 'combinator' in parent ? parent.combinator : undefined;
}

/** Of an asynchronous generator it is the request that it is at. */
function eventualIn(result: unknown): Eventual | undefined {
  const eventual: unknown = result instanceof AsyncGeneratorState ? result.queue[0]?.eventual : result;
  return Eventual.is(eventual) ? eventual : undefined;
}

/** What is settled by a function that a promise's executor was given; nothing of any other function. */
export function eventualResolvedBy(fn: unknown): Eventual | undefined {
  const target = targetOfHandler(fn);
  return target === undefined || target.parent !== undefined ? undefined : eventualIn(target.promise);
}

const addEventual = receiverFirst(Set.prototype.add) as (set: Set<Eventual>, value: Eventual) => unknown;
const removeEventual = receiverFirst(Set.prototype.delete) as (set: Set<Eventual>, value: Eventual) => boolean;
const hasEventual = receiverFirst(Set.prototype.has) as (set: Set<Eventual>, value: Eventual) => boolean;
const clearEventuals = receiverFirst(Set.prototype.clear) as (set: Set<Eventual>) => void;
type StartTimes = WeakMap<Eventual, number>;
const startTimeOf = receiverFirst(WeakMap.prototype.get) as (times: StartTimes, eventual: Eventual) => unknown;
const hasStartTime = receiverFirst(WeakMap.prototype.has) as (times: StartTimes, eventual: Eventual) => boolean;
const setStartTime = receiverFirst(WeakMap.prototype.set) as (
  times: StartTimes,
  eventual: Eventual,
  time: number,
) => unknown;

/** In one number stand when it was, and which of so many it was then. */
const SEQUENCE_RANGE = 2 ** 26;

export class AwaitedEventuals {
  readonly #awaited = new Set<Eventual>();
  /** Those that came with a task which is run once more, and go with it. */
  readonly #reexecuted = new Set<Eventual>();
  #isReexecuting = false;
  readonly #startTimes = new WeakMap<Eventual, number>();

  /** From now on, on this thread. @param maxCount of more, those that have been waited for longest are forgotten @param clock by what `waitingSince` is to say when that was */
  constructor(maxCount: number, clock: () => number) {
    const { settle, addReaction, write } = Eventual;
    const startTimes = this.#startTimes;
    let count = 0;
    const awaited = this.#awaited;
    const reexecuted = this.#reexecuted;
    const addAwaited = (eventual: Eventual): void => {
      addEventual(awaited, eventual);
      if ((apply(setSize, awaited, []) as number) > maxCount) removeEventual(awaited, firstOf(awaited));
    };
    Eventual.settle = (eventual, state, value) => {
      removeEventual(awaited, eventual);
      return settle(eventual, state, value);
    };
    Eventual.addReaction = (eventual, reaction) => {
      const state = addReaction(eventual, reaction);
      if (state === PENDING && !hasEventual(awaited, eventual)) {
        // It may have begun to be waited for before, in a task that was undone and is no other one now.
        if (!hasStartTime(startTimes, eventual))
          setStartTime(startTimes, eventual, clock() * SEQUENCE_RANGE + (count++ % SEQUENCE_RANGE));
        if (this.#isReexecuting) addEventual(reexecuted, eventual);
        else addAwaited(eventual);
      }
      return state;
    };
    // Where a state is put back, or a task is undone.
    Eventual.write = (eventual, state) => {
      write(eventual, state);
      if (state.state !== PENDING || state.waiting === undefined) removeEventual(awaited, eventual);
      else if (!hasEventual(awaited, eventual) && !hasEventual(reexecuted, eventual)) addAwaited(eventual);
    };
  }

  /** What begins to be waited for is of a task that is run once more; at the end of that, it is as if it had never been. */
  setReexecuting(isReexecuting: boolean): void {
    this.#isReexecuting = isReexecuting;
    if (!isReexecuting) clearEventuals(this.#reexecuted);
  }

  /** When somebody began to wait for one; nothing, if it had begun when it came with a snapshot. */
  waitingSince(eventual: Eventual): number | undefined {
    const order = this.waitingOrder(eventual);
    return order === 0 ? undefined : (order - (order % SEQUENCE_RANGE)) / SEQUENCE_RANGE;
  }

  /** Ascends in the order in which somebody began to wait for them; 0 if it had begun before. */
  waitingOrder(eventual: Eventual): number {
    return (startTimeOf(this.#startTimes, eventual) as number | undefined) ?? 0;
  }

  get all(): Eventual[] {
    const found: Eventual[] = [];
    addPending(this.#awaited, found);
    addPending(this.#reexecuted, found);
    return found;
  }
}

function addPending(set: ReadonlySet<Eventual>, found: Eventual[]): void {
  const iterator = apply(setValues, set, []) as SetIterator<Eventual>;
  const next = (): IteratorResult<Eventual> => apply(setIteratorNext, iterator, []) as IteratorResult<Eventual>;
  for (let each = next(); each.done !== true; each = next()) {
    const { state, waiting: reactions } = Eventual.read(each.value);
    if (state === PENDING && reactions !== undefined) found[found.length] = each.value;
  }
}

function firstOf(set: ReadonlySet<Eventual>): Eventual {
  const iterator = apply(setValues, set, []) as SetIterator<Eventual>;
  return (apply(setIteratorNext, iterator, []) as IteratorResult<Eventual>).value as Eventual;
}
