// What a turn is: one message is handled to its end, jobs that came of it included; nothing of another actor runs in between.
// Hot path: guarded by bench:peers.

import type { Eventual, Realm } from '@turntable/core';
import type { Actor } from '../actors/actor.ts';
import type { Births } from '../actors/births.ts';
import { KNOWN_TURN, type Census } from '../actors/census.ts';
import { observed, type Called } from '../channels.ts';
import type { Company } from './company.ts';
import { failureOf, STOPPED, type Endings } from '../actors/endings.ts';
import { FarRef } from '../references/far-ref.ts';
import type { Class } from '../host.ts';
import { BEGIN, CONSTRUCT, FULFIL, REJECT, STOP } from '../messaging/message-kinds.ts';
import type { AnswerSender } from '../messaging/answer/answer-sender.ts';
import type { AnswerSettler } from '../messaging/answer/answer-settler.ts';
import { listOf, type Recipients } from '../messaging/message-queue.ts';
import type { Settles } from '../messaging/answer/outcomes.ts';
import type { Pressure } from '../messaging/pressure.ts';
import { RuntimeError } from '../runtime-error.ts';
import { TrackedCall } from '../messaging/answer/trail.ts';
import type { Birth } from '../actors/unborn.ts';

type Method = (...args: unknown[]) => unknown;

const NONE: readonly unknown[] = [];

export interface TurnsParts {
  readonly realm: Realm;
  readonly company: Company;
  readonly answers: AnswerSender;
  readonly settler: AnswerSettler;
  readonly pressure: Pressure;
  readonly births: Births;
  readonly endings: Endings;
  readonly census: Census;
  report(actor: Actor, reason: unknown): void;
}

export class Turns {
  /** So many so far. */
  count = 0;
  readonly #parts: TurnsParts;
  readonly #realm: Realm;
  readonly #company: Company;
  readonly #answers: AnswerSender;
  readonly #settler: AnswerSettler;
  readonly #pressure: Pressure;

  constructor(parts: TurnsParts) {
    this.#parts = parts;
    this.#realm = parts.realm;
    this.#company = parts.company;
    this.#answers = parts.answers;
    this.#settler = parts.settler;
    this.#pressure = parts.pressure;
  }

  #enter(actor: Actor): void {
    const { now } = this.#realm;
    // A store that the collector must see costs more than looking.
    if (now.context !== actor.context) now.context = actor.context;
    this.count++;
    if (++actor.turns === KNOWN_TURN) this.#parts.census.grown(actor);
  }

  #leave(actor: Actor): void {
    const { jobs } = this.#realm;
    if (jobs.isLeft()) jobs.finish();
    if (actor.held !== undefined || actor.heldWorkers !== undefined) this.#pressure.turned(actor);
  }

  /** The turn of a message to the actor's root whose outcome nobody asks for. */
  told(actor: Actor, call: string, count: number, a: unknown, b: unknown, c: unknown): void {
    this.#enter(actor);
    if (actor.failure !== undefined) this.#parts.report(actor, failureOf(actor));
    else {
      const root = actor.root as Record<string, Method>;
      try {
        if (count === 0) (root[call] as Method)();
        else if (count === 1) (root[call] as Method)(a);
        else if (count === 2) (root[call] as Method)(a, b);
        else (root[call] as Method)(a, b, c);
      } catch (error) {
        this.#parts.report(actor, error);
      }
    }
    this.#leave(actor);
  }

  // What closures share is made room for whenever a function is called: these are functions of their own.

  toldInCompany(actor: Actor, call: string, count: number, a: unknown, b: unknown, c: unknown): void {
    this.#company.onlooker?.given?.(actor.root, listOf(count, a, b, c, NONE), undefined);
    this.#company.keep(actor, call, undefined, () => this.told(actor, call, count, a, b, c));
  }

  handleInCompany(
    actor: Actor,
    target: unknown,
    call: unknown,
    settles: Settles,
    sender: Actor,
    count: number,
    a: unknown,
    b: unknown,
    c: unknown,
    many: readonly unknown[],
  ): void {
    this.#company.onlooker?.given?.(
      typeof call === 'string' || call instanceof TrackedCall ? FarRef.objectOf(target as FarRef) : undefined,
      listOf(count, a, b, c, many),
      settles,
    );
    this.#company.keep(actor, call as Called, sender, () =>
      this.handle(actor, target, call, settles, sender, count, a, b, c, many),
    );
  }

  handle(
    actor: Actor,
    target: unknown,
    call: unknown,
    settles: Settles,
    sender: Actor,
    count: number,
    a: unknown,
    b: unknown,
    c: unknown,
    many: readonly unknown[],
  ): void {
    this.#enter(actor);
    if (typeof call === 'string') this.#call(actor, target as FarRef, call, settles, sender, count, a, b, c, many);
    else if (call === FULFIL) this.#settler.settle(settles as Eventual, a, false);
    else if (call === REJECT) this.#settler.settle(settles as Eventual, a, true);
    else if (call === CONSTRUCT)
      this.#parts.births.make(actor, target as Class, settles as unknown as FarRef, listOf(count, a, b, c, many));
    else if (call === STOP) this.#parts.endings.end(actor, STOPPED);
    else if (call === BEGIN) this.#parts.births.begin(actor, target as Birth);
    else {
      const { name, trail } = call as TrackedCall;
      this.#realm.now.context = { home: actor, store: actor.context.store, trail };
      this.#call(actor, target as FarRef, name, settles, sender, count, a, b, c, many);
    }
    this.#leave(actor);
  }

  #call(
    actor: Actor,
    target: FarRef,
    call: string,
    settles: Settles,
    sender: Actor,
    count: number,
    a: unknown,
    b: unknown,
    c: unknown,
    many: readonly unknown[],
  ): void {
    if (actor.failure !== undefined) return this.#answers.fail(actor, sender, settles, failureOf(actor), call);
    const object = FarRef.objectOf(target) as Record<string, Method> | undefined;
    if (object === undefined) return this.#answers.fail(actor, sender, settles, released(actor), call);
    let value: unknown;
    let failed = false;
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
                : (object[call] as Method)(...many);
    } catch (error) {
      failed = true;
      value = error;
    }
    if (failed) this.#answers.fail(actor, sender, settles, value, call);
    else this.#answers.answer(actor, sender, settles, call, value);
  }
}

/** Delivers the messages of a queue to turns, which are made after it. */
export class TurnDelivery implements Recipients<Actor> {
  turns!: Turns;

  told(recipient: Actor, call: string, count: number, a: unknown, b: unknown, c: unknown): void {
    if (observed.hasCompany) this.turns.toldInCompany(recipient, call, count, a, b, c);
    else this.turns.told(recipient, call, count, a, b, c);
  }

  deliver(
    recipient: Actor,
    target: unknown,
    call: unknown,
    settles: unknown,
    sender: Actor,
    count: number,
    a: unknown,
    b: unknown,
    c: unknown,
    many: readonly unknown[],
  ): void {
    if (observed.hasCompany)
      this.turns.handleInCompany(recipient, target, call, settles as Settles, sender, count, a, b, c, many);
    else this.turns.handle(recipient, target, call, settles as Settles, sender, count, a, b, c, many);
  }
}

function released(actor: Actor): RuntimeError {
  return new RuntimeError('TT_RELEASED', `${actor.name} has taken back the reference to this object of its`);
}
