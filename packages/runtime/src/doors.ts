// The doors of a thread's program, in a run again of which stretches are undone and run once more (docs/engine.md, "Back in place"). What calls the program
// is kept, so that it can be done again without the runtime; what the program asks is answered as it was, and the runtime, which stays where it has come to, does not
// hear of it. Doors are put into the places of methods of this thread's objects, so that nobody else pays for them.

import { Eventual, guardMethods, PENDING, type Context, type Doors } from '@turntable/core';
import type { Actor } from './actors/actor.ts';
import type { Births } from './actors/births.ts';
import type { Endings } from './actors/endings.ts';
import { FarRef } from './references/far-ref.ts';
import { Handed, type HandedParts } from './messaging/send/handed.ts';
import type { Class } from './scheduler/host.ts';
import { BEGIN, CONSTRUCT, FULFIL, REJECT, STOP } from './messaging/message-kinds.ts';
import { listOf, NOTHING, type MessageQueue } from './messaging/message-queue.ts';
import type { QueueEntry } from './messaging/queue-state.ts';
import { Forward, type Settles } from './messaging/answer/outcomes.ts';
import type { AnswerSender } from './messaging/answer/answer-sender.ts';
import type { EventualForwarder } from './messaging/answer/eventual-forwarder.ts';
import type { Outgoing } from './messaging/send/outgoing.ts';
import type { Places } from './actors/placement.ts';
import type { Program } from './actors/program.ts';
import type { Questions } from './scheduler/questions.ts';
import { TrackedCall } from './messaging/answer/trail.ts';
import type { Turns } from './scheduler/turns.ts';
import type { Birth } from './actors/unborn.ts';

type Method = (...args: unknown[]) => unknown;

/** A message that waits, or has been taken. */
export type Mail = Exclude<QueueEntry<Actor>, { readonly what: 'mailbox' | 'aside' }>;

/** Is told of messages, so that it is known what waited when. */
export interface MailWatch {
  /** One waits for an actor from now on. */
  waits(recipient: Actor): void;
  /** Its turn comes, and it waits no more. */
  taken(message: Mail): void;
}

export interface GuardedParts extends HandedParts {
  readonly mail: MailWatch;
  readonly queue: MessageQueue<Actor>;
  readonly turns: Turns;
  readonly births: Births;
  readonly outgoing: Outgoing;
  readonly answers: AnswerSender;
  readonly forwarder: EventualForwarder;
  readonly program: Program;
  readonly questions: Questions;
  readonly places: Places | undefined;
  readonly endings: Endings;
  /** What else knows of actors, and is told of what they do. */
  readonly others: readonly object[];
}

const ASKED_OF_OUTGOING = ['send', 'tell', 'sendMany', 'callOn'];
const ASKED_OF_ANSWERS = ['passAway', 'forwarded'];
const ASKED_OF_PROGRAM = ['spawn', 'far', 'stop', 'release', 'whenBroken'];
const SENDING = ['tell', 'send', 'sendWith'];

export function guardRuntime(doors: Doors, parts: GuardedParts): void {
  const { mail, queue, realm, outgoing, answers, program, questions, places, endings, others } = parts;
  queue.watch((recipient) => mail.waits(recipient));
  /** With which the program asks at the moment. */
  let asking: Handed | undefined;
  const asks: Asks = (name, ask, given) => {
    if (asking !== undefined) return doors.out(name, ask);
    const handed = new Handed(parts, given);
    const run = (): unknown => {
      asking = handed;
      try {
        return ask();
      } finally {
        asking = undefined;
      }
    };
    return doors.out(name, run, handed);
  };
  const apart = (_: string, run: () => unknown): unknown => doors.apart(run);
  guardMethods(outgoing, ASKED_OF_OUTGOING, asks);
  guardMethods(answers, ASKED_OF_ANSWERS, asks);
  guardMethods(answers, ['answer', 'fail'], apart);
  guardMethods(outgoing, ['refuse'], (_, run) => {
    doors.cannot('a message was refused');
    return run();
  });
  guardMethods(endings, ['end'], (_, run) => {
    doors.cannot('an actor has ended');
    return doors.apart(run);
  });
  guardMethods(program, ASKED_OF_PROGRAM, asks);
  guardMethods(program, SENDING, (_, run, given) => sendingBy(run() as object, given, asks));
  guardMethods(questions, ['ask'], asks);
  if (places !== undefined) guardMethods(places, ['choose'], asks);
  for (const other of others) guardMethods(other, methodsOf(other), apart);
  guardMethods(realm.parts.eventuals, ['forward'], (_, run, [eventual, target]) => {
    asking?.forwards(eventual as object, target as object);
    return doors.within(run);
  });
  guardTurns(doors, parts);
}

function methodsOf(object: object): string[] {
  const prototype = Object.getPrototypeOf(object) as object;
  return Object.getOwnPropertyNames(prototype).filter(
    (name) => name !== 'constructor' && typeof Object.getOwnPropertyDescriptor(prototype, name)?.value === 'function',
  );
}

/** `given`: by the program, eventuals among it. */
type Asks = (name: string, ask: () => unknown, given: readonly unknown[]) => unknown;

/** What is sent by an object that has any method, which the program has for what was given. */
function sendingBy(sender: object, given: readonly unknown[], asks: Asks): object {
  // References send by themselves.
  if (FarRef.has(sender) || !isBlank(sender)) return sender;
  return new Proxy(sender, {
    get(target, key, receiver) {
      const method: unknown = Reflect.get(target, key, receiver);
      if (typeof method !== 'function') return method;
      return (...args: unknown[]) => asks(String(key), () => (method as Method)(...args), [...given, ...args]);
    },
  });
}

function isBlank(sender: object): boolean {
  return Object.getPrototypeOf(sender) === null;
}

function guardTurns(
  doors: Doors,
  { mail, turns, births, forwarder, realm }: Pick<GuardedParts, 'mail' | 'turns' | 'births' | 'forwarder' | 'realm'>,
): void {
  const { told, handle } = turns;
  const { eventuals } = realm.parts;
  turns.told = (actor, call, count, a, b, c) => {
    const { root } = actor;
    const args = listOf(count, a, b, c, NOTHING);
    mail.taken({ what: 'told', recipient: actor, call, args });
    doors.in(
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
    if (other !== undefined) return doors.in(run, other, contextOf(actor, call));
    if (call === STOP || call === BEGIN) doors.cannot('an actor was ended, or was not to be made');
    return run();
  };
}
