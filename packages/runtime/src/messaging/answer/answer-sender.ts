// Sends answers: the result of a call goes to its asker as a message, or once there is one if the call has returned an eventual. Outcomes of eventuals that
// were passed to another worker go the same way.

import type { Actor } from '../../actors/actor.ts';
import type { Link } from '../link.ts';
import { FULFIL, REJECT, WIRE } from '../message-kinds.ts';
import type { MessageQueue, Pump } from '../message-queue.ts';
import { refusedError } from '../refusal.ts';
import { type MessageCopier, nameOf } from '../send/message-copier.ts';
import type { SendingDeps } from '../send/outgoing.ts';
import type { EventualForwarder } from './eventual-forwarder.ts';
import { askedOf } from './journey.ts';
import { Forward, Later, Passed, PASSED, type Settles } from './outcomes.ts';

export interface AnswerSenderDeps extends SendingDeps {
  currentActor(): Actor;
  /** Sends a message that has waited for its target. */
  sendLater(message: Later, target: unknown, isRejected: boolean): void;
}

export class AnswerSender {
  readonly #deps: AnswerSenderDeps;
  readonly #here: number;
  readonly #queue: MessageQueue<Actor>;
  readonly #pump: Pump;
  readonly #copier: MessageCopier;
  readonly #forwarder: EventualForwarder;

  constructor(deps: AnswerSenderDeps) {
    this.#deps = deps;
    this.#here = deps.here;
    this.#queue = deps.queue;
    this.#pump = deps.pump;
    this.#copier = deps.copier;
    this.#forwarder = deps.forwarder;
    deps.realm.forwardBy((target, value, isRejected) => this.forwarded(target, value, isRejected));
  }

  /** Sends the result of a call to its asker, as a message; that of an eventual once it is settled. */
  answer(actor: Actor, to: Actor, settles: Settles, call: string, value: unknown): void {
    if (settles === undefined) return;
    if (
      ((typeof value === 'object' && value !== null) || typeof value === 'function') &&
      this.#forwarder.isEventual(value)
    )
      return this.#forwarder.forward(value, new Forward(actor, to, settles, call));
    if (to.worker !== this.#here) return this.#answerAway(actor, to, settles as number, call, value);
    let copy = value;
    try {
      if (isCopied(value)) copy = this.#copier.result(value, actor, to, call);
    } catch (error) {
      return this.fail(actor, to, settles, error, call);
    }
    this.#queue.addOutcome(actor, to, FULFIL, settles, copy);
    if (!this.#pump.isAwake) this.#deps.wake();
  }

  #answerAway(actor: Actor, to: Actor, question: number, call: string, value: unknown): void {
    const link = this.#deps.linkTo(to);
    if (!link.isOpen || link.peer !== to) return;
    const name = (): string => `the result of ${nameOf(actor, call)}`;
    try {
      link.addOutcome(WIRE.answer, actor.id, question, value, name);
    } catch (error) {
      this.fail(actor, to, question, error, call);
    }
  }

  /** Sends the failure of a call to its asker; without one it is reported where it happened. */
  fail(actor: Actor, to: Actor, settles: Settles, reason: unknown, call: string): void {
    if (settles === undefined) return this.#deps.report(actor, reason);
    if (to.worker !== this.#here) {
      const link = this.#deps.linkTo(to);
      if (link.isOpen && link.peer === to) this.#sendOutcome(link, actor, WIRE.failure, settles as number, reason);
      return;
    }
    let copy: unknown;
    try {
      copy = this.#copier.copy(to, reason, () => thrownBy(actor));
      if (call !== PASSED) askedOf(copy, actor, call);
    } catch (error) {
      copy = refusedError(error, reason);
    }
    this.#queue.addOutcome(actor, to, REJECT, settles, copy);
    if (!this.#pump.isAwake) this.#deps.wake();
  }

  /** An eventual goes to another worker, which knows it by a number: its outcome will be sent there. */
  passAway(eventual: object, link: Link, number: number): void {
    this.#forwarder.forward(eventual, new Passed(link, number));
  }

  /** A forwarded eventual is settled. */
  forwarded(target: object, value: unknown, isRejected: boolean): void {
    if (target instanceof Forward) {
      const { owner, to, settles, call } = target;
      if (isRejected) this.fail(owner, to, settles, value, call);
      else this.answer(owner, to, settles, call, value);
    } else if (target instanceof Passed) {
      const { link, number } = target;
      if (!link.isOpen) return;
      const kind = isRejected ? WIRE.failed : WIRE.settled;
      this.#sendOutcome(link as Link, this.#deps.currentActor(), kind, number, value);
    } else if (target instanceof Later) this.#deps.sendLater(target, value, isRejected);
  }

  /** A value that cannot be copied is replaced by the reason. */
  #sendOutcome(link: Link, actor: Actor, kind: number, number: number, value: unknown): void {
    const name = (): string => (kind === WIRE.failure ? thrownBy(actor) : `an eventual that ${actor.name} has passed`);
    try {
      link.addOutcome(kind, actor.id, number, value, name);
    } catch (error) {
      link.addOutcome(kind === WIRE.settled ? WIRE.failed : kind, actor.id, number, refusedError(error, value), name);
    }
  }

  /** In a replay: calls `answered` before each answer is sent. Replaces the methods, so that no other thread pays for it. */
  watchAnswers(
    answered: (actor: Actor, call: string, failure: { readonly reason: unknown } | undefined) => void,
  ): void {
    const { answer, fail } = this;
    this.answer = (actor, to, settles, call, value) => {
      // An eventual is answered when it is settled.
      if (settles !== undefined && !this.#forwarder.isEventual(value)) answered(actor, call, undefined);
      answer.call(this, actor, to, settles, call, value);
    };
    this.fail = (actor, to, settles, reason, call) => {
      answered(actor, call, { reason });
      fail.call(this, actor, to, settles, reason, call);
    };
  }
}

function isCopied(value: unknown): boolean {
  return (typeof value === 'object' && value !== null) || typeof value === 'function' || typeof value === 'symbol';
}

function thrownBy(actor: Actor): string {
  return `what ${actor.name} has thrown`;
}
