// Promises of a thread that stands still which somebody waits for: what each of them is, who waits, and what it waits for itself. All of that is read off eventuals and what waits for them; nothing of
// the program runs, and nothing is asked that may be a proxy.
import { types } from 'node:util';
import { Eventual, PENDING, waitersOf, type Waiter } from '@turntable/core';
import type { Loader } from '../thread/loader.ts';
import { destinationOf, type AwaitedAnswer, type Destination, type Scheduler } from '@turntable/runtime';
import type {
  PromisePlace,
  PromisesQuery,
  PromiseWaiter,
  RemoteCall,
  ThreadPromise,
  ThreadPromises,
  Value,
} from '@turntable/time-machine/replay-process';
import { namesLike } from '../replay/turn-notes.ts';
import { counted } from '../output/wording.ts';
import type { PromiseNotes } from './promise-notes.ts';
import { resolversIn, type Root } from './resolvers.ts';
import type { Known } from '../replay/thread/shown-values.ts';
import { variablesOfProgram } from './thread-state.ts';

type Actor = AwaitedAnswer['asked'];
type AnyFunction = (...args: never[]) => unknown;

/** A message that waits for an actor. */
type Waiting =
  | { readonly what: 'told' }
  | { readonly what: 'sent'; readonly settles: unknown; readonly sender: { readonly worker: number } };

export interface PromisePorts {
  readonly loader: Loader;
  /** The number of this thread's worker. */
  readonly worker: number;
  readonly notes: PromiseNotes;
  readonly scheduler: Scheduler | undefined;
  /** With a number for `expand`. */
  shown(eventual: object): Value;
  /** What the loader knows of objects. */
  readonly known: Known;
  /** What has such a number. */
  numbered(id: number): object | undefined;
  mailOf(actor: Actor): readonly Waiting[];
}

/** What settles an eventual once it goes on. */
interface Settling {
  readonly waiter: Waiter;
  /** Where an answer goes. */
  readonly destination: Destination | undefined;
  /** What it waits for. */
  readonly on: Eventual;
}

interface Awaited {
  readonly eventual: Eventual;
  readonly waiters: readonly Waiter[];
}

/** Of one promise. */
const MOST_WAITERS = 20;
/** Of a way from one to another. */
const MOST_STEPS = 100;
/** Promises through whose waiters it is looked for what settles others. */
const MOST_LOOKED_AT = 1000;

/** As a thread stands: made anew for each question. */
export class PendingPromises {
  readonly #ports: PromisePorts;
  readonly #all: readonly Awaited[];
  readonly #settling = new Map<Eventual, Settling[]>();
  /** Promises that questions of other workers wait for. */
  readonly #owed = new Map<string, Eventual>();

  constructor(ports: PromisePorts) {
    this.#ports = ports;
    const { awaited } = ports.notes;
    this.#all = awaited.all
      .map((eventual) => ({ eventual, waiters: waitersOf(eventual) }))
      .filter(({ waiters }) => waiters.some((each) => this.#isOfProgram(each)))
      .toSorted(
        (one, other) =>
          (one.waiters[0]?.home.id ?? 0) - (other.waiters[0]?.home.id ?? 0) ||
          awaited.order(one.eventual) - awaited.order(other.eventual),
      );
    for (const { eventual, waiters } of this.#all) for (const waiter of waiters) this.#meets(waiter, eventual);
  }

  /** Not one by which Turntable itself waits: for what a file's code comes to. */
  #isOfProgram({ how, frame, handlers }: Waiter): boolean {
    const { realm } = this.#ports.loader;
    if (how === 'function') return frame === undefined || realm.identify(frame.step as AnyFunction) !== undefined;
    if (how !== 'handlers') return true;
    return handlers.some(
      (each) => isFunction(each) && (nameOf(each) !== '' || this.#ports.loader.placeOf(each) !== undefined),
    );
  }

  #meets(waiter: Waiter, on: Eventual): void {
    const destination = waiter.target === undefined ? undefined : destinationOf(waiter.target);
    const settles = destination !== undefined && destination.to !== 'worker' ? destination.settles : waiter.outcome;
    if (typeof settles === 'number') {
      if (destination?.to === 'asker') this.#owed.set(`${destination.asker.worker} ${settles}`, on);
      return;
    }
    if (settles === undefined) return;
    const known = this.#settling.get(settles);
    const its: Settling = { waiter, destination, on };
    if (known === undefined) this.#settling.set(settles, [its]);
    else known.push(its);
  }

  answer({ of, actor, from, count }: PromisesQuery): ThreadPromises {
    if (typeof of === 'object') return this.#owing(of);
    if (of !== undefined) {
      const promise = this.#ports.numbered(of);
      if (promise === undefined || types.isProxy(promise) || !Eventual.has(promise))
        throw new RangeError(`#${of} is no promise: numbers are forgotten when the program goes on`);
      return this.#chain(promise);
    }
    const isMeant = actor === undefined ? undefined : namesLike([actor]);
    const meant =
      isMeant === undefined
        ? this.#all
        : this.#all.filter(({ waiters }) => waiters.some((each) => isMeant(this.#actorOf(each))));
    return {
      promises: meant.slice(from, from + count).map(({ eventual }) => this.#told(eventual)),
      total: meant.length,
    };
  }

  /** One, and what it waits for, the nearest first. */
  #chain(first: Eventual): ThreadPromises {
    const found = new Set([first]);
    for (const each of found) {
      if (found.size >= MOST_STEPS) break;
      for (const { on } of this.#settling.get(each) ?? []) found.add(on);
    }
    const resolvers = this.#resolvers(found);
    const promises = Array.from(found, (each) => {
      const told = this.#told(each);
      const path = told.why === undefined ? resolvers.get(each) : undefined;
      return path === undefined ? told : { ...told, why: `${path} settles it, when that is called` };
    });
    return { promises, total: found.size };
  }

  /** Where the program has what settles those that nothing else is known to settle. */
  #resolvers(promises: Iterable<Eventual>): ReadonlyMap<Eventual, string> {
    const { notes, loader, known } = this.#ports;
    const isOpen = (each: Eventual): boolean =>
      Eventual.state(each) === PENDING && !this.#settling.has(each) && notes.answers?.of(each) === undefined;
    const wanted = new Set([...promises].filter(isOpen));
    return wanted.size === 0 ? new Map() : resolversIn(this.#roots(), wanted, known, loader.realm);
  }

  /** What ways begin with: actors, variables of files, of functions that wait, and of those that are given to `then`. */
  *#roots(): Generator<Root, void, undefined> {
    const { scheduler, loader } = this.#ports;
    for (const { name, root } of scheduler?.census.known() ?? []) yield [name, root];
    yield* variablesOfProgram(loader);
    for (const { waiters } of this.#all.slice(0, MOST_LOOKED_AT))
      for (const waiter of waiters) {
        for (const handler of waiter.handlers) yield [handlersText([handler]), handler];
        const { frame } = waiter.frame ?? {};
        if (frame === undefined) continue;
        const path = `a variable of ${this.#functionName(waiter)}`;
        const { s0, s1, s2, s3, s4, s5, s6, s7, more = [] } = frame;
        for (const held of [s0, s1, s2, s3, s4, s5, s6, s7, ...more]) if (held !== undefined) yield [path, held];
      }
  }

  /** What another worker has asked here. */
  #owing({ asker, question, actor }: RemoteCall): ThreadPromises {
    const promise = this.#owed.get(`${asker} ${question}`);
    if (promise !== undefined) return this.#chain(promise);
    const { scheduler } = this.#ports;
    const asked = scheduler?.census.known().find(({ id }) => id === actor) ?? mainAmong(scheduler, actor);
    if (asked === undefined) return { promises: [], total: 0, why: 'it is on its way' };
    const at = this.#ports
      .mailOf(asked)
      .findIndex((each) => each.what === 'sent' && each.settles === question && each.sender.worker === asker);
    const why = at === -1 ? `it is on its way, ${isAtIt(asked)}` : waitsFor(asked, at);
    return { promises: [], total: 0, why };
  }

  #told(eventual: Eventual): ThreadPromise {
    const waiters = waitersOf(eventual);
    const settling = this.#settling.get(eventual) ?? [];
    const [first] = settling;
    const answer = this.#ports.notes.answers?.of(eventual);
    const on = [...new Set(settling.slice(0, MOST_STEPS).map((each) => each.on))];
    return {
      value: this.#ports.shown(eventual),
      what: this.#whatIs(answer, settling),
      place: first === undefined ? undefined : this.#placeOf(first.waiter),
      on: on.flatMap((each) => this.#ports.shown(each).id ?? []),
      why: on.length > 0 ? undefined : this.#whyNot(eventual, answer),
      waiters: waiters.slice(0, MOST_WAITERS).map((waiter) => this.#waiter(waiter)),
      waiting: waiters.length,
      begun: waiters.length === 0 ? undefined : this.#ports.notes.awaited.since(eventual),
      elsewhere: on.length > 0 ? undefined : this.#elsewhere(answer),
    };
  }

  #whatIs(answer: AwaitedAnswer | undefined, settling: readonly Settling[]): string {
    if (answer !== undefined) return answerText(answer.asked, answer.call);
    const [first] = settling;
    if (first === undefined) return 'a promise';
    const { waiter, destination } = first;
    if (destination?.to === 'message') return `the answer of ${destination.call}`;
    if (destination?.to === 'asker') {
      const { owner, call } = destination;
      return call === undefined ? `a promise that ${owner.name} has passed` : answerText(owner, call);
    }
    if (waiter.how === 'function') return `what ${this.#functionName(waiter)} comes to`;
    if (waiter.how === 'element') return `Promise.${waiter.combinator ?? 'all'}`;
    if (waiter.how === 'handlers') return 'what comes of then';
    return settling.length > 1 ? 'what the first of several comes to' : 'a promise that is settled as another one is';
  }

  #whyNot(eventual: Eventual, answer: AwaitedAnswer | undefined): string | undefined {
    if (Eventual.state(eventual) !== PENDING) return 'it is settled';
    if (answer === undefined) {
      const timer = this.#ports.notes.timerOf(eventual);
      if (timer !== undefined) return `${timer} settles it, unless that is cleared`;
      const isOutside = this.#ports.loader.realm.parts.eventuals.sourceOf(eventual) !== undefined;
      return isOutside ? 'something outside of the program is to settle it' : undefined;
    }
    const { asked, call } = answer;
    if (call === undefined) return `${asked.name} has not ended`;
    if (asked.worker !== this.#ports.worker) return undefined;
    const at = this.#ports.mailOf(asked).findIndex((each) => each.what === 'sent' && each.settles === eventual);
    return at === -1 ? isAtIt(asked) : waitsFor(asked, at);
  }

  #elsewhere(answer: AwaitedAnswer | undefined): RemoteCall | undefined {
    if (answer?.question === undefined || answer.call === undefined) return undefined;
    const { asked, question } = answer;
    return { asker: this.#ports.worker, question, actor: asked.id, worker: asked.worker };
  }

  #waiter(waiter: Waiter): PromiseWaiter {
    const { outcome } = waiter;
    const destination = waiter.target === undefined ? undefined : destinationOf(waiter.target);
    const settles = destination !== undefined && destination.to !== 'worker' ? destination.settles : outcome;
    const isPending = typeof settles === 'object' && Eventual.state(settles) === PENDING;
    return {
      what: this.#whoWaits(waiter, destination),
      actor: this.#actorOf(waiter),
      place: this.#placeOf(waiter),
      promise: isPending ? this.#ports.shown(settles).id : undefined,
    };
  }

  #whoWaits(waiter: Waiter, destination: Destination | undefined): string {
    switch (waiter.how) {
      case 'function':
        return this.#functionName(waiter);
      case 'handlers':
        return handlersText(waiter.handlers);
      case 'element':
        return `Promise.${waiter.combinator ?? 'all'}`;
      case 'follows':
        return 'a promise that is settled as this one is';
      case 'outside':
        return waitingText(destination);
    }
  }

  #functionName({ frame }: Waiter): string {
    const place = frame && this.#ports.loader.waitsAt(frame);
    if (frame === undefined || place === undefined) return 'a function';
    const { name = '', type } = place;
    if (name !== '') return type === undefined ? name : `${type}.${name}`;
    const identity = this.#ports.loader.realm.identify(frame.step as AnyFunction);
    return identity?.ordinal === -1 ? 'the file itself' : 'a function without a name';
  }

  #placeOf({ frame, handlers }: Waiter): PromisePlace | undefined {
    const { loader } = this.#ports;
    if (frame !== undefined) {
      const place = loader.waitsAt(frame);
      return place && { file: place.file, line: place.line, column: place.column };
    }
    for (const handler of handlers) {
      const text = isFunction(handler) ? loader.placeOf(handler) : undefined;
      const [, file = '', line] = /^(.*):(\d+)$/s.exec(text ?? '') ?? [];
      if (line !== undefined) return { file, line: Number(line) };
    }
    return undefined;
  }

  /** On whose behalf: of an answer, who has asked. */
  #actorOf({ home, target }: Waiter): string {
    const destination = target === undefined ? undefined : destinationOf(target);
    if (destination?.to === 'asker') return destination.asker.name;
    if (destination?.to === 'worker') return `worker ${destination.worker}`;
    // The home of code that is no actor's has no name.
    const { name } = home as { readonly name?: string };
    return name ?? this.#ports.scheduler?.main.name ?? 'the main program';
  }
}

function answerText({ name }: Actor, call: string | undefined): string {
  return call === undefined ? `the end of ${name}` : `the answer of ${name}.${call}`;
}

function isAtIt({ name }: Actor): string {
  return `${name} is at it, or the answer is on its way`;
}

function waitsFor({ name }: Actor, before: number): string {
  return `it waits in the mailbox of ${name}${before === 0 ? '' : `, behind ${counted(before, 'message')}`}`;
}

function waitingText(destination: Destination | undefined): string {
  switch (destination?.to) {
    case 'asker': {
      const { owner, call } = destination;
      return call === undefined ? 'a promise that it was passed as' : answerText(owner, call);
    }
    case 'worker':
      return 'a promise that it was passed as';
    case 'message':
      return `a message ${destination.call} to what it will be`;
    case undefined:
      return 'something outside of the program';
  }
}

function handlersText(handlers: readonly unknown[]): string {
  for (const handler of handlers) {
    const name = isFunction(handler) ? nameOf(handler) : '';
    if (name !== '') return `${name}, given to then`;
  }
  return 'a function given to then';
}

function nameOf(fn: object): string {
  const name: unknown = Object.getOwnPropertyDescriptor(fn, 'name')?.value;
  return typeof name === 'string' ? name : '';
}

function isFunction(value: unknown): value is AnyFunction {
  return typeof value === 'function' && !types.isProxy(value);
}

function mainAmong(scheduler: Scheduler | undefined, id: number): Actor | undefined {
  return scheduler?.main.id === id ? scheduler.main : undefined;
}
