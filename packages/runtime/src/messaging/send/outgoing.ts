// What leaves a turn: calls, their answers, what is sent to eventuals before they are settled. Arguments are taken when they are sent, whatever
// happens to the sender's objects afterwards; answers go as messages, too.

import { Eventual, PENDING, type Context, type Realm } from '@turntable/core';
import { Actor } from '../../actors/actor.ts';
import { observed, publishSend } from '../../channels.ts';
import { FarRef, Teller, type Sender } from '../../references/far-ref.ts';
import { askedOf, awaitedBy } from '../answer/journey.ts';
import type { Link } from '../link.ts';
import { FULFIL, REJECT, WIRE } from '../message-kinds.ts';
import { listOf, NOTHING, type MessageQueue } from '../message-queue.ts';
import { Forward, Later, Passed, PASSED, type Settles } from '../answer/outcomes.ts';
import { Passing, type TypeChecks } from './passing.ts';
import type { Pressure } from '../pressure.ts';
import { refusedError } from '../refusal.ts';
import { RuntimeError } from '../../runtime-error.ts';
import { TrackedCall, type Trail, type Trails } from '../answer/trail.ts';

export interface OutgoingParts {
  readonly realm: Realm;
  readonly here: number;
  readonly queue: MessageQueue<Actor>;
  readonly types: TypeChecks;
  /** Whose code runs where no actor's does. */
  readonly main: Actor;
  readonly pump: Pump;
  /** What stands for an object that belongs to an actor here. */
  referenceTo(value: object): FarRef | undefined;
  linkTo(actor: Actor): Link;
  wake(): void;
  touch(link: Link): void;
  readonly pressure: Pressure;
  readonly trails: Trails;
  /** The frames of who awaits the outcome of an eventual, as in a stack. */
  awaitedBy(eventual: object): readonly string[];
  /** What has failed and nobody asked for. */
  report(actor: Actor, reason: unknown): void;
}

/** Whether turns are running or about to. */
export interface Pump {
  isAwake: boolean;
}

export class Outgoing implements Sender {
  readonly #parts: OutgoingParts;
  readonly #realm: Realm;
  readonly #now: { readonly context: Context };
  readonly #main: Actor;
  readonly #pump: Pump;
  readonly #here: number;
  readonly #queue: MessageQueue<Actor>;
  readonly #passing: Passing;
  /** For whom the value is that is being passed; nobody yet, if it waits for an eventual. */
  #recipient: Actor | undefined;
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
    this.#passing = new Passing({ reference: (value) => this.#referenceTo(value), types: parts.types });
    this.#realm.forwardBy((target, value, isRejected) => this.forwarded(target, value, isRejected));
  }

  /** Whose code runs: in a turn its actor's, otherwise that of the actor in whose turn the callback was made. */
  #current(): Actor {
    const { home } = this.#now.context;
    return home instanceof Actor ? home : this.#main;
  }

  // ── Calls ────────────────────────────────────────────────────────────────────────────────────────────────────────────

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
    if (!this.isEventual(target)) return this.refuse(settles, noReference(call, target));
    const taken = this.#passAll(args, undefined, call);
    this.#forward(target, new Later(call, taken, settles, trail));
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
    this.#enqueue(from, actor, ref, call, settles, this.#passAll(args, actor, name));
    if (!this.#pump.isAwake) this.#parts.wake();
  }

  #isRefused(from: Actor, actor: Actor, settles: Eventual | undefined): boolean {
    const refusal = this.#parts.pressure.on(from, actor);
    if (refusal !== undefined) this.refuse(settles, refusal);
    return refusal !== undefined;
  }

  #enqueue(
    sender: Actor,
    actor: Actor,
    target: unknown,
    call: unknown,
    settles: Settles,
    args: readonly unknown[],
  ): void {
    const count = args.length;
    if (count > 3) this.#queue.addMany(sender, actor, target, call, settles, args);
    else this.#queue.add(sender, actor, target, call, settles, count, args[0], args[1], args[2]);
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
      if (count > 3) link.addMany(kind, from.id, actor.id, number, question, call, many, name);
      else link.add(kind, from.id, actor.id, number, question, call, count, a, b, c, name);
    } catch (error) {
      link.unask(question);
      throw error;
    }
    this.#parts.touch(link);
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
    if (settles !== undefined) this.settle(settles, reason, true);
    else this.#parts.report(this.#current(), reason);
  }

  /** In a run again: `answered` is told of each answer before it goes. In the place of the methods, so that nobody else pays for it. */
  watchAnswers(
    answered: (actor: Actor, call: string, failure: { readonly reason: unknown } | undefined) => void,
  ): void {
    const { answer, fail } = Outgoing.prototype;
    this.answer = (actor, to, settles, call, value) => {
      // What is not there yet is answered when it is.
      if (settles !== undefined && !this.isEventual(value)) answered(actor, call, undefined);
      answer.call(this, actor, to, settles, call, value);
    };
    this.fail = (actor, to, settles, reason, call) => {
      answered(actor, call, { reason });
      fail.call(this, actor, to, settles, reason, call);
    };
  }

  // ── Answers ──────────────────────────────────────────────────────────────────────────────────────────────────────────

  /** The outcome of a call goes to who asked for it, as a message; that of what the call has begun once there is one. */
  answer(actor: Actor, to: Actor, settles: Settles, call: string, value: unknown): void {
    if (settles === undefined) return;
    if (((typeof value === 'object' && value !== null) || typeof value === 'function') && this.isEventual(value))
      return this.#forward(value, new Forward(actor, to, settles, call));
    if (to.worker !== this.#here) return this.#answerAway(actor, to, settles as number, call, value);
    let passed = value;
    try {
      if (isPart(value)) passed = this.#passResult(value, actor, to, call);
    } catch (error) {
      return this.fail(actor, to, settles, error, call);
    }
    this.#queue.add(actor, to, undefined, FULFIL, settles, 1, passed, undefined, undefined);
    if (!this.#pump.isAwake) this.#parts.wake();
  }

  #answerAway(actor: Actor, to: Actor, question: number, call: string, value: unknown): void {
    const link = this.#parts.linkTo(to);
    if (!link.isOpen || link.peer !== to) return;
    const name = (): string => `the result of ${nameOf(actor, call)}`;
    try {
      link.add(WIRE.answer, actor.id, 0, 0, question, undefined, 1, value, undefined, undefined, name);
    } catch (error) {
      return this.fail(actor, to, question, error, call);
    }
    this.#parts.touch(link);
  }

  /** What nobody asked for is reported where it has failed. */
  fail(actor: Actor, to: Actor, settles: Settles, reason: unknown, call: string): void {
    if (settles === undefined) return this.#parts.report(actor, reason);
    if (to.worker !== this.#here) {
      const link = this.#parts.linkTo(to);
      if (link.isOpen && link.peer === to) this.#sendOutcome(link, actor, WIRE.failure, settles as number, reason);
      return;
    }
    let passed: unknown;
    try {
      passed = this.#passTo(to, reason, () => thrownBy(actor));
      if (call !== PASSED) askedOf(passed, actor, call);
    } catch (error) {
      passed = refusedError(error, reason);
    }
    this.#queue.add(actor, to, undefined, REJECT, settles, 1, passed, undefined, undefined);
    if (!this.#pump.isAwake) this.#parts.wake();
  }

  /** A value that does not pass becomes the reason why. */
  #sendOutcome(link: Link, actor: Actor, kind: number, number: number, value: unknown): void {
    const name = (): string => (kind === WIRE.failure ? thrownBy(actor) : `an eventual that ${actor.name} has passed`);
    try {
      link.add(kind, actor.id, 0, 0, number, undefined, 1, value, undefined, undefined, name);
    } catch (error) {
      const failed = kind === WIRE.settled ? WIRE.failed : kind;
      const reason = refusedError(error, value);
      link.add(failed, actor.id, 0, 0, number, undefined, 1, reason, undefined, undefined, name);
    }
    this.#parts.touch(link);
  }

  // ── Eventuals ────────────────────────────────────────────────────────────────────────────────────────────────────────

  isEventual(value: unknown): value is object {
    return Eventual.has(value) || this.#realm.parts.brands.isNativePromise(value);
  }

  /** Settles what may be settled already, by a deadline. */
  settle(eventual: Eventual, value: unknown, isRejected: boolean): void {
    if (this.#trails.areAny) this.#trails.answer(eventual);
    if (Eventual.state(eventual) !== PENDING) return;
    const { eventuals } = this.#realm.parts;
    if (isRejected) {
      if (this.#parts.types.isNativeError(value)) awaitedBy(value, () => this.#parts.awaitedBy(eventual));
      eventuals.reject(eventual, value);
    } else eventuals.resolve(eventual, value);
  }

  /** An eventual goes to another worker, which will know it by a number. */
  passAway(eventual: object, link: Link, number: number): void {
    this.#forward(eventual, new Passed(link, number));
  }

  #forward(value: object, target: object): void {
    const { eventuals } = this.#realm.parts;
    eventuals.forward(eventuals.eventualOf(value), target);
  }

  /** There is an outcome that somebody has asked for. */
  forwarded(target: object, value: unknown, isRejected: boolean): void {
    if (target instanceof Forward) {
      const { owner, to, settles, call } = target;
      if (isRejected) this.fail(owner, to, settles, value, call);
      else this.answer(owner, to, settles, call, value);
    } else if (target instanceof Passed) {
      const { link, number } = target;
      if (!link.isOpen) return;
      this.#sendOutcome(link as Link, this.#current(), isRejected ? WIRE.failed : WIRE.settled, number, value);
    } else if (target instanceof Later) {
      const { call, args, settles, trail } = target;
      if (isRejected) this.refuse(settles, value);
      else this.callOn(value, settles, call, args, trail);
    }
  }

  /** An eventual of the recipient's that is settled as this one is. */
  #passedEventual(value: object, to: Actor): Eventual {
    const settles = this.#realm.parts.eventuals.create();
    this.#forward(value, new Forward(this.#current(), to, settles, PASSED));
    return settles;
  }

  // ── Passing ──────────────────────────────────────────────────────────────────────────────────────────────────────────

  #pass(value: unknown, from: Actor, actor: Actor, call: string, place: number): unknown {
    if (typeof value !== 'object' || value === null) {
      if (typeof value !== 'function' && typeof value !== 'symbol') return value;
    } else {
      // Before everything else: what passes most is references and actors that pass themselves.
      if (value === from.root) return from.rootRef;
      if (FarRef.has(value)) return value;
    }
    return this.#passArgument(value, actor, call, place);
  }

  // V8 makes room for what a function's closures share whenever it is called: those for names are in functions of their own.

  #passArgument(value: unknown, actor: Actor, call: string, place: number): unknown {
    return this.#passTo(actor, value, () => `args[${place}] of ${nameOf(actor, call)}`);
  }

  #passResult(value: unknown, actor: Actor, to: Actor, call: string): unknown {
    return this.#passTo(to, value, () => `the result of ${nameOf(actor, call)}`);
  }

  #passAll(args: readonly unknown[], actor: Actor | undefined, call: string): unknown[] {
    const name = actor === undefined ? call : nameOf(actor, call);
    return args.map((arg, i) => this.#passTo(actor, arg, () => `args[${i}] of ${name}`));
  }

  /** For the constructor of an actor that may be made more than once: as it is now. */
  kept(args: readonly unknown[], type: string): unknown[] {
    return this.#passAll(args, undefined, `new ${type}`);
  }

  /** For the constructor of an actor that is about to live here. */
  passToNew(args: readonly unknown[], actor: Actor, type: string): unknown[] {
    return args.map((arg, i) => this.#passTo(actor, arg, () => `args[${i}] of new ${type}`));
  }

  #passTo(actor: Actor | undefined, value: unknown, name: () => string): unknown {
    const before = this.#recipient;
    this.#recipient = actor;
    try {
      return this.#passing.pass(value, name);
    } finally {
      this.#recipient = before;
    }
  }

  #referenceTo(value: object): object | undefined {
    if (!this.isEventual(value)) return this.#parts.referenceTo(value);
    const recipient = this.#recipient;
    return recipient === undefined ? value : this.#passedEventual(value, recipient);
  }
}

/** Whether it makes a difference that `from` sends to an actor that has as much as it wants; most often it is held already. */
function isToBeHeld(from: Actor, to: Actor): boolean {
  return !from.isHeld || to.isHeld || to.waiting >= to.limit;
}

function isPart(value: unknown): boolean {
  return (typeof value === 'object' && value !== null) || typeof value === 'function' || typeof value === 'symbol';
}

export function nameOf(actor: Actor, call: string): string {
  return `${actor.name}.${call}`;
}

function thrownBy(actor: Actor): string {
  return `what ${actor.name} has thrown`;
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
