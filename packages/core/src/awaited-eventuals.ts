// Eventuals that a program awaits, and their waiters, for inspecting a paused replay. Most of them are reachable only
// from the callback that will settle them, so they are recorded when a wait starts. To record, this file replaces
// functions of `Eventual` on this thread, so other threads pay nothing. It uses the engine's own collection methods,
// because the undo log records calls of the replaced ones. No code of the program runs here.
import { AsyncGeneratorState } from './async-generator-state.ts';
import { targetOfReaction, derivedOf, targetOfHandler, type AsyncParent, type AwaitingFrame } from './async-parents.ts';
import { Eventual, PENDING } from './eventual.ts';
import { FORWARD, Frame, Reaction, type Continuation, type HomeActor, type PendingReaction } from './frame.ts';
import { apply, isArray, receiverFirst, setIteratorNext, setSize, setValues } from './intrinsics.ts';

/** Code that waits for an eventual to settle, or object that settles as the eventual does. */
export interface EventualWaiter {
  /** An `await`, handlers of `then`, an element of `Promise.all`, an eventual that adopts this one, or host code. */
  readonly kind: 'function' | 'handlers' | 'element' | 'adoption' | 'host';
  /** Actor of the waiter. */
  readonly home: HomeActor;
  /** Eventual that the waiter settles from the outcome. */
  readonly derived: Eventual | undefined;
  readonly frame: AwaitingFrame | undefined;
  readonly handlers: readonly unknown[];
  /** Name of the combinator, such as `all`. */
  readonly combinator: string | undefined;
  /** Receiver outside of the realm (`Eventuals.forward`). */
  readonly target: object | undefined;
}

/** Waiters of an eventual; none if it is settled. */
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

type WaiterBase = Omit<EventualWaiter, 'kind' | 'derived'>;

function waiterOfContinuation({ tag, target }: Continuation, base: WaiterBase): EventualWaiter {
  if (tag === FORWARD) return { ...base, kind: 'host', derived: undefined, target };
  return { ...base, kind: 'adoption', derived: eventualIn(target) };
}

function combinatorOf(parent: AsyncParent | undefined): string | undefined {
  return parent !== undefined && 'combinator' in parent ? parent.combinator : undefined;
}

/** Eventual that a frame's result holds; for an async generator, the eventual of the current request. */
function eventualIn(result: unknown): Eventual | undefined {
  const eventual: unknown = result instanceof AsyncGeneratorState ? result.queue[0]?.eventual : result;
  return Eventual.is(eventual) ? eventual : undefined;
}

/** Eventual that a frame settles when it ends; for an async generator, the eventual of the current request. */
export function resultOf({ result }: Frame): Eventual | undefined {
  return eventualIn(result);
}

/** Eventual that a job settles with its outcome: the result of a frame, or the promise of a `then`. */
export function eventualSettledBy(target: unknown): Eventual | undefined {
  if (target instanceof Frame) return resultOf(target);
  return target instanceof Reaction ? eventualIn(derivedOf(target)) : undefined;
}

/** Eventual that a promise's resolving function settles; undefined for other functions. */
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
const setStartTime = receiverFirst(WeakMap.prototype.set) as (map: StartTimes, key: Eventual, time: number) => unknown;

/** Sequence numbers are below this, so that a start time and a sequence number fit into one number. */
const SEQUENCE_RANGE = 2 ** 26;

export class AwaitedEventuals {
  readonly #awaited = new Set<Eventual>();
  /** Eventuals first awaited by a task that is being re-executed, removed when the re-execution ends. */
  readonly #reexecuted = new Set<Eventual>();
  #isReexecuting = false;
  readonly #startTimes = new WeakMap<Eventual, number>();

  /**
   * Starts recording on this thread.
   * @param maxCount number of eventuals kept; beyond it, those with the longest waits are dropped
   * @param clock source of the times that `waitingSince` returns
   */
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
        // A start time may be there already, from the first execution of the task that is now re-executed.
        if (!hasStartTime(startTimes, eventual))
          setStartTime(startTimes, eventual, clock() * SEQUENCE_RANGE + (count++ % SEQUENCE_RANGE));
        if (this.#isReexecuting) addEventual(reexecuted, eventual);
        else addAwaited(eventual);
      }
      return state;
    };
    // `write` restores a state or undoes a task.
    Eventual.write = (eventual, state) => {
      write(eventual, state);
      if (state.state !== PENDING || state.waiting === undefined) removeEventual(awaited, eventual);
      else if (!hasEventual(awaited, eventual) && !hasEventual(reexecuted, eventual)) addAwaited(eventual);
    };
  }

  /** Marks the start or end of a task's re-execution. The end removes the waits that the re-execution started. */
  setReexecuting(isReexecuting: boolean): void {
    this.#isReexecuting = isReexecuting;
    if (!isReexecuting) clearEventuals(this.#reexecuted);
  }

  /** Time of the first wait; undefined if it started before a restored snapshot. */
  waitingSince(eventual: Eventual): number | undefined {
    const order = this.waitingOrder(eventual);
    return order === 0 ? undefined : (order - (order % SEQUENCE_RANGE)) / SEQUENCE_RANGE;
  }

  /** Number that ascends in the order of first waits; 0 if the wait started before a restored snapshot. */
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
