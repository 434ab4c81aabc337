// A turn: one message is handled to completion, including the resulting jobs, while no other actor's code runs. Hot
// path: guarded by bench:peers.

import type { Eventual, Realm } from '@turntable/core';
import type { ActorCell } from '../actors/actor-cell.ts';
import type { ActorFactory } from '../actors/actor-factory.ts';
import { CENSUS_TURN, type Census } from '../actors/census.ts';
import { observed, type TurnSubject } from '../channels.ts';
import type { TurnObservers } from './turn-observers.ts';
import { failureOf, STOPPED, type Termination } from '../actors/termination.ts';
import { FarReference } from '../references/far-reference.ts';
import type { ActorConstructor } from '../scheduler-host.ts';
import { CONSTRUCT_PENDING, CONSTRUCT, FULFIL, REJECT, STOP } from '../messaging/message-kinds.ts';
import type { AnswerSender } from '../messaging/answer/answer-sender.ts';
import type { AnswerSettler } from '../messaging/answer/answer-settler.ts';
import { argumentList, type MessageReceiver } from '../messaging/message-queue.ts';
import type { ReplyTo } from '../messaging/answer/forward-targets.ts';
import type { Pressure } from '../messaging/pressure.ts';
import { RuntimeError } from '../runtime-error.ts';
import { TrackedCall } from '../messaging/answer/deadline-trail.ts';
import type { ActorCreation } from '../actors/pending-actors.ts';

type Method = (...args: unknown[]) => unknown;

const EMPTY_ARGS: readonly unknown[] = [];

export interface TurnsDeps {
  readonly realm: Realm;
  readonly turnObservers: TurnObservers;
  readonly answers: AnswerSender;
  readonly settler: AnswerSettler;
  readonly pressure: Pressure;
  readonly actorFactory: ActorFactory;
  readonly termination: Termination;
  readonly census: Census;
  report(actor: ActorCell, reason: unknown): void;
}

export class Turns {
  /** Number of turns of this worker. */
  count = 0;
  readonly #deps: TurnsDeps;
  readonly #realm: Realm;
  readonly #turnObservers: TurnObservers;
  readonly #answers: AnswerSender;
  readonly #settler: AnswerSettler;
  readonly #pressure: Pressure;

  constructor(deps: TurnsDeps) {
    this.#deps = deps;
    this.#realm = deps.realm;
    this.#turnObservers = deps.turnObservers;
    this.#answers = deps.answers;
    this.#settler = deps.settler;
    this.#pressure = deps.pressure;
  }

  #enter(actor: ActorCell): void {
    const { current: now } = this.#realm;
    // Compared first, since a store has a write barrier and costs more.
    if (now.context !== actor.context) now.context = actor.context;
    this.count++;
    if (++actor.turns === CENSUS_TURN) this.#deps.census.actorMatured(actor);
  }

  #leave(actor: ActorCell): void {
    const { jobs } = this.#realm;
    if (jobs.hasWork()) jobs.drainAll();
    if (actor.heldSenders !== undefined || actor.heldWorkers !== undefined) this.#pressure.afterTurn(actor);
  }

  /** Runs the turn of a message to the actor's root whose sender does not want the result. */
  handleTell(actor: ActorCell, call: string, count: number, a: unknown, b: unknown, c: unknown): void {
    this.#enter(actor);
    if (actor.failure !== undefined) this.#deps.report(actor, failureOf(actor));
    else {
      const root = actor.root as Record<string, Method>;
      try {
        if (count === 0) (root[call] as Method)();
        else if (count === 1) (root[call] as Method)(a);
        else if (count === 2) (root[call] as Method)(a, b);
        else (root[call] as Method)(a, b, c);
      } catch (error) {
        this.#deps.report(actor, error);
      }
    }
    this.#leave(actor);
  }

  // Separate functions, since V8 allocates a context for closures at every call of the function that contains them.

  handleTellObserved(actor: ActorCell, call: string, count: number, a: unknown, b: unknown, c: unknown): void {
    this.#turnObservers.observer?.turnInput?.(actor.root, argumentList(count, a, b, c, EMPTY_ARGS), undefined);
    this.#turnObservers.runTurn(actor, call, undefined, () => this.handleTell(actor, call, count, a, b, c));
  }

  handleObserved(
    actor: ActorCell,
    target: unknown,
    call: unknown,
    replyTo: ReplyTo,
    sender: ActorCell,
    count: number,
    a: unknown,
    b: unknown,
    c: unknown,
    args: readonly unknown[],
  ): void {
    this.#turnObservers.observer?.turnInput?.(
      typeof call === 'string' || call instanceof TrackedCall
        ? FarReference.objectOf(target as FarReference)
        : undefined,
      argumentList(count, a, b, c, args),
      replyTo,
    );
    this.#turnObservers.runTurn(actor, call as TurnSubject, sender, () =>
      this.handle(actor, target, call, replyTo, sender, count, a, b, c, args),
    );
  }

  handle(
    actor: ActorCell,
    target: unknown,
    call: unknown,
    replyTo: ReplyTo,
    sender: ActorCell,
    count: number,
    a: unknown,
    b: unknown,
    c: unknown,
    args: readonly unknown[],
  ): void {
    this.#enter(actor);
    if (typeof call === 'string')
      this.#call(actor, target as FarReference, call, replyTo, sender, count, a, b, c, args);
    else if (call === FULFIL) this.#settler.settle(replyTo as Eventual, a, false);
    else if (call === REJECT) this.#settler.settle(replyTo as Eventual, a, true);
    else if (call === CONSTRUCT)
      this.#deps.actorFactory.create(
        actor,
        target as ActorConstructor,
        replyTo as unknown as FarReference,
        argumentList(count, a, b, c, args),
      );
    else if (call === STOP) this.#deps.termination.end(actor, STOPPED);
    else if (call === CONSTRUCT_PENDING) this.#deps.actorFactory.createFrom(actor, target as ActorCreation);
    else {
      const { name, trail } = call as TrackedCall;
      this.#realm.current.context = { home: actor, store: actor.context.store, trail };
      this.#call(actor, target as FarReference, name, replyTo, sender, count, a, b, c, args);
    }
    this.#leave(actor);
  }

  #call(
    actor: ActorCell,
    target: FarReference,
    call: string,
    replyTo: ReplyTo,
    sender: ActorCell,
    count: number,
    a: unknown,
    b: unknown,
    c: unknown,
    args: readonly unknown[],
  ): void {
    if (actor.failure !== undefined) return this.#answers.fail(actor, sender, replyTo, failureOf(actor), call);
    const object = FarReference.objectOf(target) as Record<string, Method> | undefined;
    if (object === undefined) return this.#answers.fail(actor, sender, replyTo, releasedError(actor), call);
    let value: unknown;
    let isFailed = false;
    try {
      value =
        count === 0
          ? (object[call] as Method)()
          : count === 1
            ? (object[call] as Method)(a)
            : count === 2
              ? (object[call] as Method)(a, b)
              : count === 3
                ? (object[call] as Method)(a, b, c)
                : (object[call] as Method)(...args);
    } catch (error) {
      isFailed = true;
      value = error;
    }
    if (isFailed) this.#answers.fail(actor, sender, replyTo, value, call);
    else this.#answers.answer(actor, sender, replyTo, call, value);
  }
}

/** Delivers the messages of a queue to `Turns`, which is created after the queue. */
export class TurnDelivery implements MessageReceiver<ActorCell> {
  turns!: Turns;

  deliverTell(recipient: ActorCell, call: string, count: number, a: unknown, b: unknown, c: unknown): void {
    if (observed.hasObservers) this.turns.handleTellObserved(recipient, call, count, a, b, c);
    else this.turns.handleTell(recipient, call, count, a, b, c);
  }

  deliver(
    recipient: ActorCell,
    target: unknown,
    call: unknown,
    replyTo: unknown,
    sender: ActorCell,
    count: number,
    a: unknown,
    b: unknown,
    c: unknown,
    args: readonly unknown[],
  ): void {
    if (observed.hasObservers)
      this.turns.handleObserved(recipient, target, call, replyTo as ReplyTo, sender, count, a, b, c, args);
    else this.turns.handle(recipient, target, call, replyTo as ReplyTo, sender, count, a, b, c, args);
  }
}

function releasedError(actor: ActorCell): RuntimeError {
  return new RuntimeError('TT_RELEASED', `${actor.name} has released this object, so references to it no longer work`);
}
