// For observers of a replay: the call that an eventual answers, and where outcomes go. Noted when a call is sent: taken messages do not tell, and
// the runtime's tables may be ahead of the program (docs/engine.md, "Back in place"). Uses the language's own methods: an undo log notes the program's.

import { Eventual } from '@turntable/core';
import type { ActorCell } from '../../actors/actor-cell.ts';
import { turnSubjectName, type TurnSubject } from '../../channels.ts';
import { FarReference } from '../../references/far-reference.ts';
import { Link } from '../link.ts';
import type { QueueEntry } from '../queue-state.ts';
import { ReplyForward, PipelinedCall, WorkerForward, PASSED_EVENTUAL } from './forward-targets.ts';
import type { OutgoingCalls } from '../send/outgoing-calls.ts';

/** What an eventual waits for that is an answer. */
export interface AwaitedAnswer {
  readonly callee: ActorCell;
  /** What it was asked to do; its end, if it is nothing. */
  readonly call: string | undefined;
  /** Of an actor elsewhere: the number of the question among those of this worker to that one. */
  readonly callId: number | undefined;
}

const { apply } = Reflect;
const { get, set, has } = WeakMap.prototype;

export class AwaitedAnswers {
  readonly #answers = new WeakMap<object, AwaitedAnswer>();

  /** Of what is asked from now on. */
  constructor(outgoing: OutgoingCalls) {
    const { send, sendMany, callOn } = outgoing;
    outgoing.send = (ref, expectsReply, call, ...rest) => {
      const replyTo = send.call(outgoing, ref, expectsReply, call, ...rest);
      this.#note(replyTo, FarReference.actorOf(ref), call);
      return replyTo;
    };
    outgoing.sendMany = (ref, expectsReply, call, args) => {
      const replyTo = sendMany.call(outgoing, ref, expectsReply, call, args);
      this.#note(replyTo, FarReference.actorOf(ref), call);
      return replyTo;
    };
    outgoing.callOn = (target, replyTo, call, args, trail) => {
      if (FarReference.has(target)) this.#note(replyTo, FarReference.actorOf(target), call);
      callOn.call(outgoing, target, replyTo, call, args, trail);
    };
    const note = this.#note.bind(this);
    const { registerCall } = Link.prototype;
    Link.prototype.registerCall = function (this: Link, eventual, actor, callee, call) {
      const callId = registerCall.call(this, eventual, actor, callee, call);
      note(eventual, callee, call, callId);
      return callId;
    };
  }

  /** Of what waits for an answer already, as it was in a snapshot. */
  noteTables(queue: readonly QueueEntry<ActorCell>[], links: readonly Link[]): void {
    for (const entry of queue) {
      if (entry.kind !== 'send' || !Eventual.is(entry.replyTo)) continue;
      const call = entry.call as TurnSubject;
      // What else there is comes back to who has asked, or is asked by nobody.
      if (typeof call === 'string' || 'name' in call) this.#note(entry.replyTo, entry.recipient, turnSubjectName(call));
    }
    for (const link of links)
      for (const [callId, { eventual, callee, call }] of link.getState().pendingCalls)
        this.#note(eventual, callee, call, callId);
  }

  #note(replyTo: Eventual | undefined, callee: ActorCell, call: string | undefined, callId?: number): void {
    if (replyTo === undefined) return;
    // Of what was asked elsewhere the link has said it with its number.
    if (callId === undefined && (apply(has, this.#answers, [replyTo]) as boolean)) return;
    const answer: AwaitedAnswer = { callee, call, callId };
    apply(set, this.#answers, [replyTo, answer]);
  }

  of(eventual: object): AwaitedAnswer | undefined {
    return apply(get, this.#answers, [eventual]) as AwaitedAnswer | undefined;
  }
}

/** Where an outcome goes that somebody outside of the realm has asked for. */
export type Destination =
  /** Who has asked an actor, by an eventual here or by the number of a question elsewhere; `call` is nothing where an eventual was passed. */
  | {
      readonly to: 'asker';
      readonly asker: ActorCell;
      readonly owner: ActorCell;
      readonly call: string | undefined;
      readonly replyTo: Eventual | number | undefined;
    }
  /** Another worker, to which an eventual was passed. */
  | { readonly to: 'worker'; readonly worker: number }
  /** A message to what it will be. */
  | { readonly to: 'message'; readonly call: string; readonly replyTo: Eventual | undefined };

/** Nothing, if it is no message that the outcome goes with. */
export function destinationOf(target: object): Destination | undefined {
  if (target instanceof ReplyForward) {
    const { owner, to, replyTo, call } = target;
    return { to: 'asker', asker: to, owner, call: call === PASSED_EVENTUAL ? undefined : call, replyTo };
  }
  if (target instanceof WorkerForward) return { to: 'worker', worker: target.link.peer.worker };
  if (target instanceof PipelinedCall) return { to: 'message', call: target.call, replyTo: target.replyTo };
  return undefined;
}
