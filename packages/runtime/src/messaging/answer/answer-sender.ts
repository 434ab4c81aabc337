// Sends the result of a call to the caller as a message. An eventual as the result is sent when it is settled. Outcomes
// of eventuals that were passed to another worker are sent in the same way.

import type { ActorCell } from '../../actors/actor-cell.ts';
import type { Link } from '../link.ts';
import { FULFIL, REJECT, WIRE } from '../message-kinds.ts';
import type { MessageQueue, Pump } from '../message-queue.ts';
import { replaceThrown } from '../not-passable.ts';
import { type MessageCopier, callName } from '../send/message-copier.ts';
import type { SendingDeps } from '../send/outgoing-calls.ts';
import type { EventualForwarder } from './eventual-forwarder.ts';
import { addAskedFrame } from './stack-frames.ts';
import { ReplyForward, PipelinedCall, WorkerForward, PASSED_EVENTUAL, type ReplyTo } from './forward-targets.ts';

export interface AnswerSenderDeps extends SendingDeps {
  currentActor(): ActorCell;
  /** Sends a message to a target that was awaited. */
  sendLater(message: PipelinedCall, target: unknown, isRejected: boolean): void;
}

export class AnswerSender {
  readonly #deps: AnswerSenderDeps;
  readonly #here: number;
  readonly #queue: MessageQueue<ActorCell>;
  readonly #pump: Pump;
  readonly #copier: MessageCopier;
  readonly #forwarder: EventualForwarder;

  constructor(deps: AnswerSenderDeps) {
    this.#deps = deps;
    this.#here = deps.ownWorker;
    this.#queue = deps.queue;
    this.#pump = deps.pump;
    this.#copier = deps.copier;
    this.#forwarder = deps.forwarder;
    deps.realm.onForward((target, value, isRejected) => this.onForwardedOutcome(target, value, isRejected));
  }

  /** Sends the result of a call to the caller; an eventual as the result is sent when it is settled. */
  answer(actor: ActorCell, asker: ActorCell, replyTo: ReplyTo, call: string, value: unknown): void {
    if (replyTo === undefined) return;
    if (
      ((typeof value === 'object' && value !== null) || typeof value === 'function') &&
      this.#forwarder.isEventual(value)
    )
      return this.#forwarder.forward(value, new ReplyForward(actor, asker, replyTo, call));
    if (asker.worker !== this.#here) return this.#answerRemote(actor, asker, replyTo as number, call, value);
    let copy = value;
    try {
      if (needsCopy(value)) copy = this.#copier.result(value, actor, asker, call);
    } catch (error) {
      return this.fail(actor, asker, replyTo, error, call);
    }
    this.#queue.addOutcome(actor, asker, FULFIL, replyTo, copy);
    if (!this.#pump.isAwake) this.#deps.wake();
  }

  #answerRemote(actor: ActorCell, asker: ActorCell, callId: number, call: string, value: unknown): void {
    const link = this.#deps.linkTo(asker);
    if (!link.isOpen || link.peer !== asker) return;
    const name = (): string => `the result of ${callName(actor, call)}`;
    try {
      link.addOutcome(WIRE.answer, actor.id, callId, value, name);
    } catch (error) {
      this.fail(actor, asker, callId, error, call);
    }
  }

  /** Sends the failure of a call to the caller, or reports it if no answer is wanted. */
  fail(actor: ActorCell, asker: ActorCell, replyTo: ReplyTo, reason: unknown, call: string): void {
    if (replyTo === undefined) return this.#deps.report(actor, reason);
    if (asker.worker !== this.#here) {
      const link = this.#deps.linkTo(asker);
      if (link.isOpen && link.peer === asker) this.#sendOutcome(link, actor, WIRE.failure, replyTo as number, reason);
      return;
    }
    let copy: unknown;
    try {
      copy = this.#copier.copy(asker, reason, () => describeThrown(actor));
      if (call !== PASSED_EVENTUAL) addAskedFrame(copy, actor, call);
    } catch (error) {
      copy = replaceThrown(error, reason);
    }
    this.#queue.addOutcome(actor, asker, REJECT, replyTo, copy);
    if (!this.#pump.isAwake) this.#deps.wake();
  }

  /** Sends the outcome of an eventual that was passed to another worker under `eventualId`. */
  forwardToWorker(eventual: object, link: Link, eventualId: number): void {
    this.#forwarder.forward(eventual, new WorkerForward(link, eventualId));
  }

  /** Sends the outcome of a forwarded eventual to its target. Called when the eventual is settled. */
  onForwardedOutcome(target: object, value: unknown, isRejected: boolean): void {
    if (target instanceof ReplyForward) {
      const { owner, to: asker, replyTo, call } = target;
      if (isRejected) this.fail(owner, asker, replyTo, value, call);
      else this.answer(owner, asker, replyTo, call, value);
    } else if (target instanceof WorkerForward) {
      const { link, eventualId } = target;
      if (!link.isOpen) return;
      const kind = isRejected ? WIRE.eventualRejected : WIRE.eventualFulfilled;
      this.#sendOutcome(link as Link, this.#deps.currentActor(), kind, eventualId, value);
    } else if (target instanceof PipelinedCall) this.#deps.sendLater(target, value, isRejected);
  }

  /** Sends an outcome. A value that cannot be passed is replaced by an error with the reason. */
  #sendOutcome(link: Link, actor: ActorCell, kind: number, replyTo: number, value: unknown): void {
    const name = (): string => (kind === WIRE.failure ? describeThrown(actor) : `an eventual passed by ${actor.name}`);
    try {
      link.addOutcome(kind, actor.id, replyTo, value, name);
    } catch (error) {
      const failedKind = kind === WIRE.eventualFulfilled ? WIRE.eventualRejected : kind;
      link.addOutcome(failedKind, actor.id, replyTo, replaceThrown(error, value), name);
    }
  }

  /** In a replay: calls `onAnswer` before each answer. Replaces the methods, so that other threads pay nothing. */
  observeAnswers(
    onAnswer: (actor: ActorCell, call: string, failure: { readonly reason: unknown } | undefined) => void,
  ): void {
    const { answer, fail } = this;
    this.answer = (actor, asker, replyTo, call, value) => {
      // An eventual is not reported here: when it is settled, `answer` or `fail` is called again.
      if (replyTo !== undefined && !this.#forwarder.isEventual(value)) onAnswer(actor, call, undefined);
      answer.call(this, actor, asker, replyTo, call, value);
    };
    this.fail = (actor, asker, replyTo, reason, call) => {
      onAnswer(actor, call, { reason });
      fail.call(this, actor, asker, replyTo, reason, call);
    };
  }
}

function needsCopy(value: unknown): boolean {
  return (typeof value === 'object' && value !== null) || typeof value === 'function' || typeof value === 'symbol';
}

function describeThrown(actor: ActorCell): string {
  return `the error thrown by ${actor.name}`;
}
