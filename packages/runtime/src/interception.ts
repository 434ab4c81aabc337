// Interception of the calls between a thread's program and its runtime, in a replay whose tasks are undone and re-executed in place (docs/engine.md). Calls
// into the program are kept, so that they can be repeated without the runtime. Calls out of it are answered with their recorded results: the runtime is not
// undone, and must not see them again. Methods of this thread's objects are replaced, so that no other thread pays for it.

import {
  checkMethods,
  Eventual,
  handlersOf,
  interceptMethods,
  PENDING,
  type CallHandler,
  type CallInterceptor,
  type Context,
} from '@turntable/core';
import type { Actor } from './actors/actor.ts';
import {
  ANSWERS_CALLS,
  CENSUS_CALLS,
  DEADLINES_CALLS,
  ENDINGS_CALLS,
  OUTGOING_CALLS,
  PLACES_CALLS,
  PRESSURE_CALLS,
  PROGRAM_CALLS,
  QUESTIONS_CALLS,
  TAPE_CALLS,
  TRAILS_CALLS,
  TURNS_CALLS,
} from './call-modes.ts';
import { FarRef } from './references/far-ref.ts';
import { Handed, type HandedParts } from './messaging/send/handed.ts';
import type { Class } from './host.ts';
import { BEGIN, CONSTRUCT, FULFIL, REJECT, STOP } from './messaging/message-kinds.ts';
import { listOf, NOTHING } from './messaging/message-queue.ts';
import type { QueueEntry } from './messaging/queue-state.ts';
import { Forward, type Settles } from './messaging/answer/outcomes.ts';
import type { Places } from './actors/placement.ts';
import type { SchedulerParts } from './scheduler/scheduler-parts.ts';
import type { FollowingTape } from './trace/following-tape.ts';
import { TrackedCall } from './messaging/answer/trail.ts';
import type { Birth } from './actors/unborn.ts';

type Method = (...args: unknown[]) => unknown;

/** A message that waits, or has been taken. */
export type Mail = Exclude<QueueEntry<Actor>, { readonly what: 'mailbox' | 'aside' }>;

/** Observer of mailboxes, for the messages that waited at a position. */
export interface MailWatch {
  /** A message has been queued for an actor. */
  waits(recipient: Actor): void;
  /** The turn of a message begins: it no longer waits. */
  taken(message: Mail): void;
}

export interface InterceptionDeps extends HandedParts, SchedulerParts {
  readonly mail: MailWatch;
  readonly places: Places | undefined;
}

export function interceptRuntime(interceptor: CallInterceptor, deps: InterceptionDeps): void {
  const { mail, queue, realm, outgoing, program, questions, places, endings } = deps;
  queue.watch((recipient) => mail.waits(recipient));
  /** The values of the call out of the program that runs. */
  let asking: Handed | undefined;
  const out: CallHandler = (name, ask, given) => {
    if (asking !== undefined) return interceptor.out(name, ask);
    const handed = new Handed(deps, given);
    const run = (): unknown => {
      asking = handed;
      try {
        return ask();
      } finally {
        asking = undefined;
      }
    };
    return interceptor.out(name, run, handed);
  };
  const handlers = { ...handlersOf(interceptor), out };
  const refusing = (why: string): CallHandler => handlersOf(interceptor, why).refuse;
  const wrapped: CallHandler = (_, run, given) => sendingBy(run() as object, given, out);
  interceptMethods(outgoing, OUTGOING_CALLS, { ...handlers, refuse: refusing('a message was refused') });
  interceptMethods(deps.answers, ANSWERS_CALLS, handlers);
  interceptMethods(endings, ENDINGS_CALLS, { ...handlers, refuse: refusing('an actor has ended') });
  interceptMethods(program, PROGRAM_CALLS, { ...handlers, wrapped });
  interceptMethods(questions, QUESTIONS_CALLS, handlers);
  if (places !== undefined) interceptMethods(places, PLACES_CALLS, handlers);
  interceptMethods(deps.census, CENSUS_CALLS, handlers);
  interceptMethods(deps.pressure, PRESSURE_CALLS, handlers);
  interceptMethods(deps.trails, TRAILS_CALLS, handlers);
  interceptMethods(deps.deadlines, DEADLINES_CALLS, handlers);
  const { eventuals } = realm.parts;
  const { forward } = eventuals;
  eventuals.forward = (eventual, target) => {
    asking?.forwards(eventual, target);
    interceptor.within(() => forward.call(eventuals, eventual, target));
  };
  interceptTurns(interceptor, deps);
}

/** The tape answers what the program asks of the host. */
export function interceptTape(interceptor: CallInterceptor, tape: FollowingTape): void {
  interceptMethods(tape, TAPE_CALLS, handlersOf(interceptor));
}

/** The object that sends by any method, for a program that has got it for `given`. */
function sendingBy(sender: object, given: readonly unknown[], out: CallHandler): object {
  // References send by themselves.
  if (FarRef.has(sender) || !isBlank(sender)) return sender;
  return new Proxy(sender, {
    get(target, key, receiver) {
      const method: unknown = Reflect.get(target, key, receiver);
      if (typeof method !== 'function') return method;
      return (...args: unknown[]) => out(String(key), () => (method as Method)(...args), [...given, ...args]);
    },
  });
}

function isBlank(sender: object): boolean {
  return Object.getPrototypeOf(sender) === null;
}

function interceptTurns(
  interceptor: CallInterceptor,
  { mail, turns, births, forwarder, realm }: InterceptionDeps,
): void {
  checkMethods(turns, TURNS_CALLS);
  const { told, handle } = turns;
  const { eventuals } = realm.parts;
  turns.told = (actor, call, count, a, b, c) => {
    const { root } = actor;
    const args = listOf(count, a, b, c, NOTHING);
    mail.taken({ what: 'told', recipient: actor, call, args });
    interceptor.in(
      () => told.call(turns, actor, call, count, a, b, c),
      () => (root as Record<string, Method> | undefined)?.[call]?.(...args),
      actor.context,
    );
  };

  const called = (
    target: unknown,
    call: string,
    settles: Settles,
    args: readonly unknown[],
    asker: Actor,
  ): (() => void) => {
    const owner = FarRef.actorOf(target as FarRef);
    const object = FarRef.objectOf(target as FarRef) as Record<string, Method> | undefined;
    return () => {
      const value = object?.[call]?.(...args);
      if (settles === undefined || !forwarder.isEventual(value)) return;
      // Nothing goes there, since nobody hears of an outcome that there is once more; but who waits is to be seen.
      eventuals.forward(eventuals.eventualOf(value), new Forward(owner, asker, settles, call));
    };
  };

  const again = (
    actor: Actor,
    target: unknown,
    call: unknown,
    settles: Settles,
    args: readonly unknown[],
    asker: Actor,
  ): (() => unknown) | undefined => {
    if (typeof call === 'string') return called(target, call, settles, args, asker);
    if (call instanceof TrackedCall) return called(target, call.name, settles, args, asker);
    if (call === FULFIL || call === REJECT) return () => settle(settles as Eventual, args[0], call === REJECT);
    if (call === CONSTRUCT) return () => births.makeAgain(actor, target as Class, args);
    const { of } = call === BEGIN ? (target as Birth) : {};
    if (of !== undefined) return () => births.makeAgain(actor, of.type, of.args);
    return undefined;
  };

  const settle = (eventual: Eventual, value: unknown, isRejected: boolean): void => {
    if (Eventual.state(eventual) !== PENDING) return;
    if (isRejected) eventuals.reject(eventual, value);
    else eventuals.resolve(eventual, value);
  };

  const contextOf = (actor: Actor, call: unknown): Context =>
    call instanceof TrackedCall ? { home: actor, store: actor.context.store, trail: call.trail } : actor.context;

  turns.handle = (actor, target, call, settles, sender, count, a, b, c, many) => {
    const run = (): void => handle.call(turns, actor, target, call, settles, sender, count, a, b, c, many);
    const args = listOf(count, a, b, c, many);
    const other = again(actor, target, call, settles, args, sender);
    mail.taken({ what: 'sent', recipient: actor, call, args, target, settles, sender });
    if (other !== undefined) return interceptor.in(run, other, contextOf(actor, call));
    if (call === STOP || call === BEGIN) interceptor.cannot('an actor was ended, or was not to be made');
    return run();
  };
}
