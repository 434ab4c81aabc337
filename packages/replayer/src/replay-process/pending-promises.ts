// Lists the awaited pending promises of a paused thread, each with its waiters and with the promises that it awaits
// itself. All facts come from eventuals and their reactions. No code of the program and no proxy trap runs.
import { types } from 'node:util';
import { Eventual, PENDING, waitersOf, type EventualWaiter } from '@turntable/core';
import type { Loader } from '../thread/loader.ts';
import { destinationOf, type AwaitedAnswer, type Destination, type Scheduler } from '@turntable/runtime';
import type {
  PromiseLocation,
  PromisesQuery,
  PromiseWaiter,
  RemoteCall,
  ThreadPromise,
  ThreadPromises,
  Value,
} from '@turntable/time-machine/replay-process';
import { createNameMatcher } from '../replay/turn-notes.ts';
import { formatCount } from '../output/wording.ts';
import type { PromiseTracker } from './promise-tracker.ts';
import { findResolvers, type NamedRoot } from './resolvers.ts';
import type { ObjectDetails } from '../replay/thread/value-inspector.ts';
import { variablesOfProgram } from './thread-state.ts';

type Actor = AwaitedAnswer['callee'];
type AnyFunction = (...args: never[]) => unknown;

/** A message that waits in an actor's mailbox. */
type QueuedMessage =
  | { readonly kind: 'tell' }
  | { readonly kind: 'send'; readonly replyTo: unknown; readonly sender: { readonly worker: number } };

export interface PendingPromisesDeps {
  readonly loader: Loader;
  readonly worker: number;
  readonly tracker: PromiseTracker;
  readonly scheduler: Scheduler | undefined;
  /** Renders the eventual, with a number for `expand`. */
  toValue(eventual: object): Value;
  /** Details of objects that only the loader knows. */
  readonly objectDetails: ObjectDetails;
  /** The object with a number from `toValue`. */
  objectWithId(id: number): object | undefined;
  mailboxOf(actor: Actor): readonly QueuedMessage[];
}

/** A pending reaction or call that will settle an eventual. */
interface PendingSettlement {
  readonly waiter: EventualWaiter;
  readonly destination: Destination | undefined;
  /** The eventual that the settlement awaits. */
  readonly source: Eventual;
}

interface AwaitedPromise {
  readonly eventual: Eventual;
  readonly waiters: readonly EventualWaiter[];
}

const MAX_WAITERS = 20;
/** Maximum number of promises in a chain in which each promise awaits the next one. */
const MAX_CHAIN_LENGTH = 100;
/** Maximum number of promises whose waiters are roots of the search for resolving functions. */
const MAX_SEARCHED_PROMISES = 1000;

/** Pending promises of a thread, for one request; valid while the thread is paused. */
export class PendingPromises {
  readonly #deps: PendingPromisesDeps;
  readonly #awaitedPromises: readonly AwaitedPromise[];
  readonly #settlements = new Map<Eventual, PendingSettlement[]>();
  /** Results of calls from other workers, by worker and call number. */
  readonly #remotePromises = new Map<string, Eventual>();

  constructor(deps: PendingPromisesDeps) {
    this.#deps = deps;
    const { awaitedEventuals: awaited } = deps.tracker;
    this.#awaitedPromises = awaited.all
      .map((eventual) => ({ eventual, waiters: waitersOf(eventual) }))
      .filter(({ waiters }) => waiters.some((each) => this.#isProgramWaiter(each)))
      .toSorted(
        (left, right) =>
          (left.waiters[0]?.home.id ?? 0) - (right.waiters[0]?.home.id ?? 0) ||
          awaited.waitingOrder(left.eventual) - awaited.waitingOrder(right.eventual),
      );
    for (const { eventual, waiters } of this.#awaitedPromises)
      for (const waiter of waiters) this.#addSettlement(waiter, eventual);
  }

  /** Whether the waiter belongs to the program. Turntable itself awaits the evaluation of modules. */
  #isProgramWaiter({ kind, frame, handlers }: EventualWaiter): boolean {
    const { realm } = this.#deps.loader;
    if (kind === 'function') return frame === undefined || realm.identify(frame.step as AnyFunction) !== undefined;
    if (kind !== 'handlers') return true;
    return handlers.some(
      (each) => isFunction(each) && (functionName(each) !== '' || this.#deps.loader.locationOf(each) !== undefined),
    );
  }

  #addSettlement(waiter: EventualWaiter, source: Eventual): void {
    const destination = waiter.target === undefined ? undefined : destinationOf(waiter.target);
    const replyTo = destination !== undefined && destination.to !== 'worker' ? destination.replyTo : waiter.derived;
    if (typeof replyTo === 'number') {
      if (destination?.to === 'asker') this.#remotePromises.set(`${destination.asker.worker} ${replyTo}`, source);
      return;
    }
    if (replyTo === undefined) return;
    const existing = this.#settlements.get(replyTo);
    const settlement: PendingSettlement = { waiter, destination, source };
    if (existing === undefined) this.#settlements.set(replyTo, [settlement]);
    else existing.push(settlement);
  }

  answer({ promise: promiseQuery, actor, from, count }: PromisesQuery): ThreadPromises {
    if (typeof promiseQuery === 'object') return this.#remoteCallResult(promiseQuery);
    if (promiseQuery !== undefined) {
      const promise = this.#deps.objectWithId(promiseQuery);
      if (promise === undefined || types.isProxy(promise) || !Eventual.is(promise))
        throw new RangeError(
          `#${promiseQuery} is not a promise; object numbers are valid only while the program is paused`,
        );
      return this.#chain(promise);
    }
    const isNamedActor = actor === undefined ? undefined : createNameMatcher([actor]);
    const matching =
      isNamedActor === undefined
        ? this.#awaitedPromises
        : this.#awaitedPromises.filter(({ waiters }) => waiters.some((each) => isNamedActor(this.#actorOf(each))));
    return {
      promises: matching.slice(from, from + count).map(({ eventual }) => this.#describe(eventual)),
      total: matching.length,
    };
  }

  /** A promise and the promises that it awaits, nearest first. */
  #chain(first: Eventual): ThreadPromises {
    const chain = new Set([first]);
    for (const each of chain) {
      if (chain.size >= MAX_CHAIN_LENGTH) break;
      for (const { source } of this.#settlements.get(each) ?? []) chain.add(source);
    }
    const resolvers = this.#resolvers(chain);
    const promises = Array.from(chain, (each) => {
      const description = this.#describe(each);
      const path = description.reason === undefined ? resolvers.get(each) : undefined;
      return path === undefined ? description : { ...description, reason: `${path} settles it when called` };
    });
    return { promises, total: chain.size };
  }

  /** Paths to the resolving functions of promises that nothing else is known to settle. */
  #resolvers(promises: Iterable<Eventual>): ReadonlyMap<Eventual, string> {
    const { tracker, loader, objectDetails } = this.#deps;
    const isUnexplained = (each: Eventual): boolean =>
      Eventual.state(each) === PENDING &&
      !this.#settlements.has(each) &&
      tracker.awaitedAnswers?.of(each) === undefined;
    const unexplained = new Set([...promises].filter(isUnexplained));
    return unexplained.size === 0 ? new Map() : findResolvers(this.#roots(), unexplained, objectDetails, loader.realm);
  }

  /** Roots of the paths: actors, top-level variables, variables of suspended functions, functions passed to `then`. */
  *#roots(): Generator<NamedRoot, void, undefined> {
    const { scheduler, loader } = this.#deps;
    for (const { name, root } of scheduler?.census.actors() ?? []) yield [name, root];
    yield* variablesOfProgram(loader);
    for (const { waiters } of this.#awaitedPromises.slice(0, MAX_SEARCHED_PROMISES))
      for (const waiter of waiters) {
        for (const handler of waiter.handlers) yield [handlersText([handler]), handler];
        const { frame } = waiter.frame ?? {};
        if (frame === undefined) continue;
        const path = `a variable of ${this.#functionName(waiter)}`;
        const { s0, s1, s2, s3, s4, s5, s6, s7, more = [] } = frame;
        for (const local of [s0, s1, s2, s3, s4, s5, s6, s7, ...more]) if (local !== undefined) yield [path, local];
      }
  }

  /** The result of a call that another worker made to this one. */
  #remoteCallResult({ caller, callNumber, actor }: RemoteCall): ThreadPromises {
    const promise = this.#remotePromises.get(`${caller} ${callNumber}`);
    if (promise !== undefined) return this.#chain(promise);
    const { scheduler } = this.#deps;
    const callee = scheduler?.census.actors().find(({ id }) => id === actor) ?? mainActorWithId(scheduler, actor);
    if (callee === undefined) return { promises: [], total: 0, reason: 'the message is in transit' };
    const index = this.#deps
      .mailboxOf(callee)
      .findIndex((each) => each.kind === 'send' && each.replyTo === callNumber && each.sender.worker === caller);
    const reason =
      index === -1
        ? `the message or its answer is in transit, or ${callee.name} is handling it`
        : inMailboxText(callee, index);
    return { promises: [], total: 0, reason };
  }

  #describe(eventual: Eventual): ThreadPromise {
    const waiters = waitersOf(eventual);
    const settling = this.#settlements.get(eventual) ?? [];
    const [first] = settling;
    const awaitedAnswer = this.#deps.tracker.awaitedAnswers?.of(eventual);
    const sources = [...new Set(settling.slice(0, MAX_CHAIN_LENGTH).map((each) => each.source))];
    return {
      value: this.#deps.toValue(eventual),
      description: this.#descriptionOf(awaitedAnswer, settling),
      location: first === undefined ? undefined : this.#locationOf(first.waiter),
      waitsFor: sources.flatMap((each) => this.#deps.toValue(each).id ?? []),
      reason: sources.length > 0 ? undefined : this.#pendingReason(eventual, awaitedAnswer),
      waiters: waiters.slice(0, MAX_WAITERS).map((waiter) => this.#describeWaiter(waiter)),
      waiterCount: waiters.length,
      waitingSinceTask: waiters.length === 0 ? undefined : this.#deps.tracker.awaitedEventuals.waitingSince(eventual),
      remoteCall: sources.length > 0 ? undefined : this.#remoteCallOf(awaitedAnswer),
    };
  }

  #descriptionOf(awaitedAnswer: AwaitedAnswer | undefined, settling: readonly PendingSettlement[]): string {
    if (awaitedAnswer !== undefined) return answerText(awaitedAnswer.callee, awaitedAnswer.call);
    const [first] = settling;
    if (first === undefined) return 'a promise';
    const { waiter, destination } = first;
    if (destination?.to === 'message') return `the answer of ${destination.call}`;
    if (destination?.to === 'asker') {
      const { owner, call } = destination;
      return call === undefined ? `a promise passed by ${owner.name}` : answerText(owner, call);
    }
    if (waiter.kind === 'function') return `the result of ${this.#functionName(waiter)}`;
    if (waiter.kind === 'element') return `Promise.${waiter.combinator ?? 'all'}`;
    if (waiter.kind === 'handlers') return 'the result of then';
    return settling.length > 1 ? 'the first of several promises' : 'a promise that follows another one';
  }

  #pendingReason(eventual: Eventual, awaitedAnswer: AwaitedAnswer | undefined): string | undefined {
    if (Eventual.state(eventual) !== PENDING) return 'it is settled';
    if (awaitedAnswer === undefined) {
      const timer = this.#deps.tracker.timerTextOf(eventual);
      if (timer !== undefined) return `${timer} settles it unless cleared`;
      const isOutside = this.#deps.loader.realm.parts.eventuals.nativeSourceOf(eventual) !== undefined;
      return isOutside ? 'the host settles it' : undefined;
    }
    const { callee, call } = awaitedAnswer;
    if (call === undefined) return `${callee.name} has not ended`;
    if (callee.worker !== this.#deps.worker) return undefined;
    const index = this.#deps.mailboxOf(callee).findIndex((each) => each.kind === 'send' && each.replyTo === eventual);
    return index === -1 ? inProgressText(callee) : inMailboxText(callee, index);
  }

  #remoteCallOf(awaitedAnswer: AwaitedAnswer | undefined): RemoteCall | undefined {
    if (awaitedAnswer?.callId === undefined || awaitedAnswer.call === undefined) return undefined;
    const { callee, callId: callNumber } = awaitedAnswer;
    return { caller: this.#deps.worker, callNumber, actor: callee.id, worker: callee.worker };
  }

  #describeWaiter(waiter: EventualWaiter): PromiseWaiter {
    const { derived } = waiter;
    const destination = waiter.target === undefined ? undefined : destinationOf(waiter.target);
    const replyTo = destination !== undefined && destination.to !== 'worker' ? destination.replyTo : derived;
    const isPending = typeof replyTo === 'object' && Eventual.state(replyTo) === PENDING;
    return {
      description: this.#waiterText(waiter, destination),
      actor: this.#actorOf(waiter),
      location: this.#locationOf(waiter),
      promise: isPending ? this.#deps.toValue(replyTo).id : undefined,
    };
  }

  #waiterText(waiter: EventualWaiter, destination: Destination | undefined): string {
    switch (waiter.kind) {
      case 'function':
        return this.#functionName(waiter);
      case 'handlers':
        return handlersText(waiter.handlers);
      case 'element':
        return `Promise.${waiter.combinator ?? 'all'}`;
      case 'adoption':
        return 'a promise resolved with this one';
      case 'host':
        return destinationText(destination);
    }
  }

  #functionName({ frame }: EventualWaiter): string {
    const location = frame && this.#deps.loader.awaitLocation(frame);
    if (frame === undefined || location === undefined) return 'a function';
    const { name = '', type } = location;
    if (name !== '') return type === undefined ? name : `${type}.${name}`;
    const identity = this.#deps.loader.realm.identify(frame.step as AnyFunction);
    return identity?.ordinal === -1 ? 'the file itself' : 'an anonymous function';
  }

  #locationOf({ frame, handlers }: EventualWaiter): PromiseLocation | undefined {
    const { loader } = this.#deps;
    if (frame !== undefined) {
      const location = loader.awaitLocation(frame);
      return location && { file: location.file, line: location.line, column: location.column };
    }
    for (const handler of handlers) {
      const text = isFunction(handler) ? loader.locationOf(handler) : undefined;
      const [, file = '', line] = /^(.*):(\d+)$/s.exec(text ?? '') ?? [];
      if (line !== undefined) return { file, line: Number(line) };
    }
    return undefined;
  }

  /** Name of the actor that waits. For a waiter that forwards a reply, the name of the caller. */
  #actorOf({ home, target }: EventualWaiter): string {
    const destination = target === undefined ? undefined : destinationOf(target);
    if (destination?.to === 'asker') return destination.asker.name;
    if (destination?.to === 'worker') return `worker ${destination.worker}`;
    // Top-level code has a home without a name.
    const { name } = home as { readonly name?: string };
    return name ?? this.#deps.scheduler?.main.name ?? 'the main program';
  }
}

function answerText({ name }: Actor, call: string | undefined): string {
  return call === undefined ? `the end of ${name}` : `the answer of ${name}.${call}`;
}

function inProgressText({ name }: Actor): string {
  return `${name} is handling it, or the answer is in transit`;
}

function inMailboxText({ name }: Actor, messagesAhead: number): string {
  return `queued in the mailbox of ${name}${messagesAhead === 0 ? '' : ` after ${formatCount(messagesAhead, 'message')}`}`;
}

function destinationText(destination: Destination | undefined): string {
  switch (destination?.to) {
    case 'asker': {
      const { owner, call } = destination;
      return call === undefined ? 'a promise it was passed as' : answerText(owner, call);
    }
    case 'worker':
      return 'a promise it was passed as';
    case 'message':
      return `a message ${destination.call} to its value`;
    case undefined:
      return 'the host';
  }
}

function handlersText(handlers: readonly unknown[]): string {
  for (const handler of handlers) {
    const name = isFunction(handler) ? functionName(handler) : '';
    if (name !== '') return `${name}, passed to then`;
  }
  return 'a function passed to then';
}

function functionName(fn: object): string {
  const name: unknown = Object.getOwnPropertyDescriptor(fn, 'name')?.value;
  return typeof name === 'string' ? name : '';
}

function isFunction(value: unknown): value is AnyFunction {
  return typeof value === 'function' && !types.isProxy(value);
}

function mainActorWithId(scheduler: Scheduler | undefined, id: number): Actor | undefined {
  return scheduler?.main.id === id ? scheduler.main : undefined;
}
