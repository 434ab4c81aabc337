// Interception of the calls between a thread's program and its runtime, in a replay that re-executes tasks in place
// (docs/internals/replay-process.md). Calls into the program are kept, so that they can be repeated without the runtime. Calls out of the
// program are answered with their recorded results, because the runtime is not undone and must not see them twice. Only
// methods of this thread's objects are replaced, so other threads pay nothing.

import {
  checkMethods,
  Eventual,
  createHandlers,
  interceptMethods,
  PENDING,
  type CallHandler,
  type CallInterceptor,
  type Context,
} from '@turntable/core';
import type { ActorCell } from './actors/actor-cell.ts';
import {
  ANSWER_SENDER_MODES,
  CENSUS_MODES,
  DEADLINES_MODES,
  TERMINATION_MODES,
  OUTGOING_CALLS_MODES,
  ACTOR_PLACEMENT_MODES,
  PRESSURE_MODES,
  ACTOR_API_MODES,
  APP_REQUESTS_MODES,
  REPLAY_TAPE_MODES,
  DEADLINE_TRAILS_MODES,
  TURNS_MODES,
} from './call-modes.ts';
import { FarReference } from './references/far-reference.ts';
import { ForwardedEventuals, type ForwardedEventualsDeps } from './messaging/send/forwarded-eventuals.ts';
import type { ActorConstructor } from './scheduler-host.ts';
import { CONSTRUCT_PENDING, CONSTRUCT, FULFIL, REJECT, STOP } from './messaging/message-kinds.ts';
import { argumentList, NO_ARGS } from './messaging/message-queue.ts';
import type { QueueEntry } from './messaging/queue-state.ts';
import { ReplyForward, type ReplyTo } from './messaging/answer/forward-targets.ts';
import type { ActorPlacement } from './actors/actor-placement.ts';
import type { SchedulerParts } from './scheduler/scheduler-parts.ts';
import type { ReplayTape } from './trace/replay-tape.ts';
import { TrackedCall } from './messaging/answer/deadline-trail.ts';
import type { ActorCreation } from './actors/pending-actors.ts';

type Method = (...args: unknown[]) => unknown;

/** A message that is queued or has been taken. */
export type QueuedMessage = Exclude<QueueEntry<ActorCell>, { readonly kind: 'mailbox' | 'parked' }>;

/** Observer of mailboxes, which keeps the messages that waited at each position. */
export interface MailboxObserver {
  /** Called when a message has been queued for an actor. */
  enqueued(recipient: ActorCell): void;
  /** Called when the turn of a message begins, so that the message no longer waits. */
  dequeued(message: QueuedMessage): void;
}

export interface InterceptionDeps extends ForwardedEventualsDeps, SchedulerParts {
  readonly mailboxObserver: MailboxObserver;
  readonly actorPlacement: ActorPlacement | undefined;
}

export function interceptRuntime(interceptor: CallInterceptor, deps: InterceptionDeps): void {
  const { mailboxObserver, queue, realm, outgoing, actorApi, appRequests, actorPlacement, termination } = deps;
  queue.observe((recipient) => mailboxObserver.enqueued(recipient));
  /** Eventuals that the running call out of the program has forwarded. */
  let currentForwards: ForwardedEventuals | undefined;
  const out: CallHandler = (name, call, args) => {
    if (currentForwards !== undefined) return interceptor.callOut(name, call);
    const forwards = new ForwardedEventuals(deps, args);
    const run = (): unknown => {
      currentForwards = forwards;
      try {
        return call();
      } finally {
        currentForwards = undefined;
      }
    };
    return interceptor.callOut(name, run, forwards);
  };
  const handlers = { ...createHandlers(interceptor), out };
  const refuseWith = (reason: string): CallHandler => createHandlers(interceptor, reason).refuse;
  const wrapped: CallHandler = (_, run, args) => interceptSender(run() as object, args, out);
  interceptMethods(outgoing, OUTGOING_CALLS_MODES, { ...handlers, refuse: refuseWith('a message was refused') });
  interceptMethods(deps.answers, ANSWER_SENDER_MODES, handlers);
  interceptMethods(termination, TERMINATION_MODES, { ...handlers, refuse: refuseWith('an actor has ended') });
  interceptMethods(actorApi, ACTOR_API_MODES, { ...handlers, wrapped });
  interceptMethods(appRequests, APP_REQUESTS_MODES, handlers);
  if (actorPlacement !== undefined) interceptMethods(actorPlacement, ACTOR_PLACEMENT_MODES, handlers);
  interceptMethods(deps.census, CENSUS_MODES, handlers);
  interceptMethods(deps.pressure, PRESSURE_MODES, handlers);
  interceptMethods(deps.trails, DEADLINE_TRAILS_MODES, handlers);
  interceptMethods(deps.deadlines, DEADLINES_MODES, handlers);
  const { eventuals } = realm.parts;
  const { forward } = eventuals;
  eventuals.forward = (eventual, target) => {
    currentForwards?.addForward(eventual, target);
    interceptor.runAsProgram(() => forward.call(eventuals, eventual, target));
  };
  interceptTurns(interceptor, deps);
}

/** Intercepts the tape, which answers the program's requests to the host. */
export function interceptTape(interceptor: CallInterceptor, tape: ReplayTape): void {
  interceptMethods(tape, REPLAY_TAPE_MODES, createHandlers(interceptor));
}

/** Wraps the object returned by `tell`, `send` or `sendWith`, each of whose methods sends a message. */
function interceptSender(sender: object, callArgs: readonly unknown[], out: CallHandler): object {
  // References send through the intercepted `OutgoingCalls`.
  if (FarReference.has(sender) || !hasNullPrototype(sender)) return sender;
  return new Proxy(sender, {
    get(target, key, receiver) {
      const method: unknown = Reflect.get(target, key, receiver);
      if (typeof method !== 'function') return method;
      return (...args: unknown[]) => out(String(key), () => (method as Method)(...args), [...callArgs, ...args]);
    },
  });
}

function hasNullPrototype(sender: object): boolean {
  return Object.getPrototypeOf(sender) === null;
}

function interceptTurns(
  interceptor: CallInterceptor,
  { mailboxObserver, turns, actorFactory, forwarder, realm }: InterceptionDeps,
): void {
  checkMethods(turns, TURNS_MODES);
  const { handleTell, handle } = turns;
  const { eventuals } = realm.parts;
  turns.handleTell = (actor, call, count, a, b, c) => {
    const { root } = actor;
    const args = argumentList(count, a, b, c, NO_ARGS);
    mailboxObserver.dequeued({ kind: 'tell', recipient: actor, call, args });
    interceptor.callProgram(
      () => handleTell.call(turns, actor, call, count, a, b, c),
      () => (root as Record<string, Method> | undefined)?.[call]?.(...args),
      actor.context,
    );
  };

  const repeatCall = (
    target: unknown,
    call: string,
    replyTo: ReplyTo,
    args: readonly unknown[],
    asker: ActorCell,
  ): (() => void) => {
    const owner = FarReference.actorOf(target as FarReference);
    const object = FarReference.objectOf(target as FarReference) as Record<string, Method> | undefined;
    return () => {
      const value = object?.[call]?.(...args);
      if (replyTo === undefined || !forwarder.isEventual(value)) return;
      // A re-execution suppresses the outcome. The reaction only shows what awaits the value.
      eventuals.forward(eventuals.toEventual(value), new ReplyForward(owner, asker, replyTo, call));
    };
  };

  const repeatTurn = (
    actor: ActorCell,
    target: unknown,
    call: unknown,
    replyTo: ReplyTo,
    args: readonly unknown[],
    asker: ActorCell,
  ): (() => unknown) | undefined => {
    if (typeof call === 'string') return repeatCall(target, call, replyTo, args, asker);
    if (call instanceof TrackedCall) return repeatCall(target, call.name, replyTo, args, asker);
    if (call === FULFIL || call === REJECT) return () => settle(replyTo as Eventual, args[0], call === REJECT);
    if (call === CONSTRUCT) return () => actorFactory.recreate(actor, target as ActorConstructor, args);
    const { spec } = call === CONSTRUCT_PENDING ? (target as ActorCreation) : {};
    if (spec !== undefined) return () => actorFactory.recreate(actor, spec.type, spec.args);
    return undefined;
  };

  const settle = (eventual: Eventual, value: unknown, isRejected: boolean): void => {
    if (Eventual.state(eventual) !== PENDING) return;
    if (isRejected) eventuals.reject(eventual, value);
    else eventuals.resolve(eventual, value);
  };

  const contextOf = (actor: ActorCell, call: unknown): Context =>
    call instanceof TrackedCall ? { home: actor, store: actor.context.store, trail: call.trail } : actor.context;

  turns.handle = (actor, target, call, replyTo, sender, count, a, b, c, manyArgs) => {
    const run = (): void => handle.call(turns, actor, target, call, replyTo, sender, count, a, b, c, manyArgs);
    const args = argumentList(count, a, b, c, manyArgs);
    const repeat = repeatTurn(actor, target, call, replyTo, args, sender);
    mailboxObserver.dequeued({ kind: 'send', recipient: actor, call, args, target, replyTo, sender });
    if (repeat !== undefined) return interceptor.callProgram(run, repeat, contextOf(actor, call));
    if (call === STOP || call === CONSTRUCT_PENDING)
      interceptor.preventUndo('an actor was ended, or refused before its creation');
    return run();
  };
}
