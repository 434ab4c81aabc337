// Sends calls: to references at once, to eventuals when they are settled. Arguments are copied when a call is sent. Hot path: guarded by bench:savina and
// bench:latency.

import type { Context, Eventual, Realm } from '@turntable/core';
import { Actor } from '../../actors/actor.ts';
import { observed, publishSend } from '../../channels.ts';
import { FarRef, Teller, type Sender } from '../../references/far-ref.ts';
import { RuntimeError } from '../../runtime-error.ts';
import type { AnswerSettler } from '../answer/answer-settler.ts';
import type { EventualForwarder } from '../answer/eventual-forwarder.ts';
import { Later } from '../answer/outcomes.ts';
import { TrackedCall, type Trail, type Trails } from '../answer/trail.ts';
import type { Link } from '../link.ts';
import { WIRE } from '../message-kinds.ts';
import { listOf, NOTHING, type MessageQueue, type Pump } from '../message-queue.ts';
import type { Pressure } from '../pressure.ts';
import { type MessageCopier, nameOf } from './message-copier.ts';

/** What calls and answers are sent with. */
export interface SendingDeps {
  readonly realm: Realm;
  readonly here: number;
  readonly queue: MessageQueue<Actor>;
  readonly pump: Pump;
  readonly copier: MessageCopier;
  readonly forwarder: EventualForwarder;
  linkTo(actor: Actor): Link;
  wake(): void;
  /** Reports a failure that has no asker. */
  report(actor: Actor, reason: unknown): void;
}

export interface OutgoingParts extends SendingDeps {
  /** Actor of the main program, whose code runs outside of all turns. */
  readonly main: Actor;
  readonly settler: AnswerSettler;
  readonly pressure: Pressure;
  readonly trails: Trails;
}

export class Outgoing implements Sender {
  readonly #parts: OutgoingParts;
  readonly #realm: Realm;
  readonly #now: { readonly context: Context };
  readonly #main: Actor;
  readonly #pump: Pump;
  readonly #here: number;
  readonly #queue: MessageQueue<Actor>;
  readonly #copier: MessageCopier;
  readonly #trails: Trails;

  constructor(parts: OutgoingParts) {
    this.#parts = parts;
    this.#realm = parts.realm;
    this.#now = parts.realm.now;
    this.#main = parts.main;
    this.#pump = parts.pump;
    this.#here = parts.here;
    this.#queue = parts.queue;
    this.#trails = parts.trails;
    this.#copier = parts.copier;
  }

  /** Whose code runs: in a turn its actor's, otherwise that of the actor in whose turn the callback was made. */
  #current(): Actor {
    const { home } = this.#now.context;
    return home instanceof Actor ? home : this.#main;
  }

  send(
    ref: FarRef,
    asks: boolean,
    call: string,
    count: number,
    a: unknown,
    b: unknown,
    c: unknown,
  ): Eventual | undefined {
    const actor = FarRef.actorOf(ref);
    if (observed.sends) publishSend(actor, call, asks, this.#current());
    const settles = asks ? this.#realm.parts.eventuals.create() : undefined;
    const { trail } = this.#realm.now.context;
    if (trail !== undefined) this.#callTracked(ref, settles, call, listOf(count, a, b, c, NOTHING), trail as Trail);
    else if (actor.worker !== this.#here) this.#callAway(ref, settles, call, count, a, b, c);
    else {
      const from = this.#current();
      if (actor.waiting >= actor.mark && this.#isRefused(from, actor, settles)) return settles;
      this.#queue.add(
        from,
        actor,
        ref,
        call,
        settles,
        count,
        count > 0 ? this.#pass(a, from, actor, call, 0) : undefined,
        count > 1 ? this.#pass(b, from, actor, call, 1) : undefined,
        count > 2 ? this.#pass(c, from, actor, call, 2) : undefined,
      );
      if (!this.#pump.isAwake) this.#parts.wake();
    }
    return settles;
  }

  tell(teller: Teller, root: Actor, call: string, count: number, a: unknown, b: unknown, c: unknown): void {
    // Somebody looks on who wants to know whose messages these are.
    if (root.worker !== this.#here || observed.sends || observed.turns)
      return void this.send(Teller.refOf(teller), false, call, count, a, b, c);
    const from = this.#current();
    if (root.waiting >= root.mark && isToBeHeld(from, root) && this.#isRefused(from, root, undefined)) return;
    this.#queue.tell(
      root,
      call,
      count,
      count > 0 ? this.#pass(a, from, root, call, 0) : undefined,
      count > 1 ? this.#pass(b, from, root, call, 1) : undefined,
      count > 2 ? this.#pass(c, from, root, call, 2) : undefined,
    );
    if (!this.#pump.isAwake) this.#parts.wake();
  }

  sendMany(ref: FarRef, asks: boolean, call: string, args: readonly unknown[]): Eventual | undefined {
    if (observed.sends) publishSend(FarRef.actorOf(ref), call, asks, this.#current());
    const settles = asks ? this.#realm.parts.eventuals.create() : undefined;
    this.#call(ref, settles, call, args, this.#realm.now.context.trail as Trail | undefined);
    return settles;
  }

  /** Of what turns out to be no reference, `settles` is rejected. `trail` is there if somebody wants to know how far it came. */
  callOn(target: unknown, settles: Eventual | undefined, call: string, args: readonly unknown[], trail?: Trail): void {
    if (FarRef.has(target)) {
      if (typeof (target as unknown as Record<string, unknown>)[call] !== 'function')
        return this.refuse(settles, unknownMethod(FarRef.actorOf(target), call));
      if (observed.sends) publishSend(FarRef.actorOf(target), call, settles !== undefined, this.#current());
      return this.#call(target, settles, call, args, trail);
    }
    const { forwarder } = this.#parts;
    if (!forwarder.isEventual(target)) return this.refuse(settles, noReference(call, target));
    forwarder.forward(target, new Later(call, this.#copier.all(args, undefined, call), settles, trail));
  }

  /** A message that has waited until its target is known; `isRejected`: there is none, and `target` is the reason. */
  sendLater({ call, args, settles, trail }: Later, target: unknown, isRejected: boolean): void {
    if (isRejected) this.refuse(settles, target);
    else this.callOn(target, settles, call, args, trail);
  }

  #call(
    ref: FarRef,
    settles: Eventual | undefined,
    call: string,
    args: readonly unknown[],
    trail: Trail | undefined,
  ): void {
    if (trail !== undefined) this.#callTracked(ref, settles, call, args, trail);
    else if (FarRef.actorOf(ref).worker !== this.#here) this.#callManyAway(ref, settles, call, args);
    else this.#callHere(ref, settles, call, call, args);
  }

  #callTracked(
    ref: FarRef,
    settles: Eventual | undefined,
    call: string,
    args: readonly unknown[],
    before: Trail,
  ): void {
    // Nobody waits for what is told.
    if (settles === undefined) return this.#call(ref, settles, call, args, undefined);
    const actor = FarRef.actorOf(ref);
    const trail = this.#trails.lead(before, nameOf(actor, call));
    this.#trails.ask(settles, this.#current(), trail);
    try {
      if (actor.worker !== this.#here) this.#callManyAway(ref, settles, call, args, trail);
      else this.#callHere(ref, settles, new TrackedCall(call, trail), call, args);
    } catch (error) {
      // It has not been sent.
      this.#trails.end(trail);
      throw error;
    }
  }

  #callHere(
    ref: FarRef,
    settles: Eventual | undefined,
    call: string | TrackedCall,
    name: string,
    args: readonly unknown[],
  ): void {
    const actor = FarRef.actorOf(ref);
    const from = this.#current();
    if (actor.waiting >= actor.mark && this.#isRefused(from, actor, settles)) return;
    this.#queue.addMany(from, actor, ref, call, settles, this.#copier.all(args, actor, name));
    if (!this.#pump.isAwake) this.#parts.wake();
  }

  #isRefused(from: Actor, actor: Actor, settles: Eventual | undefined): boolean {
    const refusal = this.#parts.pressure.on(from, actor);
    if (refusal !== undefined) this.refuse(settles, refusal);
    return refusal !== undefined;
  }

  #callAway(
    ref: FarRef,
    settles: Eventual | undefined,
    call: string,
    count: number,
    a: unknown,
    b: unknown,
    c: unknown,
    many = NOTHING,
    trail?: Trail,
  ): void {
    const actor = FarRef.actorOf(ref);
    const link = this.#parts.linkTo(actor);
    if (link.hasLost(actor)) return this.refuse(settles, link.failure(actor));
    const from = this.#current();
    // Its worker has said that more wait for it than it wants.
    if (actor.waiting >= actor.mark) this.#parts.pressure.on(from, actor);
    const question = settles === undefined ? 0 : link.ask(settles, from, actor, call);
    if (trail !== undefined) link.track(question, trail);
    const kind = trail === undefined ? WIRE.call : WIRE.trackedCall;
    const number = FarRef.numberOf(ref);
    const name = (place: number): string => `args[${place}] of ${nameOf(actor, call)}`;
    try {
      link.add(kind, from.id, actor.id, number, question, call, count, a, b, c, many, name);
    } catch (error) {
      link.unask(question);
      throw error;
    }
  }

  #callManyAway(
    ref: FarRef,
    settles: Eventual | undefined,
    call: string,
    args: readonly unknown[],
    trail?: Trail,
  ): void {
    this.#callAway(ref, settles, call, args.length, args[0], args[1], args[2], args, trail);
  }

  /** What cannot be asked is rejected, what cannot be told is reported where it was. */
  refuse(settles: Eventual | undefined, reason: unknown): void {
    if (settles !== undefined) this.#parts.settler.settle(settles, reason, true);
    else this.#parts.report(this.#current(), reason);
  }

  #pass(value: unknown, from: Actor, actor: Actor, call: string, place: number): unknown {
    if (typeof value !== 'object' || value === null) {
      if (typeof value !== 'function' && typeof value !== 'symbol') return value;
    } else {
      // Before everything else: what passes most is references and actors that pass themselves.
      if (value === from.root) return from.rootRef;
      if (FarRef.has(value)) return value;
    }
    return this.#copier.argument(value, actor, call, place);
  }

  /** For the constructor of an actor that may be made more than once: as it is now. */
  kept(args: readonly unknown[], type: string): unknown[] {
    return this.#copier.all(args, undefined, `new ${type}`);
  }

  /** For the constructor of an actor that is about to live here. */
  passToNew(args: readonly unknown[], actor: Actor, type: string): unknown[] {
    return args.map((arg, i) => this.#copier.copy(actor, arg, () => `args[${i}] of new ${type}`));
  }
}

/** Whether it makes a difference that `from` sends to an actor that has as much as it wants; most often it is held already. */
function isToBeHeld(from: Actor, to: Actor): boolean {
  return !from.isHeld || to.isHeld || to.waiting >= to.limit;
}

function unknownMethod(actor: Actor, call: string): RuntimeError {
  return new RuntimeError(
    'TT_UNKNOWN_METHOD',
    `${actor.name} has no method ${JSON.stringify(call)}; only methods of its class can be called`,
  );
}

function noReference(call: string, target: unknown): RuntimeError {
  const what = target === null ? 'null' : typeof target === 'object' ? 'an object' : typeof target;
  return new RuntimeError(
    'TT_NOT_A_REFERENCE',
    `${call}() was sent to ${what}, which is no far reference; await it and call it, or have the other actor answer far(…)`,
  );
}
