// Sends calls: to references at once, to eventuals when they are settled. Arguments are copied when a call is sent. Hot
// path: guarded by bench:savina and bench:latency.

import type { Context, Eventual, Realm } from '@turntable/core';
import { ActorCell } from '../../actors/actor-cell.ts';
import { observed, publishSend } from '../../channels.ts';
import { FarReference, TellReference, type MessageSender } from '../../references/far-reference.ts';
import { RuntimeError } from '../../runtime-error.ts';
import type { AnswerSettler } from '../answer/answer-settler.ts';
import type { EventualForwarder } from '../answer/eventual-forwarder.ts';
import { PipelinedCall } from '../answer/forward-targets.ts';
import { TrackedCall, type DeadlineTrail, type DeadlineTrails } from '../answer/deadline-trail.ts';
import type { Link } from '../link.ts';
import { WIRE } from '../message-kinds.ts';
import { argumentList, NO_ARGS, type MessageQueue, type Pump } from '../message-queue.ts';
import type { Pressure } from '../pressure.ts';
import { type MessageCopier, callName } from './message-copier.ts';

/** Receiver of a call's answer; undefined if none is wanted. */
type Reply = Eventual | undefined;

export interface SendingDeps {
  readonly realm: Realm;
  readonly ownWorker: number;
  readonly queue: MessageQueue<ActorCell>;
  readonly pump: Pump;
  readonly copier: MessageCopier;
  readonly forwarder: EventualForwarder;
  linkTo(actor: ActorCell): Link;
  wake(): void;
  /** Reports a failure that has no caller to receive it. */
  report(actor: ActorCell, reason: unknown): void;
}

export interface OutgoingCallsDeps extends SendingDeps {
  /** The main program, whose code runs outside of turns. */
  readonly main: ActorCell;
  readonly settler: AnswerSettler;
  readonly pressure: Pressure;
  readonly trails: DeadlineTrails;
}

export class OutgoingCalls implements MessageSender {
  readonly #deps: OutgoingCallsDeps;
  readonly #realm: Realm;
  readonly #now: { readonly context: Context };
  readonly #main: ActorCell;
  readonly #pump: Pump;
  readonly #ownWorker: number;
  readonly #queue: MessageQueue<ActorCell>;
  readonly #copier: MessageCopier;
  readonly #trails: DeadlineTrails;

  constructor(deps: OutgoingCallsDeps) {
    this.#deps = deps;
    this.#realm = deps.realm;
    this.#now = deps.realm.current;
    this.#main = deps.main;
    this.#pump = deps.pump;
    this.#ownWorker = deps.ownWorker;
    this.#queue = deps.queue;
    this.#trails = deps.trails;
    this.#copier = deps.copier;
  }

  /** The actor whose code runs. Outside of turns, the actor in which the running callback was created. */
  #currentActor(): ActorCell {
    const { home } = this.#now.context;
    return home instanceof ActorCell ? home : this.#main;
  }

  send(
    ref: FarReference,
    expectsReply: boolean,
    call: string,
    count: number,
    a: unknown,
    b: unknown,
    c: unknown,
  ): Reply {
    const actor = FarReference.actorOf(ref);
    if (observed.sends) publishSend(actor, call, expectsReply, this.#currentActor());
    const replyTo = expectsReply ? this.#realm.parts.eventuals.create() : undefined;
    const { trail } = this.#realm.current.context;
    if (trail !== undefined)
      this.#callTracked(ref, replyTo, call, argumentList(count, a, b, c, NO_ARGS), trail as DeadlineTrail);
    else if (actor.worker !== this.#ownWorker) this.#callRemote(ref, replyTo, call, count, a, b, c);
    else {
      const sender = this.#currentActor();
      if (actor.waiting >= actor.mark && this.#isRefused(sender, actor, replyTo)) return replyTo;
      this.#queue.add(
        sender,
        actor,
        ref,
        call,
        replyTo,
        count,
        count > 0 ? this.#copyArgument(a, sender, actor, call, 0) : undefined,
        count > 1 ? this.#copyArgument(b, sender, actor, call, 1) : undefined,
        count > 2 ? this.#copyArgument(c, sender, actor, call, 2) : undefined,
      );
      if (!this.#pump.isAwake) this.#deps.wake();
    }
    return replyTo;
  }

  tell(ref: TellReference, root: ActorCell, call: string, count: number, a: unknown, b: unknown, c: unknown): void {
    // `queue.tell` stores no sender, but observers need the sender.
    if (root.worker !== this.#ownWorker || observed.sends || observed.turns)
      return void this.send(TellReference.refOf(ref), false, call, count, a, b, c);
    const sender = this.#currentActor();
    if (root.waiting >= root.mark && affectsPressure(sender, root) && this.#isRefused(sender, root, undefined)) return;
    this.#queue.tell(
      root,
      call,
      count,
      count > 0 ? this.#copyArgument(a, sender, root, call, 0) : undefined,
      count > 1 ? this.#copyArgument(b, sender, root, call, 1) : undefined,
      count > 2 ? this.#copyArgument(c, sender, root, call, 2) : undefined,
    );
    if (!this.#pump.isAwake) this.#deps.wake();
  }

  sendMany(ref: FarReference, expectsReply: boolean, call: string, args: readonly unknown[]): Reply {
    if (observed.sends) publishSend(FarReference.actorOf(ref), call, expectsReply, this.#currentActor());
    const replyTo = expectsReply ? this.#realm.parts.eventuals.create() : undefined;
    this.#call(ref, replyTo, call, args, this.#realm.current.context.trail as DeadlineTrail | undefined);
    return replyTo;
  }

  /** Calls a method of a reference or an eventual. Rejects `replyTo` for any other target. */
  callOn(target: unknown, replyTo: Reply, call: string, args: readonly unknown[], trail?: DeadlineTrail): void {
    if (FarReference.has(target)) {
      if (typeof (target as unknown as Record<string, unknown>)[call] !== 'function')
        return this.refuse(replyTo, unknownMethodError(FarReference.actorOf(target), call));
      if (observed.sends) publishSend(FarReference.actorOf(target), call, replyTo !== undefined, this.#currentActor());
      return this.#call(target, replyTo, call, args, trail);
    }
    const { forwarder } = this.#deps;
    if (!forwarder.isEventual(target)) return this.refuse(replyTo, notAReferenceError(call, target));
    forwarder.forward(
      target,
      new PipelinedCall(call, this.#copier.copyArguments(args, undefined, call), replyTo, trail),
    );
  }

  /** Sends a message whose target was awaited. If the target was rejected, `target` is the reason. */
  sendLater({ call, args, replyTo, trail }: PipelinedCall, target: unknown, isRejected: boolean): void {
    if (isRejected) this.refuse(replyTo, target);
    else this.callOn(target, replyTo, call, args, trail);
  }

  #call(ref: FarReference, replyTo: Reply, call: string, args: readonly unknown[], trail?: DeadlineTrail): void {
    if (trail !== undefined) this.#callTracked(ref, replyTo, call, args, trail);
    else if (FarReference.actorOf(ref).worker !== this.#ownWorker) this.#callRemoteMany(ref, replyTo, call, args);
    else this.#callLocal(ref, replyTo, call, args);
  }

  #callTracked(ref: FarReference, replyTo: Reply, call: string, args: readonly unknown[], parent: DeadlineTrail): void {
    // A call without an answer cannot delay the answer of the deadline's call, so it is not tracked.
    if (replyTo === undefined) return this.#call(ref, replyTo, call, args, undefined);
    const actor = FarReference.actorOf(ref);
    const trail = this.#trails.extend(parent, callName(actor, call));
    this.#trails.track(replyTo, this.#currentActor(), trail);
    try {
      if (actor.worker !== this.#ownWorker) this.#callRemoteMany(ref, replyTo, call, args, trail);
      else this.#callLocal(ref, replyTo, new TrackedCall(call, trail), args);
    } catch (error) {
      this.#trails.end(trail);
      throw error;
    }
  }

  #callLocal(ref: FarReference, replyTo: Reply, call: string | TrackedCall, args: readonly unknown[]): void {
    const actor = FarReference.actorOf(ref);
    const sender = this.#currentActor();
    if (actor.waiting >= actor.mark && this.#isRefused(sender, actor, replyTo)) return;
    const name = typeof call === 'string' ? call : call.name;
    this.#queue.addMany(sender, actor, ref, call, replyTo, this.#copier.copyArguments(args, actor, name));
    if (!this.#pump.isAwake) this.#deps.wake();
  }

  #isRefused(sender: ActorCell, actor: ActorCell, replyTo: Reply): boolean {
    const refusal = this.#deps.pressure.checkSend(sender, actor);
    if (refusal !== undefined) this.refuse(replyTo, refusal);
    return refusal !== undefined;
  }

  #callRemote(
    ref: FarReference,
    replyTo: Reply,
    call: string,
    count: number,
    a: unknown,
    b: unknown,
    c: unknown,
    args = NO_ARGS,
    trail?: DeadlineTrail,
  ): void {
    const actor = FarReference.actorOf(ref);
    const link = this.#deps.linkTo(actor);
    if (link.hasLostActor(actor)) return this.refuse(replyTo, link.lostError(actor));
    const sender = this.#currentActor();
    // The actor's worker has reported that the actor has reached its mark.
    if (actor.waiting >= actor.mark) this.#deps.pressure.checkSend(sender, actor);
    const callId = replyTo === undefined ? 0 : link.registerCall(replyTo, sender, actor, call);
    if (trail !== undefined) link.trackCall(callId, trail);
    const kind = trail === undefined ? WIRE.call : WIRE.trackedCall;
    const exportId = FarReference.exportIdOf(ref);
    const name = (index: number): string => `args[${index}] of ${callName(actor, call)}`;
    try {
      link.add(kind, sender.id, actor.id, exportId, callId, call, count, a, b, c, args, name);
    } catch (error) {
      link.forgetCall(callId);
      throw error;
    }
  }

  #callRemoteMany(
    ref: FarReference,
    replyTo: Reply,
    call: string,
    args: readonly unknown[],
    trail?: DeadlineTrail,
  ): void {
    this.#callRemote(ref, replyTo, call, args.length, args[0], args[1], args[2], args, trail);
  }

  /** Rejects a call. For a call without an answer, reports the reason where the call was sent. */
  refuse(replyTo: Reply, reason: unknown): void {
    if (replyTo !== undefined) this.#deps.settler.settle(replyTo, reason, true);
    else this.#deps.report(this.#currentActor(), reason);
  }

  #copyArgument(value: unknown, sender: ActorCell, actor: ActorCell, call: string, index: number): unknown {
    if (typeof value !== 'object' || value === null) {
      if (typeof value !== 'function' && typeof value !== 'symbol') return value;
    } else {
      // The most frequent objects are references, and actors that pass themselves.
      if (value === sender.root) return sender.rootRef;
      if (FarReference.has(value)) return value;
    }
    return this.#copier.argument(value, actor, call, index);
  }

  /** Copies arguments of a constructor in their current state, for an actor that may be created again. */
  copyForRespawn(args: readonly unknown[], type: string): unknown[] {
    return this.#copier.copyArguments(args, undefined, `new ${type}`);
  }

  /** Copies arguments for the constructor of an actor of this worker. */
  copyForSpawn(args: readonly unknown[], actor: ActorCell, type: string): unknown[] {
    return args.map((arg, i) => this.#copier.copy(actor, arg, () => `args[${i}] of new ${type}`));
  }
}

/** Whether sending to a recipient that has reached its mark can change anything. Most senders are already held. */
function affectsPressure(sender: ActorCell, recipient: ActorCell): boolean {
  return !sender.isHeld || recipient.isHeld || recipient.waiting >= recipient.limit;
}

function unknownMethodError(actor: ActorCell, call: string): RuntimeError {
  return new RuntimeError(
    'TT_UNKNOWN_METHOD',
    `${actor.name} has no method ${JSON.stringify(call)}; only methods of its class can be called`,
  );
}

function notAReferenceError(call: string, target: unknown): RuntimeError {
  const what = target === null ? 'null' : typeof target === 'object' ? 'an object' : typeof target;
  return new RuntimeError(
    'TT_NOT_A_REFERENCE',
    `${call}() was sent to ${what}, which is not a far reference; await it and call it, or let the other actor return far(…)`,
  );
}
